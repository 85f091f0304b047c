//! Lets a run survive its oracles: the run is a child of this process, which resumes it when an oracle ends it or never answers.

use super::heartbeat::{self, Note, Stage};
use super::process::{end_within, program, shared_file};
use super::process_end::ProcessEnd;
use super::watched_run::WatchedRun;
use crate::plan::{Isolation, RunContinuation, RunOrder, WorkerLimits};
use crate::program::program_name;
use crate::say::Say;
use crate::stop::{GIVE_UP, Stop, StopSignal, TIDYING};
use rustix::process::{Pid, kill_process};
use std::ffi::OsString;
use std::fs::File;
use std::io::Write as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;
use takeover_harness::subject::PairId;

/// How often the supervisor checks whether the run makes progress.
const LOOK: Duration = Duration::from_millis(50);

/// The terminal of the run is gone.
const HANGUP: i32 = 1;

/// How many times as long as a case a chunk may take, because it has many cases, before the run counts as stuck. A wrong guess
/// only costs time.
const CHUNK_TAKES: u32 = 3;

/// A run that is watched.
pub struct SupervisedRun {
    /// What to run.
    pub order: RunOrder,
    /// Arguments by which this program runs a [`WatchedRun`]; the file that holds it is the last one.
    pub command: Vec<OsString>,
    /// Which exit codes the program ends with of its own accord.
    pub is_exit_code: fn(i32) -> bool,
    /// Its pairs.
    pub pairs: Vec<PairId>,
    /// What a worker may take. The run may take some times as much memory, and counts as stuck after some times as long.
    pub limits: WorkerLimits,
    /// Whether its report is not printed.
    pub quiet: bool,
}

/// How one attempt ended.
enum Attempt {
    /// The run ended of its own accord.
    Ended(i32),
    /// The run died while these subjects were judged.
    Broken { how: String, suspects: Vec<String> },
    /// Somebody asked it to stop, and it could not write what was judged.
    Stopped(StopSignal),
}

/// Runs until the end, and moves every subject that ends the run to worker processes. The exit code of the process that came to it.
///
/// # Errors
/// Returns an error when processes cannot be started, or the run ends while nothing but the harness runs in it.
pub fn supervise(mut run: SupervisedRun, stop: &Stop, say: Say<'_>) -> anyhow::Result<i32> {
    let keeping = run.order.keeping().clone();
    let record = || std::fs::read(keeping.folder.join("run.json")).ok();
    // What is there already is of another run.
    let before = record();
    loop {
        let going_on = record().filter(|now| before.as_ref() != Some(now)).is_some_and(|now| is_underway(&now));
        if let (true, RunOrder::Begin(plan, _)) = (going_on, &run.order) {
            let with = RunContinuation { jobs: Some(plan.jobs), isolation: plan.isolation.clone() };
            run.order = RunOrder::Resume(with, keeping.clone());
        }
        let (how, suspects) = match attempt(&run, stop)? {
            Attempt::Ended(code) => return Ok(code),
            Attempt::Stopped(signal) => {
                let place = keeping.folder.display();
                let begun = record().is_some_and(|now| is_underway(&now));
                say(&if keeping.storage.is_some() {
                    "stopped: start the same command again to resume from the last checkpoint".to_owned()
                } else if begun {
                    format!("stopped: `{} soak --resume {place}` resumes it from the last checkpoint", program_name())
                } else {
                    "stopped before anything was judged".to_owned()
                });
                return Ok(128 + signal.number());
            }
            Attempt::Broken { how, suspects } => (how, suspects),
        };
        let isolation = run.order.isolation_mut();
        anyhow::ensure!(
            *isolation != Isolation::All,
            "the run ended although its oracles run in separate processes: {how}"
        );
        let more: Isolation = suspects.iter().cloned().collect();
        let next = isolation.clone().and(more);
        let named = suspects.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        if next == *isolation {
            say(&format!("warning: starting again ({how}): every subject is now judged in worker processes"));
            *isolation = Isolation::All;
        } else {
            say(&format!("warning: starting again ({how}) at {named}, which worker processes now judge"));
            *isolation = next;
        }
    }
}

/// Whether this is the record of a run that has begun and has not ended.
fn is_underway(record: &[u8]) -> bool {
    let record: Result<serde_json::Value, _> = serde_json::from_slice(record);
    record.is_ok_and(|record| record.get("finished").is_some_and(|finished| finished == false))
}

fn attempt(run: &SupervisedRun, stop: &Stop) -> anyhow::Result<Attempt> {
    let (file, path) = shared_file()?;
    let watched = WatchedRun {
        supervisor: i32::try_from(std::process::id())?,
        notes: path.to_path_buf(),
        worker_memory: run.limits.memory,
        order: run.order.clone(),
    };
    let (mut order, order_path) = shared_file()?;
    order.write_all(&serde_json::to_vec(&watched)?)?;
    let stdout = if run.quiet { Stdio::null() } else { Stdio::inherit() };
    let mut child = Command::new(program()?).args(&run.command).arg(&order_path).stdout(stdout).spawn()?;
    let (status, stuck) = watch(&mut child, &file, run.limits.time, stop)?;
    let notes = heartbeat::read_all(&file).unwrap_or_default();
    let done = notes.first().is_some_and(|note| note.spot.stage == Stage::HandingOver);
    let code = status.code().filter(|code| (run.is_exit_code)(*code));
    if let Some(code) = code.filter(|_| done) {
        return Ok(Attempt::Ended(code));
    }
    let end = ProcessEnd::of(status, "", 0);
    let killed = if let ProcessEnd::Killed(signal) = end { StopSignal::of(signal) } else { None };
    if let Some(signal) = killed.or_else(|| stop.asked()) {
        return Ok(Attempt::Stopped(signal));
    }
    anyhow::ensure!(!matches!(end, ProcessEnd::Killed(HANGUP)), "the run was stopped: {end}");
    // What the arguments are wrong about is said before anything is judged.
    let judging = notes.iter().skip(1).filter(|note| is_judging(note));
    let suspects: Vec<String> = judging
        .filter_map(|note| run.pairs.get(usize::try_from(note.spot.index).ok()?))
        .map(ToString::to_string)
        .collect();
    if let (true, Some(code)) = (notes.is_empty(), code) {
        return Ok(Attempt::Ended(code));
    }
    let how = if stuck { format!("no progress for {:?}", run.limits.time * CHUNK_TAKES) } else { end.to_string() };
    Ok(Attempt::Broken { how, suspects })
}

fn is_judging(note: &Note) -> bool {
    note.spot.stage == Stage::Candidate
}

/// Waits for the run; ends it when a thread is at the same work for too long, and passes on what this process is asked.
fn watch(child: &mut Child, file: &File, time: Duration, stop: &Stop) -> anyhow::Result<(ExitStatus, bool)> {
    // How long each is the same, in looks rather than by a clock: while this process gets no time, the run may get none either.
    let mut last: Vec<(Note, Duration)> = Vec::new();
    let mut told = false;
    loop {
        if let Some(signal) = stop.asked().filter(|_| !told) {
            told = true;
            // One that is gone has nothing to be told.
            let _ = kill_process(Pid::from_child(child), signal.to_rustix());
        }
        if let Some(status) = child.try_wait()? {
            return Ok((status, false));
        }
        std::thread::sleep(LOOK);
        for (number, note) in heartbeat::read_all(file)?.into_iter().enumerate() {
            match last.get_mut(number) {
                Some((known, waited)) if *known == note => {
                    *waited += LOOK;
                    if is_judging(&note) && *waited > time * CHUNK_TAKES {
                        let _ = kill_process(Pid::from_child(child), GIVE_UP);
                        end_within(child, TIDYING * 2);
                        return Ok((child.wait()?, true));
                    }
                }
                Some(known) => *known = (note, Duration::ZERO),
                None => last.push((note, Duration::ZERO)),
            }
        }
    }
}
