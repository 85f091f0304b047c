//! What a server compares from its start to its end.

use crate::Mode;
use std::collections::BTreeSet;
use takeover_harness::authority::AuthorityPolicy;
use takeover_harness::pair::Pair;
use takeover_harness::subject::{PairId, SubjectId};

/// What a server compares, and how. Does not change while it runs.
pub struct ShadowPlan {
    /// What judges.
    pub pairs: Vec<Pair>,
    /// Whose errors are returned to the user, where answers depend on it; and which gates the metrics show.
    pub authority: AuthorityPolicy,
    /// What answers depend on.
    pub mode: Mode,
    /// Name of this replica among those of the deployment.
    pub replica: String,
    /// Tells this start of the server from all others.
    pub origin: u64,
}

impl ShadowPlan {
    /// How answers are compared: a release of Kubernetes, or several ways where pairs differ.
    #[must_use]
    pub fn semantics(&self) -> String {
        let ways: BTreeSet<String> = self.pairs.iter().map(|pair| pair.comparator.name().to_string()).collect();
        ways.into_iter().collect::<Vec<_>>().join(", ")
    }

    /// The names of the pairs.
    #[must_use]
    pub fn ids(&self) -> Vec<PairId> {
        self.pairs.iter().map(|pair| pair.id.clone()).collect()
    }

    /// The index of the first pair of a subject.
    #[must_use]
    pub fn find(&self, id: &SubjectId) -> Option<usize> {
        self.pairs.iter().position(|pair| pair.id.subject == *id)
    }
}
