//! Where the files that a report names are now.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use takeover_engine::run_folder::way;
use takeover_harness::rule::Source;
use takeover_reports::{RunReport, is_builtin};

/// Names the files of a report from the working folder. They are named from the folder in which the run in `folder` was made; where that is
/// not known or has been left behind, from the nearest folder around the working folder or the run that has them. What is found nowhere
/// keeps its name.
pub(super) fn rebase(report: &mut RunReport, folder: &Path) {
    let home = report.at.home.clone();
    let named: BTreeSet<PathBuf> = sources(report)
        .filter(|source| !is_builtin(&source.file))
        .map(|source| PathBuf::from(&source.file))
        .filter(|file| file.is_relative())
        .collect();
    let Ok(here) = std::env::current_dir() else { return };
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let around = home.iter().map(PathBuf::as_path).chain(here.ancestors()).chain(folder.ancestors());
    let Some(base) = around.into_iter().find(|base| named.iter().any(|file| base.join(file).is_file())) else { return };
    let Some(way) = way(&here, base).filter(|way| !way.as_os_str().is_empty()) else { return };
    for source in sources(report).filter(|source| !is_builtin(&source.file)) {
        if Path::new(&source.file).is_relative() && base.join(&source.file).is_file() {
            source.file = way.join(&source.file).to_string_lossy().into_owned();
        }
    }
}

fn sources(report: &mut RunReport) -> impl Iterator<Item = &mut Source> {
    report.subjects.iter_mut().flat_map(|subject| {
        let rules = subject.fields.iter_mut().flat_map(|field| &mut field.rules);
        let places = subject.findings.iter_mut().flat_map(|finding| &mut finding.places);
        rules.filter_map(|rule| rule.source.as_mut()).chain(places)
    })
}
