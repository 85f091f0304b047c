//! The kinds of verdict on a rule.

use takeover_harness::readiness::Readiness;

/// The kinds of verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum VerdictKind {
    /// Every criterion is met.
    Ready,
    /// Something speaks against the rule.
    Blocked,
    /// Too little was seen.
    Insufficient,
    /// A handwritten check that no rule covers.
    NotMigrated,
    /// Another endpoint of the kind decides.
    OutOfReach,
}

impl VerdictKind {
    /// Every kind, in the order in which forms list them.
    pub const ALL: [Self; 5] = [Self::Ready, Self::Blocked, Self::Insufficient, Self::NotMigrated, Self::OutOfReach];

    /// The kind of a verdict.
    #[must_use]
    pub fn of(verdict: &Readiness) -> Self {
        match verdict {
            Readiness::Ready(_) => Self::Ready,
            Readiness::Blocked(_) => Self::Blocked,
            Readiness::NotMigrated(_) => Self::NotMigrated,
            Readiness::OutOfReach(_) => Self::OutOfReach,
            // A verdict that does not exist yet is no pass.
            _ => Self::Insufficient,
        }
    }

    /// One word, as on the command line and in HTML.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Blocked => "blocked",
            Self::Insufficient => "insufficient",
            Self::NotMigrated => "not-migrated",
            Self::OutOfReach => "out-of-reach",
        }
    }

    /// As people read it.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Blocked => "blocked",
            Self::Insufficient => "insufficient evidence",
            Self::NotMigrated => "not migrated",
            Self::OutOfReach => "out of reach",
        }
    }
}
