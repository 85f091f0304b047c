//! What a supervisor hands to the process that runs: its order, in a file that is gone when the supervisor is done.

use super::JudgingNotes;
use crate::plan::RunOrder;
use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// A run in a process that is watched.
#[derive(Debug, Serialize, Deserialize)]
pub struct WatchedRun {
    /// Process id of the supervisor.
    pub(super) supervisor: i32,
    /// The file of notes.
    pub(super) notes: PathBuf,
    /// Bytes of address space that a worker may take. The run may take some times as much.
    pub(super) worker_memory: u64,
    /// What to run.
    pub order: RunOrder,
}

impl WatchedRun {
    /// Reads what a supervisor wrote.
    ///
    /// # Errors
    /// Returns an error when the file cannot be read, or is none of a supervisor.
    pub fn read(file: &Path) -> anyhow::Result<Self> {
        let text = std::fs::read(file).with_context(|| format!("failed to read `{}`", file.display()))?;
        serde_json::from_slice(&text).with_context(|| format!("`{}` names no supervisor", file.display()))
    }

    /// Makes this process one that its supervisor watches: it ends with it, and its memory is limited.
    ///
    /// # Errors
    /// Returns an error when the supervisor is gone, or the system refuses.
    pub fn begin(&self) -> anyhow::Result<JudgingNotes> {
        let jobs = match &self.order {
            RunOrder::Begin(plan, _) => Some(plan.jobs),
            RunOrder::Resume(with, _) => with.jobs,
        };
        JudgingNotes::of(self.supervisor, &self.notes, jobs.unwrap_or(NonZeroUsize::MIN), self.worker_memory)
    }
}
