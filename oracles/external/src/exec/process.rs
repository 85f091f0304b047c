//! One process: started in a group of its own, written to and read from without ever blocking on it, ended with the group.

use super::ExecSettings;
use super::error::{ExecError, ExecErrorKind};
use super::trouble::{Death, Trouble};
use crate::group::Group;
use crate::protocol::{Greeting, Hello, Lines, Message, TooLong, excerpt, read_message};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::Pid;
use std::io::{self, ErrorKind, Read, Write as _};
use std::process::{ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How many bytes of standard error are kept.
const LAST_WORDS: usize = 4096;

/// How many bytes are read at once.
const PIECE: usize = 64 << 10;

/// Memory that is kept for the next questions after a large one.
const KEPT: usize = 1 << 20;

/// How often it is looked whether a silent process is dead: one that leaves its output to others closes nothing when it dies.
const LOOK: Duration = Duration::from_millis(50);

/// How long a process that closed its output may take to end, so that its exit code is known.
const LEAVING: Duration = Duration::from_millis(500);

/// A running process.
pub(super) struct Process {
    group: Group,
    stdin: Option<ChildStdin>,
    stdout: ChildStdout,
    stderr: Option<ChildStderr>,
    /// Bytes for standard input, of which the first `written` have been written.
    out: Vec<u8>,
    written: usize,
    lines: Lines,
    last_words: Vec<u8>,
    piece: Box<[u8]>,
    /// The next id of a question.
    pub(super) next_id: u64,
}

/// What came of waiting for a process.
pub(super) enum Heard {
    /// More output came, or there is room for more input.
    Something,
    /// The time is over.
    Nothing,
    /// It closed its output or is dead.
    End,
}

impl Process {
    /// Starts a process, which has said nothing yet.
    pub(super) fn spawn(settings: &ExecSettings) -> Result<Self, ExecError> {
        let error = |kind| ExecError::new(&settings.command, kind);
        let spawn = |failed: io::Error| error(ExecErrorKind::Spawn(failed));
        let (program, arguments) = settings.command.split_first().ok_or_else(|| error(ExecErrorKind::NoCommand))?;
        let mut command = Command::new(program);
        command.args(arguments).envs(&settings.environment);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(folder) = &settings.folder {
            command.current_dir(folder);
        }
        let mut group = Group::start(&mut command).map_err(spawn)?;
        let child = group.child();
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(spawn(io::Error::other("it has no standard streams")));
        };
        let nonblocking = rustix::io::ioctl_fionbio(&stdin, true)
            .and_then(|()| rustix::io::ioctl_fionbio(&stdout, true))
            .and_then(|()| rustix::io::ioctl_fionbio(&stderr, true));
        let process = Self {
            group,
            stdin: Some(stdin),
            stdout,
            stderr: Some(stderr),
            out: Vec::new(),
            written: 0,
            lines: Lines::default(),
            last_words: Vec::new(),
            piece: vec![0; PIECE].into_boxed_slice(),
            next_id: 1,
        };
        nonblocking.map_err(|failed| spawn(failed.into()))?;
        if let Some(bytes) = settings.memory {
            limit_memory(process.group.id(), bytes).map_err(|failed| error(ExecErrorKind::Memory(failed)))?;
        }
        Ok(process)
    }

    /// Starts a process and exchanges hellos.
    pub(super) fn start(settings: &ExecSettings) -> Result<(Self, Hello), ExecError> {
        let mut process = Self::spawn(settings)?;
        let hello = process.exchange_hellos(settings.start_timeout);
        match hello {
            Ok(hello) => Ok((process, hello)),
            Err(trouble) => {
                let kind = ExecErrorKind::of(trouble, settings.start_timeout);
                Err(ExecError::new(&settings.command, kind))
            }
        }
    }

    fn exchange_hellos(&mut self, time: Duration) -> Result<Hello, Trouble> {
        self.send(Greeting::ours().to_line().as_bytes());
        let until = Instant::now() + time;
        let Some(line) = self.receive(until)? else { return Err(Trouble::Late(time)) };
        match read_message(&line)? {
            Message::Hello(hello) => Ok(*hello),
            Message::Answers(_) => {
                Err(Trouble::Broke(format!("the oracle wrote an answer before its hello: `{}`", excerpt(&line))))
            }
        }
    }

    /// Writes a line, without waiting for it to be read.
    pub(super) fn send(&mut self, line: &[u8]) {
        self.out().extend_from_slice(line);
        self.out.push(b'\n');
        self.write();
    }

    /// The bytes that wait to be written to standard input, to add more.
    pub(super) fn out(&mut self) -> &mut Vec<u8> {
        if self.written == self.out.len() {
            self.out.clear();
            self.out.shrink_to(KEPT);
            self.written = 0;
        }
        &mut self.out
    }

    /// How many bytes wait to be written.
    pub(super) fn unwritten(&self) -> usize {
        self.out.len() - self.written
    }

    /// The next whole line that it wrote, as far as it has been read.
    pub(super) fn next_line(&mut self) -> Result<Option<&[u8]>, TooLong> {
        self.lines.next()
    }

    /// Waits for a line until a moment; none when it is over.
    pub(super) fn receive(&mut self, until: Instant) -> Result<Option<Vec<u8>>, Trouble> {
        loop {
            match self.lines.next() {
                Err(TooLong) => return Err(Trouble::too_long()),
                Ok(Some(line)) => return Ok(Some(line.to_vec())),
                Ok(None) => match self.wait(until) {
                    Heard::Something => {}
                    Heard::Nothing => return Ok(None),
                    Heard::End => return Err(self.died()),
                },
            }
        }
    }

    /// Writes and reads as much as goes without waiting; if nothing does, waits for it until a moment.
    pub(super) fn wait(&mut self, until: Instant) -> Heard {
        loop {
            self.write();
            let left = until.saturating_duration_since(Instant::now());
            let ready = self.poll(left.min(LOOK));
            if ready.stderr {
                self.hear_stderr();
            }
            if ready.stdout {
                match self.hear() {
                    Ok(0) => return Heard::End,
                    Err(error) if is_temporary(&error) => {}
                    Err(_) => return Heard::End,
                    Ok(_) => return Heard::Something,
                }
            }
            if ready.stdin {
                self.write();
                return Heard::Something;
            }
            if left.is_zero() {
                return Heard::Nothing;
            }
            if self.group.has_ended() {
                // What it wrote before it died is still there.
                return if matches!(self.hear(), Ok(1..)) { Heard::Something } else { Heard::End };
            }
        }
    }

    fn poll(&self, time: Duration) -> Ready {
        let stdin = self.stdin.as_ref().filter(|_| self.unwritten() > 0);
        let mut fds = Vec::with_capacity(3);
        fds.push(PollFd::new(&self.stdout, PollFlags::IN));
        if let Some(stdin) = stdin {
            fds.push(PollFd::new(stdin, PollFlags::OUT));
        }
        if let Some(stderr) = &self.stderr {
            fds.push(PollFd::new(stderr, PollFlags::IN));
        }
        let time = Timespec::try_from(time).ok();
        if poll(&mut fds, time.as_ref()).is_err() {
            // Interrupted by a signal: the caller looks again.
            return Ready::default();
        }
        let mut ready = fds.iter().map(|fd| !fd.revents().is_empty());
        let mut next = |is_there: bool| is_there && ready.next().unwrap_or(false);
        Ready { stdout: next(true), stdin: next(stdin.is_some()), stderr: next(self.stderr.is_some()) }
    }

    fn write(&mut self) {
        while let Some(stdin) = &mut self.stdin
            && let Some(rest @ [_, ..]) = self.out.get(self.written..)
        {
            match stdin.write(rest) {
                Ok(length) => self.written += length,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                // It reads no more: its output or its end tells the rest.
                Err(_) => self.stdin = None,
            }
        }
    }

    fn hear(&mut self) -> io::Result<usize> {
        let length = self.stdout.read(&mut self.piece)?;
        self.lines.add(self.piece.get(..length).unwrap_or_default());
        Ok(length)
    }

    /// Reads standard error once. Returns whether there may be more.
    fn hear_stderr(&mut self) -> bool {
        let Some(stderr) = &mut self.stderr else { return false };
        match stderr.read(&mut self.piece) {
            Err(error) if error.kind() == ErrorKind::Interrupted => true,
            Err(error) if is_temporary(&error) => false,
            Ok(0) | Err(_) => {
                self.stderr = None;
                false
            }
            Ok(length) => {
                self.last_words.extend_from_slice(self.piece.get(..length).unwrap_or_default());
                let beyond = self.last_words.len().saturating_sub(LAST_WORDS);
                self.last_words.drain(..beyond);
                true
            }
        }
    }

    /// Ends a process whose output has ended, and says how it ended.
    pub(super) fn died(&mut self) -> Trouble {
        let until = Instant::now() + LEAVING;
        let status = self.end(until);
        let last_words = printable(&String::from_utf8_lossy(&self.last_words));
        Trouble::Died(Death { status, half_line: excerpt(self.lines.rest()), last_words })
    }

    /// Closes its standard input, at which it should end.
    pub(super) fn hang_up(&mut self) {
        self.stdin = None;
    }

    /// Waits until a moment for it to end by itself, then kills it with its group. Returns how it ended by itself.
    pub(super) fn end(&mut self, until: Instant) -> Option<ExitStatus> {
        let mut pause = Duration::from_micros(200);
        let by_itself = loop {
            if self.group.has_ended() {
                break true;
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break false;
            }
            // It may have to say something before it ends.
            while self.hear_stderr() && Instant::now() < until {}
            let _ = self.stdout.read(&mut self.piece);
            std::thread::sleep(pause.min(left));
            pause = (pause * 2).min(Duration::from_millis(10));
        };
        let status = self.group.end().ok().flatten();
        // Others may write on for ever.
        for _ in 0..16 {
            if !self.hear_stderr() {
                break;
            }
        }
        status.filter(|_| by_itself)
    }
}

/// Which streams are ready.
#[derive(Default)]
struct Ready {
    stdin: bool,
    stdout: bool,
    stderr: bool,
}

/// A text for a terminal: what would move its cursor or change its colours is escaped.
fn printable(text: &str) -> String {
    let mut printable = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() && !matches!(c, '\n' | '\t') {
            printable.extend(c.escape_default());
        } else {
            printable.push(c);
        }
    }
    printable
}

fn is_temporary(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

#[cfg(target_os = "linux")]
fn limit_memory(process: Pid, bytes: u64) -> io::Result<()> {
    use rustix::process::{Resource, Rlimit, prlimit};
    prlimit(Some(process), Resource::As, Rlimit { current: Some(bytes), maximum: Some(bytes) })?;
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn limit_memory(_: Pid, _: u64) -> io::Result<()> {
    Err(io::Error::new(ErrorKind::Unsupported, "limits of memory need Linux"))
}
