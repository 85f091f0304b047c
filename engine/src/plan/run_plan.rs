//! What is soaked, and how.

use super::Plant;
use crate::isolate::Limits as WorkerLimits;
use crate::pairs::Isolation;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;
use takeover_corpora::load::Input;
use takeover_corpora::select::{Dedup, Sample};
use takeover_harness::compare::{Candidates, Matcher, Semantics};
use takeover_harness::exception::Exceptions;
use takeover_harness::object::FieldValidation;
use takeover_harness::readiness::Policy;
use takeover_harness::runner::Shard;
use takeover_harness::subject::{Subject, SubjectId};
use takeover_oracles::registry::{Registry, RegistryError};

/// How much is generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Budget {
    /// Exactly so many cases.
    Cases(u64),
    /// As many as this time allows.
    For(Duration),
}

/// What to soak, and how. Its JSON form is part of `run.json`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    /// Kinds or subjects; none is all.
    #[serde(default)]
    pub kinds: Vec<String>,
    /// How much is generated.
    pub budget: Budget,
    /// Seed of the generated cases.
    pub seed: u64,
    /// Threads.
    pub jobs: NonZeroUsize,
    /// The part of the run that is run here.
    pub shard: Shard,
    /// How often it is written where the run stands.
    #[serde(skip)]
    pub checkpoint_every: Duration,
    /// Run folder.
    #[serde(skip)]
    pub out: Option<PathBuf>,
    /// Inputs of the user.
    pub recorded: Vec<PathBuf>,
    /// Whether recorded updates count whose old object is not certain.
    #[serde(default)]
    pub doubtful: bool,
    /// How many of the recorded cases are used; none is all.
    #[serde(default)]
    pub sample: Option<Sample>,
    /// Which recorded cases count as repeated, and are left out.
    #[serde(default)]
    pub dedup: Option<Dedup>,
    /// Whether to use the objects recorded in this project.
    pub builtin: bool,
    /// Folder of Go types instead of the built-in ones.
    pub idl: Option<PathBuf>,
    /// Comparison algorithm.
    pub semantics: Semantics,
    /// Where to write metrics.
    pub metrics_file: Option<PathBuf>,
    /// Prefix of Kubernetes' metric names.
    pub metrics_prefix: String,
    /// How much evidence a rule needs.
    pub policy: Policy,
    /// What is excused, and as of when.
    #[serde(default)]
    pub exceptions: Exceptions,
    /// Largest document that is read, or item of a long JSON list, in MiB.
    pub max_document: u32,
    /// What happens to unknown and repeated fields.
    pub field_validation: FieldValidation,
    /// Which subjects are judged in worker processes.
    #[serde(default)]
    pub isolation: Isolation,
    /// What a worker may take.
    #[serde(default)]
    pub worker: WorkerLimits,
    /// Oracles to replace by misbehaving ones.
    #[serde(default)]
    pub plants: Vec<Plant>,
}

/// The subjects that kinds or names ask for, all without any, in the order of a run.
///
/// # Errors
/// When there are none of a name.
pub fn ids(kinds: &[String]) -> Result<Vec<SubjectId>, RegistryError> {
    let mut asked = BTreeSet::new();
    for kind in kinds {
        asked.extend(Registry::find_any(kind)?);
    }
    if kinds.is_empty() {
        return Ok(Registry::subjects().collect());
    }
    // The types of a run may have rules where the built-in ones have none.
    Ok(Registry::subjects().chain(Registry::without_rules()).filter(|id| asked.contains(id)).collect())
}

/// A mistyped path should not cost a whole run.
pub(crate) fn check_inputs(plan: &Plan) -> anyhow::Result<()> {
    plan.recorded.iter().try_for_each(|path| Input::check(path))?;
    if matches!(plan.sample, Some(Sample::Count(_))) && plan.recorded.iter().any(|path| path.as_os_str() == "-") {
        anyhow::bail!(
            "--sample with a number reads the inputs twice, and standard input can be read once: name a share such as 10%"
        );
    }
    match &plan.idl {
        Some(folder) if !folder.is_dir() => anyhow::bail!("--idl `{}` is not a folder", folder.display()),
        _ => Ok(()),
    }
}

/// How the errors of a subject are compared. Before 1.37, every error of the declarative side took part.
pub fn matcher(subject: &Subject, semantics: Semantics) -> Matcher<'_> {
    let candidates = if semantics == Semantics::V1_37 { Candidates::Leveled } else { Candidates::All };
    Matcher::of(&subject.matching, semantics).candidates(candidates)
}
