//! A run: workers that take chunks, judge their cases and add up what they saw.

use super::chunks::{Chunks, Part};
use super::feed::{Fed, Feed, Generated, Recorded};
use super::input::{CaseSource, Input, Unusable};
use crate::case::{Case, Operation};
use crate::evidence::{Evidence, EvidenceError, OperationEvidence, Place, Sighting, SubjectEvidence, Unlawful};
use crate::judge::{Bench, Judge, Panic, Verdict};
use crate::metrics::{IdentifierMetrics, Metrics, Outcome};
use crate::object::Arena;
use crate::rule::RuleId;
use crate::subject::Side;
use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How much is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// Exactly so many cases.
    Cases(u64),
    /// Until [`Control::stop`] says so.
    UntilStopped,
}

/// How the caller steers and watches a run.
#[derive(Clone, Copy)]
pub struct Control<'c> {
    /// Asked before each chunk; chunks that were begun are finished, and gaps before those done earlier are filled. Once it has said yes, it is not asked again.
    pub stop: &'c (dyn Fn() -> bool + Sync),
    /// Told after each chunk, by one worker at a time; the others wait meanwhile.
    pub progress: &'c (dyn Fn(&Progress<'_>) + Sync),
}

/// A run underway.
pub struct Progress<'p> {
    /// Number of the chunk that was just done.
    pub chunk: u64,
    /// Chunks done.
    pub chunks: u64,
    /// Cases done.
    pub cases: u64,
    /// Everything gathered so far.
    pub evidence: &'p Evidence,
    /// The chunks of the shard whose cases are in the evidence, or were done before.
    pub done: &'p Chunks,
}

/// Why a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The budget is spent, or the recorded cases are all judged.
    Complete,
    /// The caller stopped it.
    Stopped,
    /// The source of cases panicked; what had been gathered is kept.
    SourcePanicked(Panic),
}

/// What a run gathered.
#[derive(Clone, Debug)]
pub struct RunResult {
    /// The evidence. Its conservation laws hold.
    pub evidence: Evidence,
    /// The chunks of the shard that are done, now or before.
    pub done: Chunks,
    /// Why the run ended.
    pub ended: Ended,
}

/// A run that could not be carried out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// No threads to be had.
    #[error("cannot start `{jobs}` worker threads: {source}")]
    Threads {
        /// How many were asked for.
        jobs: usize,
        /// Why not.
        source: rayon::ThreadPoolBuildError,
    },
    /// The judges do not belong together.
    #[error(transparent)]
    Evidence(#[from] EvidenceError),
    /// The harness counted wrongly.
    #[error(transparent)]
    Unlawful(#[from] Unlawful),
    /// A run without judges.
    #[error("there is no subject to judge")]
    NoJudges,
}

/// Judges and what goes with them.
pub struct Run<'r> {
    judges: &'r [Judge<'r>],
    jobs: NonZeroUsize,
    metrics: Vec<[IdentifierMetrics; 2]>,
}

/// What the workers share.
struct Shared {
    evidence: Evidence,
    done: Chunks,
    chunks: u64,
    cases: u64,
    closing: bool,
    panicked: Option<Panic>,
    error: Option<EvidenceError>,
}

/// What a worker reuses from case to case.
struct Worker<'w> {
    judges: &'w [Judge<'w>],
    metrics: &'w [[IdentifierMetrics; 2]],
    arena: Arena,
    bench: Bench,
    subjects: Vec<SubjectEvidence>,
    outside: Vec<(String, Sighting)>,
    cases: u64,
}

impl<'r> Run<'r> {
    /// A run of these judges, which all compare alike, on `jobs` threads.
    #[must_use]
    pub fn new(judges: &'r [Judge<'r>], jobs: NonZeroUsize) -> Self {
        Self { judges, jobs, metrics: Vec::new() }
    }

    /// Counts in `metrics` too, chunk by chunk.
    #[must_use]
    pub fn metrics(mut self, metrics: &Metrics) -> Self {
        let of = |judge: &Judge<'_>| {
            let subject = judge.subject();
            Operation::ALL.map(|operation| metrics.identifier(&subject.id, operation, &subject.rules))
        };
        self.metrics = self.judges.iter().map(of).collect();
        self
    }

    /// Counts in the metrics what an earlier part of the run gathered.
    pub fn count_earlier(&self, evidence: &Evidence) {
        for (judge, metrics) in self.judges.iter().zip(&self.metrics) {
            let Some(subject) = evidence.subject(&judge.subject().id) else { continue };
            for (operation, metrics) in Operation::ALL.into_iter().zip(metrics) {
                count(subject.operation(operation), metrics);
            }
        }
    }

    /// Runs cases of `source`: the chunks of `part`. The same seed and number of cases give the same evidence on any number of
    /// threads, and in any number of parts that are merged.
    ///
    /// # Errors
    /// When threads cannot be started, two judges share a subject with different rules, or the counters do not add up.
    pub fn generated(
        &self,
        source: &dyn CaseSource,
        seed: u64,
        budget: Budget,
        part: Part,
        control: Control<'_>,
    ) -> Result<RunResult, RunError> {
        self.run(&Generated::new(source, seed, budget, &part), part.done, control)
    }

    /// Runs recorded cases as they stream in: those in the chunks of `part`, the others are read and left. Memory does not grow
    /// with their number.
    ///
    /// # Errors
    /// As [`Run::generated`].
    pub fn recorded(
        &self,
        inputs: &mut (dyn Iterator<Item = Input> + Send),
        part: Part,
        control: Control<'_>,
    ) -> Result<RunResult, RunError> {
        self.run(&Recorded::new(inputs, &part), part.done, control)
    }

    fn run(&self, feed: &dyn Feed, done: Chunks, control: Control<'_>) -> Result<RunResult, RunError> {
        let jobs = self.jobs.get();
        let matcher = self.judges.first().ok_or(RunError::NoJudges)?.matcher();
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(jobs)
            .build()
            .map_err(|source| RunError::Threads { jobs, source })?;
        let mut evidence = Evidence::new(matcher);
        for judge in self.judges {
            let subject = judge.subject();
            evidence.add(SubjectEvidence::new(subject.id.clone(), &subject.rules))?;
        }
        let shared =
            Mutex::new(Shared { evidence, done, chunks: 0, cases: 0, closing: false, panicked: None, error: None });
        pool.broadcast(|_| self.work(feed, control, &shared));
        let shared = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = shared.error {
            return Err(error.into());
        }
        shared.evidence.check()?;
        let ended = match shared.panicked {
            Some(panic) => Ended::SourcePanicked(panic),
            None if shared.closing => Ended::Stopped,
            None => Ended::Complete,
        };
        Ok(RunResult { evidence: shared.evidence, done: shared.done, ended })
    }

    fn work(&self, feed: &dyn Feed, control: Control<'_>, shared: &Mutex<Shared>) {
        let mut worker = Worker {
            judges: self.judges,
            metrics: &self.metrics,
            arena: Arena::new(),
            bench: Bench::new(),
            subjects: self
                .judges
                .iter()
                .map(|judge| SubjectEvidence::new(judge.subject().id.clone(), &judge.subject().rules))
                .collect(),
            outside: Vec::new(),
            cases: 0,
        };
        let lock = || shared.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let closing = {
                let mut shared = lock();
                if shared.panicked.is_some() || shared.error.is_some() {
                    return;
                }
                shared.closing = shared.closing || (control.stop)();
                shared.closing
            };
            let fed = feed.next(closing, &mut |place, input| worker.judge(place, input));
            let mut shared = lock();
            let shared = &mut *shared;
            if let Err(error) = worker.hand_over(shared) {
                shared.error.get_or_insert(error);
                return;
            }
            let (number, turn) = match fed {
                Fed::Nothing => return,
                Fed::Chunk { number, turn } => (number, turn),
                Fed::Panicked(panic) => {
                    shared.panicked.get_or_insert(panic);
                    return;
                }
            };
            shared.chunks += 1;
            shared.done.insert(turn);
            // What holds a part of a chunk is no state to go on from.
            if shared.panicked.is_none() {
                let Shared { evidence, done, chunks, cases, .. } = shared;
                (control.progress)(&Progress { chunk: number, chunks: *chunks, cases: *cases, evidence, done });
            }
        }
    }
}

impl Worker<'_> {
    fn judge(&mut self, place: Place, input: Input) {
        self.cases += 1;
        match input {
            Input::Case { subject, case } => self.case(place, subject, &case),
            Input::Unusable(unusable) => self.unusable(place, unusable),
        }
    }

    fn case(&mut self, place: Place, subject: usize, case: &Case) {
        let (Some(judge), Some(evidence)) = (self.judges.get(subject), self.subjects.get_mut(subject)) else {
            let message = format!("there is no subject number {subject}");
            let sighting = Sighting { place, provenance: case.provenance.clone(), message };
            self.outside.push(("unknown subject".to_owned(), sighting));
            return;
        };
        // One case a chunk is timed.
        let metrics = self.metrics.get(subject).filter(|_| place.index == 0);
        self.bench.set_timed(metrics.is_some());
        let verdict = judge.case(case, &mut self.arena, &mut self.bench);
        evidence.record(place, case, &verdict, &self.bench);
        if let (Some([create, update]), Verdict::Compared(_)) = (metrics, verdict) {
            let metrics = match case.operation {
                Operation::Create => create,
                Operation::Update => update,
            };
            for side in [Side::Reference, Side::Candidate] {
                match self.bench.nanos(side) {
                    0 => {}
                    nanos => metrics.observe(side, Duration::from_nanos(nanos)),
                }
            }
        }
    }

    fn unusable(&mut self, place: Place, unusable: Unusable) {
        let Unusable { subject, undecodable, reason, message, provenance } = unusable;
        let sighting = Sighting { place, provenance, message };
        let known = subject.and_then(|(index, operation)| Some((self.subjects.get_mut(index)?, operation)));
        match known {
            Some((evidence, operation)) => evidence.record_unusable(operation, undecodable, &reason, sighting),
            None => self.outside.push((reason, sighting)),
        }
    }

    /// Moves what the chunk gave to the whole.
    fn hand_over(&mut self, shared: &mut Shared) -> Result<(), EvidenceError> {
        shared.cases += std::mem::take(&mut self.cases);
        for (index, evidence) in self.subjects.iter_mut().enumerate().filter(|(_, evidence)| !evidence.is_empty()) {
            let part = evidence.take();
            if let Some(metrics) = self.metrics.get(index) {
                for (operation, metrics) in Operation::ALL.into_iter().zip(metrics) {
                    count(part.operation(operation), metrics);
                }
            }
            shared.evidence.add(part)?;
        }
        for (reason, sighting) in self.outside.drain(..) {
            shared.evidence.record_outside(&reason, sighting);
        }
        Ok(())
    }
}

/// Adds the counts of a chunk to the metrics.
fn count(evidence: &OperationEvidence, metrics: &IdentifierMetrics) {
    let counts = &evidence.counts;
    if counts.cases == 0 {
        return;
    }
    let reasons = |reasons: &std::collections::BTreeMap<_, crate::evidence::Reason>| {
        reasons.values().map(|reason| reason.count).sum::<u64>()
    };
    for (outcome, cases) in [
        (Outcome::AgreedAccept, counts.agreed_accept),
        (Outcome::AgreedReject, counts.agreed_reject),
        (Outcome::Missing, counts.missing),
        (Outcome::Extra, counts.extra),
        (Outcome::Panicked, counts.panicked),
        (Outcome::Undecodable, reasons(&evidence.undecodable)),
        (Outcome::Skipped, reasons(&evidence.skipped)),
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
            (Outcome::AgreedAccept, of.agreed_accept),
            (Outcome::AgreedReject, of.agreed_reject),
            (Outcome::Missing, of.missing),
            (Outcome::Extra, of.extra),
            (Outcome::Panicked, of.panicked),
        ] {
            if cases > 0 {
                metrics.rule(rule, outcome, cases);
            }
        }
    }
}
