//! What a run does, and how: the one form of it in `run.json`, in this process and in the processes that it starts.

use super::{Isolation, JudgingPlan, WorkerLimits};
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

    /// Whether some of its input can be read only once.
    pub(crate) fn reads_standard_input(&self) -> bool {
        self.recorded.iter().any(|path| path.as_os_str() == "-")
    }

    /// Checks the inputs, because a mistyped path should not cost a whole run.
    ///
    /// # Errors
    /// Returns an error when a setting is wrong, which says what.
    pub(crate) fn check_inputs(&self) -> anyhow::Result<()> {
        self.recorded.iter().try_for_each(|path| Input::check(path))?;
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
