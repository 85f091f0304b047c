//! Addresses of sockets, and connections to them.

use std::fmt;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream, ToSocketAddrs as _};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// What begins the address of a Unix domain socket.
const UNIX: &str = "unix:";

/// Where an oracle is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A socket in the file system, `unix:/sockets/oracle.sock`.
    Unix(PathBuf),
    /// A host and a port, `localhost:7000`.
    Tcp(String),
}

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let port = |port: &str| port.parse::<u16>().is_ok();
        match text.strip_prefix(UNIX) {
            Some("") => Err(format!("`{UNIX}` needs the path of a socket: {UNIX}/sockets/oracle.sock")),
            Some(path) => Ok(Self::Unix(PathBuf::from(path))),
            None => match text.rsplit_once(':') {
                Some((host, number)) if !host.is_empty() && port(number) => Ok(Self::Tcp(text.to_owned())),
                _ => Err(format!("`{text}` is not an address: write {UNIX}PATH or HOST:PORT")),
            },
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unix(path) => write!(f, "{UNIX}{}", path.display()),
            Self::Tcp(address) => f.write_str(address),
        }
    }
}

impl Address {
    /// Connects within `time`, as far as that takes time.
    pub(super) fn connect(&self, time: Duration) -> io::Result<Stream> {
        match self {
            Self::Unix(path) => UnixStream::connect(path).map(Stream::Unix),
            Self::Tcp(address) => {
                let mut last = io::Error::other("the host has no address");
                let connected = address
                    .to_socket_addrs()?
                    .find_map(|address| TcpStream::connect_timeout(&address, time).map_err(|error| last = error).ok());
                let stream = connected.ok_or(last)?;
                // A question waits for its answer: nothing would be gained by sending several at once.
                stream.set_nodelay(true)?;
                Ok(Stream::Tcp(stream))
            }
        }
    }
}

/// A connection.
#[derive(Debug)]
pub(super) enum Stream {
    Unix(UnixStream),
    Tcp(TcpStream),
}

impl Stream {
    pub(super) fn try_clone(&self) -> io::Result<Self> {
        Ok(match self {
            Self::Unix(stream) => Self::Unix(stream.try_clone()?),
            Self::Tcp(stream) => Self::Tcp(stream.try_clone()?),
        })
    }

    pub(super) fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        match self {
            Self::Unix(stream) => stream.set_nonblocking(nonblocking),
            Self::Tcp(stream) => stream.set_nonblocking(nonblocking),
        }
    }

    /// Reading fails after this time without anything to read.
    pub(super) fn set_read_timeout(&self, time: Duration) -> io::Result<()> {
        match self {
            Self::Unix(stream) => stream.set_read_timeout(Some(time)),
            Self::Tcp(stream) => stream.set_read_timeout(Some(time)),
        }
    }

    /// Tells the other side that nothing more comes.
    pub(super) fn end_writing(&self) -> io::Result<()> {
        self.shutdown(Shutdown::Write)
    }

    /// Ends the connection, for whoever still reads from it, too.
    pub(super) fn end(&self) -> io::Result<()> {
        self.shutdown(Shutdown::Both)
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        match self {
            Self::Unix(stream) => stream.shutdown(how),
            Self::Tcp(stream) => stream.shutdown(how),
        }
    }
}

impl AsFd for Stream {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Unix(stream) => stream.as_fd(),
            Self::Tcp(stream) => stream.as_fd(),
        }
    }
}

impl Read for Stream {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Unix(stream) => stream.read(into),
            Self::Tcp(stream) => stream.read(into),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Unix(stream) => stream.write(bytes),
            Self::Tcp(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Unix(stream) => stream.flush(),
            Self::Tcp(stream) => stream.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Address;

    #[test]
    fn addresses_are_paths_and_hosts_with_ports() {
        for text in ["unix:/sockets/oracle.sock", "unix:oracle.sock", "localhost:7000", "127.0.0.1:0", "[::1]:7000"] {
            assert_eq!(text.parse::<Address>().unwrap().to_string(), text);
        }
        for text in ["", "unix:", "localhost", "localhost:", ":7000", "localhost:http", "localhost:70000", "/sockets/a"]
        {
            assert!(text.parse::<Address>().is_err(), "{text}");
        }
    }
}
