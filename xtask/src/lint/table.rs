//! The report for people: each finding with its source line, as a compiler prints it, and a line of counts.

use super::report::{Listing, Report};
use miette::{GraphicalReportHandler, GraphicalTheme};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use takeover_oracles::declarative::lint::Level;

/// The findings, then the counts. Notes are counted unless `notes` asks for them.
#[must_use]
pub fn table(report: &Report, notes: bool) -> String {
    // Neither colours nor the width of the terminal: the text is the same wherever it goes.
    let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor()).with_width(120);
    let mut out = String::new();
    let mut hidden: BTreeMap<&str, usize> = BTreeMap::new();
    for finding in &report.found {
        if finding.level() == Level::Note && !notes {
            *hidden.entry(finding.lint().name).or_default() += 1;
            continue;
        }
        // A finding that cannot be drawn is still said.
        if handler.render_report(&mut out, finding).is_err() {
            let _ = write!(out, "{finding}");
        }
        out.push('\n');
    }
    let summary = &report.summary;
    let _ = writeln!(
        out,
        "{} in {}, {}, {} looked at: {}, {}, {}, {} excused",
        count(summary.tags, "tag"),
        count(summary.packages, "package"),
        count(summary.types, "type"),
        count(summary.fields, "field"),
        count(summary.errors, "error"),
        count(summary.warnings, "warning"),
        count(summary.notes, "note"),
        summary.excused,
    );
    if !hidden.is_empty() {
        let hidden: Vec<String> = hidden.iter().map(|(lint, count)| format!("{count} of {lint}")).collect();
        let _ = writeln!(out, "not shown: {} (--notes shows them)", hidden.join(", "));
    }
    out
}

fn count(number: usize, word: &str) -> String {
    format!("{number} {word}{}", if number == 1 { "" } else { "s" })
}

/// Every lint with its level and what it says.
#[must_use]
pub fn listing(listing: &Listing) -> String {
    let width = listing.lints.iter().map(|lint| lint.name.len()).max().unwrap_or(0);
    listing.lints.iter().fold(String::new(), |mut out, lint| {
        let request = if lint.on_request { " Only when asked for." } else { "" };
        let _ = writeln!(out, "{:width$}  {:7}  {}{request}", lint.name, lint.level.to_string(), lint.summary);
        out
    })
}
