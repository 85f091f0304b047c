//! Survival of a run in process: it is a child of this process, which goes on with it when an oracle ends it or never answers.

use super::beat::{self, Note, Stage};
use super::fate::Fate;
use super::process::{notes, program};
use super::watch::Post;
use crate::exit_code::Exit;
use crate::output;
use crate::pairs::Isolation;
use std::ffi::OsString;
use std::fs::File;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use takeover_harness::subject::SubjectId;

/// How often it is looked whether the run gets on.
const LOOK: Duration = Duration::from_millis(50);

/// A chunk has many cases: so many times as long as a case may it take, before the run is taken to be stuck. To be wrong here costs
/// time only.
const CHUNK_TAKES: u32 = 3;

/// A run that is watched.
pub struct Supervised {
    /// Arguments that begin the run, the command included.
    pub begin: Vec<OsString>,
    /// Arguments that go on with it, the command included, once it has a record.
    pub go_on: Vec<OsString>,
    /// Its folder.
    pub folder: PathBuf,
    /// Its subjects.
    pub subjects: Vec<SubjectId>,
    /// Those that are in workers from the beginning.
    pub isolation: Isolation,
    /// How long an oracle may take for a case.
    pub time: Duration,
    /// Whether nobody is to read its report.
    pub quiet: bool,
}

/// What became of one attempt.
enum Attempt {
    /// It came to its end.
    Ended(Exit),
    /// It did not, while these subjects were judged.
    Broken { how: String, suspects: Vec<String> },
    /// Somebody asked it to stop.
    Stopped(Fate),
}

/// Runs until the end, and moves every subject that ends the run to worker processes.
///
/// # Errors
/// When processes cannot be started, or the run ends while nothing but the harness runs in it.
pub fn supervise(run: Supervised) -> anyhow::Result<Exit> {
    let mut isolation = run.isolation.clone();
    let record = || std::fs::read(run.folder.join("run.json")).ok();
    // What is there already is of another run.
    let before = record();
    loop {
        let going_on = record().filter(|now| before.as_ref() != Some(now)).is_some_and(|now| is_underway(&now));
        let mut arguments = if going_on { run.go_on.clone() } else { run.begin.clone() };
        arguments.extend(isolation.arguments().map(OsString::from));
        let (how, suspects) = match attempt(&run, arguments)? {
            Attempt::Ended(exit) => return Ok(exit),
            Attempt::Stopped(fate) => anyhow::bail!("the run was stopped: {fate}"),
            Attempt::Broken { how, suspects } => (how, suspects),
        };
        anyhow::ensure!(
            isolation != Isolation::All,
            "the run ended although its oracles run in processes of their own: {how}"
        );
        let more: Isolation = suspects.iter().cloned().collect();
        let next = isolation.clone().and(more);
        let named = suspects.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        if next == isolation {
            output::say(&format!("warning: the run ended ({how}); going on with every subject in worker processes"));
            isolation = Isolation::All;
        } else {
            output::say(&format!("warning: the run ended ({how}) at {named}; going on with that in worker processes"));
            isolation = next;
        }
    }
}

/// Whether this is the record of a run that has begun and has not ended.
fn is_underway(record: &[u8]) -> bool {
    let record: Result<serde_json::Value, _> = serde_json::from_slice(record);
    record.is_ok_and(|record| record.get("finished").is_some_and(|finished| finished == false))
}

fn attempt(run: &Supervised, arguments: Vec<OsString>) -> anyhow::Result<Attempt> {
    let (file, path) = notes()?;
    let post = Post::new(i32::try_from(std::process::id())?, path.to_path_buf());
    let stdout = if run.quiet { Stdio::null() } else { Stdio::inherit() };
    let mut child =
        Command::new(program()?).args(arguments).arg("--watched").arg(post.argument()).stdout(stdout).spawn()?;
    let (status, stuck) = watch(&mut child, &file, run.time)?;
    let notes = beat::read_all(&file).unwrap_or_default();
    let done = notes.first().is_some_and(|note| note.spot.stage == Stage::HandingOver);
    if let Some(exit) = status.code().filter(|_| done).and_then(Exit::of) {
        return Ok(Attempt::Ended(exit));
    }
    let fate = Fate::of(status, "", 0);
    if matches!(fate, Fate::Killed(1 | 2 | 15)) {
        return Ok(Attempt::Stopped(fate));
    }
    // What the arguments are wrong about is said before anything is judged.
    let judging = notes.iter().skip(1).filter(|note| is_judging(note));
    let suspects: Vec<String> = judging
        .filter_map(|note| run.subjects.get(usize::try_from(note.spot.index).ok()?))
        .map(ToString::to_string)
        .collect();
    if let (true, Some(exit)) = (notes.is_empty(), status.code().and_then(Exit::of)) {
        return Ok(Attempt::Ended(exit));
    }
    let how = if stuck { format!("nothing moved for {:?}", run.time * CHUNK_TAKES) } else { fate.to_string() };
    Ok(Attempt::Broken { how, suspects })
}

fn is_judging(note: &Note) -> bool {
    note.spot.stage == Stage::Candidate
}

/// Waits for the run; ends it when a thread is at the same work for too long.
fn watch(child: &mut Child, file: &File, time: Duration) -> anyhow::Result<(ExitStatus, bool)> {
    let mut last: Vec<(Note, Instant)> = Vec::new();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok((status, false));
        }
        std::thread::sleep(LOOK);
        for (number, note) in beat::read_all(file)?.into_iter().enumerate() {
            match last.get_mut(number) {
                Some((known, since)) if *known == note => {
                    if is_judging(&note) && since.elapsed() > time * CHUNK_TAKES {
                        child.kill()?;
                        return Ok((child.wait()?, true));
                    }
                }
                Some(known) => *known = (note, Instant::now()),
                None => last.push((note, Instant::now())),
            }
        }
    }
}
