//! Oracles that give no answer.

/// The place that is given for a panic that ended its process.
pub const WORKER_PROCESS: &str = "a worker process";

/// The place that is given for a panic that an oracle reports instead of panicking itself.
pub(crate) const MODELLED: &str = "the code that the oracle models";

/// An oracle that could not judge a case.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct OracleFailure {
    message: String,
    panic: Option<&'static str>,
}

impl OracleFailure {
    /// A failure with this explanation.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), panic: None }
    }

    /// A failure that stands for a panic of the code which the oracle models; it is counted as one.
    #[must_use]
    pub fn panic(message: impl Into<String>) -> Self {
        Self { message: message.into(), panic: Some(MODELLED) }
    }

    /// A failure that stands for the end of the process in which the oracle ran; it is counted as a panic.
    #[must_use]
    pub fn death(message: impl Into<String>) -> Self {
        Self { message: message.into(), panic: Some(WORKER_PROCESS) }
    }

    /// Where the panic happened, if the failure stands for one.
    #[must_use]
    pub fn panic_place(&self) -> Option<&'static str> {
        self.panic
    }
}
