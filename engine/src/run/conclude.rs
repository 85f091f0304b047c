//! From evidence to findings, reports and an exit code.

use super::findings;
use super::health;
use super::host::RunHost;
use super::record::RunRecord;
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
use takeover_reports::run::not_compared;
use takeover_reports::{Criteria, FindingReport, Look, RunReport, printable_text};

/// The result of a run.
pub struct ConcludedRun {
    /// The report.
    pub report: RunReport,
    /// How it ended.
    pub ending: Ending,
}

/// What was judged, and who can judge it again.
pub(super) struct JudgedRun<'j> {
    pub(super) evidence: &'j Evidence,
    pub(super) health: &'j [Health],
    pub(super) pairs: &'j [Pair],
    pub(super) judges: &'j [Judge<'j>],
    pub(super) pool: &'j WorkerPool<'j>,
}

/// Writes what follows from the evidence, and finally that the run is finished.
pub(super) fn conclude(
    record: &mut RunRecord,
    judged: &JudgedRun<'_>,
    folder: &RunFolder,
    host: &RunHost<'_>,
) -> anyhow::Result<ConcludedRun> {
    let JudgedRun { evidence, health, pairs, judges, pool } = *judged;
    folder.write_durable("evidence.json", evidence.to_json()?.as_bytes())?;
    folder.write_json("health.json", &health)?;
    folder.clear_findings()?;
    let found = findings::write(evidence, judges, pool, &record.plan, folder, host)?;
    let excuses = Excuses::of(&record.plan.exceptions, evidence);
    let criteria = Criteria { policy: &record.plan.policy, excuses: &excuses };
    let mut report = takeover_reports::build(evidence, pairs, record.plan.judging.seed, &found, criteria);
    let missing = record.merged.iter().flat_map(|merged| &merged.missing);
    report.missing_shards = missing.map(ToString::to_string).collect();
    report.notes = notes(&report, evidence, health, pairs, record, folder);
    folder.write_report(&report, Look::plain(host.look.width))?;
    record.finished = true;
    folder.write_json("run.json", record)?;
    Ok(ConcludedRun { ending: ending(evidence, &report, record.unreadable), report })
}

/// Returns how a run ends. Findings that nothing accounts for (no exception, policy or other finding) outrank unreadable input, and unreadable input outranks readiness, so that nothing passes
/// silently.
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
