//! Makes the case of every finding as small as it can be and still show that: on as many threads as the run has.

use super::host::RunHost;
use crate::isolate::{CaseDetails, SoughtCauses, WorkerPool, WorkerPoolError, examine};
use crate::plan::RunPlan;
use anyhow::Context as _;
use rayon::iter::{IndexedParallelIterator as _, IntoParallelRefIterator as _, ParallelIterator as _};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use takeover_corpora::minimise::{Limits, Minimised, minimise_by};
use takeover_harness::case::{Case, Operation};
use takeover_harness::compare::Signature;
use takeover_harness::evidence::{Evidence, Example, Sighting};
use takeover_harness::judge::{CaseRecord, Judge, Panic};
use takeover_harness::object::Arena;
use takeover_reports::panic_label;

/// How often an oracle may end its process while a case is made smaller, because each time costs a new process. An oracle that
/// hangs costs too much, so that its case stays as it is.
const MOST_DEATHS: u32 = 40;

/// After so many cases of a subject that gave no answer in time, its findings are not minimised further: each costs the whole time.
const MOST_HANGS: u32 = 4;

/// How long cases are made smaller after somebody asked the run to stop.
const HURRY: Duration = Duration::from_secs(2);

/// How long cases are then written as they are.
const LAST: Duration = Duration::from_secs(2);

/// How often a case is judged while it is made smaller and its cause is looked for each time.
const CAUSED: Limits = Limits { calls: 400 };

/// What a case has to show.
pub(super) enum Sought<'f> {
    /// A disagreement.
    Signature(&'f Signature),
    /// A panic of the named side.
    Panic { side: &'f str },
}

/// A finding as the evidence has it.
pub(super) struct Found<'f> {
    /// From 1, among all findings of the evidence.
    pub number: usize,
    /// Who judges its cases: the position among the judges.
    pub index: usize,
    pub judge: &'f Judge<'f>,
    pub label: String,
    pub sought: Sought<'f>,
    pub cases: u64,
    pub first: &'f Sighting,
    pub smallest: &'f Example,
}

/// Its smallest case, and everything about that.
pub(super) struct Minimal {
    pub case: Case<'static>,
    pub details: CaseDetails,
    /// Whether there was time to look for the smallest.
    pub is_smallest: bool,
}

/// The findings of `evidence`: pair by pair, operation by operation, signatures before panics.
pub(super) fn found<'f>(evidence: &'f Evidence, judges: &'f [Judge<'f>]) -> Vec<Found<'f>> {
    let mut all = Vec::new();
    let mut numbers = 1..;
    for pair in evidence.pairs() {
        let judged = judges.iter().enumerate().find(|(_, judge)| judge.pair().id == *pair.pair());
        for operation in Operation::ALL {
            let of = pair.operation(operation);
            let signatures = of.signatures.iter().map(|(signature, found)| {
                (signature.to_string(), Sought::Signature(signature), found.cases, &found.first, &found.smallest)
            });
            let panics = of.panics.iter().map(|(side, found)| {
                let label = panic_label(pair.pair(), operation, side);
                (label, Sought::Panic { side }, found.count, &found.first, &found.smallest)
            });
            for ((label, sought, cases, first, smallest), number) in signatures.chain(panics).zip(numbers.by_ref()) {
                let Some((index, judge)) = judged else { continue };
                all.push(Found { number, index, judge, label, sought, cases, first, smallest });
            }
        }
    }
    all
}

/// Minimises all of them, and hands over each when it is done. Soon after somebody asked the run to stop, the others have the smallest
/// case that was judged, and soon after that they are left out.
///
/// # Errors
/// Returns an error when no worker process or no thread can be started.
pub(super) fn minimise(
    found: &[Found<'_>],
    pool: &WorkerPool<'_>,
    plan: &RunPlan,
    host: &RunHost<'_>,
    done: &(dyn Fn(&Found<'_>, Minimal) + Sync),
) -> anyhow::Result<()> {
    let begin = Instant::now();
    let (stop, notes, progress) = (host.stop, host.notes, host.progress);
    let asked_for = |time: Duration| stop.asked().is_some() && begin.elapsed() > time;
    let hurried = || asked_for(HURRY);
    let number = Mutex::new(0);
    let threads = rayon::ThreadPoolBuilder::new().num_threads(plan.jobs.get()).build();
    let threads = threads.with_context(|| format!("cannot start `{}` worker threads", plan.jobs))?;
    // What a subject in worker processes costs is counted from finding to finding, in the same order with any number of threads.
    let together = |one: &Found<'_>, next: &Found<'_>| one.index == next.index && pool.takes(one.index);
    let tasks: Vec<&[Found<'_>]> = found.chunk_by(together).collect();
    let task = |task: &&[Found<'_>]| {
        let (mut arena, mut record, mut hangs) = (Arena::new(), CaseRecord::new(), 0);
        for found in *task {
            let pool = pool.takes(found.index).then_some(pool);
            // What a process of its own judges may cost that process: it is not asked once more.
            if asked_for(HURRY + LAST) || hurried() && pool.is_some() {
                return Ok(());
            }
            let begins = || notes.at(pool.is_none().then_some(found.index));
            let (arena, record, hangs) = (&mut arena, &mut record, &mut hangs);
            let mut examiner = Examiner { found, pool, arena, record, hangs, begins: &begins, hurried: &hurried };
            let minimal = examiner.minimal();
            notes.at(None);
            done(found, minimal?);
            let mut number = number.lock().unwrap_or_else(PoisonError::into_inner);
            *number += 1;
            progress.minimised(*number);
        }
        Ok(())
    };
    threads.install(|| tasks.par_iter().with_max_len(1).try_for_each(task))
}

/// Looks at cases of a finding again: here, or where the subject's oracles may end the process.
struct Examiner<'e> {
    found: &'e Found<'e>,
    pool: Option<&'e WorkerPool<'e>>,
    arena: &'e mut Arena,
    record: &'e mut CaseRecord,
    /// How many cases of the subject gave no answer in time.
    hangs: &'e mut u32,
    /// Notes that a case is judged.
    begins: &'e dyn Fn(),
    /// Whether there is no time left.
    hurried: &'e dyn Fn() -> bool,
}

impl Examiner<'_> {
    fn examine(&mut self, case: &Case, sought: &SoughtCauses) -> Result<CaseDetails, WorkerPoolError> {
        (self.begins)();
        let Some(pool) = self.pool else {
            return Ok(examine(self.found.judge, case, sought, self.arena, self.record));
        };
        let details = pool.examine(self.found.index, case, sought)?;
        if details.panics.iter().any(|(_, panic)| is_hang(panic)) {
            *self.hangs += 1;
        }
        Ok(details)
    }

    fn minimal(&mut self) -> Result<Minimal, WorkerPoolError> {
        let (found, hurried) = (self.found, self.hurried);
        let case = found.smallest.case.to_case(found.smallest.sighting.provenance.clone());
        let hangs = found.smallest.sighting.message.starts_with("`no answer");
        let most_deaths = if hangs { 1 } else { MOST_DEATHS };
        let (mut deaths, mut shown, mut fault) = (0, None, None);
        let causes = match found.sought {
            Sought::Signature(signature) => SoughtCauses::Of(signature.clone()),
            Sought::Panic { .. } => SoughtCauses::None,
        };
        let mut judge_again = |case: &Case, whatever_cause: bool| {
            if deaths >= most_deaths || *self.hangs >= MOST_HANGS || fault.is_some() || hurried() {
                return None;
            }
            let sought = if whatever_cause { &SoughtCauses::None } else { &causes };
            match self.examine(case, sought) {
                Ok(details) => {
                    deaths += u32::from(details.panics.iter().any(|(_, panic)| panic.ended_its_process()));
                    let beside = beside(&found.sought, &details, whatever_cause);
                    // What shows a panic is taken as the smallest so far, and judging it again may cost a process.
                    if matches!(found.sought, Sought::Panic { .. }) && beside.is_some() {
                        shown = Some(details);
                    }
                    beside
                }
                Err(error) => {
                    fault = Some(error);
                    None
                }
            }
        };
        // To look for the cause at each step costs much, and it is seldom another one in the end.
        let Minimised { case: mut minimal, way, .. } =
            minimise_by(&case, Limits::default(), |case| judge_again(case, true));
        if matches!(found.sought, Sought::Signature(_)) && judge_again(&minimal, false).is_none() {
            // Where it is, the last case on the way that still had the cause is made smaller; to find it, the way is halved.
            let mut from = case;
            let _ = way.partition_point(|case| {
                let has_cause = judge_again(case, false).is_some();
                if has_cause {
                    from = case.clone();
                }
                has_cause
            });
            minimal = minimise_by(&from, CAUSED, |case| judge_again(case, false)).case;
        }
        if let Some(fault) = fault {
            return Err(fault);
        }
        let details = match shown {
            Some(details) => details,
            None => self.examine(&minimal, &SoughtCauses::Every)?,
        };
        Ok(Minimal { case: minimal, details, is_smallest: !hurried() })
    }
}

/// Whether an oracle gave no answer in time.
fn is_hang(panic: &Panic) -> bool {
    panic.ended_its_process() && panic.message.starts_with("no answer")
}

/// How many errors a case has beside what is sought; none when it does not show that. `whatever_cause` leaves the cause aside.
pub(super) fn beside(sought: &Sought<'_>, details: &CaseDetails, whatever_cause: bool) -> Option<u64> {
    match sought {
        Sought::Signature(signature) => {
            let cause = |of: &Signature| if whatever_cause { signature.cause } else { of.cause };
            let is_shown = |of: &&Signature| Signature { cause: cause(of), ..(*of).clone() } == **signature;
            let shown = details.signatures.iter().filter(is_shown).count();
            let said = details.reference.len() + details.candidate.len();
            (shown > 0).then_some(said.saturating_sub(shown) as u64)
        }
        Sought::Panic { side } => details.panics.iter().any(|(of, _)| of == side).then_some(0),
    }
}
