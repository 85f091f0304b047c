//! Judging cases at their places, and adding up what they show.

use super::bases::Bases;
use super::controls::{Fates, JudgeControls};
use super::error::RunError;
use super::feed::Origin;
use super::input::{Input, Shown, Unusable};
use super::memory::Memory;
use super::novelty::Novelty;
use super::subject_tally::{SubjectTallies, Watch};
use crate::case::{Case, Operation};
use crate::evidence::{
    CasePlace, Evidence, EvidenceError, OperationEvidence, PairEvidence, ReasonCount, Sighting, Stream,
};
use crate::form::Sent;
use crate::judge::{CaseRecord, Judge, Judgement, OraclePanic, Outcome, Panic};
use crate::metrics::{self, IdentifierMetrics};
use crate::object::Arena;
use crate::rule::RuleId;
use crate::side::Side;

/// Judges the cases that it is given, and keeps their evidence until it is taken. Belongs to one thread.
pub struct Tally<'t> {
    subjects: SubjectTallies<'t>,
    novelty: Novelty,
    memory: Memory,
    arena: Arena,
    record: CaseRecord,
    /// By judge: the cases that are judged together, and how many of them are.
    waiting: Vec<(Vec<WaitingCase>, usize)>,
    /// Whether any case may be waiting.
    waits: bool,
    /// The cases that were found new since [`Tally::settle`] was last called.
    new: Vec<CasePlace>,
    /// Those that it returned then.
    settled: Vec<CasePlace>,
    outside: Vec<(String, Sighting)>,
    cases: u64,
}

/// A case that is judged together with others.
struct WaitingCase {
    place: CasePlace,
    field: u64,
    case: Case<'static>,
    shows: Vec<Shown>,
    /// The number of its content, if that may come again.
    content: Option<u64>,
}

impl<'t> Tally<'t> {
    /// A tally of what these judges say, and of the controls of each that its cases expose; none to leave them out.
    #[must_use]
    pub fn new(judges: &'t [Judge<'t>], controls: &'t [JudgeControls<'t>]) -> Self {
        Self::counting(judges, controls, &[], None)
    }

    /// A tally that counts in the metrics of each judge too, and tells `watch` which one is at work.
    pub(super) fn counting(
        judges: &'t [Judge<'t>],
        controls: &'t [JudgeControls<'t>],
        metrics: &'t [[IdentifierMetrics; 2]],
        watch: Option<&'t Watch<'t>>,
    ) -> Self {
        Self {
            subjects: SubjectTallies::new(judges, controls, metrics, watch),
            novelty: Novelty::new(judges.len()),
            memory: Memory::default(),
            arena: Arena::new(),
            record: CaseRecord::new(),
            waiting: judges.iter().map(|judge| (Vec::new(), judge.batch())).collect(),
            waits: false,
            new: Vec::new(),
            settled: Vec::new(),
            outside: Vec::new(),
            cases: 0,
        }
    }

    /// Judges or counts one input. `place` must be new to the run.
    pub fn judge(&mut self, place: CasePlace, input: Input<'_>) {
        self.judge_of(place, 0, input);
    }

    /// Judges or counts one input about the field with this number, and says whether it is a made-up case that showed what none of that
    /// field had shown since evidence was last taken. `place` must be new to the run.
    pub fn judge_of(&mut self, place: CasePlace, field: u64, input: Input<'_>) -> bool {
        self.judge_beside(place, field, input, |_, _| Sent::default())
    }

    /// Does the same as [`Tally::judge_of`], given what the judge of a subject made of objects with which the case shares.
    fn judge_beside<'b>(
        &mut self,
        place: CasePlace,
        field: u64,
        input: Input<'_>,
        known: impl FnOnce(usize, &'t Judge<'t>) -> Sent<'b>,
    ) -> bool {
        self.cases += 1;
        match input {
            Input::Case { subject, case, shows } => {
                let verdict = self.judged(place, subject, &case, &shows, |judge| known(subject, judge));
                let Self { novelty, record, .. } = self;
                verdict.is_some_and(|verdict| is_new(novelty, (place, field), subject, &case, &verdict, record))
            }
            Input::Numbered { subject, case, content } => {
                self.numbered(place, subject, &case, content);
                false
            }
            Input::Unusable(unusable) => {
                self.unusable(place, unusable);
                false
            }
        }
    }

    /// As [`Tally::judge_of`], but lets a case wait for others if an oracle of its pair takes batches: until the batch is full,
    /// [`Tally::settle`] is called or evidence is taken.
    pub(super) fn gather<'b>(
        &mut self,
        place: CasePlace,
        Origin { field, base }: Origin<'_, 'b>,
        bases: &mut Bases<'b>,
        input: Input<'_>,
    ) where
        't: 'b,
    {
        let (subject, case, shows, content) = match input {
            Input::Case { subject, case, shows } if self.batch(subject) > 1 => (subject, case, shows, None),
            Input::Numbered { subject, case, content }
                if self.batch(subject) > 1 && self.memory.get(subject, case.operation, content).is_none() =>
            {
                (subject, case, Vec::new(), Some(content))
            }
            Input::Case { subject, case, shows } if place.stream == Stream::Recorded => {
                let (case, base) = match bases.recorded(subject, &case) {
                    Some((case, base)) => (case, Some(base)),
                    None => (case, None),
                };
                let known = |subject, judge| base.map(|base| bases.sent(&base, subject, judge)).unwrap_or_default();
                self.judge_beside(place, field, Input::Case { subject, case, shows }, known);
                return;
            }
            input => {
                let known = |subject, judge| base.map(|base| bases.sent(base, subject, judge)).unwrap_or_default();
                if self.judge_beside(place, field, input, known) {
                    self.new.push(place);
                }
                return;
            }
        };
        self.cases += 1;
        let Some((gathered, size)) = self.waiting.get_mut(subject) else { return };
        gathered.push(WaitingCase { place, field, case: case.kept(), shows, content });
        self.waits = true;
        if gathered.len() >= *size {
            self.judge_waiting(subject);
        }
    }

    /// Judges the cases that wait, and returns the places, in order, of those that [`Tally::judge_of`] would have called new, since
    /// it was last called.
    pub(super) fn settle(&mut self) -> &[CasePlace] {
        if std::mem::take(&mut self.waits) {
            (0..self.waiting.len()).for_each(|subject| self.judge_waiting(subject));
        }
        self.settled.clear();
        std::mem::swap(&mut self.new, &mut self.settled);
        self.settled.sort_unstable();
        &self.settled
    }

    /// Judges the cases of a judge that wait, together.
    fn judge_waiting(&mut self, subject: usize) {
        let Self { subjects, novelty, memory, arena, record, waiting, new, .. } = self;
        let waiting = waiting.get_mut(subject).map(|(waiting, _)| waiting).filter(|waiting| !waiting.is_empty());
        let Some(waiting) = waiting else { return };
        let Some(mut tally) = subjects.begin(subject) else { return };
        let judge = tally.judge;
        record.set_timed(waiting.iter().any(|waiting| tally.times(waiting.place)));
        let cases = waiting.iter().map(|waiting| &waiting.case);
        judge.cases_then(cases, arena, record, |index, verdict, compared, record| {
            let Some(WaitingCase { place, field, case, shows, content }) = waiting.get(index) else { return };
            let fates = compared.map(|prepared| tally.look(shows, prepared, record)).unwrap_or_default();
            tally.count(*place, case, shows, &fates, &verdict, record);
            match content {
                Some(content) if judge.is_steady() => {
                    memory.keep(subject, case.operation, *content, &verdict, record);
                }
                Some(_) => {}
                None if is_new(novelty, (*place, *field), subject, case, &verdict, record) => new.push(*place),
                None => {}
            }
        });
        waiting.clear();
    }

    /// How many cases of a judge are judged together.
    fn batch(&self, subject: usize) -> usize {
        self.waiting.get(subject).map_or(1, |(_, size)| *size)
    }

    /// Counts a case whose objects cannot be brought before the oracles, because decoding them ends the process that tries.
    pub fn died(&mut self, place: CasePlace, subject: usize, case: &Case, death: Panic) {
        self.cases += 1;
        let Some(evidence) = self.subjects.evidence.get_mut(subject) else { return self.unknown(place, subject, case) };
        let mut record = CaseRecord::new();
        record.panics.push(OraclePanic { side: None, panic: death });
        evidence.record(place, case, &Judgement::Compared(Outcome::Panicked), &record);
    }

    /// Takes out what was gathered since the last time.
    ///
    /// # Errors
    /// When there is no judge, two judges share a subject with different rules, or the counters do not add up.
    pub fn take(&mut self) -> Result<Evidence, RunError> {
        let mut part = Evidence::new();
        let _ = self.hand_over(&mut part)?;
        part.check()?;
        Ok(part)
    }

    /// Moves what was gathered to `whole`, and returns the number of cases.
    pub(super) fn hand_over(&mut self, whole: &mut Evidence) -> Result<u64, EvidenceError> {
        self.settle();
        let metrics = self.subjects.metrics;
        for (index, evidence) in
            self.subjects.evidence.iter_mut().enumerate().filter(|(_, evidence)| !evidence.is_empty())
        {
            let part = evidence.take();
            if let Some(metrics) = metrics.get(index) {
                count(&part, metrics);
            }
            whole.add(part)?;
        }
        for (reason, sighting) in self.outside.drain(..) {
            whole.record_outside(&reason, sighting);
        }
        self.subjects.rest();
        self.novelty.clear();
        Ok(std::mem::take(&mut self.cases))
    }

    /// Moves what was gathered elsewhere to `whole`, and returns the number of cases.
    pub(super) fn pass_on(&self, part: Evidence, whole: &mut Evidence) -> Result<u64, EvidenceError> {
        let cases = part.cases();
        for evidence in part.pairs() {
            let index = self.subjects.judges.iter().position(|judge| judge.pair().id == *evidence.pair());
            if let Some(metrics) = index.and_then(|index| self.subjects.metrics.get(index)) {
                count(evidence, metrics);
            }
        }
        whole.merge(part)?;
        Ok(cases)
    }

    /// Judges a case, unless its content was judged before: then the judgement is counted again. The controls that it exposes are
    /// exposed, and an oracle that is not asked takes no time.
    fn numbered(&mut self, place: CasePlace, subject: usize, case: &Case, content: u64) {
        let known = self.memory.get(subject, case.operation, content);
        if let Some(((verdict, record), evidence)) = known.zip(self.subjects.evidence.get_mut(subject)) {
            evidence.record(place, case, verdict, record);
            return;
        }
        let steady = self.subjects.judges.get(subject).is_some_and(Judge::is_steady);
        if let Some(verdict) = self.judged(place, subject, case, &[], |_| Sent::default())
            && steady
        {
            self.memory.keep(subject, case.operation, content, &verdict, &self.record);
        }
    }

    /// Judges a case and records what came of it; none when there is no such subject.
    fn judged<'b>(
        &mut self,
        place: CasePlace,
        subject: usize,
        case: &Case,
        shows: &[Shown],
        known: impl FnOnce(&'t Judge<'t>) -> Sent<'b>,
    ) -> Option<Judgement> {
        let Some(mut tally) = self.subjects.begin(subject) else {
            self.unknown(place, subject, case);
            return None;
        };
        self.record.set_timed(tally.times(place));
        let mut fates = Fates::default();
        let judge = tally.judge;
        let known = known(judge);
        let verdict = judge.case_beside(case, &known, &mut self.arena, &mut self.record, |prepared, record| {
            fates = tally.look(shows, prepared, record);
        });
        tally.count(place, case, shows, &fates, &verdict, &self.record);
        Some(verdict)
    }

    fn unknown(&mut self, place: CasePlace, subject: usize, case: &Case) {
        let message = format!("there is no subject number {subject}");
        let sighting = Sighting { place, provenance: case.provenance.clone(), message };
        self.outside.push(("unknown subject".to_owned(), sighting));
    }

    fn unusable(&mut self, place: CasePlace, unusable: Unusable) {
        let Unusable { subject, undecodable, reason, message, provenance } = unusable;
        let sighting = Sighting { place, provenance, message };
        let known = subject.and_then(|(index, operation)| Some((self.subjects.evidence.get_mut(index)?, operation)));
        match known {
            Some((evidence, operation)) => evidence.record_unusable(operation, undecodable, &reason, sighting),
            None => self.outside.push((reason, sighting)),
        }
    }
}

/// Whether a case that was just judged is a made-up one that showed something new.
fn is_new(
    novelty: &mut Novelty,
    (place, field): (CasePlace, u64),
    subject: usize,
    case: &Case,
    verdict: &Judgement,
    record: &CaseRecord,
) -> bool {
    // Nobody makes recorded cases like others.
    matches!(verdict, Judgement::Compared(_))
        && place.stream == Stream::Generated
        && novelty.add(subject, field, case.operation, record)
}

/// Adds the counts of a part of a run to the metrics of its subject: those of creates, then those of updates.
pub fn count(evidence: &PairEvidence, metrics: &[IdentifierMetrics; 2]) {
    for (operation, metrics) in Operation::ALL.into_iter().zip(metrics) {
        count_operation(evidence.operation(operation), metrics);
    }
}

fn count_operation(evidence: &OperationEvidence, metrics: &IdentifierMetrics) {
    let counts = &evidence.counts;
    if counts.cases == 0 {
        return;
    }
    let reasons =
        |reasons: &std::collections::BTreeMap<_, ReasonCount>| reasons.values().map(|reason| reason.count).sum::<u64>();
    for (outcome, cases) in [
        (metrics::CaseFate::AgreedAccept, counts.agreed_accept),
        (metrics::CaseFate::AgreedReject, counts.agreed_reject),
        (metrics::CaseFate::Incomparable, counts.incomparable),
        (metrics::CaseFate::Missing, counts.missing),
        (metrics::CaseFate::Extra, counts.extra),
        (metrics::CaseFate::Differs, counts.differs),
        (metrics::CaseFate::Panicked, counts.panicked),
        (metrics::CaseFate::Undecodable, reasons(&evidence.undecodable)),
        (metrics::CaseFate::Skipped, reasons(&evidence.skipped)),
    ] {
        metrics.compared(outcome, cases);
    }
    metrics.mismatches(counts.mismatches);
    for side in [Side::Reference, Side::Candidate] {
        if let Some(panics) = evidence.panics.get(&side.to_string()) {
            metrics.panicked(side, panics.count);
        }
    }
    for (rule, evidence) in (0..).map(RuleId).zip(&evidence.rules) {
        let of = &evidence.counts;
        for (outcome, cases) in [
            (metrics::CaseFate::AgreedAccept, of.agreed_accept),
            (metrics::CaseFate::AgreedReject, of.agreed_reject),
            (metrics::CaseFate::Missing, of.missing),
            (metrics::CaseFate::Extra, of.extra),
            (metrics::CaseFate::Differs, of.differs),
            (metrics::CaseFate::Panicked, of.panicked),
        ] {
            if cases > 0 {
                metrics.rule(rule, outcome, cases);
            }
        }
    }
}
