//! Verdicts from counts.

use super::{Assessment, RuleView, assess, percent};
use crate::case::Operation;
use crate::compare::{Matter, Signature};
use crate::control::Control;
use crate::error::{ErrorType, Stability};
use crate::evidence::{AnswerCounts, RuleCounts, RuleEvidence};
use crate::readiness::sample::finding;
use crate::readiness::{Disagreement, Readiness, ReadinessPolicy, Stand};
use crate::rule::{Boundary, ErrorShape, Rule, RuleId, Sample, TagStability};
use crate::side::Side;

fn rule(reports: bool, update_only: bool) -> Rule {
    let report = ErrorShape { error_type: ErrorType::Invalid, field: "spec.replicas".into(), origin: "minimum".into() };
    let class =
        |class: &str, breaks| Boundary { class: class.to_owned(), breaks, sample: Sample::Absent, options: Vec::new() };
    Rule {
        stability: Some(Stability::Alpha),
        reports: if reports { vec![report] } else { Vec::new() },
        update_only,
        boundaries: vec![class("below", true), class("on", false)],
        ..Rule::new(RuleId(0), "spec.replicas", "minimum=0")
    }
}

fn agreed(accept: u64, reject: u64) -> RuleEvidence {
    let counts =
        RuleCounts { compared: accept + reject, agreed_accept: accept, agreed_reject: reject, ..RuleCounts::default() };
    RuleEvidence { counts, classes: vec![1, 1], kept: 1, ..RuleEvidence::default() }
}

fn with(evidence: &RuleEvidence, change: impl FnOnce(&mut RuleCounts)) -> RuleEvidence {
    let mut evidence = evidence.clone();
    change(&mut evidence.counts);
    evidence
}

fn policy() -> ReadinessPolicy {
    ReadinessPolicy { min_accepts: 10, min_rejects: 5, max_mismatch_rate: 0.25, ..ReadinessPolicy::default() }
}

fn verdict(rule: &Rule, create: &RuleEvidence, update: &RuleEvidence, exposed: bool) -> (String, String) {
    let control = Control { rule: rule.id, side: Side::Candidate, name: "bound one higher".into(), equivalent: None };
    let view = RuleView {
        rule,
        evidence: vec![(Operation::Create, create), (Operation::Update, update)],
        controls: vec![(&control, exposed)],
        disagreements: Vec::new(),
        overflowing: Vec::new(),
        answers: AnswerCounts::default(),
        compared_by: None,
        matter: Matter::Errors,
    };
    let assessment = assess(&view, &policy());
    (assessment.verdict.to_string(), assessment.verdict.reasons()[0].clone())
}

#[test]
fn verdicts_follow_from_counts() {
    let (full, none) = (agreed(10, 5), RuleEvidence { classes: vec![0, 0], ..RuleEvidence::default() });
    let extra = with(&full, |counts| (counts.compared, counts.extra) = (16, 1));
    let missing = with(&full, |counts| (counts.compared, counts.missing) = (17, 2));
    let panicked = with(&full, |counts| (counts.compared, counts.panicked) = (16, 1));
    let unshown = RuleEvidence { classes: vec![0, 1], ..full.clone() };
    let unkept = RuleEvidence { kept: 0, ..full.clone() };
    let silent = RuleEvidence { classes: vec![1, 1], ..agreed(15, 0) };
    for (name, rule, create, update, verdict_wanted, first) in [
        ("all met", rule(true, false), &full, &full, "READY", "create: 10 accepts, 5 rejects agreed"),
        ("too few rejects", rule(true, false), &agreed(12, 4), &full, "INSUFFICIENT", "create: 4 of 5 agreed rejects"),
        ("too few accepts", rule(true, false), &full, &agreed(9, 6), "INSUFFICIENT", "update: 9 of 10 agreed accepts"),
        ("never seen", rule(true, false), &none, &none, "INSUFFICIENT", "create: 0 of 10 agreed accepts"),
        ("a class", rule(true, false), &unshown, &full, "INSUFFICIENT", "create: 1 of 2 classes not shown: `below`"),
        ("kept", rule(true, false), &full, &unkept, "INSUFFICIENT", "update: 0 cases that keep a bad value"),
        (
            "steering",
            rule(false, false),
            &silent,
            &silent,
            "READY",
            "create: 15 accepts agreed; the rule never rejects",
        ),
        ("updates", rule(true, true), &none, &full, "READY", "update: 10 accepts, 5 rejects agreed"),
        ("extra", rule(true, false), &full, &extra, "BLOCKED", "1 case that only the rule rejects, on update"),
        (
            "missing",
            rule(true, false),
            &missing,
            &full,
            "BLOCKED",
            "2 cases that only the handwritten check rejects, on create",
        ),
        ("panic", rule(true, false), &panicked, &full, "BLOCKED", "1 case panicked on create"),
        ("both", rule(true, false), &none, &extra, "BLOCKED", "1 case that only the rule rejects, on update"),
    ] {
        let found = verdict(&rule, create, update, true);
        assert_eq!((found.0.as_str(), found.1.as_str()), (verdict_wanted, first), "{name}");
    }
}

#[test]
fn what_requests_drop_on_every_operation_is_out_of_reach_and_on_one_is_left_out() {
    let full = agreed(10, 5);
    let dropped = RuleEvidence { wiped: 7, classes: vec![0, 0], ..RuleEvidence::default() };
    let rule = rule(true, false);
    let both = verdict(&rule, &dropped, &dropped, false);
    let said = "create: requests drop what the rule would judge, in all of 7 cases";
    assert_eq!(both, ("OUT OF REACH".to_owned(), said.to_owned()));
    let one = verdict(&rule, &full, &dropped, true);
    assert_eq!(one, ("READY".to_owned(), "create: 10 accepts, 5 rejects agreed".to_owned()));
}

#[test]
fn what_another_rule_always_stops_is_not_asked_for() {
    let full = agreed(10, 5);
    // `below` never comes through on update; `on` does.
    let guarded = RuleEvidence { classes: vec![0, 1], stopped: vec![9, 2], ..agreed(15, 0) };
    let rule = rule(true, false);
    assert_eq!(verdict(&rule, &full, &guarded, true).0, "READY");
    let never = RuleEvidence { classes: vec![0, 0], stopped: vec![9, 2], ..RuleEvidence::default() };
    assert_eq!(verdict(&rule, &full, &never, true).0, "READY");
    let both = verdict(&rule, &never, &never, true);
    let said = "create: requests or other rules keep values from the rule, in all of 11 cases";
    assert_eq!(both, ("OUT OF REACH".to_owned(), said.to_owned()));
}

#[test]
fn a_rule_of_updates_accepts_what_is_left_as_it_was() {
    let none = RuleEvidence { classes: vec![0, 0], ..RuleEvidence::default() };
    let unchanged = with(&agreed(0, 15), |counts| counts.not_reached = 40);
    let found = verdict(&rule(true, true), &none, &unchanged, true);
    assert_eq!(found, ("READY".to_owned(), "update: 40 accepts, 15 rejects agreed".to_owned()));
}

#[test]
fn a_surviving_fault_withholds_readiness_and_is_named() {
    let full = agreed(10, 5);
    let (verdict, reason) = verdict(&rule(true, false), &full, &full, false);
    assert_eq!(verdict, "INSUFFICIENT");
    assert_eq!(reason, "1 of 1 planted faults not exposed: `bound one higher`");
}

#[test]
fn too_few_cases_leave_too_high_a_rate_possible() {
    let few = agreed(5, 5);
    let rule = rule(true, false);
    let view = RuleView {
        rule: &rule,
        evidence: vec![(Operation::Create, &few)],
        controls: Vec::new(),
        disagreements: Vec::new(),
        overflowing: Vec::new(),
        answers: AnswerCounts::default(),
        compared_by: None,
        matter: Matter::Errors,
    };
    let policy = ReadinessPolicy { min_accepts: 5, ..policy() };
    let assessment = assess(&view, &policy);
    assert_eq!(assessment.verdict.reasons(), ["at most 25.9 % of cases may disagree (95 % confidence)"]);
    assert!((assessment.upper_bound - 0.2589).abs() < 1e-4);
}

#[test]
fn a_rule_only_moves_on_when_its_tags_are_settled_enough() {
    let full = agreed(20, 20);
    let next = |level, tag| {
        let settled = Some(("unionMember".to_owned(), tag));
        let rule = Rule { stability: level, least_settled: settled, since: Some("1.36".into()), ..rule(true, false) };
        let evidence = vec![(Operation::Create, &full), (Operation::Update, &full)];
        let answers = AnswerCounts::default();
        assess(
            &RuleView {
                rule: &rule,
                evidence,
                controls: Vec::new(),
                disagreements: Vec::new(),
                overflowing: Vec::new(),
                answers,
                compared_by: None,
                matter: Matter::Errors,
            },
            &policy(),
        )
        .next
    };
    let (alpha, beta) = (Some(Stability::Alpha), Some(Stability::Beta));
    for (level, tag, to, allowed, because) in [
        (alpha, TagStability::Beta, Some("beta"), true, "after at least one release at alpha, where it is since 1.36"),
        (alpha, TagStability::Alpha, Some("beta"), false, "`unionMember` is itself alpha, and beta needs beta"),
        (beta, TagStability::Beta, Some("stable"), false, "`unionMember` is itself beta, and stable needs stable"),
        (
            beta,
            TagStability::Stable,
            Some("stable"),
            true,
            "after at least one release at beta, where it is since 1.36",
        ),
        (
            None,
            TagStability::Stable,
            None,
            false,
            "stable and enforced: delete the check that it replaces, if there is one",
        ),
    ] {
        let next = next(level, tag);
        assert_eq!((next.level.as_deref(), next.allowed), (to, allowed), "{level:?} {tag:?}");
        assert_eq!(next.because, [because]);
    }
}

#[test]
fn shares_are_printed_with_three_digits_that_count() {
    for (share, text) in
        [(1.0, "100 %"), (0.25, "25 %"), (0.0123, "1.23 %"), (0.01, "1 %"), (0.000_012_34, "0.00123 %"), (0.0, "0 %")]
    {
        assert_eq!(percent(share), text);
    }
}

/// The verdict on a rule that misses what these findings are about on update.
fn assessed(rule: &Rule, findings: &[(&str, u64, Stand<'_>)], change: impl FnOnce(&mut RuleCounts)) -> Assessment {
    let full = agreed(10, 5);
    let update = with(&full, |counts| {
        let all: u64 = findings.iter().map(|(_, cases, _)| cases).sum();
        counts.compared += all;
        counts.missing = all;
        change(counts);
    });
    let known: Vec<_> = findings.iter().map(|(text, cases, _)| finding(text, *cases, &[])).collect();
    let disagreements = known.iter().zip(findings);
    let view = RuleView {
        rule,
        evidence: vec![(Operation::Create, &full), (Operation::Update, &update)],
        controls: Vec::new(),
        disagreements: disagreements
            .map(|((signature, seen), (_, _, stand))| Disagreement { signature, seen, stand: *stand })
            .collect(),
        overflowing: Vec::new(),
        answers: AnswerCounts::default(),
        compared_by: None,
        matter: Matter::Errors,
    };
    assess(&view, &policy())
}

const RATCHETS: &str = "update kept missing ratchets FieldValueInvalid spec.replicas minimum";
const LESS: &str = "update new missing reports-less FieldValueInvalid spec.replicas minimum";

#[test]
fn what_a_disagreement_does_goes_by_how_its_finding_stands() {
    let root: Signature = "v1 Web update changed extra reports-more FieldValueInvalid spec immutable".parse().unwrap();
    for (stand, ready, said) in [
        (
            Stand::Blocking,
            false,
            "update: 4 cases in which the rule accepts a stored bad value, the handwritten check does not (the outcome changes \
             in 2 of them)",
        ),
        (
            Stand::Tolerated("by design"),
            true,
            "updates that keep a bad value will pass: 4 cases ratchet (the outcome changes in 2 of them), tolerated: by design",
        ),
        (
            Stand::Reported("to be settled"),
            true,
            "updates that keep a bad value will pass: 4 cases ratchet (the outcome changes in 2 of them), reported: to be settled",
        ),
        (
            Stand::BroughtAlong(&root),
            true,
            "update: 4 cases in which the rule accepts a stored bad value, the handwritten check does not (the outcome changes \
             in 2 of them), brought along by `extra FieldValueInvalid spec immutable`",
        ),
    ] {
        let assessment = assessed(&rule(true, false), &[(RATCHETS, 4, stand)], |_| {});
        assert_eq!(assessment.verdict.to_string() == "READY", ready, "{stand:?}: {:?}", assessment.verdict);
        assert!(assessment.verdict.reasons().iter().any(|reason| reason == said), "{:?}", assessment.verdict);
        let criterion = assessment.criteria.iter().find(|of| of.name == "ratchets").unwrap();
        assert_eq!((criterion.met, criterion.found.as_str()), (ready, said));
        assert_eq!(criterion.remedy.is_empty(), ready);
    }
}

#[test]
fn a_finding_that_is_decided_about_hides_no_other_one() {
    let tolerated = (RATCHETS, 4, Stand::Tolerated("by design"));
    let both = assessed(&rule(true, false), &[tolerated, (LESS, 1, Stand::Blocking)], |_| {});
    let said = "1 case that only the handwritten check rejects, on update (only the wording changes)";
    assert_eq!(both.verdict, Readiness::Blocked(vec![said.to_owned()]));
    // The bound is that of the one case, not of five.
    let alone = assessed(&rule(true, false), &[(LESS, 1, Stand::Blocking)], |_| {});
    assert_eq!(both.upper_bound, alone.upper_bound);
    // What no finding accounts for is never taken to be decided about.
    let unaccounted = assessed(&rule(true, false), &[tolerated], |counts| {
        counts.compared += 2;
        counts.extra = 2;
    });
    assert_eq!(
        unaccounted.verdict,
        Readiness::Blocked(vec!["2 cases that only the rule rejects, on update".to_owned()])
    );
}

#[test]
fn every_cause_has_advice_of_its_own() {
    let remedy = |direction: &str, cause: &str| {
        let text = format!("update kept {direction} {cause} FieldValueInvalid spec.replicas minimum");
        let assessment = assessed(&rule(true, false), &[(text.as_str(), 4, Stand::Blocking)], |counts| {
            (counts.extra, counts.missing) = (counts.missing, 0);
        });
        assessment.criteria.into_iter().find(|of| !of.met && of.name == cause).unwrap().remedy
    };
    for (direction, cause, part) in [
        ("missing", "ratchets", "decide that updates may keep a stored bad value"),
        ("extra", "ratchets", "updates that pass today would be rejected"),
        ("missing", "stopped", "stop at the same error"),
        ("extra", "unmarked", "mark the error of the handwritten check as covered"),
        ("missing", "other-type", "the same type"),
        ("missing", "other-place", "the same place"),
        ("missing", "other-origin", "the same origin"),
        ("extra", "reports-more", "make the rule accept this"),
        ("missing", "reports-less", "make the rule reject this too"),
        ("missing", "unsteady", "different answers to the same case"),
        ("missing", "lost-twin", "add the rule, or remove the mark"),
    ] {
        let said = remedy(direction, cause);
        assert!(said.contains(part), "{direction} {cause}: {said}");
    }
}

#[test]
fn excused_findings_do_not_block_and_are_said() {
    let excused = (LESS, 4, Stand::Excused);
    let assessment = assessed(&rule(true, false), &[excused], |_| {});
    assert_eq!(assessment.verdict.to_string(), "READY");
    assert_eq!(assessment.verdict.reasons()[1], "update: 10 accepts, 5 rejects agreed, 4 cases excused");
    let found = assessment.criteria.iter().find(|of| of.name == "reports-less").unwrap();
    assert!(found.met && found.found.ends_with(", excused"), "{found:?}");
    // That the difference is excused holds for beta, and not for stable, where nothing is compared any more.
    let next = assessment.next;
    assert_eq!((next.allowed, next.because[1].as_str()), (true, "it rests on exceptions"));
    let beta = Rule { stability: Some(Stability::Beta), ..rule(true, false) };
    let stays = assessed(&beta, &[excused], |_| {});
    assert_eq!(stays.verdict.to_string(), "READY");
    assert_eq!((stays.next.allowed, stays.next.because), (false, vec!["it rests on exceptions".to_owned()]));
    let panicked = assessed(&rule(true, false), &[excused], |counts| {
        counts.compared += 1;
        counts.panicked = 1;
    });
    assert_eq!(panicked.verdict.to_string(), "BLOCKED", "panics are not excused");
}
