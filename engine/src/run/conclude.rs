//! From evidence to findings, reports and an exit code.

use super::findings;
use super::health;
use super::host::RunHost;
use super::record::RunRecord;
use super::redaction::redacted;
use super::unwritten::Unwritten;
use crate::ending::Ending;
use crate::isolate::WorkerPool;
use crate::run_folder::RunFolder;
use std::fmt::Write as _;
use takeover_corpora::generate::Health;
use takeover_harness::evidence::Evidence;
use takeover_harness::exception::Excuses;
use takeover_harness::judge::Judge;
use takeover_harness::pair::Pair;
use takeover_harness::text::plural;
use takeover_oracles::registry::{RELEASE, Registry};
use takeover_reports::run::{Unfinished, not_compared};
use takeover_reports::{Criteria, FindingReport, Look, RunReport, printable_text};

/// The result of a run.
pub struct ConcludedRun {
    /// The report.
    pub report: RunReport,
    /// How it ended.
    pub ending: Ending,
    /// Why a part of it is not on disk; none when everything is.
    pub unwritten: Option<anyhow::Error>,
}

/// What was judged, and who can judge it again.
pub(super) struct JudgedRun<'j> {
    pub(super) evidence: &'j Evidence,
    pub(super) health: &'j [Health],
    pub(super) pairs: &'j [Pair],
    pub(super) judges: &'j [Judge<'j>],
    pub(super) pool: &'j WorkerPool<'j>,
}

/// Writes what follows from the evidence, and finally that the run is finished: unless cases are left over, it was asked to stop, or
/// something cannot be written. `far` says how far it came, `is_whole` that no case is left over.
pub(super) fn conclude(
    record: &mut RunRecord,
    judged: &JudgedRun<'_>,
    (far, is_whole): (Unfinished, bool),
    mut unwritten: Unwritten,
    folder: &RunFolder,
    host: &RunHost<'_>,
) -> anyhow::Result<ConcludedRun> {
    let JudgedRun { evidence, health, pairs, judges, pool } = *judged;
    let kept = (!record.plan.raw).then(|| redacted(evidence.clone(), pairs));
    let evidence = kept.as_ref().unwrap_or(evidence);
    let text = evidence.to_json()?;
    unwritten.note(folder.write_durable("evidence.json", text.as_bytes()));
    unwritten.note(folder.write_json("health.json", &health));
    unwritten.note(folder.clear_findings());
    let written = findings::write(evidence, judges, pool, &record.plan, folder, host, &mut unwritten)?;
    let excuses = Excuses::of(&record.plan.exceptions, evidence);
    let criteria = Criteria { policy: &record.plan.policy, excuses: &excuses };
    let mut report = takeover_reports::build(evidence, pairs, record.plan.judging.seed, &written.files, criteria);
    let missing = record.merged.iter().flat_map(|merged| &merged.missing);
    report.missing_shards = missing.map(ToString::to_string).collect();
    report.shard = record.plan.shard_name();
    report.assumed_covered = record.plan.judging.assume_covered.iter().map(ToString::to_string).collect();
    report.notes = notes(&report, evidence, health, pairs, record, folder);
    let stopped = host.stop.asked();
    let not_minimised = evidence.findings().saturating_sub(written.minimised);
    report.unfinished = (!is_whole || stopped.is_some()).then_some(Unfinished { not_minimised, ..far });
    folder.write_report(&report, Look::plain(host.look.width)).into_iter().for_each(|written| unwritten.note(written));
    if report.unfinished.is_none() && !unwritten.is_some() {
        record.finished = true;
        unwritten.note(folder.write_json("run.json", record));
    }
    let ending = stopped.map_or_else(|| ending(evidence, &report, record.unreadable), Ending::Stopped);
    Ok(ConcludedRun { report, ending, unwritten: unwritten.into_error() })
}

/// Returns how a run ends. Findings that nothing accounts for (no exception, policy or other finding) outrank unreadable input, and
/// unreadable input outranks readiness, so that nothing passes silently.
pub fn ending(evidence: &Evidence, report: &RunReport, unreadable: u64) -> Ending {
    if evidence.compared() == 0 {
        Ending::NothingCompared
    } else if report.findings().any(FindingReport::is_open) || evidence.beyond() > 0 {
        Ending::Findings
    } else if unreadable > 0 {
        Ending::Unreadable
    } else {
        Ending::Clean
    }
}

/// Returns the lines at the end of the text.
fn notes(
    report: &RunReport,
    evidence: &Evidence,
    health: &[Health],
    pairs: &[Pair],
    record: &RunRecord,
    folder: &RunFolder,
) -> String {
    let mut text = not_compared(report);
    for (health, subject) in health.iter().zip(pairs).filter(|(health, _)| health.cases > 0) {
        let _ = writeln!(text, "{}", health::line(health, subject, evidence));
    }
    let judging = &record.plan.judging;
    if judging.kinds.is_empty() && !judging.all_versions {
        let _ = writeln!(
            text,
            "left out: {} whose rules no {RELEASE} server shows; --all-versions judges them, too",
            plural(Registry::left_out().count() as u64, "subject"),
        );
    }
    if !report.missing_shards.is_empty() {
        let _ = writeln!(text, "partial: without shard {}", report.missing_shards.join(", "));
    }
    let shard = if record.plan.shard.is_whole() { String::new() } else { format!("shard {}; ", record.plan.shard) };
    let _ = writeln!(text, "{shard}seed {}; run folder {}", report.seed, folder.path().display());
    printable_text(&text)
}
