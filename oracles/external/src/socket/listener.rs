//! Starts a program for each connection.

use super::address::{Address, Stream};
use super::pass;
use rustix::process::{Pid, Signal, kill_process_group};
use std::fs;
use std::io;
use std::net::TcpListener;
use std::os::unix::fs::FileTypeExt as _;
use std::os::unix::net::UnixListener;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// How long a program may go on after the last question: as long as an answer may take by default. Whether the other side still waits
/// cannot be told from here.
const ANSWERING: Duration = Duration::from_secs(10);

/// How long a program may take to end after it closed its output.
const LEAVING: Duration = Duration::from_secs(2);

/// How often it is looked whether a program has ended.
const LOOK: Duration = Duration::from_millis(10);

/// How long to wait after a connection that could not be accepted: for want of file descriptors, say.
const PAUSE: Duration = Duration::from_millis(100);

/// Waits for connections.
#[derive(Debug)]
pub struct Listener {
    socket: Socket,
    address: Address,
}

#[derive(Debug)]
enum Socket {
    Unix(UnixListener),
    Tcp(TcpListener),
}

impl Listener {
    /// Listens at `address`. A socket in the file system that nobody listens at any more is replaced.
    ///
    /// # Errors
    /// Those of the system, such as for an address that is in use.
    pub fn bind(address: &Address) -> io::Result<Self> {
        Ok(match address {
            Address::Unix(path) => {
                remove_abandoned(path)?;
                Self { socket: Socket::Unix(UnixListener::bind(path)?), address: address.clone() }
            }
            Address::Tcp(text) => {
                let socket = TcpListener::bind(text)?;
                let address = Address::Tcp(socket.local_addr()?.to_string());
                Self { socket: Socket::Tcp(socket), address }
            }
        })
    }

    /// Where it listens: of a host and port 0, the port that the system chose.
    #[must_use]
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// Starts `command` for each connection, which is then its standard input and output; `say` is told what goes wrong. A program
    /// whose connection has ended gets the end of its input, and is killed if it stays.
    pub fn serve(self, command: &[String], say: fn(&str)) -> ! {
        loop {
            match self.accept() {
                Ok(stream) => {
                    let command = command.to_owned();
                    thread::spawn(move || {
                        if let Err(error) = run(stream, &command) {
                            say(&format!("`{}`: {error}", command.join(" ")));
                        }
                    });
                }
                Err(error) => {
                    say(&format!("a connection could not be accepted: {error}"));
                    thread::sleep(PAUSE);
                }
            }
        }
    }

    fn accept(&self) -> io::Result<Stream> {
        match &self.socket {
            Socket::Unix(socket) => socket.accept().map(|(stream, _)| Stream::Unix(stream)),
            Socket::Tcp(socket) => {
                let (stream, _) = socket.accept()?;
                stream.set_nodelay(true)?;
                Ok(Stream::Tcp(stream))
            }
        }
    }
}

/// Removes the socket that a listener left behind. Anything else at its path stays, so that binding says that it is in use.
fn remove_abandoned(path: &Path) -> io::Result<()> {
    let is_socket = fs::symlink_metadata(path).is_ok_and(|found| found.file_type().is_socket());
    if is_socket && Address::Unix(path.to_owned()).connect().is_err() {
        fs::remove_file(path)?;
    }
    Ok(())
}

/// Runs a program whose standard input and output is `stream`.
fn run(mut stream: Stream, command: &[String]) -> io::Result<()> {
    let (program, arguments) = command.split_first().ok_or_else(|| io::Error::other("no program is given"))?;
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        // What it starts ends with it.
        .process_group(0)
        .spawn()?;
    let passed = serve_one(&mut stream, &mut child);
    let status = leave(&mut child)?;
    passed?;
    // Killed ones were killed for staying.
    if status.success() || status.code().is_none() { Ok(()) } else { Err(io::Error::other(status.to_string())) }
}

/// Waits until a program that closed its output has ended, and kills it if it stays.
fn leave(child: &mut Child) -> io::Result<ExitStatus> {
    let until = Instant::now() + LEAVING;
    while Instant::now() < until {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        thread::sleep(LOOK);
    }
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    child.wait()
}

/// Passes questions and answers until the program has closed its output: by itself, or because it was killed.
fn serve_one(stream: &mut Stream, child: &mut Child) -> io::Result<()> {
    let group = Pid::from_child(child);
    let (Some(mut stdin), Some(mut stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(io::Error::other("it has no standard streams"));
    };
    let mut questions = stream.try_clone()?;
    let (ended, has_ended) = mpsc::channel::<()>();
    thread::scope(|scope| {
        let reader = scope.spawn(move || {
            let _ = pass(&mut questions, &mut stdin);
            drop(stdin);
            // The process is reaped after this thread, so that its id is not that of another one.
            if has_ended.recv_timeout(ANSWERING) == Err(mpsc::RecvTimeoutError::Timeout) {
                let _ = kill_process_group(group, Signal::KILL);
            }
        });
        let passed = pass(&mut stdout, stream);
        // No more questions are read. A program whose answers nobody takes is not waited for longer than others.
        let _ = stream.end();
        if passed.is_ok() {
            let _ = ended.send(());
        }
        let _ = reader.join();
        match passed {
            // The other side is gone, which is its right.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            passed => passed,
        }
    })
}
