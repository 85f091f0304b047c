//! What shards that are finished say: those so far together, or one of them.

use super::envelope::{ShardResult, result_name};
use super::gather::each;
use crate::pairs::pairs;
use crate::plan::RunBudget;
use crate::run::finished::same_rules;
use crate::run::host::RunProgress;
use crate::run::record::{FILE as RECORD, RunRecord};
use crate::storage::Storage;
use anyhow::Context as _;
use takeover_harness::evidence::Evidence;
use takeover_harness::exception::Excuses;
use takeover_harness::runner::{Assembly, Shard};
use takeover_reports::run::Unfinished;
use takeover_reports::{Criteria, RunReport};

/// The stored report of a complete merge. Without one, or when a shard has finished that the merge lacked, a report of the stored results,
/// in which no case is minimised.
///
/// # Errors
/// Returns an error when there is no result, one is damaged, or the rules are no longer those of this program and its types.
pub fn stored_report(storage: &dyn Storage, progress: &dyn RunProgress) -> anyhow::Result<RunReport> {
    if let Some(merged) = merged_report(storage)?
        && !has_more(storage, &merged)?
    {
        return Ok(merged);
    }
    let place = storage.location();
    let mut assembly = Assembly::default();
    let mut first: Option<RunRecord> = None;
    let mut cases = 0;
    each(storage, progress, &mut |shard| {
        if let Some(Err(difference)) = first.as_ref().map(|first| first.same_run(&shard.record)) {
            anyhow::bail!("`{}` is of another run: {difference}", shard.place);
        }
        let part = shard.record.plan.shard;
        cases += shard.record.cases;
        first.get_or_insert(shard.record);
        assembly.add(part, shard.evidence).with_context(|| format!("cannot add `{}`", shard.place))?;
        Ok(())
    })?;
    let record = first.with_context(|| format!("`{place}` holds no report and no result of a shard"))?;
    let missing: Vec<String> = assembly.missing().map(|shard| shard.to_string()).collect();
    let evidence = assembly.sum().with_context(|| format!("`{place}` holds no result of a shard"))?;
    let mut report = report_of(&record, &evidence, &place.to_string())?;
    report.missing_shards = missing;
    let wanted = match record.plan.budget {
        RunBudget::Cases(cases) => Some(cases),
        RunBudget::For(_) => None,
    };
    let not_minimised = evidence.findings();
    report.unfinished = Some(Unfinished { recorded: true, cases, wanted, not_minimised, ..Unfinished::default() });
    Ok(report)
}

/// Whether a shard that was missing from the merge has stored its result since.
fn has_more(storage: &dyn Storage, merged: &RunReport) -> anyhow::Result<bool> {
    for missing in merged.missing_shards.iter().filter_map(|shard| shard.parse().ok()) {
        if storage.find(&result_name(missing))?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The report of a complete merge: its record, which is written last, is stored.
///
/// # Errors
/// Returns an error when the storage fails, or the report cannot be parsed.
pub fn merged_report(storage: &dyn Storage) -> anyhow::Result<Option<RunReport>> {
    const REPORT: &str = "report.json";
    if storage.find(RECORD)?.is_none() {
        return Ok(None);
    }
    let Some(report) = storage.read(REPORT)? else { return Ok(None) };
    let parsed = String::from_utf8(report.content).context("it is not text");
    let report = parsed.and_then(|text| RunReport::from_json(&text).map_err(Into::into));
    report.with_context(|| format!("failed to parse `{}`", storage.location().join(REPORT))).map(Some)
}

/// The report of one shard that is finished, in which no case is made smaller.
///
/// # Errors
/// Returns the errors of [`stored_report`].
pub fn shard_report(storage: &dyn Storage, shard: Shard) -> anyhow::Result<RunReport> {
    let name = result_name(shard);
    let ShardResult { record, evidence, .. } = ShardResult::read(storage, &name)?;
    let mut report = report_of(&record, &evidence, &storage.location().join(&name).to_string())?;
    report.shard = record.plan.shard_name();
    Ok(report)
}

/// The report of the evidence of a run, which is kept at `place`.
fn report_of(record: &RunRecord, evidence: &Evidence, place: &str) -> anyhow::Result<RunReport> {
    let pairs = pairs(&record.plan.judging, &record.plan.isolation)?;
    if let Err(pair) = same_rules(evidence, &pairs) {
        anyhow::bail!("the rules of `{pair}` changed since the run in `{place}`: run the soak again");
    }
    let excuses = Excuses::of(&record.plan.exceptions, evidence);
    let criteria = Criteria { policy: &record.plan.policy, excuses: &excuses };
    Ok(takeover_reports::build(evidence, &pairs, record.plan.judging.seed, &[], criteria))
}
