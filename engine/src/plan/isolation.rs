//! Which subjects are judged in worker processes, and what those may take.

use serde::{Deserialize, Serialize};
use std::time::Duration;
use takeover_harness::subject::PairId;

/// Which subjects are judged in worker processes, which their oracles may end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Isolation {
    /// The subjects with these names.
    Some(Vec<String>),
    /// No subject.
    #[default]
    None,
    /// All subjects.
    All,
}

impl Isolation {
    /// The name of all subjects.
    pub const EVERYTHING: &str = "all";

    /// Whether a pair is judged in workers.
    pub fn takes(&self, pair: &PairId) -> bool {
        match self {
            Self::None => false,
            Self::Some(names) => names.contains(&pair.to_string()),
            Self::All => true,
        }
    }

    /// What either of them takes.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::All, _) | (_, Self::All) => Self::All,
            (Self::None, other) | (other, Self::None) => other,
            (Self::Some(mut names), Self::Some(more)) => {
                names.extend(more);
                names.sort_unstable();
                names.dedup();
                Self::Some(names)
            }
        }
    }
}

impl FromIterator<String> for Isolation {
    /// Reads names of subjects, or [`Isolation::EVERYTHING`].
    fn from_iter<I: IntoIterator<Item = String>>(names: I) -> Self {
        let one = |name| if name == Self::EVERYTHING { Self::All } else { Self::Some(vec![name]) };
        names.into_iter().map(one).fold(Self::None, Self::and)
    }
}

/// What a worker may take before it is ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerLimits {
    /// Time for one answer.
    pub time: Duration,
    /// Bytes of address space.
    pub memory: u64,
}

impl Default for WorkerLimits {
    fn default() -> Self {
        Self { time: Duration::from_secs(10), memory: 2 << 30 }
    }
}
