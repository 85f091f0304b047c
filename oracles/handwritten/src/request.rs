//! Which steps of a request an oracle runs.

use serde::{Deserialize, Serialize};

/// How much of a request's validation a handwritten oracle stands for.
///
/// A server runs metadata checks of its own around the checks of a kind: on create after them, and only when they found
/// nothing; on update before them, first as for a new object and then as for a changed one. What both and the kind itself
/// check, labels for instance, is then reported three times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RequestChecks {
    /// The checks of the kind and the common metadata checks: what a user of a server gets.
    #[default]
    WithCommonMetadata,
    /// The same for a request as it was sent: kinds that want to know what an update is based on refuse one without
    /// `resourceVersion`, and then nothing of it is judged. Elsewhere such an update goes on from what is stored, so that both
    /// sides judge it.
    AsSent,
    /// The checks of the kind alone: what verdicts recorded at a kind's own strategy hold.
    StrategyOnly,
}

impl RequestChecks {
    /// Whether the common metadata checks run.
    #[must_use]
    pub fn common_metadata(self) -> bool {
        self != Self::StrategyOnly
    }
}
