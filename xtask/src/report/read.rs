//! Reading reports.

use anyhow::Context as _;
use std::path::Path;
use takeover_engine::run::{unfinished, whereabouts};
use takeover_reports::RunReport;

/// The report in the run folder, or file, `place`.
///
/// # Errors
/// When there is none, it is no report, or of a newer program; the message names the file.
pub fn read(place: &Path) -> anyhow::Result<RunReport> {
    let file = if place.is_dir() { place.join("report.json") } else { place.to_owned() };
    let named = || format!("`{}`", file.display());
    anyhow::ensure!(
        place.exists(),
        "`{}` does not exist: name a run folder, as printed by `soak`, or a report.json",
        place.display()
    );
    if takeover_shadow::folder::is_of_one_server(place) {
        anyhow::bail!("`{}` is the evidence of one server: `merge` turns it into a run with a report", place.display());
    }
    if place.is_dir()
        && place.join("run.json").is_file()
        && !takeover_shadow::folder::is_shadow(place)
        && let Some(mut report) = unfinished(place)?
    {
        report.at = whereabouts(place);
        return Ok(report);
    }
    let text = takeover_engine::bounded::text(&file, takeover_engine::bounded::EVIDENCE)
        .with_context(|| format!("failed to read {}", named()))?;
    let mut report = RunReport::from_json(&text).with_context(|| format!("failed to understand {}", named()))?;
    let folder = if place.is_dir() { place } else { place.parent().unwrap_or(Path::new("")) };
    report.at = whereabouts(folder);
    // Commands that name the folder read the report that is in it.
    if !report.at.page && file.file_name().is_none_or(|name| name != "report.json") {
        report.at.folder.clear();
    }
    Ok(report)
}
