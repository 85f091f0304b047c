//! The two sides of a comparison.

use serde::{Deserialize, Serialize};
use std::fmt;

/// One of the two oracles of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// What decides today.
    Reference,
    /// What is to take over.
    Candidate,
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl Side {
    /// One word: `reference`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Reference => "reference",
            Self::Candidate => "candidate",
        }
    }

    /// The side that it is compared with.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Reference => Self::Candidate,
            Self::Candidate => Self::Reference,
        }
    }

    /// Both sides.
    pub const ALL: [Self; 2] = [Self::Reference, Self::Candidate];
}

/// Something of each side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BySide<T> {
    /// Of the reference.
    pub reference: T,
    /// Of the candidate.
    pub candidate: T,
}

impl<T> BySide<T> {
    /// Returns the one of this side.
    #[must_use]
    pub fn of(&self, side: Side) -> &T {
        match side {
            Side::Reference => &self.reference,
            Side::Candidate => &self.candidate,
        }
    }

    /// Returns the one of this side, to change it.
    pub fn of_mut(&mut self, side: Side) -> &mut T {
        match side {
            Side::Reference => &mut self.reference,
            Side::Candidate => &mut self.candidate,
        }
    }
}

impl BySide<u64> {
    /// Adds the numbers of another part of a run.
    pub fn add(&mut self, other: Self) {
        self.reference += other.reference;
        self.candidate += other.candidate;
    }

    /// Whether both are zero.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.reference == 0 && self.candidate == 0
    }
}
