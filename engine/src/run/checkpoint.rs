//! Writes evidence and metrics to disk while a run goes on, in separate threads, so that no worker waits for a disk.

use super::record::RunRecord;
use super::state::{self, State};
use super::stored::ShardKeeper;
use crate::run_folder::{RunFolder, write_whole};
use anyhow::Context as _;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use takeover_harness::evidence::Evidence;
use takeover_harness::metrics::Metrics;

/// Writes the state of the run from time to time.
pub(super) struct Checkpoint {
    every: Duration,
    files: CheckpointFiles,
    writing: Mutex<Writing>,
}

/// Where to write.
#[derive(Clone)]
pub(super) struct CheckpointFiles {
    pub(super) folder: Arc<RunFolder>,
    pub(super) metrics: Arc<Metrics>,
    pub(super) metrics_file: Option<PathBuf>,
    /// The storage that keeps checkpoints for other machines, with the record of the run.
    pub(super) keeper: Option<(Arc<ShardKeeper>, Arc<RunRecord>)>,
    /// Errors of that storage, which may be better next time.
    pub(super) trouble: Arc<Mutex<Vec<anyhow::Error>>>,
}

struct Writing {
    last: Instant,
    /// What was gathered before the workers began.
    before: Arc<Evidence>,
    /// The thread that writes, or wrote last.
    writer: Option<JoinHandle<anyhow::Result<()>>>,
    fault: Option<anyhow::Error>,
}

impl Checkpoint {
    /// Returns the checkpoints of a run that continues from `before`.
    pub(super) fn new(files: CheckpointFiles, every: Duration, before: &Evidence) -> Self {
        let writing = Writing { last: Instant::now(), before: Arc::new(before.clone()), writer: None, fault: None };
        Self { every, files, writing: Mutex::new(writing) }
    }

    /// Adds a part of the run that is done to what was gathered before.
    ///
    /// # Errors
    /// Returns an error when the part cannot be added.
    pub(super) fn gathered(&self, part: Evidence) -> anyhow::Result<()> {
        let mut writing = self.writing();
        Ok(Arc::make_mut(&mut writing.before).merge(part)?)
    }

    /// The errors of the storage since this was called last.
    pub(super) fn trouble(&self) -> Vec<anyhow::Error> {
        std::mem::take(&mut *self.files.trouble.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn writing(&self) -> MutexGuard<'_, Writing> {
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// If it is time, begins to write `now`, added to what was gathered before, with the state that belongs to it. An error is
    /// kept for [`Checkpoint::fault`].
    pub(super) fn pass(&self, now: &Evidence, state: impl FnOnce() -> State) {
        let mut writing = self.writing();
        if writing.is_busy() || writing.fault.is_some() || writing.last.elapsed() < self.every {
            return;
        }
        writing.last = Instant::now();
        let (files, before, now, state) = (self.files.clone(), Arc::clone(&writing.before), now.clone(), state());
        let write = move || {
            let mut whole = now;
            whole.merge(before.as_ref().clone())?;
            files.write(&state, &whole)
        };
        match std::thread::Builder::new().name("checkpoint".to_owned()).spawn(write) {
            Ok(writer) => writing.writer = Some(writer),
            Err(error) => {
                writing.fault =
                    Some(anyhow::Error::new(error).context("failed to start the thread that writes checkpoints"));
            }
        }
    }

    /// Writes everything that was gathered. It is on disk when this returns.
    ///
    /// # Errors
    /// Returns an error when this or an earlier checkpoint could not be written.
    pub(super) fn save(&self, evidence: &Evidence, state: &State) -> anyhow::Result<()> {
        self.fault()?;
        self.writing().before = Arc::new(evidence.clone());
        self.files.write(state, evidence)
    }

    /// Writes the metrics, if they are asked for.
    ///
    /// # Errors
    /// Returns an error when the file cannot be written.
    pub(super) fn write_metrics(&self) -> anyhow::Result<()> {
        self.files.write_metrics()
    }

    /// Whether something could not be written, so that going on would gather evidence that cannot be kept.
    pub(super) fn is_faulty(&self) -> bool {
        let mut writing = self.writing();
        !writing.is_busy() && writing.fault.is_some()
    }

    /// Waits for what is being written.
    ///
    /// # Errors
    /// Returns the first error of writing.
    pub(super) fn fault(&self) -> anyhow::Result<()> {
        let mut writing = self.writing();
        writing.join();
        writing.fault.take().map_or(Ok(()), Err)
    }
}

impl Writing {
    /// Whether the last checkpoint is still being written.
    fn is_busy(&mut self) -> bool {
        let busy = self.writer.as_ref().is_some_and(|writer| !writer.is_finished());
        if !busy {
            self.join();
        }
        busy
    }

    /// Waits for the thread that writes, and keeps its error.
    fn join(&mut self) {
        let Some(writer) = self.writer.take() else { return };
        let written = writer.join().unwrap_or_else(|_| Err(anyhow::anyhow!("writing a checkpoint panicked")));
        if let Err(fault) = written {
            self.fault.get_or_insert(fault);
        }
    }
}

impl Drop for Checkpoint {
    fn drop(&mut self) {
        self.writing().join();
    }
}

impl CheckpointFiles {
    fn write(&self, state: &State, evidence: &Evidence) -> anyhow::Result<()> {
        let text = state::encode(state, evidence).context("failed to encode the checkpoint")?;
        // The smallest case of a finding is made smaller at the end, and has to be the original until then.
        self.folder.write_private(state::FILE, text.as_bytes())?;
        if let Some((keeper, record)) = &self.keeper
            && let Err(error) = keeper.checkpoint(record, &text, state.progress())
        {
            self.trouble.lock().unwrap_or_else(PoisonError::into_inner).push(error);
        }
        self.write_metrics()
    }

    fn write_metrics(&self) -> anyhow::Result<()> {
        match &self.metrics_file {
            Some(place) => write_whole(place, self.metrics.text()?.as_bytes()),
            None => Ok(()),
        }
    }
}
