//! What fails the gate, as annotations of GitHub Actions.

use super::advice::advice;
use super::holding::Holding;
use std::fmt::Write as _;
use std::path::Path;
use takeover_reports::Severity;
use takeover_reports::annotation::{Annotation, LineSpan};

/// Most annotations of a reason: GitHub shows ten of a level per step.
const MOST: usize = 10;

/// Annotations, at the line of the tag or exception.
pub fn github(holding: &Holding, run: &Path) -> String {
    let mut out = String::new();
    let mut add = |severity, title: &str, place, message: &str| {
        let _ = writeln!(out, "{}", Annotation { severity, title, place, message });
    };
    for (reason, failures) in holding.by_reason() {
        let next = advice(reason, run);
        let title = format!("takeover gate: {reason}");
        for failure in failures.iter().take(MOST) {
            let place =
                failure.file.as_ref().map(|file| LineSpan { file, line: failure.line.unwrap_or(1), columns: None });
            add(Severity::Error, &title, place, &format!("{}\n{}\n{next}", failure.what, failure.message));
        }
        if failures.len() > MOST {
            add(Severity::Error, &title, None, &format!("{} more; {next}", failures.len() - MOST));
        }
    }
    if !holding.moved.is_empty() {
        let message = format!("{} rules are not as in the baseline, and no worse", holding.moved.len());
        add(Severity::Note, "takeover gate", None, &message);
    }
    if holding.passed {
        add(Severity::Note, "takeover gate", None, "passed");
    }
    out
}
