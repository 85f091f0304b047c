//! Evidence of one subject under one operation.

use super::counts::{CaseCounts, RuleCounts, is_zero};
use super::entries::{self, MAX_SHAPES, merge_entry};
use super::notes::{NoteEvidence, record_notes};
use super::observed::Observed;
use super::sample::{CasePlace, Example, ReasonCount, Sighting, size};
use crate::case::Case;
use crate::compare::{Difference, Direction, Note, Signature};
use crate::judge::{CaseRecord, Judgement, OraclePanic, Outcome, RuleMark};
use crate::rule::{ErrorShape, RuleId};
use crate::side::BySide;
use crate::subject::PairId;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What was counted for one rule.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RuleEvidence {
    /// Comparisons in which the rule was at stake.
    #[serde(flatten)]
    pub counts: RuleCounts,
    /// Cases in which the rule reported errors that took no part in the comparison: it is standard, or the reference does
    /// not judge there.
    pub set_aside: u64,
    /// By class of the rule: compared cases that were made to show it as a new value, and in which the rule answered as the
    /// class has it.
    #[serde(default)]
    pub classes: Vec<u64>,
    /// Compared updates that were made to keep a value that breaks the rule.
    #[serde(default)]
    pub kept: u64,
    /// Compared cases that were made to show a class, from which the request took the value before validation.
    #[serde(default)]
    pub wiped: u64,
    /// Compared cases that were made to show a class, in which what was planted came before the rules as a change.
    #[serde(default)]
    pub arrived: u64,
    /// By class: compared cases that were made to show it, in which a rule around stopped this one before it could look.
    #[serde(default)]
    pub stopped: Vec<u64>,
}

/// How a case shows a class of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Showing {
    /// As a new value, of the class with this index.
    New(usize),
    /// As a value that breaks the rule and that the update leaves as it was.
    Kept,
    /// Not at all: the request drops the value, or takes the stored one for it.
    Wiped,
    /// Not at all: an error of a rule around stopped this one. Index of the class.
    Stopped(usize),
}

/// All findings of one signature.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SignatureEvidence {
    /// How many cases.
    pub cases: u64,
    /// How many errors; several may belong to one case.
    pub errors: u64,
    /// Sum over the places of the cases: signatures with the same number of cases and the same sum always occur together.
    #[serde(default)]
    pub places: u64,
    /// Cases in which the user would get another decision, and not other words alone, if the candidate took over.
    pub deciding: u64,
    /// How many cases have a value of each sort; see [`Difference::class`].
    pub classes: BTreeMap<String, u64>,
    /// The errors of the silent side that stop it, where that is the cause.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub stopped_by: BTreeSet<ErrorShape>,
    /// The rules that it is attributed to.
    pub rules: BTreeSet<RuleId>,
    /// The first in the run.
    pub first: Sighting,
    /// The case that shows it best: with the fewest other errors, then by bytes of JSON, then by place.
    pub smallest: Example,
}

/// Most sorts of values, and most errors that stop it, that are kept for a signature. Those first in order are kept, so that what is
/// kept does not depend on how the run is cut.
const MAX_SORTS: usize = 64;

/// Evidence of one subject under one operation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OperationEvidence {
    /// Cases by what became of them.
    pub counts: CaseCounts,
    /// Cases whose objects are not of their type, by sort of fault.
    pub undecodable: BTreeMap<String, ReasonCount>,
    /// Cases left out, by reason.
    pub skipped: BTreeMap<String, ReasonCount>,
    /// Panics by side (`reference`, `candidate`, or `decoding`); both sides may panic in one case. A panic on a variant of a case is among
    /// those of the variant's operation, and the case counts under its own.
    pub panics: BTreeMap<String, PanicEvidence>,
    /// Errors where the reference does not judge.
    pub delegated: BySide<u64>,
    /// Errors, decisions and objects that were compared.
    #[serde(default)]
    pub comparable: BySide<u64>,
    /// Errors, decisions and objects that could not be compared.
    #[serde(default)]
    pub incomparable: BySide<u64>,
    /// Cases in which an oracle gave no answer. They are skipped and counted with the reason; where neither oracle answered, with
    /// the reason of the reference.
    #[serde(default)]
    pub failures: BySide<u64>,
    /// Compared cases about which a side was asked once more, in a sample or because it reported several errors, to see whether it
    /// answers the same.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub asked_again: u64,
    /// Errors of reference checks that no rule covers, by what they look like.
    #[serde(with = "entries")]
    pub unmigrated: BTreeMap<ErrorShape, Errors>,
    /// Everything that the reference rejected, by what its errors look like: cases. Of too many shapes, those first in order are kept.
    #[serde(default, with = "entries")]
    pub refused: BTreeMap<ErrorShape, Refused>,
    /// Checks that nobody lists, as they were observed.
    #[serde(default, skip_serializing_if = "Observed::is_empty")]
    pub observed: Observed,
    /// By rule, in catalogue order.
    pub rules: Vec<RuleEvidence>,
    /// Disagreements.
    #[serde(with = "entries")]
    pub signatures: BTreeMap<Signature, SignatureEvidence>,
    /// What is worth a note although it is no difference.
    #[serde(default, with = "entries", skip_serializing_if = "BTreeMap::is_empty")]
    pub notes: BTreeMap<Note, NoteEvidence>,
    /// Errors of the signatures and shapes that were too many to keep.
    #[serde(default)]
    pub beyond: Beyond,
}

/// Errors whose signature or shape is not kept. Of too many, those first in order are kept: a signature among the first of
/// all is among the first of every part, so that what is kept is complete however the run is cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Beyond {
    /// Errors that the reference reported alone.
    pub missing: u64,
    /// Errors that the candidate reported alone.
    pub extra: u64,
    /// Values that both sides set differently.
    #[serde(default)]
    pub differs: u64,
    /// Errors of reference checks that no rule covers.
    pub unmigrated: u64,
    /// Cases with notes.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub notes: u64,
}

/// Panics of one side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PanicEvidence {
    /// How many cases.
    pub count: u64,
    /// The first in the run.
    pub first: Sighting,
    /// The smallest case.
    pub smallest: Example,
}

/// A number of errors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Errors {
    /// How many.
    pub errors: u64,
}

/// A number of cases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    /// How many.
    pub cases: u64,
}

impl Beyond {
    /// Returns the number of differences of one direction.
    #[must_use]
    pub fn differences(&self, direction: Direction) -> u64 {
        match direction {
            Direction::Missing => self.missing,
            Direction::Extra => self.extra,
            Direction::Differs => self.differs,
        }
    }

    fn differences_mut(&mut self, direction: Direction) -> &mut u64 {
        match direction {
            Direction::Missing => &mut self.missing,
            Direction::Extra => &mut self.extra,
            Direction::Differs => &mut self.differs,
        }
    }

    /// Whether every signature is kept.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.missing + self.extra + self.differs == 0
    }
}

impl OperationEvidence {
    /// No evidence yet, of rules with so many classes each.
    pub(super) fn new(classes: impl Iterator<Item = usize>) -> Self {
        let rules = classes.map(|classes| RuleEvidence {
            classes: vec![0; classes],
            stopped: vec![0; classes],
            ..RuleEvidence::default()
        });
        Self { rules: rules.collect(), ..Self::default() }
    }

    /// Counts one judged case.
    pub(super) fn record(
        &mut self,
        pair: &PairId,
        place: CasePlace,
        case: &Case,
        verdict: &Judgement,
        record: &CaseRecord,
    ) {
        self.counts.cases += 1;
        let outcome = match verdict {
            Judgement::Compared(outcome) => *outcome,
            Judgement::Unprepared(_) | Judgement::Unable { .. } => {
                self.failures.add(record.failures);
                if let Some((reason, message)) = verdict.reason() {
                    let reasons = if verdict.is_undecodable() { &mut self.undecodable } else { &mut self.skipped };
                    note(reasons, reason, Sighting::of(place, case, message));
                }
                return;
            }
        };
        self.counts.compared += 1;
        *self.counts.of(outcome) += 1;
        self.counts.mismatches += record.mismatches();
        self.counts.with_dropped_fields += u64::from(record.dropped > 0);
        self.asked_again += u64::from(record.asked_again);
        self.record_rules(record);
        self.delegated.add(record.delegated);
        self.comparable.add(record.comparable);
        self.incomparable.add(record.incomparable);
        for shape in &record.unmigrated {
            match self.unmigrated.get_mut(shape) {
                Some(known) => known.errors += 1,
                None => _ = self.unmigrated.insert(shape.clone(), Errors { errors: 1 }),
            }
        }
        for shape in &record.refused {
            match self.refused.get_mut(shape) {
                Some(known) => known.cases += 1,
                None => _ = self.refused.insert(shape.clone(), Refused { cases: 1 }),
            }
        }
        if let Some(observation) = &record.observation {
            let signature = |difference: &Difference| Signature::of(pair, case.operation, difference);
            self.observed.record(observation, &record.differences, signature);
        }
        if !record.differences.is_empty() {
            self.record_differences(pair, place, case, record);
        }
        record_notes(&mut self.notes, place, case, record);
        self.keep_the_first();
    }

    /// Notes a panic on a case, or on a variant of one.
    pub(super) fn record_panic(&mut self, place: CasePlace, case: &Case, panicked: &OraclePanic) {
        let side = panicked.side.map_or_else(|| "decoding".to_owned(), |side| side.to_string());
        let first = Sighting::of(place, case, panicked.panic.to_string());
        let evidence = PanicEvidence { count: 1, smallest: Example::of(case, 0, first.clone()), first };
        merge_entry(&mut self.panics, side, evidence, PanicEvidence::merge);
    }

    /// Counts that a planted value came before a rule as a change.
    pub(super) fn record_arrived(&mut self, rule: RuleId) {
        if let Some(evidence) = self.rules.get_mut(rule.index()) {
            evidence.arrived += 1;
        }
    }

    /// Counts that a class of a rule was shown.
    pub(super) fn record_shown(&mut self, rule: RuleId, showing: Showing) {
        let Some(evidence) = self.rules.get_mut(rule.index()) else { return };
        match showing {
            Showing::Kept => evidence.kept += 1,
            Showing::Wiped => evidence.wiped += 1,
            Showing::New(class) => add_one(&mut evidence.classes, class),
            Showing::Stopped(class) => add_one(&mut evidence.stopped, class),
        }
    }

    /// Counts a case that could not even be judged.
    pub(super) fn record_unusable(&mut self, undecodable: bool, reason: &str, sighting: Sighting) {
        self.counts.cases += 1;
        let reasons = if undecodable { &mut self.undecodable } else { &mut self.skipped };
        note(reasons, reason.to_owned(), sighting);
    }

    fn record_rules(&mut self, record: &CaseRecord) {
        // Nothing is marked in most cases.
        if record.marks().is_empty() {
            for rule in record.candidate.reached.iter() {
                self.count_rule(rule, RuleMark::Compared(Outcome::AgreedAccept));
            }
            return;
        }
        let mut marks = record.marks().iter().peekable();
        for rule in record.candidate.reached.iter() {
            while let Some((marked, mark)) = marks.next_if(|(marked, _)| *marked < rule) {
                self.count_rule(*marked, *mark);
            }
            let mark = marks.next_if(|(marked, _)| *marked == rule).map(|(_, mark)| *mark);
            self.count_rule(rule, mark.unwrap_or(RuleMark::Compared(Outcome::AgreedAccept)));
        }
        for (marked, mark) in marks {
            self.count_rule(*marked, *mark);
        }
    }

    fn count_rule(&mut self, rule: RuleId, mark: RuleMark) {
        // A rule that is not in the catalogue has no counters: an oracle made it up.
        let Some(RuleEvidence { counts, set_aside, .. }) = self.rules.get_mut(rule.index()) else { return };
        match mark {
            RuleMark::SetAside => *set_aside += 1,
            RuleMark::Compared(outcome) => match counts.of_mut(outcome) {
                Some(count) => {
                    *count += 1;
                    counts.compared += 1;
                }
                None => *set_aside += 1,
            },
        }
    }

    fn record_differences(&mut self, pair: &PairId, place: CasePlace, case: &Case, record: &CaseRecord) {
        let bytes = size(case);
        let nothing_kept = case.object.is_null();
        let deciding = u64::from(record.deciding);
        let mut of_this_case: BTreeMap<Signature, Vec<&Difference>> = BTreeMap::new();
        for difference in &record.differences {
            *self.counts.differences_mut(difference.direction) += 1;
            of_this_case.entry(Signature::of(pair, case.operation, difference)).or_default().push(difference);
        }
        for (signature, differences) in of_this_case {
            let beside = record.said.saturating_sub(differences.len() as u64);
            let known = self.signatures.get_mut(&signature);
            // Most findings repeat a signature on a larger case: those cost no copy of the case.
            if let Some(known) = known
                && known.smallest.order() < (nothing_kept, beside, bytes, place)
                && known.first.place < place
            {
                known.cases += 1;
                known.deciding += deciding;
                known.places = known.places.wrapping_add(place.digest());
                known.add(&differences);
                continue;
            }
            let message = differences.first().map(|difference| difference.what.to_string()).unwrap_or_default();
            let first = Sighting::of(place, case, message);
            let mut evidence = SignatureEvidence {
                cases: 1,
                errors: 0,
                places: place.digest(),
                deciding,
                classes: BTreeMap::new(),
                stopped_by: BTreeSet::new(),
                rules: BTreeSet::new(),
                smallest: Example::of(case, beside, first.clone()),
                first,
            };
            evidence.add(&differences);
            merge_entry(&mut self.signatures, signature, evidence, SignatureEvidence::merge);
        }
    }

    /// Drops what is beyond the limit, and counts it.
    fn keep_the_first(&mut self) {
        while self.signatures.len() > MAX_SHAPES
            && let Some((signature, evidence)) = self.signatures.pop_last()
        {
            *self.beyond.differences_mut(signature.direction) += evidence.errors;
        }
        while self.refused.len() > MAX_SHAPES {
            self.refused.pop_last();
        }
        while self.unmigrated.len() > MAX_SHAPES
            && let Some((_, errors)) = self.unmigrated.pop_last()
        {
            self.beyond.unmigrated += errors.errors;
        }
        while self.notes.len() > MAX_SHAPES
            && let Some((_, noted)) = self.notes.pop_last()
        {
            self.beyond.notes += noted.cases;
        }
    }

    /// Fills in what follows from the rest: in how many compared cases a rule was not reached.
    pub(super) fn settle(&mut self) {
        for RuleEvidence { counts, set_aside, .. } in &mut self.rules {
            counts.not_reached = self.counts.compared.saturating_sub(counts.compared + *set_aside);
        }
    }

    /// Adds the evidence of another part of the run. Both count the same rules.
    pub(super) fn merge(&mut self, other: Self) {
        self.counts.merge(&other.counts);
        for (reasons, others) in [(&mut self.undecodable, other.undecodable), (&mut self.skipped, other.skipped)] {
            for (reason, evidence) in others {
                merge_entry(reasons, reason, evidence, ReasonCount::merge);
            }
        }
        for (side, evidence) in other.panics {
            merge_entry(&mut self.panics, side, evidence, PanicEvidence::merge);
        }
        self.delegated.add(other.delegated);
        self.comparable.add(other.comparable);
        self.incomparable.add(other.incomparable);
        self.failures.add(other.failures);
        self.asked_again += other.asked_again;
        for (shape, seen) in other.refused {
            self.refused.entry(shape).or_default().cases += seen.cases;
        }
        for (shape, errors) in other.unmigrated {
            self.unmigrated.entry(shape).or_default().errors += errors.errors;
        }
        for (rule, others) in self.rules.iter_mut().zip(other.rules) {
            rule.counts.merge(&others.counts);
            rule.set_aside += others.set_aside;
            rule.kept += others.kept;
            rule.wiped += others.wiped;
            rule.arrived += others.arrived;
            for (sums, others) in [(&mut rule.classes, others.classes), (&mut rule.stopped, others.stopped)] {
                sums.iter_mut().zip(others).for_each(|(sum, other)| *sum += other);
            }
        }
        self.observed.merge(other.observed);
        for (signature, evidence) in other.signatures {
            merge_entry(&mut self.signatures, signature, evidence, SignatureEvidence::merge);
        }
        for (note, evidence) in other.notes {
            merge_entry(&mut self.notes, note, evidence, NoteEvidence::merge);
        }
        self.beyond.notes += other.beyond.notes;
        self.beyond.missing += other.beyond.missing;
        self.beyond.extra += other.beyond.extra;
        self.beyond.differs += other.beyond.differs;
        self.beyond.unmigrated += other.beyond.unmigrated;
        self.keep_the_first();
    }
}

impl SignatureEvidence {
    /// Adds the differences of a case that have this signature.
    fn add(&mut self, differences: &[&Difference]) {
        self.errors += differences.len() as u64;
        let mut classes: Vec<&str> = Vec::new();
        for difference in differences {
            self.rules.extend(difference.rules.iter().copied());
            self.stopped_by.extend(difference.stopped_by.iter().cloned());
            // A case has a sort once, however many of its values are of it.
            if !classes.contains(&difference.class.as_str()) {
                classes.push(&difference.class);
                match self.classes.get_mut(&difference.class) {
                    Some(cases) => *cases += 1,
                    None => _ = self.classes.insert(difference.class.clone(), 1),
                }
            }
        }
        self.keep_the_first();
    }

    fn keep_the_first(&mut self) {
        while self.classes.len() > MAX_SORTS {
            self.classes.pop_last();
        }
        while self.stopped_by.len() > MAX_SORTS {
            self.stopped_by.pop_last();
        }
    }

    fn merge(&mut self, other: Self) {
        self.cases += other.cases;
        self.errors += other.errors;
        self.deciding += other.deciding;
        for (class, cases) in other.classes {
            *self.classes.entry(class).or_default() += cases;
        }
        self.stopped_by.extend(other.stopped_by);
        self.keep_the_first();
        self.places = self.places.wrapping_add(other.places);
        self.rules.extend(other.rules);
        self.first.merge(other.first);
        self.smallest.merge(other.smallest);
    }
}

impl PanicEvidence {
    fn merge(&mut self, other: Self) {
        self.count += other.count;
        self.first.merge(other.first);
        self.smallest.merge(other.smallest);
    }
}

fn add_one(counts: &mut [u64], index: usize) {
    if let Some(count) = counts.get_mut(index) {
        *count += 1;
    }
}

pub(super) fn note(reasons: &mut BTreeMap<String, ReasonCount>, reason: String, first: Sighting) {
    merge_entry(reasons, reason, ReasonCount { count: 1, first }, ReasonCount::merge);
}
