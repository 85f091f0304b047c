//! One worker, as its supervisor sees it: the supervisor asks it, watches it, and ends it when it shows no sign of life.

use super::heartbeat::{self, Note, Spot};
use super::process_end::ProcessEnd;
use super::wire::{self, Reply, Request, WorkerSetup};
use crate::plan::{JudgingPlan, WorkerLimits};
use crate::stop::TIDYING;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tempfile::TempPath;

/// Time for work that no oracle does: getting ready, making cases, handing over.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long a worker that hung up may take to end.
const LEAVING: Duration = Duration::from_secs(5);

/// How many bytes of a worker's last output are kept.
const MAX_WORDS: usize = 4096;

/// A running worker.
pub(super) struct WorkerProcess {
    child: Child,
    link: UnixStream,
    note: File,
    /// Removed as soon as both sides hold the file open.
    note_path: Option<TempPath>,
    words: Arc<Mutex<Vec<u8>>>,
    silent: Receiver<()>,
    limits: WorkerLimits,
    /// How long the answer took that did not come in time.
    timed_out: Option<Duration>,
}

/// What a worker answered: the reply, and evidence in its file form.
pub(super) struct Answer {
    /// The reply.
    pub reply: Reply,
    /// Evidence as text; of judged cases only.
    pub evidence: Option<Vec<u8>>,
}

/// A worker that ended instead of answering.
#[derive(Debug)]
pub(super) struct WorkerDeath {
    /// How it ended.
    pub end: ProcessEnd,
    /// What it was doing.
    pub spot: Spot,
    /// What it printed last.
    pub words: String,
}

impl WorkerProcess {
    /// Starts a worker.
    ///
    /// # Errors
    /// Returns an error when the system has no process, socket or file to give.
    pub(super) fn start(plan: &JudgingPlan, limits: WorkerLimits) -> io::Result<Self> {
        let (mut link, theirs) = UnixStream::pair()?;
        let (note, path) = shared_file()?;
        let mut child = Command::new(program()?)
            .arg("worker")
            // The allocator would reserve half of the address space that a worker may have before it is limited.
            .env("MIMALLOC_ARENA_RESERVE", "32MiB")
            // And so would that of C: 64 MiB for each of its threads.
            .env("MALLOC_ARENA_MAX", "1")
            // Printing where memory ran out takes memory and time, and pushes out what was said first.
            .env("RUST_BACKTRACE", "0")
            .stdin(OwnedFd::from(theirs))
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            // Ctrl-C goes to the run, which ends its workers itself: one that died of it would be a finding.
            .process_group(0)
            .spawn()?;
        let words = Arc::default();
        let silent = listen(child.stderr.take(), &words);
        link.set_read_timeout(Some(look(limits)))?;
        link.set_write_timeout(Some(PATIENCE))?;
        let setup = WorkerSetup { beat: path.to_path_buf(), memory: limits.memory, plan: plan.clone() };
        // A worker that is gone already is noticed when it is asked.
        let _ = wire::send_json(&mut link, &setup);
        Ok(Self { child, link, note, note_path: Some(path), words, silent, limits, timed_out: None })
    }

    /// Has something done.
    ///
    /// # Errors
    /// Returns an error when the worker ended, or was ended because nothing moved any more.
    pub(super) fn ask(&mut self, request: &Request) -> Result<Answer, WorkerDeath> {
        let asked = wire::send_json(&mut self.link, request).and_then(|()| self.answer(request));
        self.note_path = None;
        asked.map_err(|_| self.death())
    }

    fn answer(&mut self, request: &Request) -> io::Result<Answer> {
        let last = heartbeat::read(&self.note)?;
        let mut link = WatchedLink { process: self, request, last, waited: Duration::ZERO };
        let reply: Reply = wire::receive_json(&mut link)?;
        let evidence = match reply {
            Reply::Judged(_) => Some(wire::receive(&mut link)?),
            _ => None,
        };
        Ok(Answer { reply, evidence })
    }

    fn death(&mut self) -> WorkerDeath {
        let status = self.end();
        // Who writes there may have left it to others that live on.
        let _ = self.silent.recv_timeout(Duration::from_secs(1));
        let words = self.words.lock().unwrap_or_else(PoisonError::into_inner);
        let words = String::from_utf8_lossy(&words).into_owned();
        let end = match (self.timed_out, status) {
            (Some(time), _) => ProcessEnd::TimedOut(time),
            (None, Some(status)) => ProcessEnd::of(status, &words, self.limits.memory),
            (None, None) => ProcessEnd::Killed(9),
        };
        let start = Spot { stage: heartbeat::Stage::Start, index: 0, before: 0 };
        let spot = heartbeat::read(&self.note).map_or(start, |note| note.spot);
        WorkerDeath { end, spot, words }
    }

    /// Returns how it ended of its own accord; none if it had to be ended.
    fn end(&mut self) -> Option<ExitStatus> {
        let begin = Instant::now();
        while self.timed_out.is_none() && begin.elapsed() < LEAVING {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) => std::thread::sleep(Duration::from_millis(2)),
                Err(_) => break,
            }
        }
        self.hang_up();
        None
    }

    /// Ends it: it tidies up as soon as nobody is at the other end any more.
    fn hang_up(&mut self) {
        let _ = self.link.shutdown(Shutdown::Both);
        end_within(&mut self.child, TIDYING * 2);
    }
}

impl Drop for WorkerProcess {
    fn drop(&mut self) {
        self.hang_up();
    }
}

/// How long to wait before looking at the note of a worker again.
fn look(limits: WorkerLimits) -> Duration {
    (limits.time / 10).clamp(Duration::from_millis(1), Duration::from_millis(100))
}

/// Waits for a process that was told to end, and kills it when it takes longer than `time`.
pub(super) fn end_within(child: &mut Child, time: Duration) {
    let begin = Instant::now();
    while begin.elapsed() < time && matches!(child.try_wait(), Ok(None)) {
        std::thread::sleep(Duration::from_millis(2));
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// The link of a worker that is watched while its answer is waited for.
struct WatchedLink<'p> {
    process: &'p mut WorkerProcess,
    request: &'p Request,
    last: Note,
    /// How long nothing moved, in looks rather than by a clock: while this process gets no time, the worker may get none either.
    waited: Duration,
}

impl Read for WatchedLink<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.process.link.read(buffer) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                    let now = heartbeat::read(&self.process.note)?;
                    if now == self.last {
                        self.waited += look(self.process.limits);
                    } else {
                        self.last = now;
                        self.waited = Duration::ZERO;
                    }
                    let patience = self.request.patience(now.spot.index);
                    let time = self.process.limits.time.saturating_mul(patience);
                    let allowed = if now.spot.stage.is_subjects() { time } else { time.max(PATIENCE) };
                    if self.waited > allowed {
                        self.process.timed_out = Some(time);
                        return Err(ErrorKind::TimedOut.into());
                    }
                }
                read => return read,
            }
        }
    }
}

/// Keeps the last output of a worker, and says when it is complete.
fn listen(stream: Option<impl Read + Send + 'static>, words: &Arc<Mutex<Vec<u8>>>) -> Receiver<()> {
    let (done, silent) = channel();
    let words = Arc::clone(words);
    let hear = move || {
        let mut heard = [0; 1024];
        let mut stream = stream;
        while let Some(Ok(length)) = stream.as_mut().map(|stream| stream.read(&mut heard))
            && length > 0
        {
            let mut words = words.lock().unwrap_or_else(PoisonError::into_inner);
            words.extend_from_slice(heard.get(..length).unwrap_or_default());
            let beyond = words.len().saturating_sub(MAX_WORDS);
            words.drain(..beyond);
        }
        let _ = done.send(());
    };
    // Without a listener the last words are lost, and the signal alone tells what happened.
    let _ = std::thread::Builder::new().name("listener".to_owned()).spawn(hear);
    silent
}

/// A new file for two processes: in memory where that can be had.
pub(super) fn shared_file() -> io::Result<(File, TempPath)> {
    let shared_memory = Path::new("/dev/shm");
    let file = if shared_memory.is_dir() {
        tempfile::NamedTempFile::new_in(shared_memory).or_else(|_| tempfile::NamedTempFile::new())?
    } else {
        tempfile::NamedTempFile::new()?
    };
    Ok(file.into_parts())
}

/// This program, also when its file was replaced meanwhile.
pub(super) fn program() -> io::Result<std::path::PathBuf> {
    let running = Path::new("/proc/self/exe");
    if running.exists() { Ok(running.to_owned()) } else { std::env::current_exe() }
}
