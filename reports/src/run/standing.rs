//! How a finding stands: whether it speaks against its rules, or is decided about.

use serde::{Deserialize, Serialize};
use takeover_harness::readiness::Stand;

/// How a finding stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "camelCase")]
pub enum FindingStanding {
    /// It blocks its rules, and fails the run.
    #[default]
    Blocking,
    /// By the policy, it fails the run and does not block.
    Reported {
        /// Why.
        reason: String,
    },
    /// By the policy, it does neither.
    Tolerated {
        /// Why.
        reason: String,
    },
    /// An exception excuses it.
    Excused,
    /// It goes when another finding goes, and stands as that one does.
    BroughtAlong {
        /// Number of the other finding.
        by: usize,
    },
}

impl FindingStanding {
    /// The standing that evidence gives it. `number` names findings by their signature.
    pub(super) fn of(stand: Stand<'_>, number: impl Fn(&str) -> Option<usize>) -> Self {
        match stand {
            Stand::Blocking => Self::Blocking,
            Stand::Reported(reason) => Self::Reported { reason: reason.to_owned() },
            Stand::Tolerated(reason) => Self::Tolerated { reason: reason.to_owned() },
            Stand::Excused => Self::Excused,
            Stand::BroughtAlong(root) => {
                number(&root.to_string()).map_or(Self::Blocking, |by| Self::BroughtAlong { by })
            }
        }
    }

    /// Whether a run fails for it.
    #[must_use]
    pub fn fails_the_run(&self) -> bool {
        matches!(self, Self::Blocking | Self::Reported { .. })
    }

    /// One word, or a few: `brought along`.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Blocking => "blocking",
            Self::Reported { .. } => "reported",
            Self::Tolerated { .. } => "tolerated",
            Self::Excused => "excused",
            Self::BroughtAlong { .. } => "brought along",
        }
    }

    /// What a form says of it below the finding; none where the finding simply stands or an exception says it.
    pub(crate) fn said(&self) -> Option<String> {
        match self {
            Self::Blocking | Self::Excused => None,
            Self::Reported { reason } => Some(format!("reported, does not block: {reason}")),
            Self::Tolerated { reason } => Some(format!("tolerated: {reason}")),
            Self::BroughtAlong { by } => Some(format!("brought along by finding {by}")),
        }
    }
}
