//! One connection, which is the standard input and output of a program. Nothing waits for the program or for the other side alone:
//! either may be stuck.

use super::address::Stream;
use super::{PIECE, is_temporary};
use crate::group::Group;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::{self, Read, Write};
use std::process::{ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// How long a program may be silent after the last question: as long as an answer may take by default. Not every socket tells whether the
/// other side still waits.
const ANSWERING: Duration = Duration::from_secs(10);

/// How long a program may take to end after its output or its connection has ended.
const LEAVING: Duration = Duration::from_secs(2);

/// How often it is looked whether a program has ended, or whether to stop.
pub(super) const LOOK: Duration = Duration::from_millis(50);

/// Most bytes of questions that wait for the program: no line is longer. Reading on is how the end of a connection shows.
const MOST_QUESTIONS: usize = 64 << 20;

/// Most bytes of answers that wait for the other side.
const MOST_ANSWERS: usize = 1 << 20;

/// Bytes of memory that are kept when nothing waits.
const KEPT: usize = 1 << 20;

/// The connections that are held.
#[derive(Debug, Default)]
pub(super) struct Running {
    stopping: AtomicBool,
    count: AtomicUsize,
}

impl Running {
    /// One more, until the guard is dropped.
    pub(super) fn enter(self: &Arc<Self>) -> Entered {
        self.count.fetch_add(1, Ordering::AcqRel);
        Entered(Arc::clone(self))
    }

    /// Kills the programs of all of them, and waits until they are gone.
    pub(super) fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
        let until = Instant::now() + LEAVING;
        while self.count.load(Ordering::Acquire) > 0 && Instant::now() < until {
            thread::sleep(LOOK);
        }
    }
}

/// A connection among those that are held.
pub(super) struct Entered(Arc<Running>);

impl Entered {
    fn is_stopping(&self) -> bool {
        self.0.stopping.load(Ordering::Relaxed)
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        self.0.count.fetch_sub(1, Ordering::AcqRel);
    }
}

fn start(command: &[String], stdin: Stdio, stdout: Stdio) -> io::Result<Group> {
    let (program, arguments) = command.split_first().ok_or_else(|| io::Error::other("no program is given"))?;
    Group::start(Command::new(program).args(arguments).stdin(stdin).stdout(stdout))
}

/// Starts a program and ends it again.
///
/// # Errors
/// Why it cannot be started.
pub(super) fn try_start(command: &[String]) -> io::Result<()> {
    let mut group = start(command, Stdio::null(), Stdio::null())
        .map_err(|error| io::Error::new(error.kind(), format!("failed to start `{}`: {error}", command.join(" "))))?;
    group.end()?;
    Ok(())
}

/// Runs a program whose standard input and output is `stream`, until one of them ends.
///
/// # Errors
/// How it ended, unless with success, and why it could not be started.
pub(super) fn hold(mut stream: Stream, command: &[String], entered: &Entered) -> io::Result<()> {
    let mut group = start(command, Stdio::piped(), Stdio::piped())?;
    let passed = pass(&mut stream, &mut group, entered);
    let _ = stream.end();
    let status = leave(&mut group, if entered.is_stopping() { Duration::ZERO } else { LEAVING })?;
    passed?;
    match status {
        Some(status) if status.success() => Ok(()),
        Some(status) => Err(io::Error::other(format!("ended with {status}"))),
        None if entered.is_stopping() => Ok(()),
        None => Err(io::Error::other("was killed, because it did not end with its connection")),
    }
}

/// Passes questions and answers on until the program ends or closes its output, the other side is gone, or nothing comes any more.
fn pass(stream: &mut Stream, group: &mut Group, entered: &Entered) -> io::Result<()> {
    let child = group.child();
    let (mut stdin, Some(mut stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(io::Error::other("it has no standard streams"));
    };
    if let Some(stdin) = &stdin {
        rustix::io::ioctl_fionbio(stdin, true)?;
    }
    rustix::io::ioctl_fionbio(&stdout, true)?;
    stream.set_nonblocking(true)?;
    let (mut questions, mut answers) = (Way::new(MOST_QUESTIONS), Way::new(MOST_ANSWERS));
    // When something last passed to the other side or from the program, once there are no more questions.
    let mut heard = Instant::now();
    while !entered.is_stopping() {
        if questions.is_over() {
            stdin = None;
        }
        let is_silent = !questions.open && heard.elapsed() >= ANSWERING;
        if answers.is_over() || is_silent {
            break;
        }
        if wait(stream, stdin.as_ref(), &stdout, &questions, &answers)? {
            questions.open = false;
        }
        if questions.has_room() {
            questions.fill(stream);
        }
        if questions.open {
            heard = Instant::now();
        }
        // What it wrote before it ended is there by then, and whoever else holds its output has nothing to say.
        let has_ended = group.has_ended();
        if answers.has_room() {
            if answers.fill(&mut stdout) {
                heard = Instant::now();
            } else if has_ended {
                answers.open = false;
            }
        }
        let takes = stdin.as_mut().is_some_and(|stdin| questions.drain(stdin).is_ok());
        if !takes {
            // It reads no more.
            stdin = None;
            questions.forget();
        }
        match answers.drain(stream) {
            Ok(0) => {}
            Ok(_) => heard = Instant::now(),
            Err(_) => break,
        }
    }
    Ok(())
}

/// Waits until bytes can be passed on, or for a moment. Returns whether the other side is gone while there is no room for what it sent.
fn wait(
    stream: &Stream,
    stdin: Option<&ChildStdin>,
    stdout: &ChildStdout,
    questions: &Way,
    answers: &Way,
) -> io::Result<bool> {
    let flag = |wanted: bool, flag: PollFlags| if wanted { flag } else { PollFlags::empty() };
    let of_stream = flag(questions.has_room(), PollFlags::IN) | flag(answers.is_waiting(), PollFlags::OUT);
    // What nothing is wanted of is left out: its end would be told again and again.
    let mut polled = Vec::with_capacity(3);
    if questions.open || !of_stream.is_empty() {
        polled.push(PollFd::new(stream, of_stream));
    }
    if let Some(stdin) = stdin.filter(|_| questions.is_waiting()) {
        polled.push(PollFd::new(stdin, PollFlags::OUT));
    }
    if answers.has_room() {
        polled.push(PollFd::new(stdout, PollFlags::IN));
    }
    let time = Timespec::try_from(LOOK).map_err(io::Error::other)?;
    match poll(&mut polled, Some(&time)) {
        Ok(_) | Err(rustix::io::Errno::INTR) => {}
        Err(error) => return Err(error.into()),
    }
    let is_full = questions.open && !questions.has_room();
    Ok(is_full && polled.first().is_some_and(|stream| stream.revents().contains(PollFlags::HUP)))
}

/// Bytes on their way from one side to the other.
struct Way {
    bytes: Vec<u8>,
    /// How many of them have been taken.
    taken: usize,
    /// Most bytes that wait.
    most: usize,
    /// Whether more may come.
    open: bool,
}

impl Way {
    fn new(most: usize) -> Self {
        Self { bytes: Vec::new(), taken: 0, most, open: true }
    }

    fn waiting(&self) -> &[u8] {
        self.bytes.get(self.taken..).unwrap_or_default()
    }

    fn is_waiting(&self) -> bool {
        !self.waiting().is_empty()
    }

    fn has_room(&self) -> bool {
        self.open && self.waiting().len() < self.most
    }

    fn is_over(&self) -> bool {
        !self.open && !self.is_waiting()
    }

    fn forget(&mut self) {
        self.bytes.clear();
        self.bytes.shrink_to(KEPT);
        self.taken = 0;
    }

    /// Reads what is there, a piece at most. Returns whether something was.
    fn fill(&mut self, from: &mut impl Read) -> bool {
        let mut piece = [0; PIECE];
        match from.read(&mut piece) {
            Err(error) if is_temporary(&error) => false,
            Ok(0) | Err(_) => {
                self.open = false;
                false
            }
            Ok(read) => {
                // Each byte is moved once at most on average.
                if self.taken > self.bytes.len() / 2 {
                    self.bytes.drain(..self.taken);
                    self.taken = 0;
                }
                self.bytes.extend_from_slice(piece.get(..read).unwrap_or_default());
                true
            }
        }
    }

    /// Writes as much as there is room for. Returns how much that was.
    ///
    /// # Errors
    /// When nobody takes it any more.
    fn drain(&mut self, to: &mut impl Write) -> io::Result<usize> {
        let before = self.taken;
        while self.is_waiting() {
            match to.write(self.waiting()) {
                Ok(length) => self.taken += length,
                Err(error) if is_temporary(&error) => return Ok(self.taken - before),
                Err(error) => return Err(error),
            }
        }
        let written = self.taken - before;
        self.forget();
        Ok(written)
    }
}

/// Waits for a program to end by itself, then kills it with its group. Returns how it ended by itself.
fn leave(group: &mut Group, patience: Duration) -> io::Result<Option<ExitStatus>> {
    let until = Instant::now() + patience;
    let by_itself = loop {
        if group.has_ended() {
            break true;
        }
        if Instant::now() >= until {
            break false;
        }
        thread::sleep(LOOK);
    };
    Ok(group.end()?.filter(|_| by_itself))
}
