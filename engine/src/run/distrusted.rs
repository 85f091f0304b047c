//! Runs whose results cannot be trusted.

/// A run whose results cannot be trusted: the harness itself is at fault.
#[derive(Debug, thiserror::Error)]
#[error("the harness failed its own checks: {0}")]
pub struct Distrusted(pub(super) String);
