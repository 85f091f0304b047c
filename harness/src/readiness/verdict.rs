//! The verdict on a rule.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Whether a rule may take over from its handwritten check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "verdict", content = "reasons")]
#[non_exhaustive]
pub enum Readiness {
    /// Every criterion is met; the reasons say by what.
    Ready(Vec<String>),
    /// Something speaks against it.
    Blocked(Vec<String>),
    /// Nothing speaks against it, but too little was seen.
    InsufficientEvidence(Vec<String>),
    /// A handwritten check that no rule covers.
    NotMigrated(Vec<String>),
    /// Requests to this endpoint never bring the rule a value to judge; another endpoint of the kind does.
    OutOfReach(Vec<String>),
}

impl Readiness {
    /// The reasons, most telling first.
    #[must_use]
    pub fn reasons(&self) -> &[String] {
        match self {
            Self::Ready(reasons)
            | Self::Blocked(reasons)
            | Self::InsufficientEvidence(reasons)
            | Self::NotMigrated(reasons)
            | Self::OutOfReach(reasons) => reasons,
        }
    }

    /// How much attention the verdict needs: larger is worse.
    #[must_use]
    pub fn severity(&self) -> u8 {
        match self {
            Self::OutOfReach(_) => 0,
            Self::Ready(_) => 1,
            Self::NotMigrated(_) => 2,
            Self::InsufficientEvidence(_) => 3,
            Self::Blocked(_) => 4,
        }
    }
}

impl fmt::Display for Readiness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ready(_) => "READY",
            Self::Blocked(_) => "BLOCKED",
            Self::InsufficientEvidence(_) => "INSUFFICIENT",
            Self::NotMigrated(_) => "NOT MIGRATED",
            Self::OutOfReach(_) => "OUT OF REACH",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Readiness;

    #[test]
    fn severity_orders_verdicts_by_attention_needed() {
        let order = [
            Readiness::OutOfReach(vec![]),
            Readiness::Ready(vec![]),
            Readiness::NotMigrated(vec![]),
            Readiness::InsufficientEvidence(vec![]),
            Readiness::Blocked(vec![]),
        ];
        assert!(order.windows(2).all(|pair| pair[0].severity() < pair[1].severity()));
    }
}
