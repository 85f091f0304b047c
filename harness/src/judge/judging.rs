//! The judge of a pair.

use super::again::{AsksAgain, is_sampled};
use super::answers::{leave_out, too_long, unanswered};
use super::attribution::Attribution;
use super::case_record::{CaseRecord, Judgement, OraclePanic};
use super::guard::{NoAnswer, Panic, ask, ask_batch, isolated};
use super::inquiry::{Asked, VariantPanic, Wanted, look_into};
use super::observation::{Area, Observation};
use super::presence::Presence;
use super::ready::Ready;
use crate::case::{Case, Payload};
use crate::compare::{ComparedBy, Noted, Reason, steadiness, take_notes};
use crate::error::FieldError;
use crate::form::Sent;
use crate::object::Arena;
use crate::oracle::{Answer, BatchOracle, BatchQuestion, Objects, Precision};
use crate::pair::{Pair, Prepared};
use crate::path::pattern;
use crate::rule::{ErrorShape, Rule, RuleId};
use crate::side::{BySide, Side};
use std::num::NonZeroUsize;

/// Judges cases of one pair. Shared by threads; each brings its own [`CaseRecord`].
pub struct Judge<'p> {
    pub(super) pair: &'p Pair,
    pub(super) precision: BySide<Precision>,
    pub(super) attribution: Attribution,
    /// Finds out which rules are reached, where the candidate does not say.
    presence: Option<Presence>,
    clock: Option<&'p (dyn Fn() -> u64 + Sync)>,
    /// Whether it looks for the causes of differences.
    inquires: bool,
    /// Whether it notes what the errors of the reference tell of its checks, because nobody lists them.
    observes: bool,
    /// Whether the sides may write keys of maps in different ways: a program, webhook or server beside something else.
    takes_keys_alike: bool,
    /// When it asks a side again, to see whether it reports the same in the same order.
    asks_again: AsksAgain,
}

impl<'p> Judge<'p> {
    /// A judge of the cases of a pair.
    #[must_use]
    pub fn new(pair: &'p Pair) -> Self {
        let precision = BySide { reference: pair.reference.precision(), candidate: pair.candidate.precision() };
        let reached = precision.candidate.reached;
        let attribution = Attribution::new(&pair.rules, &pair.comparator, reached, pair.matter.is_of_defaults());
        let presence = (!reached).then(|| Presence::of(&pair.rules, &pair.form.schema, pair.form.root));
        let inquires = precision.reference.answers_any && precision.candidate.answers_any;
        let all = |holds: fn(&Precision) -> bool| holds(&precision.reference) && holds(&precision.candidate);
        let asks_again = match inquires {
            false => AsksAgain::Never,
            true if Side::ALL.into_iter().any(|side| pair.oracle(side).is_far()) => AsksAgain::Sample,
            true if !all(|of| of.batch == NonZeroUsize::MIN) => AsksAgain::Sample,
            true if all(|of| of.steady) => AsksAgain::Several,
            true => AsksAgain::Never,
        };
        let comparator = &pair.comparator;
        // A reference that says which of its checks reject shows them, even if only decisions are compared.
        let tells = comparator.compares_errors()
            || (comparator.name() == ComparedBy::Decision && precision.reference.detail.shows_checks());
        let observes = tells && !comparator.name().is_usual() && (pair.checks.is_empty() || pair.rules.is_empty());
        let takes_keys_alike =
            !comparator.name().is_usual() && Side::ALL.into_iter().any(|side| pair.oracle(side).is_far());
        Self { pair, precision, attribution, presence, clock: None, inquires, observes, takes_keys_alike, asks_again }
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
        self.case_then(case, arena, record, |_, _| {})
    }

    /// As [`Judge::case`], and shows `then` what was judged, if both sides could be asked.
    pub fn case_then(
        &self,
        case: &Case,
        arena: &mut Arena,
        record: &mut CaseRecord,
        then: impl FnOnce(&Prepared<'_>, &CaseRecord),
    ) -> Judgement {
        self.case_beside(case, &Sent::default(), arena, record, then)
    }

    /// Does the same as [`Judge::case_then`], and reuses what the case shares with `known`, which this judge made.
    pub(crate) fn case_beside(
        &self,
        case: &Case,
        known: &Sent<'_>,
        arena: &mut Arena,
        record: &mut CaseRecord,
        then: impl FnOnce(&Prepared<'_>, &CaseRecord),
    ) -> Judgement {
        arena.reset();
        let ready = self.ready_beside(case, known, arena);
        let verdict = ready.judged(record, |prepared, record| self.prepared(prepared, record));
        let verdict = self.look_into(case, &ready, record, Wanted::Every).unwrap_or(verdict);
        let verdict = self.take_notes(case, &ready, &verdict, record).unwrap_or(verdict);
        if let Some(prepared) = ready.compared(&verdict) {
            then(prepared, record);
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
        self.look_into(case, &ready, record, wanted).unwrap_or(judgement)
    }

    /// Finds out why the sides differ, if they do. Returns a new judgement if an oracle panicked meanwhile.
    fn look_into(
        &self,
        case: &Case,
        ready: &Ready<'_>,
        record: &mut CaseRecord,
        wanted: Wanted<'_>,
    ) -> Option<Judgement> {
        if record.differences.is_empty() || !self.inquires {
            return None;
        }
        let VariantPanic { case, panicked } = look_into(self, case, ready.prepared()?, record, wanted)?;
        Some(self.spoilt(panicked, Some(case), record))
    }

    /// Takes notes on what is no difference, also from sides that are asked again. Returns a new judgement if one ended its process.
    fn take_notes(
        &self,
        case: &Case,
        ready: &Ready<'_>,
        verdict: &Judgement,
        record: &mut CaseRecord,
    ) -> Option<Judgement> {
        let silent = record.reference.errors.is_empty() && record.candidate.errors.is_empty();
        let samples = self.asks_again == AsksAgain::Sample;
        if (silent && !samples) || !record.panics.is_empty() {
            return None;
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
            let again: Vec<Side> = Side::ALL.into_iter().filter(asks).collect();
            for side in &again {
                match self.asked_again(*side, prepared, record) {
                    Ok(noted) => record.notes.extend(noted),
                    Err(panic) => return Some(self.spoilt(OraclePanic { side: Some(*side), panic }, None, record)),
                }
            }
            record.asked_again = !again.is_empty();
        }
        if !record.notes.is_empty() {
            record.said = (record.reference.errors.len() + record.candidate.errors.len()) as u64;
        }
        None
    }

    /// What an oracle that is asked once more says otherwise; none when it gives the same answer, or no longer any.
    fn asked_again(&self, side: Side, prepared: &Prepared<'_>, record: &CaseRecord) -> Result<Option<Noted>, Panic> {
        let Prepared { question, views, .. } = prepared;
        let mut again = Answer::new();
        match ask(self.pair.oracle(side), question, views.of(side), &mut again) {
            Ok(()) => {}
            Err(NoAnswer::Panicked(panic)) if panic.ended_its_process() => return Err(panic),
            Err(_) => return Ok(None),
        }
        leave_out(&mut again.errors, &self.pair.delegated, |_| {});
        Ok(steadiness(side, record.answer(side), &again, record.differences.is_empty()))
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
        cases: impl IntoIterator<Item = &'c Case<'c>>,
        arena: &mut Arena,
        record: &mut CaseRecord,
        mut then: impl FnMut(usize, Judgement, Option<&Prepared<'_>>, &CaseRecord),
    ) {
        arena.reset();
        let cases: Vec<&Case<'_>> = cases.into_iter().collect();
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
            let verdict = self.look_into(case, ready, record, Wanted::Every).unwrap_or(verdict);
            let verdict = self.take_notes(case, ready, &verdict, record).unwrap_or(verdict);
            let shown = ready.compared(&verdict);
            then(index, verdict, shown, record);
        }
    }

    /// What an oracle that takes batches answers to each prepared case in turn, with the time that is each one's share; empty
    /// for another oracle.
    fn asked_ahead<'r>(&self, side: Side, ready: &'r [Ready<'r>], record: &CaseRecord) -> Vec<Ahead> {
        let Some((oracle, size)) = self.batch_of(side) else { return Vec::new() };
        let question =
            |Prepared { question, views, .. }: &'r Prepared<'r>| BatchQuestion { question, view: views.of(side) };
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

    /// Decodes and defaults an object that cases are made from. Returns an empty value if that fails.
    pub(crate) fn base<'a>(&'a self, object: &'a Payload<'a>, arena: &'a Arena) -> Sent<'a> {
        let made = isolated(|| self.pair.form.base(&self.pair.id.subject, object, arena));
        made.ok().flatten().unwrap_or_default()
    }

    /// Prepares a case in isolation.
    fn ready<'a>(&'a self, case: &'a Case<'a>, arena: &'a Arena) -> Ready<'a> {
        self.ready_beside(case, &Sent::default(), arena)
    }

    /// Prepares a case in isolation, whose objects may share parts with others.
    fn ready_beside<'a>(&'a self, case: &'a Case<'a>, known: &Sent<'a>, arena: &'a Arena) -> Ready<'a> {
        Ready(isolated(|| self.pair.prepare_beside(case, known, arena)))
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
        let Prepared { question, views, .. } = case;
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
        if let Some(unable) = too_long(record) {
            return unable;
        }
        if self.takes_keys_alike {
            for answer in [&mut record.reference, &mut record.candidate] {
                for error in answer.errors.as_mut_slice() {
                    error.field = objects.with_keys(&error.field).unwrap_or_else(|| std::mem::take(&mut error.field));
                }
            }
        }
        self.compare_errors(record);
        let outcome = self.outcome(question, record);
        if self.observes {
            let by_decision = self.pair.comparator.name() == ComparedBy::Decision;
            let areas = by_decision.then(|| self.areas(objects, &record.candidate));
            let observation =
                Observation::of(objects, &record.reference, &record.candidate, &record.differences, areas.as_deref());
            record.observation = Some(Box::new(observation));
        }
        Judgement::Compared(outcome)
    }

    /// What a rejection of the candidate may be about.
    fn areas(&self, objects: &Objects<'_>, candidate: &Answer) -> Vec<Area> {
        if !candidate.rejects() {
            return Vec::new();
        }
        let of_error = |error: &FieldError| {
            let rules = self.attribution.makers(error).into_iter();
            let rules: Vec<&Rule> = rules.filter_map(|id| self.pair.rules.get(id.index())).collect();
            let reads = rules.iter().flat_map(|rule| &rule.reads).cloned();
            let mut places: Vec<String> = reads.collect();
            if places.is_empty() {
                places.push(pattern(&error.field));
            }
            Area { places, is_known: !rules.is_empty() }
        };
        let of_reason = |reason: Reason| Area { places: vec![pattern(&reason.field)], is_known: false };
        let errors = candidate.errors.as_slice();
        if errors.is_empty() {
            let said: Vec<Area> = Reason::of(candidate, objects).into_iter().map(of_reason).collect();
            let whole = || vec![Area { places: vec![String::new()], is_known: false }];
            return if said.is_empty() { whole() } else { said };
        }
        errors.iter().map(of_error).collect()
    }

    fn now(&self, timed: bool) -> u64 {
        self.clock.filter(|_| timed).map_or(0, |clock| clock())
    }
}

impl Asked for Judge<'_> {
    fn pair(&self) -> &Pair {
        self.pair
    }

    fn sent<'a>(&'a self, case: &'a Case<'a>, arena: &'a Arena) -> Sent<'a> {
        let made = isolated(|| self.pair.form.objects(&self.pair.id.subject, case, &Sent::default(), arena));
        made.ok().and_then(Result::ok).map(|(_, sent)| sent).unwrap_or_default()
    }

    fn again(&self, case: &Case, known: &Sent<'_>, arena: &mut Arena, record: &mut CaseRecord) -> Judgement {
        arena.reset();
        self.ready_beside(case, known, arena).judged(record, |prepared, record| self.prepared(prepared, record))
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
