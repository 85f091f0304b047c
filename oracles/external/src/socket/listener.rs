//! Starts a program for each connection.

use super::address::{Address, Stream};
use super::conversation::{LOOK, Running, hold, try_start};
use super::is_temporary;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::fs;
use std::io::{self, ErrorKind};
use std::net::TcpListener;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::FileTypeExt as _;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::sync::Arc;
use std::thread;

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
        let listener = match address {
            Address::Unix(path) => {
                remove_abandoned(path)?;
                Self { socket: Socket::Unix(UnixListener::bind(path)?), address: address.clone() }
            }
            Address::Tcp(text) => {
                let socket = TcpListener::bind(text)?;
                let address = Address::Tcp(socket.local_addr()?.to_string());
                Self { socket: Socket::Tcp(socket), address }
            }
        };
        rustix::io::ioctl_fionbio(&listener, true)?;
        Ok(listener)
    }

    /// Where it listens: of a host and port 0, the port that the system chose.
    #[must_use]
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// Starts `command` for each connection, which is then its standard input and output, until it is told to `stop`; `say` is told
    /// what goes wrong with one of them. A program whose connection has ended gets the end of its input, and is killed if it stays.
    ///
    /// # Errors
    /// Why the program cannot be started: it is tried once before the first connection.
    pub fn serve(self, command: &[String], say: fn(&str), stop: &dyn Fn() -> bool) -> io::Result<()> {
        try_start(command)?;
        let running = Arc::new(Running::default());
        while !stop() {
            match self.accept() {
                Ok(stream) => {
                    let (command, entered) = (command.to_owned(), running.enter());
                    let holds = move || {
                        if let Err(error) = hold(stream, &command, &entered) {
                            say(&format!("`{}`: {error}", command.join(" ")));
                        }
                    };
                    if let Err(error) = thread::Builder::new().spawn(holds) {
                        say(&format!("a connection was closed, as no thread could be started: {error}"));
                    }
                }
                Err(error) if is_temporary(&error) => self.wait(),
                Err(error) => {
                    say(&format!("a connection could not be accepted: {error}"));
                    thread::sleep(LOOK);
                }
            }
        }
        running.stop();
        Ok(())
    }

    /// Waits for a connection, or for a moment.
    fn wait(&self) {
        let waited = Timespec::try_from(LOOK).map(|time| poll(&mut [PollFd::new(self, PollFlags::IN)], Some(&time)));
        if !matches!(waited, Ok(Ok(_))) {
            thread::sleep(LOOK);
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

impl AsFd for Listener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match &self.socket {
            Socket::Unix(socket) => socket.as_fd(),
            Socket::Tcp(socket) => socket.as_fd(),
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Address::Unix(path) = &self.address {
            let _ = fs::remove_file(path);
        }
    }
}

/// Removes the socket that a killed listener left behind. Anything else at its path stays, so that binding says that it is in use.
fn remove_abandoned(path: &Path) -> io::Result<()> {
    let is_socket = fs::symlink_metadata(path).is_ok_and(|found| found.file_type().is_socket());
    let refused = |error: io::Error| error.kind() == ErrorKind::ConnectionRefused;
    if is_socket && Address::Unix(path.to_owned()).connect(LOOK).err().is_some_and(refused) {
        fs::remove_file(path)?;
    }
    Ok(())
}
