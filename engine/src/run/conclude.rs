//! From evidence to findings, reports and an exit code.

use super::findings;
use super::health;
use super::record::RunRecord;
use crate::exit_code::Exit;
use crate::isolate::{Crew, Watcher};
use crate::output;
use crate::run_folder::RunFolder;
use std::fmt::Write as _;
use takeover_corpora::generate::Health;
use takeover_harness::evidence::Evidence;
use takeover_harness::exception::Excuses;
use takeover_harness::judge::Judge;
use takeover_harness::subject::Subject;
use takeover_reports::run::{not_compared, table};
use takeover_reports::{Criteria, Look, RunReport};

/// What came of it.
pub struct Soaked {
    /// The report.
    pub report: RunReport,
    /// The report for people.
    pub text: String,
    /// How it ended.
    pub exit: Exit,
}

/// Who looks after oracles that are asked again.
#[derive(Clone, Copy)]
pub(super) struct Care<'c> {
    pub(super) crew: &'c Crew,
    pub(super) watcher: &'c Watcher,
}

/// Writes what follows from the evidence, and last that the run is finished.
pub(super) fn conclude(
    record: &mut RunRecord,
    evidence: &Evidence,
    health: &[Health],
    subjects: &[Subject],
    judges: &[Judge<'_>],
    care: Care<'_>,
    folder: &RunFolder,
) -> anyhow::Result<Soaked> {
    folder.write_durable("evidence.json", evidence.to_json()?.as_bytes())?;
    folder.write_json("health.json", &health)?;
    folder.clear_findings()?;
    let found = findings::write(evidence, judges, care.crew, &record.plan, folder, care.watcher)?;
    let excuses = Excuses::of(&record.plan.exceptions, evidence);
    let criteria = Criteria { policy: &record.plan.policy, excuses: &excuses };
    let mut report = takeover_reports::build(evidence, subjects, record.plan.seed, &found, criteria);
    let missing = record.merged.iter().flat_map(|merged| &merged.missing);
    report.missing_shards = missing.map(ToString::to_string).collect();
    report.notes = notes(&report, evidence, health, subjects, record, folder);
    let look = Look::plain(output::width());
    folder.write_report(&report, look)?;
    let text = table(&report, Look { colour: console::colors_enabled(), ..look });
    record.finished = true;
    folder.write_json("run.json", record)?;
    Ok(Soaked { exit: exit(evidence, &report, record.unreadable), report, text })
}

/// Findings outrank unreadable input, which outranks readiness: nothing passes in silence.
pub fn exit(evidence: &Evidence, report: &RunReport, unreadable: u64) -> Exit {
    if evidence.compared() == 0 {
        Exit::NothingCompared
    } else if report.findings().any(|finding| !finding.is_excused()) || evidence.beyond() > 0 {
        Exit::Findings
    } else if unreadable > 0 {
        Exit::Usage
    } else {
        Exit::Ready
    }
}

/// What stands at the end of the text.
fn notes(
    report: &RunReport,
    evidence: &Evidence,
    health: &[Health],
    subjects: &[Subject],
    record: &RunRecord,
    folder: &RunFolder,
) -> String {
    let mut text = not_compared(report);
    for (health, subject) in health.iter().zip(subjects).filter(|(health, _)| health.cases > 0) {
        let _ = writeln!(text, "{}", health::line(health, subject, evidence));
    }
    if !report.missing_shards.is_empty() {
        let _ = writeln!(text, "partial: without shard {}", report.missing_shards.join(", "));
    }
    let shard = if record.plan.shard.is_whole() { String::new() } else { format!("shard {}; ", record.plan.shard) };
    let _ = writeln!(text, "{shard}seed {}; run folder {}", report.seed, folder.path().display());
    output::printable(&text)
}
