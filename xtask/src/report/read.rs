//! Reading reports.

use super::sources::rebase;
use crate::progress::GatheringLine;
use crate::whole::{self, ServersEvidence};
use anyhow::Context as _;
use std::path::Path;
use takeover_engine::run::{stored_report, unfinished, whereabouts};
use takeover_engine::storage::Location;
use takeover_reports::{RunReport, shell_quoted};

/// The report in the run folder, or file, `place`.
///
/// # Errors
/// When there is none, it is no report, or of a newer program; the message names the file.
pub fn read(place: &Path) -> anyhow::Result<RunReport> {
    if Location::is_named_by(place) {
        let location: Location = place.to_string_lossy().parse()?;
        let storage = whole::storages().open(&location)?;
        return stored_report(storage.as_ref(), &GatheringLine::default());
    }
    let file = if place.is_dir() { place.join("report.json") } else { place.to_owned() };
    let named = || format!("`{}`", file.display());
    anyhow::ensure!(
        place.exists(),
        "`{}` does not exist: name a run folder, as printed by `soak`, or a report.json",
        place.display()
    );
    ServersEvidence::check(place)?;
    #[cfg(feature = "whole")]
    if takeover_shadow::folder::is_of_one_server(place) {
        anyhow::bail!("`{}` is the evidence of one server: `merge` turns it into a run with a report", place.display());
    }
    #[cfg(feature = "whole")]
    let is_of_servers = takeover_shadow::folder::is_shadow(place);
    #[cfg(not(feature = "whole"))]
    let is_of_servers = false;
    if place.is_dir()
        && place.join("run.json").is_file()
        && !is_of_servers
        && let Some(mut report) = unfinished(place)?
    {
        report.at = whereabouts(place);
        return Ok(report);
    }
    anyhow::ensure!(
        !place.is_dir() || file.exists(),
        "`{}` has no report.json: name a run folder, as printed by `soak`",
        place.display()
    );
    let text = takeover_engine::bounded::text(&file, takeover_engine::bounded::EVIDENCE)
        .with_context(|| format!("failed to read {}", named()))?;
    let mut report = RunReport::from_json(&text).with_context(|| format!("failed to parse {}", named()))?;
    let folder = if place.is_dir() { place } else { place.parent().unwrap_or(Path::new("")) };
    report.at = whereabouts(folder);
    for finding in report.subjects.iter_mut().flat_map(|subject| &mut subject.findings) {
        if let (Some(file), Some(command)) = (&finding.file, &mut finding.reproduce) {
            *command = relocated(command, file, folder);
        }
    }
    rebase(&mut report, folder);
    // Commands that name the folder read the report that is in it.
    if !report.at.page && file.file_name().is_none_or(|name| name != "report.json") {
        report.at.folder.clear();
    }
    Ok(report)
}

/// The command that reproduces the finding in `file`, where the run lies now: it may have been moved, or be read from elsewhere.
fn relocated(command: &str, file: &str, folder: &Path) -> String {
    let Some(mut words) = shlex::split(command) else { return command.to_owned() };
    let Some(old) = words.iter().find_map(|word| word.strip_suffix(file)).map(str::to_owned) else {
        return command.to_owned();
    };
    let old = old.trim_end_matches('/').to_owned();
    let mut names_run = false;
    for word in &mut words {
        if names_run && *word == old {
            *word = folder.display().to_string();
        } else if word.ends_with(file) {
            *word = folder.join(file).display().to_string();
        }
        names_run = word == "--run";
    }
    words.iter().map(|word| shell_quoted(word)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::relocated;
    use std::path::Path;

    #[test]
    fn commands_name_the_folder_that_is_read() {
        let at = |command: &str, folder: &str| relocated(command, "findings/001.yaml", Path::new(folder));
        assert_eq!(
            at("takeover validate --types api runs/a/findings/001.yaml", "moved"),
            "takeover validate --types api moved/findings/001.yaml"
        );
        assert_eq!(
            at("takeover validate --run 'a b' 'a b/findings/001.yaml'", "/tmp/c d"),
            "takeover validate --run '/tmp/c d' '/tmp/c d/findings/001.yaml'"
        );
        assert_eq!(at("takeover soak", "x"), "takeover soak");
        assert_eq!(at("takeover validate validate/findings/001.yaml", "x"), "takeover validate x/findings/001.yaml");
    }
}
