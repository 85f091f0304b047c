//! Going on with a run that was killed.

use super::Soaked;
use super::conclude::exit;
use super::record::RunRecord;
use super::start::soak;
use super::state::{self, Saved};
use crate::isolate::Watcher;
use crate::pairs::Isolation;
use crate::pairs::subjects;
use crate::run_folder::{self, RunFolder};
use anyhow::Context as _;
use serde_json::Value;
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Duration;
use takeover_harness::evidence::Evidence;

/// What may be another than when the run began.
#[derive(Clone, Debug)]
pub struct Continuation {
    /// Threads.
    pub jobs: Option<NonZeroUsize>,
    /// How often it is written where the run stands.
    pub checkpoint_every: Duration,
    /// Which subjects are judged in worker processes from here on.
    pub isolation: Isolation,
}

/// What came of it.
pub enum Resumed {
    /// The run went on, to its end.
    Soaked(Soaked),
    /// It had been finished before, and this is what came of it then.
    Finished(Soaked),
}

/// Goes on with the run in `root`, and ends as it would have ended.
///
/// # Errors
/// As [`super::run`]; and when there is no run, it is in use, its checkpoint is damaged, or the program, the rules or an input is
/// no longer the same.
pub fn resume(root: &Path, with: Continuation, watcher: &Watcher) -> anyhow::Result<Resumed> {
    let folder = RunFolder::reopen(root)?;
    let raw: Value = run_folder::read_json(root, "run.json")?;
    anyhow::ensure!(
        raw.as_object().is_some_and(|members| !members.is_empty()),
        "the run in `{}` was killed before it began: run again without --resume",
        root.display()
    );
    let record: RunRecord = serde_json::from_value(raw)
        .with_context(|| format!("failed to understand `{}`", root.join("run.json").display()))?;
    if record.finished {
        // It may have been killed just before it did so itself.
        folder.remove(state::FILE)?;
        let evidence = Evidence::from_json(&run_folder::read(root, "evidence.json")?)
            .with_context(|| format!("failed to understand `{}`", root.join("evidence.json").display()))?;
        let report = run_folder::read_report(root)?;
        let exit = exit(&evidence, &report, record.unreadable);
        return Ok(Resumed::Finished(Soaked { report, text: run_folder::read(root, "report.txt")?, exit }));
    }
    let mut plan = record.plan.clone();
    plan.jobs = with.jobs.unwrap_or(plan.jobs);
    plan.checkpoint_every = with.checkpoint_every;
    plan.isolation = plan.isolation.and(with.isolation);
    let saved = state::read(root)?;
    let subjects = subjects(&plan)?;
    soak(&plan, &subjects, folder, Some((record, saved)), watcher).map(Resumed::Soaked)
}

/// The kinds that the run in `root` was asked for; none when it was asked for all, or there is no run.
pub fn kinds_of(root: &Path) -> Vec<String> {
    run_folder::read_json::<RunRecord>(root, "run.json").map(|record| record.plan.kinds).unwrap_or_default()
}

/// Whether `earlier` can be gone on with by what is `now`.
///
/// # Errors
/// What is not the same.
pub(super) fn check(folder: &RunFolder, earlier: &RunRecord, now: &RunRecord, saved: &Saved) -> anyhow::Result<()> {
    let place = folder.path().display();
    if let Err(difference) = earlier.same_run(now) {
        anyhow::bail!("cannot go on with the run in `{place}`: {difference}");
    }
    anyhow::ensure!(
        earlier.same_program(now),
        "cannot go on with the run in `{place}`: it was begun by another build of this program"
    );
    anyhow::ensure!(
        saved.state.recorded_all || !earlier.reads_standard_input(),
        "cannot go on with the run in `{place}`: it read standard input, which cannot be read again"
    );
    Ok(())
}
