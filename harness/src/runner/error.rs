//! Runs that cannot be carried out.

use super::remote_judge::RemoteJudgeError;
use crate::evidence::{EvidenceError, Unlawful};

/// A run that could not be carried out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// Threads could not be started.
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
    /// Cases that another process judges could not be judged.
    #[error(transparent)]
    RemoteJudge(#[from] RemoteJudgeError),
}
