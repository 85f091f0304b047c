//! Oracles that cannot be started.

use super::trouble::{Trouble, seconds};
use std::io;
use std::time::Duration;

/// An oracle that could not be started.
#[derive(Debug, thiserror::Error)]
#[error("failed to start the oracle `{command}`: {kind}")]
pub struct ExecError {
    command: String,
    kind: ExecErrorKind,
}

/// Why an oracle could not be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExecErrorKind {
    /// There is no command.
    #[error("the command is empty")]
    NoCommand,
    /// The system did not start the process.
    #[error("{0}")]
    Spawn(io::Error),
    /// Its memory could not be limited.
    #[error("its memory cannot be limited: {0}")]
    Memory(io::Error),
    /// It did not say hello in time.
    #[error("no hello within {}", seconds(*.0))]
    NoHello(Duration),
    /// It ended before it said hello; the text says how.
    #[error("no hello: {0}")]
    Died(String),
    /// What it said is no hello of this version; the text says why.
    #[error("{0}")]
    BadHello(String),
    /// A process of the same oracle said another hello before.
    #[error("another process of the same command sent a different hello: `{0}`")]
    OtherHello(String),
}

impl ExecError {
    pub(super) fn new(command: &[String], kind: ExecErrorKind) -> Self {
        Self { command: command.join(" "), kind }
    }

    /// Why it could not be started.
    #[must_use]
    pub fn kind(&self) -> &ExecErrorKind {
        &self.kind
    }

    /// Whether the process died.
    pub(super) fn is_death(&self) -> bool {
        matches!(self.kind, ExecErrorKind::Died(_))
    }
}

impl ExecErrorKind {
    /// The error for an oracle that was in `trouble` before its hello.
    pub(super) fn of(trouble: Trouble, start_timeout: Duration) -> Self {
        match trouble {
            Trouble::Late(_) => Self::NoHello(start_timeout),
            Trouble::Died(how) => Self::Died(how.to_string()),
            Trouble::Broke(what) => Self::BadHello(what),
        }
    }
}
