//! Resumes a run that was killed.

use super::conclude::{ConcludedRun, ending};
use super::host::RunHost;
use super::record::RunRecord;
use super::start::run_rest;
use super::state;
use crate::pairs::announced_pairs;
use crate::plan::{RunContinuation, RunKeeping, RunPlan};
use crate::run_folder::{self, RunFolder};
use anyhow::Context as _;
use std::path::Path;
use takeover_harness::evidence::Evidence;

/// The result.
pub enum ResumedRun {
    /// The run went on, to its end.
    Concluded(ConcludedRun),
    /// The run had finished before, with this result.
    Finished(ConcludedRun),
}

/// Resumes the run that is kept there, and ends as it would have ended.
///
/// # Errors
/// Returns the errors of [`super::run`], and an error when there is no run, when it is in use, when its checkpoint is damaged,
/// or when the program, the rules or an input is no longer the same.
pub fn resume(with: RunContinuation, keeping: &RunKeeping, host: &RunHost<'_>) -> anyhow::Result<ResumedRun> {
    let root = keeping.folder.as_path();
    let folder = RunFolder::reopen(root)?;
    let record = RunRecord::read_begun(root)?.with_context(|| {
        format!("the run in `{}` was killed before it started: run it again without --resume", root.display())
    })?;
    if record.finished {
        // It may have been killed just before it did so itself.
        folder.remove(state::FILE)?;
        let evidence = Evidence::from_json(&run_folder::read(root, "evidence.json")?)
            .with_context(|| format!("failed to parse `{}`", root.join("evidence.json").display()))?;
        let report = run_folder::read_report(root)?;
        let ending = ending(&evidence, &report, record.unreadable);
        return Ok(ResumedRun::Finished(ConcludedRun { report, ending, unwritten: None }));
    }
    let mut plan = record.plan.clone();
    plan.jobs = with.jobs.unwrap_or(plan.jobs);
    plan.isolation = plan.isolation.and(with.isolation);
    let saved = state::read(root)?;
    let pairs = announced_pairs(&plan.judging, &plan.isolation, host.say)?;
    let concluded = run_rest(&plan, &pairs, folder, keeping, Some((record, saved)), host)?;
    Ok(ResumedRun::Concluded(concluded))
}

/// The plan of the run in `root`; the default when there is no run.
pub fn plan_of(root: &Path) -> RunPlan {
    RunRecord::read(root).map(|record| record.plan).unwrap_or_default()
}
