//! What a run does, and how: the one form of it in `run.json`, in this process and in the processes that it starts.

use super::{Isolation, JudgingPlan, WorkerLimits};
use crate::storage::Location;
use serde::{Deserialize, Serialize};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;
use takeover_corpora::generate::GeneratorSettings;
use takeover_corpora::load::Input;
use takeover_corpora::select::{Dedup, Sample};
use takeover_harness::exception::Exceptions;
use takeover_harness::readiness::ReadinessPolicy;
use takeover_harness::runner::Shard;
use takeover_harness::subject::SubjectId;
use takeover_oracles::{apply, defaults};

/// How much is generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RunBudget {
    /// Exactly so many cases.
    Cases(u64),
    /// As many as this time allows.
    For(Duration),
}

/// What to run, and how. Its JSON form is part of `run.json`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunPlan {
    /// What is judged.
    #[serde(flatten)]
    pub judging: JudgingPlan,
    /// The file of settings that the user named and that describes the pairs; none for the usual one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<PathBuf>,
    /// How much is generated.
    pub budget: RunBudget,
    /// Threads.
    pub jobs: NonZeroUsize,
    /// The part of the run that is run here.
    pub shard: Shard,
    /// Inputs of the user.
    pub recorded: Vec<PathBuf>,
    /// Whether recorded updates with an uncertain old object are judged.
    #[serde(default)]
    pub doubtful: bool,
    /// How many of the recorded cases are used, or none for all.
    #[serde(default)]
    pub sample: Option<Sample>,
    /// Which recorded cases count as repeated, and are left out.
    #[serde(default)]
    pub dedup: Option<Dedup>,
    /// Whether to use the objects recorded in this project.
    pub builtin: bool,
    /// Where to write metrics.
    pub metrics_file: Option<PathBuf>,
    /// Prefix of Kubernetes' metric names.
    pub metrics_prefix: String,
    /// How much evidence a rule needs.
    pub policy: ReadinessPolicy,
    /// The exceptions, and the day for which they are looked at.
    #[serde(default)]
    pub exceptions: Exceptions,
    /// Largest document that is read, or item of a long JSON list, in MiB.
    pub max_document: u32,
    /// Which subjects are judged in worker processes.
    #[serde(default)]
    pub isolation: Isolation,
    /// What a worker may take.
    #[serde(default)]
    pub worker: WorkerLimits,
    /// Whether secrets of recorded objects are kept in the run folder.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub raw: bool,
}

/// Where a run is kept while it goes on.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunKeeping {
    /// The run folder.
    pub folder: PathBuf,
    /// How often a checkpoint is written.
    pub checkpoint_every: Duration,
    /// Whether a run that is there already is replaced.
    pub force: bool,
    /// The storage that keeps the run for other machines, too, such as `s3://bucket/prefix`; the folder is scratch then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage: Option<String>,
}

/// The settings that may change when a run is resumed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct RunContinuation {
    /// Threads, or none for as many as before.
    pub jobs: Option<NonZeroUsize>,
    /// Which subjects are judged in worker processes from here on, beside those that already were.
    pub isolation: Isolation,
}

/// What a process is to run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum RunOrder {
    /// A new run.
    Begin(Box<RunPlan>, RunKeeping),
    /// The rest of a run that was killed.
    Resume(RunContinuation, RunKeeping),
}

impl Default for RunPlan {
    /// A whole run of a minute on one thread, over the objects recorded in this project.
    fn default() -> Self {
        Self {
            judging: JudgingPlan::default(),
            config: None,
            budget: RunBudget::For(Duration::from_secs(60)),
            jobs: NonZeroUsize::MIN,
            shard: Shard::WHOLE,
            recorded: Vec::new(),
            doubtful: false,
            sample: None,
            dedup: None,
            builtin: true,
            metrics_file: None,
            metrics_prefix: String::new(),
            policy: ReadinessPolicy::default(),
            exceptions: Exceptions::default(),
            max_document: 64,
            isolation: Isolation::default(),
            worker: WorkerLimits::default(),
            raw: false,
        }
    }
}

impl RunOrder {
    /// Where the run is kept.
    pub fn keeping(&self) -> &RunKeeping {
        match self {
            Self::Begin(_, keeping) | Self::Resume(_, keeping) => keeping,
        }
    }

    /// Which subjects are judged in worker processes, of those that are known here.
    pub fn isolation(&self) -> &Isolation {
        match self {
            Self::Begin(plan, _) => &plan.isolation,
            Self::Resume(with, _) => &with.isolation,
        }
    }

    /// The same as [`RunOrder::isolation`], to be changed.
    pub fn isolation_mut(&mut self) -> &mut Isolation {
        match self {
            Self::Begin(plan, _) => &mut plan.isolation,
            Self::Resume(with, _) => &mut with.isolation,
        }
    }
}

impl RunPlan {
    /// How much of the budget is this shard's: its cases, or all of the time.
    pub(crate) fn own_budget(&self) -> RunBudget {
        match self.budget {
            RunBudget::Cases(cases) => {
                let chunk = GeneratorSettings::new(SubjectId::new("", ""), self.judging.seed).chunk_size;
                RunBudget::Cases(self.shard.cases(cases, chunk))
            }
            budget @ RunBudget::For(_) => budget,
        }
    }

    /// The name of its shard; none for a whole run.
    pub(crate) fn shard_name(&self) -> Option<String> {
        (!self.shard.is_whole()).then(|| self.shard.to_string())
    }

    /// The arguments of `soak` that ask for the same, but for how much is generated and where it is written; none where no arguments are
    /// known to describe its pairs.
    pub(crate) fn arguments(&self) -> Option<Vec<String>> {
        let Self { judging, config, .. } = self;
        if !judging.pairs.is_empty() && config.is_none() {
            return None;
        }
        let usual = JudgingPlan::default();
        let path = |path: &PathBuf| path.to_string_lossy().into_owned();
        let flag = |is: bool, name: &str| is.then(|| name.to_owned());
        let valued = |name: &str, value: String| [name.to_owned(), value];
        let mut arguments: Vec<String> = Vec::new();
        arguments.extend(config.iter().flat_map(|file| valued("--config", path(file))));
        match transformed(&judging.kinds) {
            Some((what, kinds)) => {
                arguments.extend(valued("--what", what.to_owned()));
                arguments.extend(kinds.iter().flat_map(|kind| valued("--kind", (*kind).to_owned())));
            }
            None => arguments.extend(judging.kinds.iter().flat_map(|kind| valued("--kind", kind.clone()))),
        }
        arguments.extend(flag(judging.all_versions, "--all-versions"));
        arguments.extend(judging.types.iter().flat_map(|types| valued("--types", path(types))));
        if judging.semantics != usual.semantics {
            arguments.extend(valued("--semantics", judging.semantics.to_string()));
        }
        if judging.field_validation != usual.field_validation {
            arguments.extend(valued("--field-validation", "strict".to_owned()));
        }
        arguments.extend(judging.assume_covered.iter().flat_map(|mark| valued("--assume-covered", mark.to_string())));
        arguments.extend(flag(!self.builtin, "--no-builtin"));
        arguments.extend(self.recorded.iter().flat_map(|from| valued("--recorded", path(from))));
        arguments.extend(flag(self.doubtful, "--doubtful"));
        arguments.extend(self.sample.iter().flat_map(|sample| valued("--sample", sample.to_string())));
        arguments.extend(self.dedup.iter().flat_map(|_| valued("--dedup", "shape".to_owned())));
        Some(arguments)
    }

    /// Inputs of the user that are not in a storage.
    pub(crate) fn local_inputs(&self) -> Vec<PathBuf> {
        self.recorded.iter().filter(|path| !Location::is_named_by(path)).cloned().collect()
    }

    /// Whether some of its input can be read only once.
    pub(crate) fn reads_standard_input(&self) -> bool {
        self.recorded.iter().any(|path| path.as_os_str() == "-")
    }

    /// Checks the inputs, because a mistyped path should not cost a whole run.
    ///
    /// # Errors
    /// Returns an error when a setting is wrong, which says what.
    pub(crate) fn check_inputs(&self) -> anyhow::Result<()> {
        self.local_inputs().iter().try_for_each(|path| Input::check(path))?;
        let is_stored = self.recorded.iter().any(|path| Location::is_named_by(path));
        anyhow::ensure!(
            !is_stored || (self.dedup.is_none() && !matches!(self.sample, Some(Sample::Count(_)))),
            "inputs in a storage are read in parts: use --sample with a share, such as 10%, and no --dedup"
        );
        if matches!(self.sample, Some(Sample::Count(_))) && self.reads_standard_input() {
            anyhow::bail!(
                "--sample with a number reads the inputs twice, but standard input can be read only once: use a share, such as 10%"
            );
        }
        match &self.judging.types {
            Some(folder) if !folder.is_dir() => anyhow::bail!("--types `{}` is not a folder", folder.display()),
            _ => Ok(()),
        }
    }
}

/// What is compared of kinds that all name the pair of one transformation, as `--what` says it, and their names; none for all kinds.
fn transformed(kinds: &[String]) -> Option<(&'static str, Vec<&str>)> {
    [defaults::NAME, apply::NAME].into_iter().find_map(|what| {
        let names: Option<Vec<&str>> = kinds.iter().map(|kind| kind.strip_suffix(what)?.strip_suffix('#')).collect();
        let names = names.filter(|names| !names.is_empty())?;
        Some((what, if names.contains(&"") { Vec::new() } else { names }))
    })
}

#[cfg(test)]
mod tests {
    use super::RunPlan;
    use crate::plan::JudgingPlan;
    use std::path::PathBuf;
    use takeover_harness::object::FieldValidation;

    #[test]
    fn a_run_is_asked_for_again_with_everything_that_its_evidence_depends_on() {
        assert_eq!(RunPlan::default().arguments(), Some(Vec::new()));
        let plan = RunPlan {
            judging: JudgingPlan {
                kinds: vec!["v1 Widget".to_owned()],
                types: Some(PathBuf::from("api")),
                field_validation: FieldValidation::Strict,
                assume_covered: vec!["spec.size FieldValueInvalid".parse().unwrap()],
                ..JudgingPlan::default()
            },
            config: Some(PathBuf::from("teams/takeover.toml")),
            recorded: vec![PathBuf::from("a"), PathBuf::from("b")],
            builtin: false,
            ..RunPlan::default()
        };
        let said = "--config teams/takeover.toml --kind v1 Widget --types api --field-validation strict \
                    --assume-covered spec.size FieldValueInvalid --no-builtin --recorded a --recorded b";
        assert_eq!(plan.arguments().unwrap().join(" "), said);
    }

    #[test]
    fn kinds_of_one_transformation_are_asked_for_by_its_name() {
        let arguments = |kinds: &[&str]| {
            let judging =
                JudgingPlan { kinds: kinds.iter().map(|kind| (*kind).to_owned()).collect(), ..JudgingPlan::default() };
            RunPlan { judging, ..RunPlan::default() }.arguments().unwrap()
        };
        assert_eq!(arguments(&["#defaults"]), ["--what", "defaults"]);
        assert_eq!(
            arguments(&["v1 Pod#apply", "v1 Node#apply"]),
            ["--what", "apply", "--kind", "v1 Pod", "--kind", "v1 Node"]
        );
        assert_eq!(arguments(&["v1 Pod#apply", "v1 Pod"]), ["--kind", "v1 Pod#apply", "--kind", "v1 Pod"]);
        assert_eq!(arguments(&["v1 Pod#apply", "#defaults"]), ["--kind", "v1 Pod#apply", "--kind", "#defaults"]);
    }
}
