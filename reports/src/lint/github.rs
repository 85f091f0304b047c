//! The report as annotations of GitHub Actions.

use super::model::{LintFinding, LintPosition, LintReport};
use crate::annotation::{Annotation, LineSpan};
use crate::form::Form;
use crate::severity::Severity;
use std::fmt::Write as _;

/// For a step of GitHub Actions.
pub(super) const FORM: Form<LintReport> =
    Form::new("github", "Annotations of GitHub Actions", "github.txt", |report, _| Ok(annotations(report)));

/// One command a finding. Notes only when they are shown: GitHub shows ten annotations of a level per step.
fn annotations(report: &LintReport) -> String {
    let mut out = String::new();
    for finding in report.findings.iter().filter(|finding| report.with_notes || finding.level > Severity::Note) {
        let LintFinding { lint, level, message, help, position, length, .. } = finding;
        let place = position.as_ref().and_then(|LintPosition { at, column }| {
            let (first, more) = (u64::from(*column), length.saturating_sub(1) as u64);
            Some(LineSpan { columns: Some((first, first + more)), ..LineSpan::of(at)? })
        });
        let help = help.as_ref().map_or_else(String::new, |help| format!("\n{help}"));
        let message = format!("{message}{help}");
        let _ = writeln!(out, "{}", Annotation { severity: *level, title: lint, place, message: &message });
    }
    out
}
