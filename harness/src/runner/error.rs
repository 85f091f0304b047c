//! Runs that cannot be carried out.

use super::remote_judge::RemoteJudgeError;
use crate::evidence::{EvidenceError, Unlawful};

/// A run that could not be carried out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// No threads to be had.
    #[error("cannot start `{jobs}` worker threads: {source}")]
    Threads {
        /// How many were asked for.
        jobs: usize,
        /// Why not.
        source: rayon::ThreadPoolBuildError,
    },
    /// The judges do not belong together.
    #[error(transparent)]
    Evidence(#[from] EvidenceError),
    /// The harness counted wrongly.
    #[error(transparent)]
    Unlawful(#[from] Unlawful),
    /// A run without judges.
    #[error("there is no subject to judge")]
    NoJudges,
    /// What was to be judged elsewhere could not be.
    #[error(transparent)]
    RemoteJudge(#[from] RemoteJudgeError),
}
