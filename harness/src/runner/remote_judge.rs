//! Judging somewhere else than on the threads of a run: in processes that an oracle may end.

use super::input::Chunk;
use crate::case::Case;
use crate::evidence::{CasePlace, Evidence};

/// Cases on their way: place, index of the judge, case.
pub type RemoteCases = Vec<(CasePlace, usize, Case<'static>)>;

/// Judges the cases of some subjects elsewhere. Called by every thread of a run at once.
pub trait RemoteJudge: Sync {
    /// Whether cases of this judge are taken.
    fn takes(&self, subject: usize) -> bool;

    /// Whether a generated chunk is taken: its cases are then made elsewhere, too. Those of a source that heeds what its cases show
    /// have to be, if any of them is taken: nobody says here what was shown elsewhere.
    fn takes_chunk(&self, chunk: Chunk) -> bool;

    /// The evidence of a generated chunk: what [`super::Tally`] makes of its cases.
    ///
    /// # Errors
    /// When there is none to be had; the run ends.
    fn generated(&self, chunk: Chunk) -> Result<Evidence, RemoteJudgeError>;

    /// The evidence of cases at their places.
    ///
    /// # Errors
    /// Returns the errors of [`RemoteJudge::generated`].
    fn recorded(&self, cases: RemoteCases) -> Result<Evidence, RemoteJudgeError>;
}

/// Evidence that could not be had from elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct RemoteJudgeError {
    message: String,
}

impl RemoteJudgeError {
    /// Says why.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}
