//! The host of a run: what it knows about its user, and what it is told while the run goes on.

use crate::isolate::JudgingNotes;
use crate::plan::RunBudget;
use crate::say::Say;
use crate::stop::Stop;
use crate::storage::OpenStorage;
use std::time::Duration;
use takeover_reports::Look;

/// Whoever hosts a run.
#[derive(Clone, Copy)]
pub struct RunHost<'h> {
    /// How the user calls this program, for commands to be typed again.
    pub program: &'h str,
    /// How the user looks at the report.
    pub look: Look,
    /// Where warnings and notes go.
    pub say: Say<'h>,
    /// Shows the progress of the run.
    pub progress: &'h dyn RunProgress,
    /// Notes which subjects are judged.
    pub notes: &'h JudgingNotes,
    /// Whether somebody asked the run to stop.
    pub stop: &'static Stop,
    /// Opens the storages that a run is kept in, or reads from.
    pub storages: &'h dyn OpenStorage,
}

/// Shows the progress of a run.
pub trait RunProgress: Sync {
    /// A run with this budget begins.
    fn begin(&self, budget: RunBudget);

    /// So many recorded cases are done, with so many findings.
    fn recorded(&self, cases: u64, findings: u64);

    /// So many generated cases are done in this time, with so many findings since the program began.
    fn generated(&self, cases: u64, spent: Duration, findings: u64);

    /// All cases are done; so many findings are to be made smaller.
    fn end(&self, findings: u64);

    /// So many findings are made smaller.
    fn minimised(&self, _: u64) {}

    /// So many of so many results of shards are added up.
    fn gathered(&self, _: u64, _: u64) {}

    /// The report is written.
    fn done(&self) {}
}

/// Shows nothing.
pub struct Unseen;

impl RunProgress for Unseen {
    fn begin(&self, _: RunBudget) {}

    fn recorded(&self, _: u64, _: u64) {}

    fn generated(&self, _: u64, _: Duration, _: u64) {}

    fn end(&self, _: u64) {}
}
