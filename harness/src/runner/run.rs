//! A run: workers that take chunks, judge their cases and add up what they saw.

use super::bases::Bases;
use super::chunks::{Chunks, Part};
use super::controls::JudgeControls;
use super::error::RunError;
use super::feed::{Fed, Feed, Generated, Origin, Recorded, Rooms, Sink};
use super::input::{Budget, CaseSource, Input};
use super::remote_judge::{RemoteCases, RemoteJudge, RemoteJudgeError};
use super::subject_tally::{Watch, no_evidence};
use super::tally::{Tally, count};
use crate::case::Operation;
use crate::evidence::{CasePlace, Evidence};
use crate::judge::{Judge, Panic};
use crate::metrics::{IdentifierMetrics, Metrics};
use crate::object::Arena;
use crate::side::Side;
use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};

/// How the caller steers and watches a run.
#[derive(Clone, Copy)]
pub struct Steering<'c> {
    /// Asked before each chunk; chunks that were begun are finished, and gaps before those done earlier are filled. Once it has said yes, it
    /// is not asked again.
    pub stop: &'c (dyn Fn() -> bool + Sync),
    /// Told after each chunk, by one worker at a time; the others wait meanwhile.
    pub progress: &'c (dyn Fn(&Progress<'_>) + Sync),
}

/// Bytes of the arena of a chunk that are kept for the next one.
const MOST_KEPT: usize = 4 << 20;

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

/// Judges and what goes with them.
pub struct Run<'r> {
    judges: &'r [Judge<'r>],
    jobs: NonZeroUsize,
    metrics: Vec<[IdentifierMetrics; 2]>,
    elsewhere: Option<&'r dyn RemoteJudge>,
    watch: Option<&'r Watch<'r>>,
    controls: Vec<JudgeControls<'r>>,
}

/// What the workers share.
struct Shared {
    evidence: Evidence,
    done: Chunks,
    chunks: u64,
    cases: u64,
    closing: bool,
    panicked: Option<Panic>,
    error: Option<RunError>,
}

impl<'r> Run<'r> {
    /// A run of these judges, which all compare alike, on `jobs` threads.
    #[must_use]
    pub fn new(judges: &'r [Judge<'r>], jobs: NonZeroUsize) -> Self {
        Self { judges, jobs, metrics: Vec::new(), elsewhere: None, watch: None, controls: Vec::new() }
    }

    /// Watches the cases for the planted faults that they would have exposed, on both sides.
    #[must_use]
    pub fn with_controls(self) -> Self {
        self.with_controls_shown(&|_| ())
    }

    /// As [`Run::with_controls`]; `begun` is told of how many judges the faults are made, with that which is next.
    #[must_use]
    pub fn with_controls_shown(self, begun: &(dyn Fn(usize) + Sync)) -> Self {
        Self { controls: JudgeControls::all_shown(self.judges, self.jobs, begun), ..self }
    }

    /// Counts in `metrics` too, chunk by chunk.
    #[must_use]
    pub fn metrics(mut self, metrics: &Metrics) -> Self {
        let of = |judge: &Judge<'_>| {
            let pair = judge.pair();
            Operation::ALL.map(|operation| metrics.identifier(&pair.id, operation, &pair.rules))
        };
        self.metrics = self.judges.iter().map(of).collect();
        self
    }

    /// Has the cases of the subjects that `elsewhere` takes judged there. The evidence is the same as without, as long as the
    /// oracles answer.
    #[must_use]
    pub fn elsewhere(self, elsewhere: &'r dyn RemoteJudge) -> Self {
        Self { elsewhere: Some(elsewhere), ..self }
    }

    /// Tells `watch` what each thread is at, so that it is known should an oracle end the process.
    #[must_use]
    pub fn watched(self, watch: &'r Watch<'r>) -> Self {
        Self { watch: Some(watch), ..self }
    }

    /// Counts in the metrics what an earlier part of the run gathered.
    pub fn count_earlier(&self, evidence: &Evidence) {
        for (judge, metrics) in self.judges.iter().zip(&self.metrics) {
            let Some(pair) = evidence.pair(&judge.pair().id) else { continue };
            count(pair, metrics);
        }
    }

    /// Why nothing is left to judge: a side of every pair has given up. None as long as one pair can be judged.
    #[must_use]
    pub fn given_up(&self) -> Option<String> {
        let of_judge = |judge: &Judge<'_>| {
            let pair = judge.pair();
            let of_side = |side: Side| Some((side, pair.oracle(side).given_up()?));
            let (side, why) = Side::ALL.into_iter().find_map(of_side)?;
            Some(format!("the {side} of `{}` does not answer any more ({why})", pair.id))
        };
        let whys: Vec<String> = self.judges.iter().map(of_judge).collect::<Option<_>>()?;
        (!whys.is_empty()).then(|| whys.join("; "))
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
        control: Steering<'_>,
    ) -> Result<RunResult, RunError> {
        self.run(&Generated::new(source, seed, budget, &part, self.elsewhere), part.done, control)
    }

    /// Runs recorded cases as they stream in: those in the chunks of `part`, the others are read and left. Memory does not grow
    /// with their number.
    ///
    /// # Errors
    /// As [`Run::generated`].
    pub fn recorded(
        &self,
        inputs: &mut (dyn Iterator<Item = Input<'static>> + Send),
        part: Part,
        control: Steering<'_>,
    ) -> Result<RunResult, RunError> {
        self.recorded_from(0, inputs, part, control)
    }

    /// Does the same as [`Run::recorded`], where other inputs came before: the first chunk is counted as number `first`.
    ///
    /// # Errors
    /// As [`Run::generated`].
    pub fn recorded_from(
        &self,
        first: u64,
        inputs: &mut (dyn Iterator<Item = Input<'static>> + Send),
        part: Part,
        control: Steering<'_>,
    ) -> Result<RunResult, RunError> {
        self.run(&Recorded::new(inputs, first, &part), part.done, control)
    }

    fn run(&self, feed: &dyn Feed, done: Chunks, control: Steering<'_>) -> Result<RunResult, RunError> {
        let jobs = self.jobs.get();
        if self.judges.is_empty() {
            return Err(RunError::NoJudges);
        }
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(jobs)
            .build()
            .map_err(|source| RunError::Threads { jobs, source })?;
        let mut evidence = Evidence::new();
        for part in no_evidence(self.judges, &self.controls) {
            evidence.add(part)?;
        }
        let shared =
            Mutex::new(Shared { evidence, done, chunks: 0, cases: 0, closing: false, panicked: None, error: None });
        pool.broadcast(|_| self.work(feed, control, &shared));
        let shared = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = shared.error {
            return Err(error);
        }
        shared.evidence.check()?;
        let ended = match shared.panicked {
            Some(panic) => Ended::SourcePanicked(panic),
            None if shared.closing => Ended::Stopped,
            None => Ended::Complete,
        };
        Ok(RunResult { evidence: shared.evidence, done: shared.done, ended })
    }

    fn work(&self, feed: &dyn Feed, control: Steering<'_>, shared: &Mutex<Shared>) {
        let mut tally = Tally::counting(self.judges, &self.controls, &self.metrics, self.watch);
        let (mut of_chunk, mut of_case) = (Arena::new(), Arena::new());
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
            if of_chunk.allocated_bytes() > MOST_KEPT {
                of_chunk = Arena::new();
            }
            of_chunk.reset();
            let bases = Bases::new(&of_chunk);
            let mut cases = Dispatch { tally: &mut tally, bases, elsewhere: self.elsewhere, away: Vec::new() };
            let fed = feed.next(closing, Rooms { chunk: &of_chunk, case: &mut of_case }, &mut cases);
            let away = cases.away;
            let part = match (self.elsewhere, &fed) {
                (Some(elsewhere), Fed::Unmade { chunk, .. }) => elsewhere.generated(*chunk).map(Some),
                (Some(elsewhere), _) if !away.is_empty() => elsewhere.recorded(away).map(Some),
                _ => Ok(None),
            };
            let mut shared = lock();
            let shared = &mut *shared;
            if let Err(error) = shared.gather(&mut tally, part) {
                shared.error.get_or_insert(error);
                return;
            }
            let (number, turn) = match fed {
                Fed::Nothing => return,
                Fed::Chunk { number, turn } => (number, turn),
                Fed::Unmade { chunk, turn } => (chunk.number, turn),
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

/// Sends each case of a chunk to where it is judged.
struct Dispatch<'d, 't> {
    tally: &'d mut Tally<'t>,
    bases: Bases<'d>,
    elsewhere: Option<&'t dyn RemoteJudge>,
    away: RemoteCases,
}

impl<'d> Sink<'d> for Dispatch<'d, '_> {
    fn take(&mut self, place: CasePlace, origin: Origin<'_, 'd>, input: Input<'_>) {
        match (input, self.elsewhere) {
            (Input::Case { subject, case, .. } | Input::Numbered { subject, case, .. }, Some(elsewhere))
                if elsewhere.takes(subject) =>
            {
                self.away.push((place, subject, case.kept()));
            }
            (input, _) => self.tally.gather(place, origin, &mut self.bases, input),
        }
    }

    fn settle(&mut self) -> &[CasePlace] {
        self.tally.settle()
    }
}

impl Shared {
    /// Adds what a chunk gave, here and elsewhere.
    fn gather(
        &mut self,
        tally: &mut Tally<'_>,
        part: Result<Option<Evidence>, RemoteJudgeError>,
    ) -> Result<(), RunError> {
        self.cases += tally.hand_over(&mut self.evidence)?;
        if let Some(part) = part? {
            self.cases += tally.pass_on(part, &mut self.evidence)?;
        }
        Ok(())
    }
}
