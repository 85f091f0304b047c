//! Verdicts from counts.

use super::{RuleView, assess, percent};
use crate::case::Operation;
use crate::control::Control;
use crate::error::{ErrorType, Stability};
use crate::evidence::{AnswerCounts, RuleCounts, RuleEvidence};
use crate::readiness::ReadinessPolicy;
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

const POLICY: ReadinessPolicy = ReadinessPolicy {
    min_accepts: 10,
    min_rejects: 5,
    min_per_class: 1,
    min_kept: 1,
    min_exposed: 1.0,
    max_mismatch_rate: 0.25,
    max_failures: 0.01,
    confidence: 0.95,
};

fn verdict(rule: &Rule, create: &RuleEvidence, update: &RuleEvidence, exposed: bool) -> (String, String) {
    let control = Control { rule: rule.id, side: Side::Candidate, name: "bound one higher".into(), equivalent: None };
    let view = RuleView {
        rule,
        evidence: vec![(Operation::Create, create), (Operation::Update, update)],
        controls: vec![(&control, exposed)],
        excused: Vec::new(),
        answers: AnswerCounts::default(),
        compared_by: None,
    };
    let assessment = assess(&view, &POLICY);
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
        ("steering", rule(false, false), &silent, &silent, "READY", "create: 15 accepts agreed, cannot reject"),
        ("updates", rule(true, true), &none, &full, "READY", "update: 10 accepts, 5 rejects agreed"),
        ("extra", rule(true, false), &full, &extra, "BLOCKED", "1 case rejected by the rule only on update"),
        (
            "missing",
            rule(true, false),
            &missing,
            &full,
            "BLOCKED",
            "2 cases rejected by the handwritten check only on create",
        ),
        ("panic", rule(true, false), &panicked, &full, "BLOCKED", "1 case panicked on create"),
        ("both", rule(true, false), &none, &extra, "BLOCKED", "1 case rejected by the rule only on update"),
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
    let said = "create: requests or other rules keep from the rule what it would judge, in all of 11 cases";
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
        excused: Vec::new(),
        answers: AnswerCounts::default(),
        compared_by: None,
    };
    let policy = ReadinessPolicy { min_accepts: 5, ..POLICY };
    let assessment = assess(&view, &policy);
    assert_eq!(assessment.verdict.reasons(), ["at most 25.9 % of cases disagree (95 % sure)"]);
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
            &RuleView { rule: &rule, evidence, controls: Vec::new(), excused: Vec::new(), answers, compared_by: None },
            &POLICY,
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
        (None, TagStability::Stable, None, false, "stable: enforced, nothing shadows it"),
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

#[test]
fn excused_findings_do_not_block_and_are_said() {
    let rule = rule(true, false);
    let full = agreed(10, 5);
    let missing = with(&full, |counts| {
        counts.compared += 4;
        counts.missing = 4;
    });
    let evidence = vec![(Operation::Create, &full), (Operation::Update, &missing)];
    let answers = AnswerCounts::default();
    let view =
        RuleView { rule: &rule, evidence, controls: Vec::new(), excused: Vec::new(), answers, compared_by: None };
    assert_eq!(assess(&view, &POLICY).verdict.to_string(), "BLOCKED");
    let elsewhere = RuleView { excused: vec![Operation::Create], ..view.clone() };
    assert_eq!(assess(&elsewhere, &POLICY).verdict.to_string(), "BLOCKED", "another operation is excused");
    let excused = assess(&RuleView { excused: vec![Operation::Update], ..view.clone() }, &POLICY);
    assert_eq!(excused.verdict.to_string(), "READY");
    assert_eq!(excused.verdict.reasons()[1], "update: 10 accepts, 5 rejects agreed, 4 cases excused");
    let found = excused.criteria.iter().find(|of| of.name == "missing" && of.operation == Some(Operation::Update));
    assert!(found.unwrap().found.ends_with("on update, excused"), "{found:?}");
    // That the difference is excused holds for beta, and not for stable, where nothing is compared any more.
    assert_eq!((excused.next.allowed, excused.next.because[1].as_str()), (true, "it rests on exceptions"));
    let beta = Rule { stability: Some(Stability::Beta), ..rule.clone() };
    let stays = assess(&RuleView { rule: &beta, excused: vec![Operation::Update], ..view.clone() }, &POLICY);
    assert_eq!(stays.verdict.to_string(), "READY");
    assert_eq!((stays.next.allowed, stays.next.because), (false, vec!["it rests on exceptions".to_owned()]));
    let panicked = with(&missing, |counts| {
        counts.compared += 1;
        counts.panicked = 1;
    });
    let evidence = vec![(Operation::Create, &full), (Operation::Update, &panicked)];
    let view = RuleView { evidence, excused: vec![Operation::Update], ..view };
    assert_eq!(assess(&view, &POLICY).verdict.to_string(), "BLOCKED", "panics are not excused");
}
