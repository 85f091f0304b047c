//! Subjects judged in worker processes, which their oracles may end: by a stack overflow, an abort, an endless loop, or all the
//! memory that they are allowed.
//!
//! The supervisor keeps a few workers, which are this program again, and hands them whole chunks. A worker notes in a small file what
//! it is at (`beat`). When it ends, or shows no sign of life for too long, the note names the case and the oracle; a new worker
//! judges the chunk again, with that answer replaced by the way in which the process ended. Everything else comes out as it does in
//! process.

mod beat;
mod crew;
mod fate;
mod guarded;
mod process;
mod supervise;
mod watch;
mod wire;
mod worker;

pub use crew::{Crew, CrewError, Workers};
pub use guarded::Absent;
pub use supervise::{Supervised, supervise};
pub use watch::{Post, Watcher};
pub use wire::{Looked, Setting};
pub use worker::{look, serve};

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What a worker may take before it is ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Time for one answer.
    pub time: Duration,
    /// Bytes of address space.
    pub memory: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { time: Duration::from_secs(10), memory: 2 << 30 }
    }
}
