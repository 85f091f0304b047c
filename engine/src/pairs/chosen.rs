//! What a command judges pair by pair: the pairs that a project describes.

use super::of_plan::one_pair;
use crate::catalogue::PairCatalogue;
use crate::plan::JudgingPlan;
use takeover_harness::pair::Pair;
use takeover_harness::subject::PairId;

/// Described pairs that are chosen, maybe with built-in kinds.
pub struct ChosenPairs {
    /// The plan that makes pairs.
    pub judging: JudgingPlan,
    /// Every pair that there is.
    pub catalogue: PairCatalogue,
    /// The described ones among those that are chosen.
    pub described: Vec<PairId>,
    /// Whether built-in kinds are chosen, too.
    pub builtin: bool,
    /// The flags that describe the pair, as a shell takes them; none for pairs of the settings.
    pub flags: Option<String>,
}

impl ChosenPairs {
    /// Makes a described pair. Its oracles are asked beforehand where they bring no rules.
    ///
    /// # Errors
    /// Returns an error when it cannot be made.
    pub fn pair(&self, id: &PairId) -> anyhow::Result<Pair> {
        one_pair(&self.judging, &self.catalogue, id)
    }

    /// The names of those that are described, for people.
    #[must_use]
    pub fn names(&self) -> String {
        self.described.iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", ")
    }
}
