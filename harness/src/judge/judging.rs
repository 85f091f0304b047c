//! The judge of a pair.

use super::again::{AsksAgain, is_sampled};
use super::attribution::Attribution;
use super::case_record::{CaseRecord, Judgement, OraclePanic, Outcome, RuleMark};
use super::guard::{NoAnswer, Panic, ask, ask_batch, isolated};
use super::inquiry::{Asked, Wanted, look_into};
use super::observation::Observation;
use super::presence::Presence;
use crate::case::Case;
use crate::compare::{Comparator, Difference, Direction, Noted, What, steadiness, take_notes};
use crate::error::{ErrorList, FieldError};
use crate::form::{Sent, Unfit};
use crate::object::{Arena, Node};
use crate::oracle::{Answer, BatchOracle, BatchQuestion, Objects, Precision, Question};
use crate::pair::{Delegated, Pair, Prepared, Unprepared};
use crate::path::pattern;
use crate::rule::{ErrorShape, RuleId};
use crate::side::{BySide, Side};
use std::num::NonZeroUsize;

/// Judges cases of one pair. Shared by threads; each brings its own [`CaseRecord`].
pub struct Judge<'p> {
    pair: &'p Pair,
    precision: BySide<Precision>,
    attribution: Attribution,
    /// Finds out which rules are reached, where the candidate does not say.
    presence: Option<Presence>,
    clock: Option<&'p (dyn Fn() -> u64 + Sync)>,
    /// Whether it looks for the causes of differences.
    inquires: bool,
    /// Whether it notes what the errors of the reference tell of its checks, because nobody lists them.
    observes: bool,
    /// When it asks a side again, to see whether it reports the same in the same order.
    asks_again: AsksAgain,
}

impl<'p> Judge<'p> {
    /// A judge of the cases of a pair.
    #[must_use]
    pub fn new(pair: &'p Pair) -> Self {
        let precision = BySide { reference: pair.reference.precision(), candidate: pair.candidate.precision() };
        let reached = precision.candidate.reached;
        let attribution = Attribution::new(&pair.rules, &pair.comparator, reached);
        let presence = (!reached).then(|| Presence::of(&pair.rules, &pair.form.schema, pair.form.root));
        let inquires = precision.reference.answers_any && precision.candidate.answers_any;
        let all = |holds: fn(&Precision) -> bool| holds(&precision.reference) && holds(&precision.candidate);
        let asks_again = match inquires {
            false => AsksAgain::Never,
            true if !all(|of| of.batch == NonZeroUsize::MIN) => AsksAgain::Sample,
            true if all(|of| of.steady) => AsksAgain::Several,
            true => AsksAgain::Never,
        };
        let usual = pair.comparator.name().is_usual();
        let observes = pair.comparator.compares_errors() && !usual && (pair.checks.is_empty() || pair.rules.is_empty());
        Self { pair, precision, attribution, presence, clock: None, inquires, observes, asks_again }
    }

    /// Measures each oracle by `clock`, in nanoseconds since any fixed moment, on benches that ask for it.
    #[must_use]
    pub fn with_clock(self, clock: &'p (dyn Fn() -> u64 + Sync)) -> Self {
        Self { clock: Some(clock), ..self }
    }

    /// Looks for no causes: for comparisons in which it is only asked whether the sides differ.
    #[must_use]
    pub fn without_causes(self) -> Self {
        Self { inquires: false, asks_again: self.asks_again.without_sample(), ..self }
    }

    /// The pair.
    #[must_use]
    pub fn pair(&self) -> &'p Pair {
        self.pair
    }

    /// Whether both oracles give the same answer to the same question.
    #[must_use]
    pub fn is_steady(&self) -> bool {
        self.precision.reference.steady && self.precision.candidate.steady
    }

    /// Whether a rule counts as reached where its field is present, because the candidate does not say which rules it reaches.
    #[must_use]
    pub fn reaches_by_presence(&self) -> bool {
        self.presence.is_some()
    }

    /// The rules behind an error of the candidate.
    pub(crate) fn makers(&self, error: &FieldError) -> Vec<RuleId> {
        self.attribution.makers(error)
    }

    /// The rules that report errors of this shape, in catalogue order.
    #[must_use]
    pub fn rules_reporting(&self, shape: &ErrorShape) -> Vec<RuleId> {
        self.attribution.twins_of(shape.error_type, &shape.field, &shape.origin)
    }

    /// The rules that should have reported the reference error `error`, in catalogue order.
    pub(crate) fn twins(&self, error: &FieldError) -> Vec<RuleId> {
        self.attribution.twins(error)
    }

    /// Prepares and judges a case. `arena` is emptied first; details are left on `record`.
    pub fn case(&self, case: &Case, arena: &mut Arena, record: &mut CaseRecord) -> Judgement {
        self.case_then(case, arena, record, |_, _, _| {})
    }

    /// As [`Judge::case`], and shows `then` what was judged and the object as it was sent, if both sides could be asked.
    pub fn case_then(
        &self,
        case: &Case,
        arena: &mut Arena,
        record: &mut CaseRecord,
        then: impl FnOnce(&Prepared<'_>, Node<'_>, &CaseRecord),
    ) -> Judgement {
        arena.reset();
        let ready = self.ready(case, arena);
        let verdict = ready.judged(record, |prepared, record| self.prepared(prepared, record));
        self.look_into(case, &ready, record, Wanted::Every);
        self.take_notes(case, &ready, &verdict, record);
        if let Some((prepared, sent)) = ready.compared(&verdict) {
            then(prepared, sent, record);
        }
        verdict
    }

    /// Does the same as [`Judge::case`], but looks for no causes other than those that are wanted.
    pub fn case_seeking(
        &self,
        case: &Case,
        wanted: Wanted<'_>,
        arena: &mut Arena,
        record: &mut CaseRecord,
    ) -> Judgement {
        arena.reset();
        let ready = self.ready(case, arena);
        let judgement = ready.judged(record, |prepared, record| self.prepared(prepared, record));
        self.look_into(case, &ready, record, wanted);
        judgement
    }

    /// Finds out why the sides differ, if they do.
    fn look_into(&self, case: &Case, ready: &Ready<'_>, record: &mut CaseRecord, wanted: Wanted<'_>) {
        if !record.differences.is_empty()
            && self.inquires
            && let Some(prepared) = ready.prepared()
        {
            look_into(self, case, &prepared.question.objects, record, wanted);
        }
    }

    /// Notes what is no difference, also of sides that are asked again.
    fn take_notes(&self, case: &Case, ready: &Ready<'_>, verdict: &Judgement, record: &mut CaseRecord) {
        let silent = record.reference.errors.is_empty() && record.candidate.errors.is_empty();
        let samples = self.asks_again == AsksAgain::Sample;
        if (silent && !samples) || !record.panics.is_empty() {
            return;
        }
        let (reference, candidate) = (record.reference.errors.as_slice(), record.candidate.errors.as_slice());
        take_notes(&self.pair.comparator, reference, candidate, &mut record.notes);
        let sampled = samples && verdict.is_comparison() && is_sampled(case);
        let asks = |side: &Side| match self.asks_again {
            AsksAgain::Never => false,
            AsksAgain::Several => record.answer(*side).errors.len() > 1,
            AsksAgain::Sample => sampled && self.precision.of(*side).steady,
        };
        if let Some(prepared) = ready.prepared() {
            let noted = Side::ALL.into_iter().filter(asks).filter_map(|side| self.asked_again(side, prepared, record));
            let noted: Vec<Noted> = noted.collect();
            record.notes.extend(noted);
            record.asked_again = sampled && self.is_steady();
        }
        if !record.notes.is_empty() {
            record.said = (record.reference.errors.len() + record.candidate.errors.len()) as u64;
        }
    }

    /// What an oracle that is asked once more says otherwise; none when it gives the same answer, or no longer any.
    fn asked_again(&self, side: Side, prepared: &Prepared<'_>, record: &CaseRecord) -> Option<Noted> {
        let Prepared { question, views } = prepared;
        let mut again = Answer::new();
        ask(self.pair.oracle(side), question, views.of(side), &mut again).ok()?;
        leave_out(&mut again.errors, &self.pair.delegated, |_| {});
        steadiness(side, record.answer(side), &again, record.differences.is_empty())
    }

    /// How many cases [`Judge::cases_then`] should be given at once: more than one if an oracle takes batches.
    #[must_use]
    pub fn batch(&self) -> usize {
        Side::ALL.into_iter().filter_map(|side| self.batch_of(side)).map(|(_, size)| size).max().unwrap_or(1)
    }

    /// The oracle of a side that takes more than one question at once, and how many it takes.
    fn batch_of(&self, side: Side) -> Option<(&dyn BatchOracle, usize)> {
        let size = self.precision.of(side).batch.get();
        self.pair.oracle(side).batch().filter(|_| size > 1).map(|oracle| (oracle, size))
    }

    /// Judges cases as [`Judge::case_then`] judges each of them, but asks an oracle that takes batches about all of them before
    /// the first is compared. Shows `then` in turn each index, its judgement, and what `case_then` shows.
    pub fn cases_then<'c>(
        &self,
        cases: impl IntoIterator<Item = &'c Case>,
        arena: &mut Arena,
        record: &mut CaseRecord,
        mut then: impl FnMut(usize, Judgement, Option<(&Prepared<'_>, Node<'_>)>, &CaseRecord),
    ) {
        arena.reset();
        let cases: Vec<&Case> = cases.into_iter().collect();
        let ready: Vec<Ready<'_>> = cases.iter().map(|case| self.ready(case, arena)).collect();
        let mut ahead = BySide {
            reference: self.asked_ahead(Side::Reference, &ready, record).into_iter(),
            candidate: self.asked_ahead(Side::Candidate, &ready, record).into_iter(),
        };
        for (index, (ready, case)) in ready.iter().zip(cases).enumerate() {
            let verdict = ready.judged(record, |prepared, record| {
                self.compared(prepared, record, |side, answer| {
                    let Ahead { answer: given, nanos } = ahead.of_mut(side).next()?;
                    Some((given.map(|given| *answer = given), nanos))
                })
            });
            self.look_into(case, ready, record, Wanted::Every);
            self.take_notes(case, ready, &verdict, record);
            let shown = ready.compared(&verdict);
            then(index, verdict, shown, record);
        }
    }

    /// What an oracle that takes batches answers to each prepared case in turn, with the time that is each one's share; empty
    /// for another oracle.
    fn asked_ahead<'r>(&self, side: Side, ready: &'r [Ready<'r>], record: &CaseRecord) -> Vec<Ahead> {
        let Some((oracle, size)) = self.batch_of(side) else { return Vec::new() };
        let question =
            |Prepared { question, views }: &'r Prepared<'r>| BatchQuestion { question, view: views.of(side) };
        let asked: Vec<_> = ready.iter().filter_map(Ready::prepared).map(question).collect();
        let batch = |asked: &[BatchQuestion<'_>]| {
            let start = self.now(record.timed);
            let answers = ask_batch(oracle, asked);
            let spent = self.now(record.timed).saturating_sub(start);
            let share = u64::try_from(asked.len()).ok().and_then(|count| spent.checked_div(count)).unwrap_or(spent);
            answers.into_iter().map(move |answer| Ahead { answer, nanos: share })
        };
        asked.chunks(size).flat_map(batch).collect()
    }

    /// Prepares a case in isolation.
    fn ready<'a>(&'a self, case: &'a Case, arena: &'a Arena) -> Ready<'a> {
        let mut sent = Sent::default();
        let prepared = isolated(|| self.pair.prepare_noting(case, arena, &mut sent));
        Ready { prepared, sent }
    }

    /// Judges a prepared case; details are left on `record`.
    pub fn prepared(&self, case: &Prepared<'_>, record: &mut CaseRecord) -> Judgement {
        self.compared(case, record, |_, _| None)
    }

    /// Compares the answers to a prepared case: those that `ahead` puts in place, with the time that they took, and otherwise
    /// those that the oracles give now.
    fn compared(
        &self,
        case: &Prepared<'_>,
        record: &mut CaseRecord,
        mut ahead: impl FnMut(Side, &mut Answer) -> Option<(Result<(), NoAnswer>, u64)>,
    ) -> Judgement {
        record.clear();
        let Prepared { question, views } = case;
        let timed = record.timed;
        let mut last = self.now(timed);
        let mut answered = |side, record: &mut CaseRecord| {
            let answer = match side {
                Side::Reference => &mut record.reference,
                Side::Candidate => &mut record.candidate,
            };
            let (result, nanos) = ahead(side, answer).unwrap_or_else(|| {
                let result = ask(self.pair.oracle(side), question, views.of(side), answer);
                let before = std::mem::replace(&mut last, self.now(timed));
                (result, last.saturating_sub(before))
            });
            *record.nanos.of_mut(side) = nanos;
            result
        };
        let reference = answered(Side::Reference, record);
        let candidate = answered(Side::Candidate, record);
        if (reference.is_err() || candidate.is_err())
            && let Some(unable) = unanswered(record, reference, candidate)
        {
            return unable;
        }
        let objects = &question.objects;
        if let Some(presence) = &self.presence {
            presence.reach(objects, &mut record.candidate.reached);
        }
        if !record.panics.is_empty() {
            return self.panicked(record);
        }
        self.compare_errors(record);
        let outcome = self.outcome(question, record);
        if self.observes {
            let (reference, candidate) = (record.reference.errors.as_slice(), record.candidate.errors.as_slice());
            let observation = Observation::of(objects, reference, candidate, &record.differences);
            record.observation = Some(Box::new(observation));
        }
        Judgement::Compared(outcome)
    }

    fn now(&self, timed: bool) -> u64 {
        self.clock.filter(|_| timed).map_or(0, |clock| clock())
    }

    /// Compares the errors of both sides. Without errors there is nothing to do: an empty record stands for agreement.
    fn compare_errors(&self, record: &mut CaseRecord) {
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
    fn panicked(&self, record: &mut CaseRecord) -> Judgement {
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
    fn outcome(&self, question: &Question<'_>, record: &mut CaseRecord) -> Outcome {
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
        // A rejection without errors may be about any rule that looked.
        let untold = !self.pair.comparator.compares_errors() && record.reference.rejects();
        if untold || !record.incomparable.is_zero() {
            let reached = record.candidate.reached.iter().filter(|rule| rule.index() < self.pair.rules.len());
            record.marks.extend(reached.map(|rule| (rule, RuleMark::SetAside)));
        }
        // The worst mark of each rule comes first and stays.
        record.marks.sort_unstable_by(|one, other| one.0.cmp(&other.0).then(other.1.cmp(&one.1)));
        record.marks.dedup_by_key(|(rule, _)| *rule);
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

    /// Counts what was said that can be compared, and what cannot.
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
            let (comparable, incomparable) = self.pair.comparator.weigh(side, answer, *self.precision.of(side));
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
            let shape = ErrorShape::of(error);
            let compared = self.pair.comparator.includes(Side::Reference, error);
            if !compared && self.attribution.twins_at(error, &shape.field).is_empty() {
                record.unmigrated.push(shape.clone());
            }
            if !record.refused.contains(&shape) {
                record.refused.push(shape);
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
            let found = self.pair.comparator.differences(reference, candidate, objects);
            differences.extend(found.into_iter().filter(compared).map(|mut difference| {
                self.attribution.attribute(&mut difference, &makers);
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

    /// Marks the rules on which both sides said the same, and says whether they said anything.
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

impl Asked for Judge<'_> {
    fn pair(&self) -> &Pair {
        self.pair
    }

    fn again(&self, case: &Case, arena: &mut Arena, record: &mut CaseRecord) -> Judgement {
        arena.reset();
        self.ready(case, arena).judged(record, |prepared, record| self.prepared(prepared, record))
    }

    fn rules(&self, side: Side, error: &FieldError) -> Vec<RuleId> {
        match side {
            Side::Reference => self.attribution.twins(error),
            Side::Candidate => self.attribution.makers(error),
        }
    }
}

/// An answer that came before its case is compared.
struct Ahead {
    answer: Result<Answer, NoAnswer>,
    nanos: u64,
}

/// What came of preparing a case.
struct Ready<'a> {
    prepared: Result<Result<Prepared<'a>, Unprepared>, Panic>,
    sent: Sent<'a>,
}

impl Ready<'_> {
    fn prepared(&self) -> Option<&Prepared<'_>> {
        self.prepared.as_ref().ok()?.as_ref().ok()
    }

    /// What was compared, and the object as it was sent; none when the case was not compared.
    fn compared(&self, verdict: &Judgement) -> Option<(&Prepared<'_>, Node<'_>)> {
        self.prepared()
            .filter(|_| matches!(verdict, Judgement::Compared(_)))
            .map(|prepared| (prepared, self.sent.object))
    }

    /// Has the case judged, if it could be prepared.
    fn judged(
        &self,
        record: &mut CaseRecord,
        judge: impl FnOnce(&Prepared<'_>, &mut CaseRecord) -> Judgement,
    ) -> Judgement {
        match &self.prepared {
            Ok(Ok(prepared)) => {
                let verdict = judge(prepared, record);
                record.dropped = self.sent.dropped;
                verdict
            }
            Ok(Err(unprepared)) => {
                record.clear();
                Judgement::Unprepared(unprepared.clone())
            }
            Err(panic) => {
                record.clear();
                record.panics.push(OraclePanic { side: None, panic: panic.clone() });
                Judgement::Compared(Outcome::Panicked)
            }
        }
    }
}

impl Outcome {
    /// The outcome of a case with a difference in this direction.
    fn of(direction: Direction) -> Self {
        match direction {
            Direction::Missing => Self::Missing,
            Direction::Differs => Self::Differs,
            Direction::Extra => Self::Extra,
        }
    }
}

/// Notes the panics of the sides. If one could not judge, empties `record` but for the failures.
fn unanswered(
    record: &mut CaseRecord,
    reference: Result<(), NoAnswer>,
    candidate: Result<(), NoAnswer>,
) -> Option<Judgement> {
    let mut unable = None;
    for (side, answer) in [(Side::Reference, reference), (Side::Candidate, candidate)] {
        match answer {
            Ok(()) => {}
            Err(NoAnswer::Unable(failure)) => {
                *record.failures.of_mut(side) += u64::from(failure.declined_because().is_none());
                unable.get_or_insert(Judgement::Unable { side, failure });
            }
            Err(NoAnswer::Panicked(panic)) => record.panics.push(OraclePanic { side: Some(side), panic }),
        }
    }
    if unable.is_some() {
        let failures = record.failures;
        record.clear();
        record.failures = failures;
    }
    unable
}

/// Removes the errors in delegated paths and keeps the order of the others; tells `left_out` of each and returns how many.
fn leave_out(errors: &mut ErrorList, delegated: &[Delegated], mut left_out: impl FnMut(&FieldError)) -> u64 {
    let mut kept = 0;
    let list = errors.as_mut_slice();
    for at in 0..list.len() {
        let Some(error) = list.get(at) else { break };
        let place = pattern(&error.field);
        if delegated.iter().any(|part| part.contains(&place)) {
            left_out(error);
        } else {
            list.swap(kept, at);
            kept += 1;
        }
    }
    let removed = list.len() - kept;
    errors.truncate(kept);
    u64::try_from(removed).unwrap_or(u64::MAX)
}

impl Judgement {
    /// Whether the case was not compared because an object is not one of its type.
    #[must_use]
    pub fn is_undecodable(&self) -> bool {
        matches!(
            self,
            Self::Unprepared(Unprepared::Unfit(Unfit::Object(_) | Unfit::OldObject(_)) | Unprepared::View { .. })
        )
    }

    /// Why the case was not compared: what it is counted under, and the explanation.
    #[must_use]
    pub fn reason(&self) -> Option<(String, String)> {
        match self {
            Self::Compared(_) => None,
            Self::Unprepared(Unprepared::Unfit(Unfit::Object(undecodable))) => {
                Some((undecodable.reason.to_string(), format!("object: {undecodable}")))
            }
            Self::Unprepared(Unprepared::Unfit(Unfit::OldObject(undecodable))) => {
                Some((format!("old object: {}", undecodable.reason), format!("old object: {undecodable}")))
            }
            Self::Unprepared(Unprepared::Unfit(Unfit::NoOldObject)) => {
                Some(("update without old object".to_owned(), Unfit::NoOldObject.to_string()))
            }
            Self::Unprepared(Unprepared::View { side, failure }) => {
                Some((format!("not in a form that the {side} can read"), failure.to_string()))
            }
            Self::Unable { side, failure } => {
                let reason = match failure.declined_because() {
                    Some(reason) => format!("the {side} cannot be asked: {reason}"),
                    None => format!("the {side} could not judge"),
                };
                Some((reason, failure.to_string()))
            }
        }
    }
}
