//! What fails the gate, as annotations of GitHub Actions.

use super::advice::advice;
use super::holding::Holding;
use std::fmt::Write as _;
use std::path::Path;
use takeover_reports::github::{Annotation, Place};
use takeover_reports::sarif::Level;

/// Most annotations of a reason: GitHub shows ten of a level per step.
const MOST: usize = 10;

/// Annotations, at the line of the tag or exception.
pub fn github(holding: &Holding, run: &Path) -> String {
    let mut out = String::new();
    let mut add = |level, title: &str, place, message: &str| {
        let _ = writeln!(out, "{}", Annotation { level, title, place, message });
    };
    for (reason, failures) in holding.by_reason() {
        let next = advice(reason, run);
        let title = format!("takeover gate: {reason}");
        for failure in failures.iter().take(MOST) {
            let place =
                failure.file.as_ref().map(|file| Place { file, line: failure.line.unwrap_or(1), columns: None });
            add(Level::Error, &title, place, &format!("{}\n{}\n{next}", failure.what, failure.message));
        }
        if failures.len() > MOST {
            add(Level::Error, &title, None, &format!("{} more; {next}", failures.len() - MOST));
        }
    }
    if !holding.moved.is_empty() {
        let message = format!("{} rules are not as in the baseline, and no worse", holding.moved.len());
        add(Level::Note, "takeover gate", None, &message);
    }
    if holding.passed {
        add(Level::Note, "takeover gate", None, "passed");
    }
    out
}
