//! The report as commands to GitHub's runner, which shows them beside the lines of a pull request.

use super::report::Report;
use crate::output::printable;
use std::fmt::Write as _;
use takeover_oracles::declarative::lint::Level;

/// One command per finding. Notes only when asked for: GitHub shows ten annotations of a level per step.
#[must_use]
pub fn github(report: &Report, notes: bool) -> String {
    let mut out = String::new();
    for finding in report.found.iter().filter(|finding| notes || finding.level() > Level::Note) {
        let command = match finding.level() {
            Level::Note => "notice",
            Level::Warning => "warning",
            Level::Error => "error",
        };
        let title = format!("title={}", property(finding.lint().name));
        let properties = finding.position().map_or_else(
            || title.clone(),
            |at| {
                let end = u64::from(at.column) + finding.length().saturating_sub(1) as u64;
                let file = property(&at.file);
                format!("file={file},line={},col={},endColumn={end},{title}", at.line, at.column)
            },
        );
        let help = finding.help_text().map(|help| format!("\n{help}")).unwrap_or_default();
        let message = data(&format!("{}{help}", finding.message()));
        let _ = writeln!(out, "::{command} {properties}::{message}");
    }
    out
}

/// The message of a command: a line break would end it.
fn data(text: &str) -> String {
    printable(text).replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property: `:` and `,` end it too.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::{data, property};

    #[test]
    fn text_cannot_end_a_command_or_start_another() {
        assert_eq!(data("a%\n::error::b\u{1b}"), "a%25%0A::error::b\u{fffd}");
        assert_eq!(property("a,b:c\n"), "a%2Cb%3Ac%0A");
    }
}
