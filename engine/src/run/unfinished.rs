//! Runs that were stopped or killed, read as far as they came.

use super::finished::same_rules;
use super::record::RunRecord;
use super::redaction::redacted;
use super::state;
use crate::pairs::pairs;
use crate::program::program_name;
use crate::run_folder;
use anyhow::Context as _;
use std::path::Path;
use takeover_harness::exception::Excuses;
use takeover_reports::run::Unfinished;
use takeover_reports::{Criteria, RunReport};

/// The report of the run in `folder`, which was stopped or killed: what it wrote when it was stopped, or else what its last checkpoint
/// holds, in which no case is made smaller. None when the run was finished.
///
/// # Errors
/// Returns an error when there is no run, its checkpoint is damaged, or the rules that it judged are no longer those of this program
/// and its types.
pub fn unfinished(folder: &Path) -> anyhow::Result<Option<RunReport>> {
    let place = folder.display();
    let record = RunRecord::read(folder)?;
    if record.finished {
        return Ok(None);
    }
    if folder.join("report.json").is_file() {
        return run_folder::read_report(folder).map(Some);
    }
    let saved = state::read(folder)?;
    let evidence = saved.evidence.with_context(|| {
        format!(
            "the run in `{place}` ended before its first checkpoint: `{} soak --resume {place}` starts it again",
            program_name()
        )
    })?;
    let pairs = pairs(&record.plan.judging, &record.plan.isolation)?;
    if let Err(pair) = same_rules(&evidence, &pairs) {
        anyhow::bail!("the rules of `{pair}` changed since the run in `{place}`: run the soak again");
    }
    // A checkpoint holds recorded objects as they are.
    let evidence = if record.plan.raw { evidence } else { redacted(evidence, &pairs) };
    let excuses = Excuses::of(&record.plan.exceptions, &evidence);
    let criteria = Criteria { policy: &record.plan.policy, excuses: &excuses };
    let mut report = takeover_reports::build(&evidence, &pairs, record.plan.judging.seed, &[], criteria);
    report.shard = record.plan.shard_name();
    report.unfinished = Some(Unfinished { not_minimised: evidence.findings(), ..saved.state.far(&record.plan) });
    Ok(Some(report))
}
