//! Errors of this crate.

/// A policy or binding that has not the form of one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind} `{name}`: spec: {reason}")]
pub struct ManifestError {
    /// Its kind.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// What is wrong.
    pub reason: String,
}
