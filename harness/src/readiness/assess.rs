//! Evidence held against the criteria.

use super::bound::upper_bound;
use super::lifecycle::Next;
use super::policy::Policy;
use super::reach::{hidden, is_out_of_reach, is_stopped, never_breaks, stopped};
use super::verdict::Verdict;
use crate::case::Operation;
use crate::control::Control;
use crate::evidence::RuleEvidence;
use crate::rule::Rule;
use crate::subject::Side;
use serde::{Deserialize, Serialize};

/// Most names that a reason lists.
const MOST_NAMED: usize = 4;

/// Everything that is known of one rule.
#[derive(Clone, Debug)]
pub struct RuleView<'v> {
    /// The rule.
    pub rule: &'v Rule,
    /// What was counted, by operation; operations that the subject does not serve are left out.
    pub evidence: Vec<(Operation, &'v RuleEvidence)>,
    /// The controls of the rule, and whether a case exposed them.
    pub controls: Vec<(&'v Control, bool)>,
}

/// A criterion and how the rule fares by it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Criterion {
    /// Name of the criterion: `agreed rejects`.
    pub name: String,
    /// The operation that it is about; none for both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<Operation>,
    /// Whether it is met.
    pub met: bool,
    /// Whether a rule that does not meet it is blocked, rather than short of evidence.
    pub blocking: bool,
    /// What was found.
    pub found: String,
    /// What would change it; empty when it is met.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub remedy: String,
}

/// The verdict on a rule, with the criteria that it rests on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Assessment {
    /// The verdict.
    pub verdict: Verdict,
    /// Every criterion.
    pub criteria: Vec<Criterion>,
    /// Upper bound of the share of disagreeing cases, at the confidence of the policy; the worse of both operations.
    pub upper_bound: f64,
    /// What the rule may become.
    pub next: Next,
}

/// Cases that the rule accepted. One that judges updates only looks at changes, and accepts whatever is left as it was.
fn accepts(rule: &Rule, evidence: &RuleEvidence) -> u64 {
    evidence.counts.agreed_accept + if rule.update_only { evidence.counts.not_reached } else { 0 }
}

/// Assesses one rule.
///
/// A rule that only steers (it reports nothing itself, such as `optional`) needs to be reached; it cannot reject, nor can a rule that
/// rejects only what defaulting prevents. A rule that judges updates only needs no evidence from creates.
#[must_use]
pub fn assess(view: &RuleView<'_>, policy: &Policy) -> Assessment {
    let rule = view.rule;
    let can_reject = !rule.reports.is_empty() && !rule.after_default;
    let mut criteria = Vec::new();
    let (mut bound, mut reachable): (f64, bool) = (0.0, false);
    for (operation, evidence) in view.evidence.iter().copied() {
        let counts = &evidence.counts;
        let mut add = |name: &str, met: bool, blocking: bool, found: String, remedy: &str| {
            let remedy = if met { String::new() } else { remedy.to_owned() };
            criteria.push(Criterion {
                name: name.to_owned(),
                operation: Some(operation),
                met,
                blocking,
                found,
                remedy,
            });
        };
        let on = |count: u64, what: &str| format!("{} {what} on {operation}", cases(count));
        add("panics", counts.panicked == 0, true, on(counts.panicked, "panicked"), "mend the oracle that panics");
        let missing = on(counts.missing, "rejected by the handwritten check only");
        add("missing", counts.missing == 0, true, missing, "widen the rule, or decide that the check may go");
        let extra = on(counts.extra, "rejected by the rule only");
        add("extra", counts.extra == 0, true, extra, "narrow the rule, or decide that it may reject more");
        if operation == Operation::Create && rule.update_only {
            continue;
        }
        if is_out_of_reach(rule, evidence) {
            let (count, how) = match stopped(evidence) {
                0 => (evidence.wiped, "requests drop what the rule would judge"),
                stopped => (evidence.wiped + stopped, "requests or other rules keep from the rule what it would judge"),
            };
            let found = format!("{operation}: {how}, in all of {}", cases(count));
            add("reach", true, false, found, "");
            continue;
        }
        reachable = true;
        bound =
            bound.max(upper_bound(counts.missing + counts.extra + counts.panicked, counts.compared, policy.confidence));
        let more = "soak longer, or give recorded objects that have the field";
        let accepted = accepts(rule, evidence);
        let found = format!("{operation}: {accepted} of {} agreed accepts", policy.min_accepts);
        add("agreed accepts", accepted >= policy.min_accepts, false, found, more);
        if can_reject && !never_breaks(rule, evidence) {
            let found = format!("{operation}: {} of {} agreed rejects", counts.agreed_reject, policy.min_rejects);
            add("agreed rejects", counts.agreed_reject >= policy.min_rejects, false, found, more);
        }
        let (lacking, all) = lacking_classes(rule, evidence, policy);
        if all > 0 && policy.min_per_class > 0 {
            let found = match lacking.as_slice() {
                [] => format!("{operation}: all {all} classes shown"),
                lacking => format!("{operation}: {} of {all} classes not shown: {}", lacking.len(), named(lacking)),
            };
            add("classes", lacking.is_empty(), false, found, "give a recorded object with a value of the class");
        }
        let keeps = operation == Operation::Update && can_reject && !rule.update_only;
        if keeps && policy.min_kept > 0 && rule.boundaries.iter().any(|boundary| boundary.breaks) {
            let found = format!("{operation}: {} that keep a bad value", cases(evidence.kept));
            add("kept values", evidence.kept >= policy.min_kept, false, found, more);
        }
    }
    if !reachable && criteria.iter().all(|criterion| criterion.met) {
        let reach = criteria.iter().filter(|criterion| criterion.name == "reach");
        let verdict = Verdict::OutOfReach(reach.map(|criterion| criterion.found.clone()).collect());
        return Assessment { next: Next::of(rule, &verdict), verdict, criteria, upper_bound: 1.0 };
    }
    criteria.extend(exposed(view, policy));
    let wanted = policy.max_mismatch_rate;
    criteria.push(Criterion {
        name: "mismatch rate".to_owned(),
        operation: None,
        met: bound <= wanted,
        blocking: false,
        found: format!("at most {} of cases disagree ({} sure)", percent(bound), percent(policy.confidence)),
        remedy: if bound <= wanted {
            String::new()
        } else {
            format!("compare more cases: {} is asked", percent(wanted))
        },
    });
    let verdict = conclude(view, &criteria, can_reject);
    Assessment { next: Next::of(rule, &verdict), verdict, criteria, upper_bound: bound }
}

fn conclude(view: &RuleView<'_>, criteria: &[Criterion], can_reject: bool) -> Verdict {
    let unmet = |blocking: bool| -> Vec<String> {
        let of = criteria.iter().filter(|criterion| !criterion.met && criterion.blocking == blocking);
        of.map(|criterion| criterion.found.clone()).collect()
    };
    let (against, lacking) = (unmet(true), unmet(false));
    if !against.is_empty() {
        return Verdict::Blocked(against);
    }
    if !lacking.is_empty() {
        return Verdict::InsufficientEvidence(lacking);
    }
    let judged = view.evidence.iter().filter(|(operation, evidence)| {
        !(is_out_of_reach(view.rule, evidence) || (*operation == Operation::Create && view.rule.update_only))
    });
    let agreed = judged.map(|(operation, evidence)| {
        let counts = &evidence.counts;
        if can_reject {
            format!("{operation}: {} accepts, {} rejects agreed", accepts(view.rule, evidence), counts.agreed_reject)
        } else {
            format!("{operation}: {} accepts agreed, cannot reject", accepts(view.rule, evidence))
        }
    });
    let rest =
        criteria.iter().filter(|criterion| criterion.operation.is_none()).map(|criterion| criterion.found.clone());
    Verdict::Ready(agreed.chain(rest).collect())
}

/// The classes that were shown too seldom, and how many there are to show.
fn lacking_classes<'v>(rule: &'v Rule, evidence: &RuleEvidence, policy: &Policy) -> (Vec<&'v str>, usize) {
    // Defaulting prevents what would break the rule.
    let prevented = |breaks: bool| breaks && rule.after_default;
    let classes = rule.boundaries.iter().enumerate();
    let classes = classes.filter(|(class, boundary)| !prevented(boundary.breaks) && !is_stopped(evidence, *class));
    let all = classes.clone().count();
    let times = |class: usize| evidence.classes.get(class).copied().unwrap_or_default();
    let lacking = classes.filter(|(class, _)| times(*class) < policy.min_per_class);
    (lacking.map(|(_, boundary)| boundary.class.as_str()).collect(), all)
}

/// The criterion of exposed controls; none when no control can be exposed, or none was watched for.
fn exposed(view: &RuleView<'_>, policy: &Policy) -> Option<Criterion> {
    let telling = view.controls.iter().filter(|(control, _)| control.equivalent.is_none());
    let telling: Vec<_> = telling.filter(|(control, exposed)| *exposed || hidden(view, control).is_none()).collect();
    if telling.is_empty() {
        return None;
    }
    let name = |control: &Control| match control.side {
        Side::Candidate => control.name.clone(),
        Side::Reference => format!("reference {}", control.name),
    };
    let survivors: Vec<String> =
        telling.iter().filter(|(_, exposed)| !exposed).map(|(control, _)| name(control)).collect();
    let (found, all) = (telling.len() - survivors.len(), telling.len());
    let met = found as f64 >= policy.min_exposed * all as f64;
    let said = match survivors.as_slice() {
        [] => format!("all {all} planted faults exposed"),
        survivors => format!("{} of {all} planted faults not exposed: {}", survivors.len(), named(survivors)),
    };
    Some(Criterion {
        name: "planted faults".to_owned(),
        operation: None,
        met,
        blocking: false,
        found: said,
        remedy: if met { String::new() } else { "give a recorded object that tells them from the rule".to_owned() },
    })
}

fn named(names: &[impl AsRef<str>]) -> String {
    let mut list: Vec<String> = names.iter().take(MOST_NAMED).map(|name| format!("`{}`", name.as_ref())).collect();
    if names.len() > MOST_NAMED {
        list.push(format!("{} more", names.len() - MOST_NAMED));
    }
    list.join(", ")
}

fn cases(count: u64) -> String {
    if count == 1 { "1 case".to_owned() } else { format!("{count} cases") }
}

/// A share for people: three digits that count, never rounded to nothing.
fn percent(share: f64) -> String {
    let percent = share * 100.0;
    let digits = if percent >= 100.0 || percent <= 0.0 { 0 } else { (2.0 - percent.log10().floor()).min(9.0) as usize };
    let text = format!("{percent:.digits$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text} %")
}

#[cfg(test)]
mod tests {
    use super::{RuleView, assess, percent};
    use crate::case::Operation;
    use crate::control::Control;
    use crate::error::{ErrorType, Stability};
    use crate::evidence::RuleEvidence;
    use crate::readiness::{Policy, RuleCounts};
    use crate::rule::{Boundary, Report, Rule, RuleId, Sample, TagStability};
    use crate::subject::Side;

    fn rule(reports: bool, update_only: bool) -> Rule {
        let report = Report { error_type: ErrorType::Invalid, field: "spec.replicas".into(), origin: "minimum".into() };
        let class = |class: &str, breaks| Boundary {
            class: class.to_owned(),
            breaks,
            sample: Sample::Absent,
            options: Vec::new(),
        };
        Rule {
            stability: Some(Stability::Alpha),
            reports: if reports { vec![report] } else { Vec::new() },
            update_only,
            boundaries: vec![class("below", true), class("on", false)],
            ..Rule::new(RuleId(0), "spec.replicas", "minimum=0")
        }
    }

    fn agreed(accept: u64, reject: u64) -> RuleEvidence {
        let counts = RuleCounts {
            compared: accept + reject,
            agreed_accept: accept,
            agreed_reject: reject,
            ..RuleCounts::default()
        };
        RuleEvidence { counts, classes: vec![1, 1], kept: 1, ..RuleEvidence::default() }
    }

    fn with(evidence: &RuleEvidence, change: impl FnOnce(&mut RuleCounts)) -> RuleEvidence {
        let mut evidence = evidence.clone();
        change(&mut evidence.counts);
        evidence
    }

    const POLICY: Policy = Policy {
        min_accepts: 10,
        min_rejects: 5,
        min_per_class: 1,
        min_kept: 1,
        min_exposed: 1.0,
        max_mismatch_rate: 0.25,
        confidence: 0.95,
    };

    fn verdict(rule: &Rule, create: &RuleEvidence, update: &RuleEvidence, exposed: bool) -> (String, String) {
        let control =
            Control { rule: rule.id, side: Side::Candidate, name: "bound one higher".into(), equivalent: None };
        let view = RuleView {
            rule,
            evidence: vec![(Operation::Create, create), (Operation::Update, update)],
            controls: vec![(&control, exposed)],
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
            (
                "too few rejects",
                rule(true, false),
                &agreed(12, 4),
                &full,
                "INSUFFICIENT",
                "create: 4 of 5 agreed rejects",
            ),
            (
                "too few accepts",
                rule(true, false),
                &full,
                &agreed(9, 6),
                "INSUFFICIENT",
                "update: 9 of 10 agreed accepts",
            ),
            ("never seen", rule(true, false), &none, &none, "INSUFFICIENT", "create: 0 of 10 agreed accepts"),
            (
                "a class",
                rule(true, false),
                &unshown,
                &full,
                "INSUFFICIENT",
                "create: 1 of 2 classes not shown: `below`",
            ),
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
        let view = RuleView { rule: &rule, evidence: vec![(Operation::Create, &few)], controls: Vec::new() };
        let policy = Policy { min_accepts: 5, ..POLICY };
        let assessment = assess(&view, &policy);
        assert_eq!(assessment.verdict.reasons(), ["at most 25.9 % of cases disagree (95 % sure)"]);
        assert!((assessment.upper_bound - 0.2589).abs() < 1e-4);
    }

    #[test]
    fn a_rule_only_moves_on_when_its_tags_are_settled_enough() {
        let full = agreed(20, 20);
        let next = |level, tag| {
            let settled = Some(("unionMember".to_owned(), tag));
            let rule =
                Rule { stability: level, least_settled: settled, since: Some("1.36".into()), ..rule(true, false) };
            let evidence = vec![(Operation::Create, &full), (Operation::Update, &full)];
            assess(&RuleView { rule: &rule, evidence, controls: Vec::new() }, &POLICY).next
        };
        let (alpha, beta) = (Some(Stability::Alpha), Some(Stability::Beta));
        for (level, tag, to, allowed, because) in [
            (
                alpha,
                TagStability::Beta,
                Some("beta"),
                true,
                "after at least one release at alpha, where it is since 1.36",
            ),
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
        for (share, text) in [
            (1.0, "100 %"),
            (0.25, "25 %"),
            (0.0123, "1.23 %"),
            (0.01, "1 %"),
            (0.000_012_34, "0.00123 %"),
            (0.0, "0 %"),
        ] {
            assert_eq!(percent(share), text);
        }
    }
}
