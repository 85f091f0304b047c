//! Evidence and metrics on disk while a run goes on.

use crate::run_folder::{RunFolder, write_whole};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use takeover_harness::evidence::Evidence;
use takeover_harness::metrics::Metrics;

/// How often evidence is written.
const EVERY: Duration = Duration::from_secs(5);

/// Writes what was gathered so far, from time to time.
pub struct Checkpoint<'c> {
    folder: &'c RunFolder,
    metrics: &'c Metrics,
    metrics_file: Option<&'c Path>,
    state: Mutex<State>,
}

struct State {
    last: Instant,
    fault: Option<anyhow::Error>,
}

impl<'c> Checkpoint<'c> {
    /// Checkpoints of a run that starts now.
    pub fn new(folder: &'c RunFolder, metrics: &'c Metrics, metrics_file: Option<&'c Path>) -> Self {
        Self { folder, metrics, metrics_file, state: Mutex::new(State { last: Instant::now(), fault: None }) }
    }

    /// Writes the sum of `before` and `now` when it is time to. A fault is kept for [`Checkpoint::fault`].
    pub fn pass(&self, before: Option<&Evidence>, now: &Evidence) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.last.elapsed() < EVERY || state.fault.is_some() {
            return;
        }
        state.last = Instant::now();
        state.fault = self.write(before, now).err();
    }

    fn write(&self, before: Option<&Evidence>, now: &Evidence) -> anyhow::Result<()> {
        let mut so_far = now.clone();
        if let Some(before) = before {
            so_far.merge(before.clone())?;
        }
        self.folder.write("evidence.json", so_far.to_json()?.as_bytes())?;
        self.write_metrics()
    }

    /// Writes the metrics, where they are asked for.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write_metrics(&self) -> anyhow::Result<()> {
        match self.metrics_file {
            Some(place) => write_whole(place, self.metrics.text()?.as_bytes()),
            None => Ok(()),
        }
    }

    /// Whether something could not be written: going on would gather what cannot be kept.
    pub fn is_faulty(&self) -> bool {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).fault.is_some()
    }

    /// The first fault of writing.
    ///
    /// # Errors
    /// That fault.
    pub fn fault(&self) -> anyhow::Result<()> {
        match self.state.lock().unwrap_or_else(PoisonError::into_inner).fault.take() {
            Some(fault) => Err(fault),
            None => Ok(()),
        }
    }
}
