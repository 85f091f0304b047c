//! What fails the gate, as annotations of GitHub Actions.

use super::advice::advice;
use super::model::GateReport;
use crate::annotation::{Annotation, LineSpan};
use crate::form::Form;
use crate::severity::Severity;
use crate::text::{named, renamed};
use std::fmt::Write as _;

/// Most annotations of a reason: GitHub shows ten of a level per step.
const MOST: usize = 10;

/// For a step of GitHub Actions.
pub(super) const FORM: Form<GateReport> =
    Form::new("github", "Annotations of GitHub Actions", "github.txt", |report, _| Ok(annotations(report)));

/// Annotations, at the line of the tag or exception.
fn annotations(report: &GateReport) -> String {
    let mut out = String::new();
    let mut add = |severity, title: &str, place, message: &str| {
        let _ = writeln!(out, "{}", Annotation { severity, title, place, message });
    };
    for (reason, failures) in report.by_reason() {
        let next = advice(reason, report);
        let title = format!("takeover gate: {reason}");
        for failure in failures.iter().take(MOST) {
            let place = failure.file.as_ref().map(|file| LineSpan {
                file: file.into(),
                line: failure.line.unwrap_or(1),
                columns: None,
            });
            add(
                Severity::Error,
                &title,
                place,
                &format!("{}\n{}\n{next}", named(&failure.what), renamed(&failure.message)),
            );
        }
        if failures.len() > MOST {
            add(Severity::Error, &title, None, &format!("{} more; {next}", failures.len() - MOST));
        }
    }
    if !report.moved.is_empty() {
        let message = format!("{} rules differ from the baseline, but are no worse", report.moved.len());
        add(Severity::Note, "takeover gate", None, &message);
    }
    if report.passed {
        add(Severity::Note, "takeover gate", None, "passed");
    }
    out
}
