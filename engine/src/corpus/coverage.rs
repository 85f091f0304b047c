//! What a case shows: which rules looked at it and what they said, which planted faults it would have exposed, which errors and
//! disagreements it has.

use super::jury::{Jury, defined};
use std::num::NonZeroUsize;
use takeover_corpora::load::LoadedCase;
use takeover_harness::case::Operation;
use takeover_harness::compare::Signature;
use takeover_harness::control::Control;
use takeover_harness::error::FieldError;
use takeover_harness::judge::{CaseRecord, Judge, Judgement, RuleMark};
use takeover_harness::object::Arena;
use takeover_harness::path::pattern;
use takeover_harness::rule::RuleId;
use takeover_harness::runner::JudgeControls;
use takeover_harness::side::Side;

/// One thing that a case of a judge shows.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Shown {
    /// How the case came out.
    Outcome(usize, Operation, String),
    /// A rule looked at a value: what became of its errors, or none if it reported nothing.
    Rule(usize, Operation, RuleId, Option<RuleMark>),
    /// The control with this index would have been exposed. Controls are made from the classes of values that a rule tells
    /// apart, so this is how recorded objects show a class.
    Fault(usize, usize),
    /// An error of one side.
    Error(usize, Operation, Side, String),
    /// A disagreement.
    Signature(Signature),
}

/// Looks at cases one by one.
pub(super) struct Coverage<'j> {
    controls: Vec<JudgeControls<'j>>,
    arena: Arena,
    record: CaseRecord,
}

impl<'j> Coverage<'j> {
    /// Coverage by the judges of `jury`.
    pub(super) fn new(jury: &Jury<'j>) -> Self {
        Self {
            controls: JudgeControls::all(jury.judges(), NonZeroUsize::MIN),
            arena: Arena::new(),
            record: CaseRecord::new(),
        }
    }

    /// Everything that a case shows, each once, in order; nothing when it belongs to no subject.
    pub(super) fn of(&mut self, jury: &Jury<'_>, loaded: &LoadedCase) -> Vec<Shown> {
        let Some((index, judge)) = jury.judge_of(loaded).and_then(|index| Some((index, jury.judges().get(index)?)))
        else {
            return Vec::new();
        };
        let case = defined(judge.pair(), &loaded.case);
        let operation = case.operation;
        let mut shown = Vec::new();
        let controls = self.controls.get(index);
        let verdict = judge.case_then(&case, &mut self.arena, &mut self.record, |prepared, record| {
            let Some(controls) = controls else { return };
            let mut seen = controls.begin();
            controls.case(judge, prepared, record, &mut seen);
            shown.extend(controls.fresh(&mut seen).map(|fault| Shown::Fault(index, fault)));
        });
        self.judged(index, judge, operation, &verdict, &mut shown);
        shown.sort_unstable();
        shown.dedup();
        shown
    }

    fn judged(
        &self,
        index: usize,
        judge: &Judge<'_>,
        operation: Operation,
        verdict: &Judgement,
        shown: &mut Vec<Shown>,
    ) {
        let outcome = match verdict {
            Judgement::Compared(outcome) => format!("{outcome:?}"),
            other => other.reason().map(|(reason, _)| reason).unwrap_or_default(),
        };
        shown.push(Shown::Outcome(index, operation, outcome));
        if !matches!(verdict, Judgement::Compared(_)) {
            return;
        }
        let marks = self.record.marks();
        let mark = |rule: RuleId| marks.iter().find(|(marked, _)| *marked == rule).map(|(_, mark)| *mark);
        shown.extend(self.record.candidate.reached.iter().map(|rule| Shown::Rule(index, operation, rule, mark(rule))));
        shown.extend(marks.iter().map(|(rule, mark)| Shown::Rule(index, operation, *rule, Some(*mark))));
        for (side, errors) in [(Side::Reference, &self.record.reference), (Side::Candidate, &self.record.candidate)] {
            let word = |error: &FieldError| {
                format!("{} {} {}", error.error_type.api_name(), pattern(&error.field), error.origin)
            };
            shown.extend(errors.errors.iter().map(|error| Shown::Error(index, operation, side, word(error))));
        }
        let id = &judge.pair().id;
        shown.extend(
            self.record.differences.iter().map(|finding| Shown::Signature(Signature::of(id, operation, finding))),
        );
    }
}

/// Every control of a judge, in the order of [`Shown::Fault`].
pub(super) fn controls_of(judge: &Judge<'_>) -> Vec<Control> {
    JudgeControls::of(judge).catalogue().to_vec()
}
