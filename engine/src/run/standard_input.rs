//! Standard input, for which a stop does not wait.

use crate::stop::Stop;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsFd as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// How often it looks whether somebody asked to stop while nothing comes in.
const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

/// Standard input, until somebody asks the process to stop.
pub(super) struct StandardInput {
    bytes: File,
    stop: &'static Stop,
    cut: Arc<AtomicBool>,
}

impl StandardInput {
    /// Opens it. `cut` is set as soon as a stop ends the reading: what is read then is a part of a document.
    ///
    /// # Errors
    /// Returns an error when the process has no standard input.
    pub(super) fn open(stop: &'static Stop, cut: Arc<AtomicBool>) -> io::Result<Self> {
        let bytes = File::from(io::stdin().as_fd().try_clone_to_owned()?);
        Ok(Self { bytes, stop, cut })
    }
}

impl Read for StandardInput {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if self.stop.asked().is_some() {
                self.cut.store(true, Ordering::Relaxed);
                return Err(io::Error::other("the run was asked to stop"));
            }
            // What cannot be polled is read, and waited for.
            if poll(&mut [PollFd::new(&self.bytes, PollFlags::IN)], Some(&LOOK)) != Ok(0) {
                return self.bytes.read(buffer);
            }
        }
    }
}
