//! What goes wrong with a process, in words.

use crate::protocol::{LineError, MAX_LINE};
use std::fmt;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::time::Duration;
use takeover_harness::oracle::OracleFailure;

/// Why a process had to be ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// It did not answer in this time.
    Late(Duration),
    /// It died, or hung up.
    Died(Death),
    /// It broke the protocol.
    Broke(String),
}

/// How a process ended, and what it said last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Death {
    /// How it ended by itself; none for one that closed its output and lived on.
    pub(super) status: Option<ExitStatus>,
    /// The beginning of a line that it did not finish; empty if it finished all.
    pub(super) half_line: String,
    /// The end of its standard error.
    pub(super) last_words: String,
}

impl Trouble {
    pub(super) fn too_long() -> Self {
        Self::Broke(format!("the oracle wrote a line that is longer than {} MiB", MAX_LINE >> 20))
    }

    pub(super) fn failure(&self) -> OracleFailure {
        match self {
            Self::Died(_) => OracleFailure::death(self.to_string()),
            Self::Late(_) => OracleFailure::late(self.to_string()),
            Self::Broke(_) => OracleFailure::new(self.to_string()),
        }
    }
}

impl From<LineError> for Trouble {
    fn from(error: LineError) -> Self {
        Self::Broke(error.to_string())
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Late(time) => write!(f, "no answer within {}", seconds(*time)),
            Self::Died(death) => death.fmt(f),
            Self::Broke(what) => f.write_str(what),
        }
    }
}

impl fmt::Display for Death {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the process ")?;
        match self.status {
            None => f.write_str("closed its standard output")?,
            Some(status) => match status.code() {
                Some(code) => write!(f, "exited with code {code}")?,
                None => {
                    // Printed as `signal: 9 (SIGKILL)`.
                    let printed = status.to_string();
                    let signal = status.signal().unwrap_or_default().to_string();
                    write!(f, "was killed by signal {}", printed.strip_prefix("signal: ").unwrap_or(&signal))?;
                }
            },
        }
        if !self.half_line.is_empty() {
            write!(f, " in the middle of a line: `{}`", self.half_line)?;
        }
        match self.last_words.trim() {
            "" => f.write_str(" (nothing on standard error)"),
            words => write!(f, " (end of standard error: `{words}`)"),
        }
    }
}

/// A time for people: `10 s`, `0.5 s`.
pub(super) fn seconds(time: Duration) -> String {
    format!("{} s", time.as_secs_f64())
}
