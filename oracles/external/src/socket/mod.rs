//! Oracles that run elsewhere, such as in another container, reached over a socket.
//!
//! There, a [`Listener`] starts the program once for each connection. Here, [`join`] puts a connection in place of the program: it is
//! what [`Exec`](crate::exec::Exec) starts. Both only pass bytes on; what they mean is said by the [protocol](crate::protocol).

mod address;
mod listener;

pub use address::Address;
pub use listener::Listener;

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::thread;
use std::time::{Duration, Instant};

/// How long to wait before a connection is tried again.
const PAUSE: Duration = Duration::from_millis(50);

/// How many bytes are passed on at once.
const PIECE: usize = 64 << 10;

/// Passes standard input to what listens at `address`, and what comes back to standard output, until nothing more can come. Tries to
/// connect for as long as `wait`: a sidecar may take its time to start.
///
/// # Errors
/// The last reason why no connection came about, or why one broke.
pub fn join(address: &Address, wait: Duration) -> io::Result<()> {
    let until = Instant::now() + wait;
    let mut stream = loop {
        match address.connect() {
            Ok(stream) => break stream,
            Err(error) if Instant::now() >= until => return Err(error),
            Err(_) => thread::sleep(PAUSE),
        }
    };
    let mut questions = unbuffered(io::stdin())?;
    let mut answers = unbuffered(io::stdout())?;
    let mut to = stream.try_clone()?;
    // Ends with the process when there are no more answers, whatever it waits for.
    thread::spawn(move || {
        let _ = pass(&mut questions, &mut to);
        let _ = to.end_writing();
    });
    pass(&mut stream, &mut answers)
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
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        to.write_all(piece.get(..read).unwrap_or_default())?;
    }
}
