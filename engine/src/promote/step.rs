//! A step in the life of a rule.

use takeover_harness::error::Stability;
use takeover_harness::release::Release;
use takeover_harness::rule::TagStability;
use takeover_reports::Level;

/// Where rules are moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// From alpha to beta, since the release `since`; if that is none, since the release after the one of their alpha.
    Beta {
        /// The release.
        since: Option<Release>,
    },
    /// From beta to stable, which has no wrapper, in the release.
    Stable {
        /// The release.
        since: Option<Release>,
    },
}

impl Step {
    /// Name of the tag around the rules that may move.
    pub fn wrapper(self) -> &'static str {
        match self {
            Self::Beta { .. } => "k8s:alpha",
            Self::Stable { .. } => "k8s:beta",
        }
    }

    /// The level of rules that may move.
    pub fn from(self) -> Level {
        match self {
            Self::Beta { .. } => Level::Alpha,
            Self::Stable { .. } => Level::Beta,
        }
    }

    /// The level of rules that moved.
    pub fn to(self) -> Level {
        match self {
            Self::Beta { .. } => Level::Beta,
            Self::Stable { .. } => Level::Stable,
        }
    }

    /// The level of rules that moved, as rules store it; stable rules have none.
    pub fn stability(self) -> Option<Stability> {
        match self {
            Self::Beta { .. } => Some(Stability::Beta),
            Self::Stable { .. } => None,
        }
    }

    /// How settled the tags of a rule must be.
    pub fn settled(self) -> TagStability {
        match self {
            Self::Beta { .. } => TagStability::Beta,
            Self::Stable { .. } => TagStability::Stable,
        }
    }

    /// The release of the step, where it was said.
    pub fn since(self) -> Option<Release> {
        match self {
            Self::Beta { since } | Self::Stable { since } => since,
        }
    }
}
