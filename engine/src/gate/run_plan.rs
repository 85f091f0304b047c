//! The run that a gate makes by the settings if it is not given one.

use crate::config::Config;
use crate::plan::{JudgingPlan, RunBudget, RunPlan};
use std::num::NonZeroUsize;
use takeover_harness::exception::Exceptions;

/// A run as `config` says, with these exceptions.
///
/// # Errors
/// Returns an error when the subjects are none.
pub fn run_plan(config: &Config, exceptions: Exceptions) -> anyhow::Result<RunPlan> {
    let (_, types) = config.judged(Vec::new(), None, false)?;
    let processors = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let mut judging = JudgingPlan {
        types,
        pairs: config.described(),
        field_validation: config.corpora.field_validation.into(),
        seed: config.budget.seed,
        recorded_only: config.budget.cases == 0,
        ..JudgingPlan::default()
    };
    judging.kinds = config.pairs(&judging.catalogue()?)?.iter().map(ToString::to_string).collect();
    Ok(RunPlan {
        judging,
        budget: RunBudget::Cases(config.budget.cases),
        jobs: config.budget.threads().unwrap_or_else(processors),
        recorded: config.corpora.recorded.iter().map(|place| config.place(place)).collect(),
        builtin: config.corpora.builtin,
        policy: config.policy.clone(),
        exceptions,
        max_document: config.corpora.max_document,
        ..RunPlan::default()
    })
}
