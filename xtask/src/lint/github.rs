//! The report as commands to GitHub's runner, which shows them beside the lines of a pull request.

use super::report::Report;
use super::sarif::severity;
use std::fmt::Write as _;
use takeover_oracles::declarative::lint::Level;
use takeover_reports::annotation::{Annotation, LineSpan};

/// One command per finding. Notes only when asked for: GitHub shows ten annotations of a level per step.
#[must_use]
pub fn github(report: &Report, notes: bool) -> String {
    let mut out = String::new();
    for finding in report.found.iter().filter(|finding| notes || finding.level() > Level::Note) {
        let place = finding.position().map(|at| {
            let end = u64::from(at.column) + finding.length().saturating_sub(1) as u64;
            LineSpan { file: &at.file, line: at.line, columns: Some((u64::from(at.column), end)) }
        });
        let help = finding.help_text().map(|help| format!("\n{help}")).unwrap_or_default();
        let message = format!("{}{help}", finding.message());
        let annotation =
            Annotation { severity: severity(finding.level()), title: finding.lint().name, place, message: &message };
        let _ = writeln!(out, "{annotation}");
    }
    out
}
