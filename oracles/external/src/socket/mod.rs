//! Oracles that run elsewhere, such as in another container, reached over a socket.
//!
//! There, a [`Listener`] starts the program once for each connection. Here, [`join`] puts a connection in place of the program: it is
//! what [`Exec`](crate::exec::Exec) starts. Both pass bytes on without reading them. [`greet`] reads: it asks for the hello of the
//! [protocol](crate::protocol).

mod address;
mod conversation;
mod listener;

pub use address::Address;
pub use listener::Listener;

use crate::protocol::{Greeting, Hello, Message, excerpt, read_message};
use address::Stream;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// How long to wait before a connection is tried again.
const PAUSE: Duration = Duration::from_millis(50);

/// Most bytes of a hello.
const LONGEST_HELLO: u64 = 1 << 20;

/// How many bytes are passed on at once.
const PIECE: usize = 64 << 10;

/// Passes standard input to what listens at `address`, and what comes back to standard output, until nothing more comes. Tries to
/// connect for as long as `wait`: a sidecar may take its time to start.
///
/// # Errors
/// The last reason why no connection came about, or how one ended before standard input did.
pub fn join(address: &Address, wait: Duration) -> io::Result<()> {
    let mut stream = connect(address, wait)?;
    let mut questions = unbuffered(io::stdin())?;
    let mut answers = unbuffered(io::stdout())?;
    let mut to = stream.try_clone()?;
    let has_asked = Arc::new(AtomicBool::new(false));
    let asks = Arc::clone(&has_asked);
    // Ends with the process when there are no more answers, whatever it waits for.
    thread::spawn(move || {
        if pass(&mut questions, &mut to).is_ok() {
            asks.store(true, Ordering::Release);
        }
        let _ = to.end_writing();
    });
    let answered = pass(&mut stream, &mut answers)?;
    match (answered, has_asked.load(Ordering::Acquire)) {
        (0, _) => Err(io::Error::other("the oracle said nothing")),
        (_, false) => Err(io::Error::other("the oracle closed the connection")),
        (_, true) => Ok(()),
    }
}

/// Says hello to what listens at `address`, and returns its hello.
///
/// # Errors
/// Why no connection came about, or no hello within `time`.
pub fn greet(address: &Address, wait: Duration, time: Duration) -> io::Result<Hello> {
    let mut stream = connect(address, wait)?;
    stream.set_read_timeout(time)?;
    stream.write_all(Greeting::ours().to_line().as_bytes())?;
    stream.write_all(b"\n")?;
    let mut line = Vec::new();
    let read = BufReader::new(stream.take(LONGEST_HELLO)).read_until(b'\n', &mut line);
    read.map_err(
        |error| if is_temporary(&error) { io::Error::other(format!("no hello within {time:?}")) } else { error },
    )?;
    match read_message(line.trim_ascii_end()) {
        Ok(Message::Hello(hello)) => Ok(*hello),
        _ => Err(io::Error::other(format!("instead of a hello, the oracle said `{}`", excerpt(&line)))),
    }
}

/// Connects as soon as something listens.
fn connect(address: &Address, wait: Duration) -> io::Result<Stream> {
    let started = Instant::now();
    loop {
        let left = wait.saturating_sub(started.elapsed());
        match address.connect(left.max(PAUSE)) {
            Ok(stream) => return Ok(stream),
            // Nothing that listens later makes these right.
            Err(error) if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::PermissionDenied) => {
                return Err(error);
            }
            Err(error) if started.elapsed() >= wait => return Err(error),
            Err(_) => thread::sleep(PAUSE),
        }
    }
}

fn is_temporary(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

/// A standard stream without the buffer that would hold back what does not end a line.
fn unbuffered(stream: impl AsFd) -> io::Result<File> {
    Ok(File::from(stream.as_fd().try_clone_to_owned()?))
}

/// Passes on what is read, as soon as it comes, until the end. Returns how many bytes that were.
fn pass(from: &mut impl Read, to: &mut impl Write) -> io::Result<u64> {
    let mut piece = vec![0; PIECE];
    let mut passed = 0;
    loop {
        let read = match from.read(&mut piece) {
            Ok(0) => return Ok(passed),
            Ok(read) => read,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        to.write_all(piece.get(..read).unwrap_or_default())?;
        passed += read as u64;
    }
}
