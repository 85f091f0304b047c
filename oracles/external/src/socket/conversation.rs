//! One connection, which is the standard input and output of a program. Nothing waits for the program or for the other side alone:
//! either may be stuck.

use super::address::Stream;
use super::{PIECE, is_temporary};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// How long a program may be silent after the last question: as long as an answer may take by default. Whether the other side still
/// waits cannot be told from here.
const ANSWERING: Duration = Duration::from_secs(10);

/// How long a program may take to end after its output or its connection has ended.
const LEAVING: Duration = Duration::from_secs(2);

/// How often it is looked whether a program has ended, or whether to stop.
pub(super) const LOOK: Duration = Duration::from_millis(50);

/// Most bytes of questions that wait for the program: no line is longer. Reading on is how the end of a connection shows.
const MOST_QUESTIONS: usize = 64 << 20;

/// Most bytes of answers that wait for the other side.
const MOST_ANSWERS: usize = 1 << 20;

/// The programs that run.
#[derive(Debug, Default)]
pub(super) struct Running {
    stopping: AtomicBool,
    count: AtomicUsize,
}

impl Running {
    /// Kills all of them, and waits until they are gone.
    pub(super) fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
        let until = Instant::now() + LEAVING;
        while self.count.load(Ordering::Acquire) > 0 && Instant::now() < until {
            thread::sleep(LOOK);
        }
    }
}

/// Starts a program in a group of its own, so that what it starts ends with it.
fn start(command: &[String], stdin: Stdio, stdout: Stdio) -> io::Result<Child> {
    let (program, arguments) = command.split_first().ok_or_else(|| io::Error::other("no program is given"))?;
    Command::new(program).args(arguments).stdin(stdin).stdout(stdout).process_group(0).spawn()
}

/// Starts a program and ends it again.
///
/// # Errors
/// Why it cannot be started.
pub(super) fn try_start(command: &[String]) -> io::Result<()> {
    let mut child = start(command, Stdio::null(), Stdio::null())?;
    leave(&mut child, Duration::ZERO)?;
    Ok(())
}

/// Runs a program whose standard input and output is `stream`, until one of them ends.
///
/// # Errors
/// How it ended, unless with success, and why it could not be started.
pub(super) fn hold(mut stream: Stream, command: &[String], running: &Running) -> io::Result<()> {
    running.count.fetch_add(1, Ordering::AcqRel);
    let ended = start(command, Stdio::piped(), Stdio::piped()).and_then(|mut child| {
        let passed = pass(&mut stream, &mut child, &running.stopping);
        let _ = stream.end();
        let patience = if running.stopping.load(Ordering::Relaxed) { Duration::ZERO } else { LEAVING };
        let status = leave(&mut child, patience)?;
        passed.map(|()| status)
    });
    running.count.fetch_sub(1, Ordering::AcqRel);
    match ended? {
        Some(status) if status.success() => Ok(()),
        Some(status) => Err(io::Error::other(format!("ended with {status}"))),
        None => Err(io::Error::other("was killed, because it did not end with its connection")),
    }
}

/// Passes questions and answers on until the program closes its output, the other side is gone, or nothing comes any more.
fn pass(stream: &mut Stream, child: &mut Child, stopping: &AtomicBool) -> io::Result<()> {
    let (mut stdin, Some(mut stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(io::Error::other("it has no standard streams"));
    };
    if let Some(stdin) = &stdin {
        rustix::io::ioctl_fionbio(stdin, true)?;
    }
    rustix::io::ioctl_fionbio(&stdout, true)?;
    stream.set_nonblocking(true)?;
    let (mut questions, mut answers) = (Way::new(MOST_QUESTIONS), Way::new(MOST_ANSWERS));
    let mut heard = Instant::now();
    while !stopping.load(Ordering::Relaxed) {
        if questions.is_over() {
            stdin = None;
        }
        let is_silent = !questions.open && heard.elapsed() >= ANSWERING;
        if answers.is_over() || is_silent {
            break;
        }
        wait(stream, stdin.as_ref(), &stdout, &questions, &answers)?;
        if questions.has_room() {
            questions.fill(stream);
            // Its time to answer begins with the end of the questions.
            heard = if questions.open { heard } else { heard.max(Instant::now()) };
        }
        if answers.has_room() && answers.fill(&mut stdout) {
            heard = Instant::now();
        }
        let takes = stdin.as_mut().is_some_and(|stdin| questions.drain(stdin).is_ok());
        if !takes {
            // It reads no more.
            stdin = None;
            questions.bytes.clear();
        }
        if answers.drain(stream).is_err() {
            break;
        }
    }
    Ok(())
}

/// Waits until bytes can be passed on, or for a moment.
fn wait(
    stream: &Stream,
    stdin: Option<&ChildStdin>,
    stdout: &ChildStdout,
    questions: &Way,
    answers: &Way,
) -> io::Result<()> {
    let flag = |wanted: bool, flag: PollFlags| if wanted { flag } else { PollFlags::empty() };
    // What nothing is wanted of is left out: its end would be told again and again.
    let of_stream = flag(questions.has_room(), PollFlags::IN) | flag(!answers.bytes.is_empty(), PollFlags::OUT);
    let mut polled = Vec::with_capacity(3);
    if !of_stream.is_empty() {
        polled.push(PollFd::new(stream, of_stream));
    }
    if let Some(stdin) = stdin.filter(|_| !questions.bytes.is_empty()) {
        polled.push(PollFd::new(stdin, PollFlags::OUT));
    }
    if answers.has_room() {
        polled.push(PollFd::new(stdout, PollFlags::IN));
    }
    let time = Timespec::try_from(LOOK).map_err(io::Error::other)?;
    match poll(&mut polled, Some(&time)) {
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Bytes on their way from one side to the other.
struct Way {
    bytes: Vec<u8>,
    most: usize,
    /// Whether more may come.
    open: bool,
}

impl Way {
    fn new(most: usize) -> Self {
        Self { bytes: Vec::new(), most, open: true }
    }

    fn has_room(&self) -> bool {
        self.open && self.bytes.len() < self.most
    }

    fn is_over(&self) -> bool {
        !self.open && self.bytes.is_empty()
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
                self.bytes.extend_from_slice(piece.get(..read).unwrap_or_default());
                true
            }
        }
    }

    /// Writes as much as there is room for.
    ///
    /// # Errors
    /// When nobody takes it any more.
    fn drain(&mut self, to: &mut impl Write) -> io::Result<()> {
        let mut written = 0;
        let result = loop {
            let rest = self.bytes.get(written..).unwrap_or_default();
            if rest.is_empty() {
                break Ok(());
            }
            match to.write(rest) {
                Ok(length) => written += length,
                Err(error) if is_temporary(&error) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        self.bytes.drain(..written);
        result
    }
}

/// Waits for a program to end by itself, then kills it with its group. Returns how it ended by itself.
fn leave(child: &mut Child, patience: Duration) -> io::Result<Option<ExitStatus>> {
    let group = Pid::from_child(child);
    let until = Instant::now() + patience;
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    let by_itself = loop {
        if matches!(waitid(WaitId::Pid(group), options), Ok(Some(_))) {
            break true;
        }
        if Instant::now() >= until {
            break false;
        }
        thread::sleep(LOOK);
    };
    // INVARIANT: the process is not reaped before its group is killed, or the group could be another one by then.
    let _ = kill_process_group(group, Signal::KILL);
    let status = child.wait()?;
    Ok(by_itself.then_some(status))
}
