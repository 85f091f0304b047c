//! A scan from beginning to end.

use super::judge::judge;
use super::plan::{Position, ScanPlan};
use super::source::{Page, Source};
use super::subjects::Subjects;
use crate::run_folder;
use crate::stop::Stop;
use anyhow::{Context as _, ensure};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::Path;
use takeover_reports::scan::ScanReport;

/// Shows the progress of a scan.
pub trait ScanProgress {
    /// Called after every page, with the report until then.
    fn page(&self, report: &ScanReport);
}

/// How far a scan is, as it is written after every page.
#[derive(Serialize, Deserialize)]
struct Progress {
    /// The kinds, in their order: the position is about them.
    kinds: Vec<String>,
    values: bool,
    at: Position,
    report: ScanReport,
}

/// File of the report.
const REPORT: &str = "scan.json";

/// File of the progress.
const PROGRESS: &str = "progress.json";

/// Scans until the end, or until somebody asks to stop: then the report is not finished.
///
/// # Errors
/// Returns an error when types, files or the progress cannot be read, a server gives no answer, or the folder cannot be written. What was
/// scanned until then is in the folder.
pub fn scan(plan: &ScanPlan<'_>, stop: &Stop, progress: &dyn ScanProgress) -> anyhow::Result<ScanReport> {
    let subjects = Subjects::of(plan)?;
    ensure!(!subjects.ids.is_empty(), "none of these kinds has rules");
    let kinds: Vec<String> = subjects.ids.iter().map(ToString::to_string).collect();
    let mut source = Source::of(plan, &subjects)?;
    let begin =
        Progress { kinds, values: plan.values, at: Position::default(), report: ScanReport::new(source.name()) };
    let mut now = match &plan.out {
        Some(folder) if plan.resume => resumed(folder, begin)?,
        Some(folder) => begun(folder, begin)?,
        None => begin,
    };
    while !now.report.finished && stop.asked().is_none() {
        let Page { objects, not_scanned, next } = source.page(&now.at, &subjects)?;
        for (what, reason) in not_scanned {
            now.report.leave_out(what, reason);
        }
        for (id, object) in objects {
            let Some(target) = subjects.target(&id) else { continue };
            let of = now.report.subjects.entry(id.to_string()).or_default();
            match judge(target, &object, plan.values) {
                Ok(errors) => of.add(errors),
                Err(reason) => *of.unjudged.entry(reason).or_default() += 1,
            }
        }
        match next {
            Some(next) => now.at = next,
            None => now.report.finished = true,
        }
        if let Some(folder) = &plan.out {
            write(folder, &now)?;
        }
        progress.page(&now.report);
    }
    Ok(now.report)
}

/// Starts a scan in a new or empty folder.
fn begun(folder: &Path, begin: Progress) -> anyhow::Result<Progress> {
    let is_free = fs::read_dir(folder).map_or(true, |mut entries| entries.next().is_none());
    ensure!(is_free, "`{}` is not empty: name another --out, or add --resume to resume its scan", folder.display());
    fs::create_dir_all(folder).with_context(|| format!("failed to create `{}`", folder.display()))?;
    Ok(begin)
}

/// Reads the scan in a folder, to continue where it stopped.
fn resumed(folder: &Path, begin: Progress) -> anyhow::Result<Progress> {
    let shown = folder.display();
    ensure!(folder.join(PROGRESS).is_file(), "`{shown}` holds no scan to resume");
    let found: Progress = run_folder::read_json(folder, PROGRESS)?;
    let same = found.kinds == begin.kinds && found.values == begin.values && found.report.source == begin.report.source;
    ensure!(same, "`{shown}` holds a scan of other objects or kinds: resume it with the flags it was begun with");
    Ok(found)
}

fn write(folder: &Path, now: &Progress) -> anyhow::Result<()> {
    let text = serde_json::to_vec(now)?;
    run_folder::write_whole(&folder.join(PROGRESS), &text)?;
    run_folder::write_whole(&folder.join(REPORT), &serde_json::to_vec_pretty(&now.report)?)
}
