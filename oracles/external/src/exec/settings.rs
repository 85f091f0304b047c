//! How processes are started and how long they may take.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::thread::available_parallelism;
use std::time::Duration;

/// Most processes unless said otherwise.
const MOST_PROCESSES: usize = 8;

/// How processes of an oracle are started and how long they may take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecSettings {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Folder in which it runs; none for that of Takeover.
    pub folder: Option<PathBuf>,
    /// Environment variables that are set beside those of Takeover.
    pub environment: BTreeMap<String, String>,
    /// Most processes at a time. By default as many as the machine runs in parallel, at most 8.
    pub processes: NonZeroUsize,
    /// Longest time without an answer while questions wait. By default 10 seconds.
    pub timeout: Duration,
    /// Longest time from the start to the hello. By default 10 seconds.
    pub start_timeout: Duration,
    /// Most memory that a process may map, in bytes. By default it is not limited. Works on Linux only.
    pub memory: Option<u64>,
}

impl ExecSettings {
    /// Settings for a command, all others as they are by default.
    pub fn new<S: Into<String>>(command: impl IntoIterator<Item = S>) -> Self {
        let parallel = available_parallelism().unwrap_or(NonZeroUsize::MIN);
        Self {
            command: command.into_iter().map(Into::into).collect(),
            folder: None,
            environment: BTreeMap::new(),
            processes: NonZeroUsize::new(MOST_PROCESSES).map_or(parallel, |most| most.min(parallel)),
            timeout: Duration::from_secs(10),
            start_timeout: Duration::from_secs(10),
            memory: None,
        }
    }
}
