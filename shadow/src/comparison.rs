//! What a server is asked to compare, before its pairs are built.

use crate::Mode;
use crate::plan::ShadowPlan;
use std::collections::HashMap;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::path::PathBuf;
use takeover_engine::pairs::pairs;
use takeover_engine::plan::{Isolation, JudgingPlan, Plant};
use takeover_harness::authority::AuthorityPolicy;
use takeover_harness::compare::Semantics;
use takeover_harness::oracle::Detail;
use takeover_harness::pair::Pair;

/// What a server is asked to compare, and how.
#[derive(Clone, Debug)]
pub struct ServedComparison {
    /// What is judged; see [`ServedComparison::judging`].
    pub judging: JudgingPlan,
    /// Whose errors are returned to the user, and which gates metrics show.
    pub authority: AuthorityPolicy,
    /// What answers depend on.
    pub mode: Mode,
    /// Name of this replica.
    pub replica: String,
    /// Whether oracles run in processes of their own, and none in that of the server.
    pub isolated: bool,
}

impl ServedComparison {
    /// What a server judges: these kinds, or all when none are given, whatever release the API server is of. Objects were decoded by the
    /// API server's rules, and nothing is generated.
    #[must_use]
    pub fn judging(
        kinds: Vec<String>,
        types: Option<PathBuf>,
        semantics: Semantics,
        plants: Vec<Plant>,
    ) -> JudgingPlan {
        JudgingPlan {
            kinds,
            all_versions: true,
            types,
            semantics,
            counts_leftovers: true,
            plants,
            ..JudgingPlan::default()
        }
    }

    /// The plan of a server that starts now.
    ///
    /// # Errors
    /// Returns an error when there is no such kind, two pairs of one subject, or types that do not load.
    pub fn plan(&self) -> anyhow::Result<ShadowPlan> {
        let isolation = if self.isolated { Isolation::All } else { Isolation::None };
        let pairs = pairs(&self.judging, &isolation)?;
        anyhow::ensure!(!pairs.is_empty(), "there is no pair to judge");
        if self.mode.waits() {
            pairs.iter().try_for_each(|pair| self.can_answer(pair))?;
        }
        let mut subjects = HashMap::new();
        for pair in &pairs {
            if let Some(other) = subjects.insert(&pair.id.subject, &pair.id) {
                anyhow::bail!(
                    "`{other}` and `{}` judge the same objects: a server compares only one pair per subject",
                    pair.id
                );
            }
        }
        Ok(ShadowPlan {
            pairs,
            authority: self.authority,
            mode: self.mode,
            replica: self.replica.clone(),
            origin: new_origin(),
        })
    }
}

impl ServedComparison {
    /// Checks that answers can depend on a pair: nobody would know whom to believe where errors are not compared as Kubernetes does, and
    /// only errors can be shown as warnings.
    fn can_answer(&self, pair: &Pair) -> anyhow::Result<()> {
        let (flag, because) = match self.mode {
            Mode::Enforce if pair.comparator.matcher().is_none() => (
                "--enforce",
                "its answers are not compared as Kubernetes compares them, so that nothing says which side decides",
            ),
            Mode::Warn if pair.candidate.precision().detail != Detail::Errors => {
                ("--warn", "its candidate answers no field errors that could be shown")
            }
            _ => return Ok(()),
        };
        anyhow::bail!("`{}` cannot be judged with {flag}: {because}", pair.id)
    }
}

/// A random number that tells this start of a server from all others; small enough for every reader of JSON.
fn new_origin() -> u64 {
    // The standard library seeds its hash maps from the system's randomness.
    RandomState::new().build_hasher().finish() >> 11
}
