//! Compares the answers of both sides to one case, and attributes differences and agreements to rules.

use super::answers::leave_out;
use super::case_record::{CaseRecord, Judgement, OraclePanic, Outcome, RuleMark};
use super::judging::Judge;
use crate::case::Case;
use crate::compare::{Comparator, Difference, Direction, Matter, What};
use crate::error::FieldError;
use crate::oracle::{Answer, Objects, Question};
use crate::path::{pattern, pattern_of};
use crate::rule::{ErrorShape, RuleId};
use crate::side::Side;

impl Judge<'_> {
    /// Compares the errors of both sides. Without errors there is nothing to do: an empty record stands for agreement.
    pub(super) fn compare_errors(&self, record: &mut CaseRecord) {
        if record.reference.errors.is_empty() && record.candidate.errors.is_empty() {
            return;
        }
        for error in record.reference.errors.as_mut_slice() {
            error.from_imperative = true;
        }
        self.leave_out_delegated(record);
        let (reference, candidate) = (record.reference.errors.as_slice(), record.candidate.errors.as_slice());
        self.pair.comparator.errors_into(reference, candidate, &mut record.comparison);
    }

    /// An API server loses all errors of a declarative side that panicked, and still counts the mismatches against none.
    pub(super) fn panicked(&self, record: &mut CaseRecord) -> Judgement {
        let of = |side| record.panics.iter().find(move |panic| panic.side == Some(side));
        let internal = of(Side::Candidate).map(|panicked| panicked.panic.as_error());
        if of(Side::Reference).is_some() {
            record.reference.errors.truncate(0);
        }
        if internal.is_some() {
            record.candidate.errors.truncate(0);
        }
        self.compare_errors(record);
        if let Some(internal) = internal {
            record.candidate.push(internal);
        }
        record.marks.clear();
        let reached = record.candidate.reached.iter().filter(|rule| rule.index() < self.pair.rules.len());
        record.marks.extend(reached.map(|rule| (rule, RuleMark::Compared(Outcome::Panicked))));
        Judgement::Compared(Outcome::Panicked)
    }

    /// Turns a compared case into one that panicked, because an oracle panicked on a repeated question, or on this variant. The differences
    /// stay; rules that were compared count as panicked.
    pub(super) fn spoilt(
        &self,
        panicked: OraclePanic,
        variant: Option<Case<'static>>,
        record: &mut CaseRecord,
    ) -> Judgement {
        record.panics.push(panicked);
        record.panicked_variant = variant.map(Box::new);
        let spoilt = RuleMark::Compared(Outcome::Panicked);
        let CaseRecord { candidate, marks, .. } = record;
        marks.iter_mut().filter(|(_, mark)| *mark != RuleMark::SetAside).for_each(|(_, mark)| *mark = spoilt);
        let reached = candidate.reached.iter().filter(|rule| rule.index() < self.pair.rules.len());
        marks.extend(reached.map(|rule| (rule, spoilt)));
        keep_worst(marks);
        Judgement::Compared(Outcome::Panicked)
    }

    /// Takes out the errors in paths that the reference does not judge; the rules behind the candidate's are set aside.
    fn leave_out_delegated(&self, record: &mut CaseRecord) {
        let delegated = self.pair.delegated.as_slice();
        if delegated.is_empty() {
            return;
        }
        let CaseRecord { reference, candidate, marks, .. } = record;
        record.delegated.reference = leave_out(&mut reference.errors, delegated, |_| {});
        record.delegated.candidate = leave_out(&mut candidate.errors, delegated, |error| {
            marks.extend(self.attribution.maker(error).map(|rule| (rule, RuleMark::SetAside)));
        });
    }

    /// The outcome of a comparison, with differences and marks filled in.
    pub(super) fn outcome(&self, question: &Question<'_>, record: &mut CaseRecord) -> Outcome {
        let objects = &question.objects;
        let silent = |side: &Answer| side.errors.is_empty() && side.decision.is_none() && side.object.is_none();
        if silent(&record.reference) && silent(&record.candidate) && !self.asks_for_objects() {
            record.marks.sort_unstable();
            record.marks.dedup_by_key(|(rule, _)| *rule);
            return Outcome::AgreedAccept;
        }
        self.weigh(record);
        self.note_refused(record);
        self.note_differences(question, record);
        self.note_weight(record);
        let alike = self.note_agreement(objects, record);
        // A rejection without errors may come from any rule that ran.
        let untold = !self.pair.comparator.compares_errors() && record.reference.rejects();
        if untold || !record.incomparable.is_zero() {
            let reached = record.candidate.reached.iter().filter(|rule| rule.index() < self.pair.rules.len());
            record.marks.extend(reached.map(|rule| (rule, RuleMark::SetAside)));
        }
        keep_worst(&mut record.marks);
        let worst = record.differences.iter().map(|difference| Outcome::of(difference.direction)).max();
        match worst {
            Some(worst) => worst,
            None if !record.incomparable.is_zero() => Outcome::Incomparable,
            None if alike => Outcome::AgreedReject,
            None => Outcome::AgreedAccept,
        }
    }

    fn is_delegated(&self, place: &str) -> bool {
        self.pair.delegated.iter().any(|part| part.contains(place))
    }

    fn asks_for_objects(&self) -> bool {
        matches!(self.pair.comparator, Comparator::Objects { .. })
    }

    /// Whether the pair compares objects and a side rejected the input, so that there is nothing to compare.
    fn made_no_objects(&self, reference: &Answer, candidate: &Answer) -> bool {
        self.pair.matter == Matter::Objects && (reference.rejects() || candidate.rejects())
    }

    /// Counts the answers that can be compared, and those that cannot.
    fn weigh(&self, record: &mut CaseRecord) {
        for side in Side::ALL {
            let answer = match side {
                Side::Reference => &record.reference,
                Side::Candidate => &record.candidate,
            };
            let delegated = *record.delegated.of(side);
            // What was left out is no bare rejection.
            if answer.errors.is_empty() && answer.decision.is_none() && delegated > 0 {
                continue;
            }
            let (comparable, incomparable) = if self.pair.matter == Matter::Objects && answer.rejects() {
                (0, 1)
            } else {
                self.pair.comparator.weigh(side, answer, *self.precision.of(side))
            };
            *record.comparable.of_mut(side) = comparable;
            *record.incomparable.of_mut(side) = incomparable;
        }
    }

    /// Notes the shapes of the reference errors, and of those that take no part and that no rule reports.
    fn note_refused(&self, record: &mut CaseRecord) {
        if !self.pair.comparator.compares_errors() {
            return;
        }
        for error in &record.reference.errors {
            let place = pattern_of(&error.field);
            let compared = self.pair.comparator.includes(Side::Reference, error);
            if !compared && self.attribution.twins_at(error, &place).is_empty() {
                record.unmigrated.push(ErrorShape::of(error));
            }
            if !record.refused.iter().any(|shape| shape.is_of(error)) {
                record.refused.push(ErrorShape::of(error));
            }
        }
    }

    /// Notes every difference with the rules that it is attributed to, and marks those.
    fn note_differences(&self, question: &Question<'_>, record: &mut CaseRecord) {
        let objects = &question.objects;
        let CaseRecord { reference, candidate, comparison, differences, marks, .. } = record;
        for error in comparison.missing.iter().filter_map(|at| reference.errors.as_slice().get(*at)) {
            let rules = self.attribution.running(self.attribution.twins(error), question.options);
            differences.push(Difference::new(Direction::Missing, What::Error(error.clone()), rules));
        }
        for error in comparison.extra.iter().filter_map(|at| candidate.errors.as_slice().get(*at)) {
            let rules = self.attribution.makers(error);
            differences.push(Difference::new(Direction::Extra, What::Error(error.clone()), rules));
        }
        if !self.pair.comparator.compares_errors() {
            let compared = |difference: &Difference| !self.is_delegated(&pattern(difference.what.field()));
            let makers: Vec<RuleId> =
                candidate.errors.iter().flat_map(|error| self.attribution.makers(error)).collect();
            let found = if self.made_no_objects(reference, candidate) {
                Vec::new()
            } else {
                self.pair.comparator.differences(reference, candidate, objects)
            };
            differences.extend(found.into_iter().filter(compared).map(|mut difference| {
                difference.rules = match (&difference.what, difference.direction) {
                    (What::Error(error), Direction::Missing) => {
                        self.attribution.running(self.attribution.twins(error), question.options)
                    }
                    (What::Error(error), _) => self.attribution.makers(error),
                    (What::Value { path, .. }, _) => self.attribution.at(&pattern(path)),
                    (What::Decision { .. }, _) => makers.clone(),
                };
                difference
            }));
        }
        for difference in differences.iter() {
            let outcome = Outcome::of(difference.direction);
            marks.extend(difference.rules.iter().map(|rule: &RuleId| (*rule, RuleMark::Compared(outcome))));
        }
    }

    /// Notes what the differences would change for the user.
    fn note_weight(&self, record: &mut CaseRecord) {
        if record.differences.is_empty() {
            return;
        }
        let (reference, candidate) = (&record.reference, &record.candidate);
        let comparator = &self.pair.comparator;
        let stays = |error: &FieldError| !comparator.includes(Side::Reference, error);
        let kept = comparator.compares_errors() && reference.errors.iter().any(stays);
        let deciding = reference.rejects() != (kept || candidate.rejects());
        record.said = (reference.errors.len() + candidate.errors.len()) as u64;
        record.deciding = deciding;
    }

    /// Marks the rules on which both sides agree, and returns whether either side reported anything.
    fn note_agreement(&self, objects: &Objects<'_>, record: &mut CaseRecord) -> bool {
        let CaseRecord { reference, candidate, comparison, marks, .. } = record;
        let errors = candidate.errors.as_slice();
        let maker = |at: usize| errors.get(at).map(|error| self.attribution.makers(error)).unwrap_or_default();
        marks.extend((0..errors.len()).flat_map(maker).map(|rule| (rule, RuleMark::SetAside)));
        let agreed = RuleMark::Compared(Outcome::AgreedReject);
        if self.pair.comparator.compares_errors() {
            let both = comparison.matched.iter().flat_map(|(_, at)| maker(*at));
            marks.extend(both.map(|rule| (rule, agreed)));
            // Whatever excuses a reference error is itself matched or extra.
            return !comparison.matched.is_empty();
        }
        if self.made_no_objects(reference, candidate) {
            return false;
        }
        if reference.rejects() && candidate.rejects() {
            marks.extend((0..errors.len()).flat_map(maker).map(|rule| (rule, agreed)));
            return true;
        }
        let mut changed = self.pair.comparator.changes(candidate, objects);
        changed.retain(|place| !self.is_delegated(place));
        marks.extend(changed.iter().flat_map(|place| self.attribution.at(place)).map(|rule| (rule, agreed)));
        !changed.is_empty()
    }
}

/// Leaves the worst mark of each rule.
fn keep_worst(marks: &mut Vec<(RuleId, RuleMark)>) {
    marks.sort_unstable_by(|one, other| one.0.cmp(&other.0).then(other.1.cmp(&one.1)));
    marks.dedup_by_key(|(rule, _)| *rule);
}
