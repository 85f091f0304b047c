//! What a candidate may do that its reference does not.

use crate::compare::Direction;
use serde::{Deserialize, Serialize};

/// In which way the answers of a candidate may differ from those of its reference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CandidateMay {
    /// In none.
    #[default]
    Agree,
    /// It may reject what the reference accepts.
    RejectMore,
    /// It may accept what the reference rejects.
    AcceptMore,
}

impl CandidateMay {
    /// Whether it is what holds where nothing is said.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Why a difference in this direction is tolerated, if it is.
    #[must_use]
    pub fn tolerates(self, direction: Direction) -> Option<&'static str> {
        match (self, direction) {
            (Self::RejectMore, Direction::Extra) => {
                Some("the candidate of this pair may reject more than its reference")
            }
            (Self::AcceptMore, Direction::Missing) => {
                Some("the candidate of this pair may accept more than its reference")
            }
            _ => None,
        }
    }
}
