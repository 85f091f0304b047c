//! Oracles that run elsewhere, such as in another container, reached over a socket.
//!
//! There, a [`Listener`] starts the program once for each connection. Here, [`join`] puts a connection in place of the program: it is
//! what [`Exec`](crate::exec::Exec) starts. Both only pass bytes on; what they mean is said by the [protocol](crate::protocol).

mod address;
mod conversation;
mod listener;

pub use address::Address;
pub use listener::Listener;

use address::Stream;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// How long to wait before a connection is tried again.
const PAUSE: Duration = Duration::from_millis(50);

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
    pass(&mut stream, &mut answers)?;
    if has_asked.load(Ordering::Acquire) { Ok(()) } else { Err(io::Error::other("the oracle closed the connection")) }
}

/// Connects as soon as something listens.
fn connect(address: &Address, wait: Duration) -> io::Result<Stream> {
    let until = Instant::now() + wait;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        match address.connect(left.max(PAUSE)) {
            Ok(stream) => return Ok(stream),
            // Nothing that listens later makes these right.
            Err(error) if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::PermissionDenied) => {
                return Err(error);
            }
            Err(error) if Instant::now() >= until => return Err(error),
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

/// Passes on what is read, as soon as it comes, until the end.
fn pass(from: &mut impl Read, to: &mut impl Write) -> io::Result<()> {
    let mut piece = vec![0; PIECE];
    loop {
        let read = match from.read(&mut piece) {
            Ok(0) => return Ok(()),
            Ok(read) => read,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        to.write_all(piece.get(..read).unwrap_or_default())?;
    }
}
