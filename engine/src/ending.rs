//! The ways in which work on cases ends.

use crate::stop::StopSignal;

/// How work on cases ended; the command line has an exit code for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Nothing is wrong.
    Clean,
    /// There are findings, or something is not as it should be.
    Findings,
    /// Some of the input could not be read.
    Unreadable,
    /// There was nothing to work on.
    NothingCompared,
    /// Somebody asked it to stop.
    Stopped(StopSignal),
}
