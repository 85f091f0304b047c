//! Judging cases at their places, and adding up what they show.

use super::controls::{Fates, JudgeControls, Seen, record_classes};
use super::error::RunError;
use super::input::{Input, Shown, Unusable};
use super::memory::Memory;
use super::novelty::Novelty;
use crate::case::{Case, Operation};
use crate::evidence::{
    CasePlace, Evidence, EvidenceError, OperationEvidence, PairEvidence, ReasonCount, Sighting, Stream,
};
use crate::judge::{CaseRecord, Judge, Judgement, OraclePanic, Outcome, Panic};
use crate::metrics::{self, IdentifierMetrics};
use crate::object::Arena;
use crate::rule::RuleId;
use crate::side::Side;
use std::time::Duration;

/// Judges the cases that it is given, and keeps their evidence until it is taken. Belongs to one thread.
pub struct Tally<'t> {
    judges: &'t [Judge<'t>],
    controls: &'t [JudgeControls<'t>],
    metrics: &'t [[IdentifierMetrics; 2]],
    seen: Vec<Seen>,
    novelty: Novelty,
    memory: Memory,
    arena: Arena,
    record: CaseRecord,
    subjects: Vec<PairEvidence>,
    outside: Vec<(String, Sighting)>,
    cases: u64,
    watch: Option<&'t Watch<'t>>,
    watched: Option<usize>,
}

/// Told which judge is at work on the calling thread, and none when it rests: at least once a chunk.
pub type Watch<'w> = dyn Fn(Option<usize>) + Sync + 'w;

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
            judges,
            controls,
            metrics,
            seen: controls.iter().map(JudgeControls::begin).collect(),
            novelty: Novelty::new(judges.len()),
            memory: Memory::default(),
            arena: Arena::new(),
            record: CaseRecord::new(),
            subjects: no_evidence(judges, controls).collect(),
            outside: Vec::new(),
            cases: 0,
            watch,
            watched: None,
        }
    }

    /// Judges or counts one input, and says whether it is a made-up case that showed what none had shown since evidence was last taken. `place`
    /// must be new to the run.
    pub fn judge(&mut self, place: CasePlace, input: Input) -> bool {
        self.cases += 1;
        match input {
            Input::Case { subject, case, shows } => self.case(place, subject, &case, &shows),
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

    /// Counts a case whose objects cannot be brought before the oracles, because decoding them ends the process that tries.
    pub fn died(&mut self, place: CasePlace, subject: usize, case: &Case, death: Panic) {
        self.cases += 1;
        let Some(evidence) = self.subjects.get_mut(subject) else { return self.unknown(place, subject, case) };
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
        for (index, evidence) in self.subjects.iter_mut().enumerate().filter(|(_, evidence)| !evidence.is_empty()) {
            let part = evidence.take();
            if let Some(metrics) = self.metrics.get(index) {
                count(&part, metrics);
            }
            whole.add(part)?;
        }
        for (reason, sighting) in self.outside.drain(..) {
            whole.record_outside(&reason, sighting);
        }
        if let Some(watch) = self.watch
            && self.watched.take().is_some()
        {
            watch(None);
        }
        self.novelty.clear();
        Ok(std::mem::take(&mut self.cases))
    }

    /// Moves what was gathered elsewhere to `whole`, and returns the number of cases.
    pub(super) fn pass_on(&self, part: Evidence, whole: &mut Evidence) -> Result<u64, EvidenceError> {
        let cases = part.cases();
        for evidence in part.pairs() {
            let index = self.judges.iter().position(|judge| judge.pair().id == *evidence.pair());
            if let Some(metrics) = index.and_then(|index| self.metrics.get(index)) {
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
        if let Some(((verdict, record), evidence)) = known.zip(self.subjects.get_mut(subject)) {
            evidence.record(place, case, verdict, record);
            return;
        }
        let steady = self.judges.get(subject).is_some_and(Judge::is_steady);
        if let Some(verdict) = self.judged(place, subject, case, &[])
            && steady
        {
            self.memory.keep(subject, case.operation, content, &verdict, &self.record);
        }
    }

    fn case(&mut self, place: CasePlace, subject: usize, case: &Case, shows: &[Shown]) -> bool {
        let verdict = self.judged(place, subject, case, shows);
        // Nobody makes recorded cases like others.
        matches!(verdict, Some(Judgement::Compared(_)))
            && place.stream == Stream::Generated
            && self.novelty.add(subject, case.operation, &self.record)
    }

    /// Judges a case and records what came of it; none when there is no such subject.
    fn judged(&mut self, place: CasePlace, subject: usize, case: &Case, shows: &[Shown]) -> Option<Judgement> {
        let (Some(judge), Some(evidence)) = (self.judges.get(subject), self.subjects.get_mut(subject)) else {
            self.unknown(place, subject, case);
            return None;
        };
        if let Some(watch) = self.watch
            && self.watched != Some(subject)
        {
            watch(Some(subject));
            self.watched = Some(subject);
        }
        // One case a chunk is timed.
        let metrics = self.metrics.get(subject).filter(|_| place.index == 0);
        self.record.set_timed(metrics.is_some());
        let mut controls = self.controls.get(subject).zip(self.seen.get_mut(subject));
        let mut fates = Fates::default();
        let verdict = judge.case_then(case, &mut self.arena, &mut self.record, |prepared, sent, record| {
            fates = Fates::of(shows, &judge.pair().rules, &prepared.question.objects, sent);
            if let Some((controls, seen)) = &mut controls {
                controls.case(judge, prepared, record, seen);
            }
        });
        evidence.record(place, case, &verdict, &self.record);
        if let Some((controls, seen)) = controls {
            controls.record(place, seen, evidence);
        }
        let Judgement::Compared(_) = verdict else { return Some(verdict) };
        record_classes(judge, case.operation, shows, &fates, &self.record, evidence);
        if let Some([create, update]) = metrics {
            let metrics = match case.operation {
                Operation::Create => create,
                Operation::Update => update,
            };
            for side in [Side::Reference, Side::Candidate] {
                match self.record.nanos(side) {
                    0 => {}
                    nanos => metrics.observe(side, Duration::from_nanos(nanos)),
                }
            }
        }
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
        let known = subject.and_then(|(index, operation)| Some((self.subjects.get_mut(index)?, operation)));
        match known {
            Some((evidence, operation)) => evidence.record_unusable(operation, undecodable, &reason, sighting),
            None => self.outside.push((reason, sighting)),
        }
    }
}

/// Evidence of no cases for every judge.
pub(super) fn no_evidence<'e>(
    judges: &'e [Judge<'e>],
    controls: &'e [JudgeControls<'e>],
) -> impl Iterator<Item = PairEvidence> + 'e {
    judges.iter().enumerate().map(|(index, judge)| {
        let none = PairEvidence::of(judge);
        match controls.get(index) {
            Some(controls) => none.with_controls(controls.catalogue()),
            None => none,
        }
    })
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
