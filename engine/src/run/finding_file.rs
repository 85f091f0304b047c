//! Files of findings, and the runs that they are of.

use super::record::RunRecord;
use crate::plan::JudgingPlan;
use crate::run_folder;
use anyhow::{Context as _, bail};
use serde_json::Value;
use std::path::{Path, PathBuf};
use takeover_harness::subject::PairId;

/// The folder of the run that a file is a finding of: it has the file in `findings`. None for other files, and for findings of servers,
/// which no plan describes.
///
/// # Errors
/// Returns an error when the record of the run cannot be read.
pub fn run_of_finding(file: &Path) -> anyhow::Result<Option<PathBuf>> {
    let Some(run) = around(file) else { return Ok(None) };
    let record: Option<Value> = run_folder::read_json(&run, "run.json").ok();
    if record.is_some_and(|record| record.get("command").is_some_and(|command| command == "shadow")) {
        return Ok(None);
    }
    RunRecord::read(&run).with_context(|| format!("failed to find out how `{}` was judged", file.display()))?;
    Ok(Some(run))
}

/// The run folder that has a file in `findings`.
fn around(file: &Path) -> Option<PathBuf> {
    let file = file.canonicalize().ok()?;
    let findings = file.parent().filter(|folder| folder.ends_with("findings"))?;
    findings.parent().filter(|run| run.join("run.json").is_file()).map(Path::to_owned)
}

/// The pair that a finding of the run in `run` is about, as the JSON file beside it says; none for other files.
#[must_use]
pub fn pair_of_finding(file: &Path, run: &Path) -> Option<PairId> {
    around(file).filter(|found| run.canonicalize().is_ok_and(|run| run == *found))?;
    let text = crate::bounded::text(&file.with_extension("json"), crate::bounded::EVIDENCE).ok()?;
    let record: Value = serde_json::from_str(&text).ok()?;
    record.get("pair")?.as_str()?.parse().ok()
}

/// What the run in `root` judged, to judge it again here.
///
/// # Errors
/// Returns an error when there is no run, or it names files from another folder than this one.
pub fn judging_again(root: &Path) -> anyhow::Result<JudgingPlan> {
    let RunRecord { plan, home, .. } = RunRecord::read(root)?;
    let judging = plan.judging;
    let home = home.and_then(|home| root.join(home).canonicalize().ok());
    let here = std::env::current_dir().ok().and_then(|here| here.canonicalize().ok());
    let elsewhere = home.filter(|home| Some(home) != here.as_ref());
    if let Some(home) = elsewhere.filter(|_| judging.names_files()) {
        bail!(
            "the run in `{}` names its types and pairs from `{}`: judge its objects there",
            root.display(),
            home.display()
        );
    }
    Ok(judging)
}
