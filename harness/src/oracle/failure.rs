//! Oracles that give no answer.

/// The place that is given for a panic that ended its process.
pub const WORKER_PROCESS: &str = "a worker process";

/// The place that is given for a panic that an oracle reports instead of panicking itself.
pub(crate) const MODELLED: &str = "the code that the oracle models";

/// Why a case is not compared when an oracle reports more errors than a list holds.
const TOO_MANY_ERRORS: &str = "too many errors";

/// An oracle that could not judge a case.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct OracleFailure {
    message: String,
    panic: Option<&'static str>,
    declined: Option<&'static str>,
    late: bool,
}

impl OracleFailure {
    /// A failure with this explanation.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), panic: None, declined: None, late: false }
    }

    /// A question that cannot be put to this oracle, for a reason that lies in the question: `it stores no invalid old object`. The
    /// case is skipped and counted under `reason`, and does not count as a failure of the oracle.
    #[must_use]
    pub fn declined(reason: &'static str, message: impl Into<String>) -> Self {
        Self { declined: Some(reason), ..Self::new(message) }
    }

    /// More errors than a list holds; `cut` were left out. The rest cannot be compared, and the oracle has not failed.
    pub(crate) fn too_many_errors(kept: usize, cut: u64) -> Self {
        Self::declined(TOO_MANY_ERRORS, format!("reports {kept} errors and {cut} more, which are too many to compare"))
    }

    /// Whether it is the answer that is too long.
    pub(crate) fn is_too_many_errors(&self) -> bool {
        self.declined == Some(TOO_MANY_ERRORS)
    }

    /// A failure of a process that gave no answer in time, and that was ended for it.
    #[must_use]
    pub fn late(message: impl Into<String>) -> Self {
        Self { late: true, ..Self::new(message) }
    }

    /// Whether a process gave no answer in time.
    #[must_use]
    pub fn is_late(&self) -> bool {
        self.late
    }

    /// A failure that stands for a panic of the code which the oracle models; it is counted as one.
    #[must_use]
    pub fn panic(message: impl Into<String>) -> Self {
        Self { panic: Some(MODELLED), ..Self::new(message) }
    }

    /// A failure that stands for the end of the process in which the oracle ran; it is counted as a panic.
    #[must_use]
    pub fn death(message: impl Into<String>) -> Self {
        Self { panic: Some(WORKER_PROCESS), ..Self::new(message) }
    }

    /// Why the question cannot be put to this oracle, if that is so.
    #[must_use]
    pub fn declined_because(&self) -> Option<&'static str> {
        self.declined
    }

    /// Where the panic happened, if the failure stands for one.
    #[must_use]
    pub fn panic_place(&self) -> Option<&'static str> {
        self.panic
    }
}
