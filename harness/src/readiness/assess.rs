//! Evidence held against the criteria.

use super::against::{Disagreed, against};
use super::bound::upper_bound;
use super::criterion::{Criterion, named, of_answers, percent};
use super::lifecycle::Next;
use super::policy::ReadinessPolicy;
use super::reach::{hidden, is_out_of_reach, is_stopped, never_breaks, stopped};
use super::verdict::Readiness;
use super::view::RuleView;
use super::words::Words;
use crate::case::Operation;
use crate::compare::Matter;
use crate::control::Control;
use crate::evidence::RuleEvidence;
use crate::rule::Rule;
use crate::side::Side;
use crate::text::{grouped, plural};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The verdict on a rule, with the criteria that it rests on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Assessment {
    /// The verdict.
    pub verdict: Readiness,
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
pub fn assess(view: &RuleView<'_>, policy: &ReadinessPolicy) -> Assessment {
    let rule = view.rule;
    let can_reject = !rule.reports.is_empty() && !rule.after_default;
    let mut criteria = Vec::new();
    let words = match view.matter {
        Matter::Errors | Matter::Objects => Words::of_rule(view.compared_by),
        Matter::Defaults => Words::of_defaults(),
        Matter::Semantics => Words::of_semantics(),
        Matter::Apply => Words::of_apply(),
    };
    let (accepts_are, rejects_are) = agreements(rule, view.matter);
    let (mut decided, mut excused) = (Vec::new(), BTreeMap::new());
    let (mut bound, mut reachable): (f64, bool) = (0.0, false);
    for (operation, evidence) in view.evidence.iter().copied() {
        let counts = &evidence.counts;
        let panicked = format!("{} panicked on {operation}", plural(counts.panicked, "case"));
        let steady = counts.panicked == 0;
        criteria.push(criterion("panics", operation, steady, true, panicked, "fix the oracle that panics"));
        let disagreed = Disagreed { missing: counts.missing, extra: counts.extra, differs: counts.differs };
        let complete = !view.overflowing.contains(&operation);
        let against = against(operation, &disagreed, &view.disagreements, complete, &words);
        criteria.extend(against.criteria);
        decided.extend(against.notes);
        excused.insert(operation, against.excused);
        let mut add = |name: &str, met: bool, blocking: bool, found: String, remedy: &str| {
            criteria.push(criterion(name, operation, met, blocking, found, remedy));
        };
        if operation == Operation::Create && rule.update_only {
            continue;
        }
        if is_out_of_reach(rule, evidence) {
            let (count, how) = match stopped(evidence) {
                0 => (evidence.wiped, "requests drop what the rule would judge"),
                stopped => (evidence.wiped + stopped, "requests or other rules keep values from the rule"),
            };
            let found = format!("{operation}: {how}, in all of {}", plural(count, "case"));
            add("reach", true, false, found, "");
            continue;
        }
        reachable = true;
        // What is decided about is no part of what is estimated.
        let compared = counts.compared.saturating_sub(counts.disagreed().saturating_sub(against.open));
        bound = bound.max(upper_bound(against.open + counts.panicked, compared, policy.confidence));
        let more = "soak longer, or add recorded objects that set the field";
        let accepted = accepts(rule, evidence);
        let found = format!("{operation}: {} of {} {accepts_are}", grouped(accepted), grouped(policy.min_accepts));
        add("agreed accepts", accepted >= policy.min_accepts, false, found, more);
        if can_reject && !never_breaks(rule, evidence) {
            let found = format!(
                "{operation}: {} of {} {rejects_are}",
                grouped(counts.agreed_reject),
                grouped(policy.min_rejects)
            );
            add("agreed rejects", counts.agreed_reject >= policy.min_rejects, false, found, more);
        }
        let (lacking, all) = lacking_classes(rule, evidence, policy);
        if all > 0 && policy.min_per_class > 0 {
            let found = match lacking.as_slice() {
                [] => format!("{operation}: all {all} classes shown"),
                lacking => format!("{operation}: {} of {all} classes not shown: {}", lacking.len(), named(lacking)),
            };
            add("classes", lacking.is_empty(), false, found, "add a recorded object with a value of the class");
        }
        let keeps = operation == Operation::Update && can_reject && !rule.update_only;
        if keeps && policy.min_kept > 0 && rule.boundaries.iter().any(|boundary| boundary.breaks) {
            let found = format!("{operation}: {} that keep a bad value", plural(evidence.kept, "case"));
            add("kept values", evidence.kept >= policy.min_kept, false, found, more);
        }
    }
    if !reachable && criteria.iter().all(|criterion| criterion.met) {
        let reach = criteria.iter().filter(|criterion| criterion.name == "reach");
        let verdict = Readiness::OutOfReach(reach.map(|criterion| criterion.found.clone()).collect());
        return Assessment { next: Next::of(view, &verdict), verdict, criteria, upper_bound: 1.0 };
    }
    criteria.extend(of_answers(view.answers, view.compared_by, policy));
    criteria.extend(exposed(view, policy));
    let wanted = policy.max_mismatch_rate;
    criteria.push(Criterion {
        name: "mismatch rate".to_owned(),
        operation: None,
        met: bound <= wanted,
        blocking: false,
        found: format!("at most {} of cases may disagree ({} confidence)", percent(bound), percent(policy.confidence)),
        remedy: if bound <= wanted {
            String::new()
        } else {
            format!("compare more cases: at most {} is allowed", percent(wanted))
        },
    });
    let verdict = conclude(view, &criteria, can_reject, &excused, decided);
    Assessment { next: Next::of(view, &verdict), verdict, criteria, upper_bound: bound }
}

/// What cases are called on which the sides agree: to accept, and to reject.
fn agreements(rule: &Rule, matter: Matter) -> (&'static str, &'static str) {
    match matter {
        _ if rule.law.is_some() => ("objects that keep the law", "objects that break the law"),
        Matter::Errors | Matter::Objects | Matter::Apply => ("agreed accepts", "agreed rejects"),
        Matter::Defaults | Matter::Semantics => ("objects without this default", "objects with this default"),
    }
}

fn criterion(name: &str, operation: Operation, met: bool, blocking: bool, found: String, remedy: &str) -> Criterion {
    let remedy = if met { String::new() } else { remedy.to_owned() };
    Criterion { name: name.to_owned(), operation: Some(operation), met, blocking, found, remedy }
}

/// The verdict by the criteria. A rule that is ready says how many cases are excused, and what else is decided about.
fn conclude(
    view: &RuleView<'_>,
    criteria: &[Criterion],
    can_reject: bool,
    excused: &BTreeMap<Operation, u64>,
    decided: Vec<String>,
) -> Readiness {
    let unmet = |blocking: bool| -> Vec<String> {
        let of = criteria.iter().filter(|criterion| !criterion.met && criterion.blocking == blocking);
        of.map(|criterion| criterion.found.clone()).collect()
    };
    let (mut against, lacking) = (unmet(true), unmet(false));
    // One cause may show in both directions.
    against.dedup();
    if !against.is_empty() {
        return Readiness::Blocked(against);
    }
    if !lacking.is_empty() {
        return Readiness::InsufficientEvidence(lacking);
    }
    let judged = view.evidence.iter().filter(|(operation, evidence)| {
        !(is_out_of_reach(view.rule, evidence) || (*operation == Operation::Create && view.rule.update_only))
    });
    let agreed = judged.map(|(operation, evidence)| {
        let counts = &evidence.counts;
        let excused = match excused.get(operation) {
            None | Some(0) => String::new(),
            Some(excused) => format!(", {} excused", plural(*excused, "case")),
        };
        if view.rule.law.is_some() {
            return format!("{operation}: {} keep the law{excused}", plural(accepts(view.rule, evidence), "object"));
        }
        if view.matter.is_of_defaults() {
            let objects = plural(accepts(view.rule, evidence) + counts.agreed_reject, "object");
            return match can_reject {
                true => format!("{operation}: {objects}, {} with this default{excused}", grouped(counts.agreed_reject)),
                false => format!("{operation}: {objects} agree{excused}"),
            };
        }
        if can_reject || counts.agreed_reject > 0 {
            let accepted = accepts(view.rule, evidence);
            format!(
                "{operation}: {} accepts, {} rejects agreed{excused}",
                grouped(accepted),
                grouped(counts.agreed_reject)
            )
        } else {
            format!(
                "{operation}: {} accepts agreed; the rule never rejects{excused}",
                grouped(accepts(view.rule, evidence))
            )
        }
    });
    let rest =
        criteria.iter().filter(|criterion| criterion.operation.is_none()).map(|criterion| criterion.found.clone());
    Readiness::Ready(agreed.chain(decided).chain(rest).collect())
}

/// The classes that were shown too seldom, and how many there are to show.
fn lacking_classes<'v>(rule: &'v Rule, evidence: &RuleEvidence, policy: &ReadinessPolicy) -> (Vec<&'v str>, usize) {
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
fn exposed(view: &RuleView<'_>, policy: &ReadinessPolicy) -> Option<Criterion> {
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
        remedy: if met {
            String::new()
        } else {
            "add a recorded object that distinguishes them from the rule".to_owned()
        },
    })
}

#[cfg(test)]
mod tests;
