//! Files of findings, and the runs that they are of.

use super::record::RunRecord;
use serde_json::Value;
use std::path::{Path, PathBuf};
use takeover_harness::subject::PairId;

/// The folder of the run that a file is a finding of: it has the file in `findings`, and has begun. None for other files, and for what
/// servers found, whose plan is that of no run.
#[must_use]
pub fn run_of_finding(file: &Path) -> Option<PathBuf> {
    let findings = file.parent().filter(|folder| folder.ends_with("findings"))?;
    let run = findings.parent()?;
    let run = if run.as_os_str().is_empty() { Path::new(".") } else { run };
    RunRecord::read(run).ok().map(|_| run.to_owned())
}

/// The pair that a finding is about, as the JSON file beside it says.
#[must_use]
pub fn pair_of_finding(file: &Path) -> Option<PairId> {
    run_of_finding(file)?;
    let text = crate::bounded::text(&file.with_extension("json"), crate::bounded::EVIDENCE).ok()?;
    let record: Value = serde_json::from_str(&text).ok()?;
    record.get("pair")?.as_str()?.parse().ok()
}
