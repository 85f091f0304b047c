//! The run that a gate makes when it is given none: as the settings say.

use crate::config::Config;
use crate::plan::{Isolation, JudgingPlan, RunBudget, RunPlan, WorkerLimits};
use std::num::NonZeroUsize;
use takeover_harness::compare::Semantics;
use takeover_harness::exception::Exceptions;
use takeover_harness::runner::Shard;

/// A run as `config` says, with these exceptions.
///
/// # Errors
/// When the subjects are none.
pub fn run_plan(config: &Config, exceptions: Exceptions) -> anyhow::Result<RunPlan> {
    let types = &config.subjects.types;
    let processors = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    Ok(RunPlan {
        judging: JudgingPlan {
            kinds: config.subjects()?.iter().map(ToString::to_string).collect(),
            idl: (!types.as_os_str().is_empty()).then(|| config.place(types)),
            semantics: Semantics::default(),
            field_validation: config.corpora.field_validation.into(),
            seed: config.budget.seed,
            plants: Vec::new(),
        },
        budget: RunBudget::Cases(config.budget.cases),
        jobs: config.budget.threads().unwrap_or_else(processors),
        shard: Shard::WHOLE,
        recorded: config.corpora.recorded.iter().map(|place| config.place(place)).collect(),
        doubtful: false,
        sample: None,
        dedup: None,
        builtin: config.corpora.builtin,
        metrics_file: None,
        metrics_prefix: String::new(),
        policy: config.policy,
        exceptions,
        max_document: config.corpora.max_document,
        isolation: Isolation::default(),
        worker: WorkerLimits::default(),
    })
}
