//! What the cases of a run cannot show of a rule, whatever they are.

use super::view::RuleView;
use crate::case::Operation;
use crate::control::Control;
use crate::evidence::RuleEvidence;
use crate::rule::Rule;

const DROPPED: &str = "requests to this endpoint drop what the rule would judge";
const FINDINGS: &str = "every case in which one side rejects is itself a finding";

/// Whether requests of an operation never bring the rule a value to judge: the steps before validation take it away, or another
/// rule stops every change.
pub(super) fn is_out_of_reach(rule: &Rule, evidence: &RuleEvidence) -> bool {
    let dropped = evidence.wiped > 0 && evidence.arrived == 0 && evidence.counts.agreed_reject == 0;
    let kept_away = !rule.update_only && evidence.counts.compared == 0 && evidence.wiped + stopped(evidence) > 0;
    dropped || kept_away
}

/// Cases in which another rule stopped this one.
pub(super) fn stopped(evidence: &RuleEvidence) -> u64 {
    evidence.stopped.iter().sum()
}

/// Whether other rules stop every new value that would break this one.
pub(super) fn never_breaks(rule: &Rule, evidence: &RuleEvidence) -> bool {
    let mut breaking = rule.boundaries.iter().enumerate().filter(|(_, boundary)| boundary.breaks).peekable();
    breaking.peek().is_some()
        && evidence.counts.agreed_reject == 0
        && breaking.all(|(class, _)| is_stopped(evidence, class))
}

/// Whether other rules stop every new value of a class.
pub(super) fn is_stopped(evidence: &RuleEvidence, class: usize) -> bool {
    let of = |counts: &[u64]| counts.get(class).copied().unwrap_or_default();
    of(&evidence.classes) == 0 && of(&evidence.stopped) > 0
}

/// Why no case of the run could have exposed a control of the rule, if none could: the endpoint drops the field, or the fault lies
/// in what both sides agree to reject, and they agree to reject nothing.
#[must_use]
pub fn hidden(view: &RuleView<'_>, control: &Control) -> Option<&'static str> {
    let judged = || {
        let all = view.evidence.iter().copied();
        all.filter(|(operation, _)| !(*operation == Operation::Create && view.rule.update_only)).map(|(_, of)| of)
    };
    if judged().count() > 0 && judged().all(|evidence| is_out_of_reach(view.rule, evidence)) {
        return Some(DROPPED);
    }
    let agreed = judged().any(|evidence| evidence.counts.agreed_reject > 0);
    let found = judged().any(|evidence| evidence.counts.missing + evidence.counts.extra > 0);
    (control.shows_by_agreement() && !agreed && found).then_some(FINDINGS)
}

#[cfg(test)]
mod tests {
    use super::hidden;
    use crate::case::Operation;
    use crate::compare::Matter;
    use crate::control::Control;
    use crate::evidence::{AnswerCounts, RuleCounts, RuleEvidence};
    use crate::readiness::RuleView;
    use crate::rule::{Rule, RuleId};
    use crate::side::Side;

    #[test]
    fn a_fault_is_hidden_by_findings_only_where_both_sides_agree_to_reject_nothing() {
        let rule = Rule::new(RuleId(0), "spec.replicas", "minimum=0");
        let of = |agreed_reject, extra| RuleEvidence {
            counts: RuleCounts { compared: 9, agreed_reject, extra, ..RuleCounts::default() },
            ..RuleEvidence::default()
        };
        for (side, name, create, update, wanted) in [
            (Side::Reference, "error dropped", of(0, 3), of(0, 0), true),
            (Side::Reference, "error at its parent", of(0, 3), of(0, 1), true),
            (Side::Reference, "error added", of(0, 3), of(0, 0), false),
            (Side::Candidate, "dropped", of(0, 3), of(0, 0), false),
            (Side::Reference, "error dropped", of(0, 3), of(1, 0), false),
            (Side::Reference, "error dropped", of(0, 0), of(0, 0), false),
        ] {
            let evidence = vec![(Operation::Create, &create), (Operation::Update, &update)];
            let answers = AnswerCounts::default();
            let view = RuleView {
                rule: &rule,
                evidence,
                controls: Vec::new(),
                disagreements: Vec::new(),
                overflowing: Vec::new(),
                answers,
                compared_by: None,
                matter: Matter::Errors,
            };
            let control = Control { rule: rule.id, side, name: name.into(), equivalent: None };
            assert_eq!(hidden(&view, &control).is_some(), wanted, "{name} {create:?} {update:?}");
        }
    }

    #[test]
    fn every_fault_is_hidden_where_an_endpoint_drops_the_field_and_none_where_a_value_arrives() {
        let rule = Rule::new(RuleId(0), "spec.replicas", "minimum=0");
        let control = Control { rule: rule.id, side: Side::Candidate, name: "dropped".into(), equivalent: None };
        let dropped = RuleEvidence { wiped: 5, ..RuleEvidence::default() };
        let counts = RuleCounts { compared: 1, agreed_accept: 1, ..RuleCounts::default() };
        let arrived = RuleEvidence { arrived: 1, counts, ..dropped.clone() };
        let hides = |evidence: &RuleEvidence| {
            let view = RuleView {
                rule: &rule,
                evidence: vec![(Operation::Update, evidence)],
                controls: Vec::new(),
                disagreements: Vec::new(),
                overflowing: Vec::new(),
                answers: AnswerCounts::default(),
                compared_by: None,
                matter: Matter::Errors,
            };
            hidden(&view, &control).is_some()
        };
        assert!(hides(&dropped) && !hides(&arrived));
    }
}
