//! The report as SARIF 2.1.0, which code hosts and editors read.

use super::report::{Listing, Report};
use serde_json::Map;
use std::collections::BTreeMap;
use takeover_oracles::declarative::lint::{Finding, LINTS, Level};
use takeover_reports::Severity;
use takeover_reports::sarif::{Configuration, Location, Log, Message, Region, ReportingDescriptor, SarifResult};

/// The log of one run.
#[must_use]
pub fn sarif(report: &Report) -> Log {
    let rules = Listing::new().lints.into_iter().map(|lint| ReportingDescriptor {
        id: lint.name.to_owned(),
        short_description: Message::new(lint.summary),
        full_description: Message::new(lint.explanation),
        default_configuration: Configuration { level: severity(lint.level), enabled: !lint.on_request },
        properties: Map::from_iter([("origin".to_owned(), lint.origin.into())]),
    });
    Log::new(rules.collect(), report.found.iter().map(result).collect(), Map::new())
}

fn result(finding: &Finding) -> SarifResult {
    let text = match finding.help_text() {
        Some(help) => format!("{}\n{help}", finding.message()),
        None => finding.message().to_owned(),
    };
    SarifResult {
        rule_id: finding.lint().name.to_owned(),
        rule_index: LINTS.iter().position(|lint| lint.name == finding.lint().name),
        level: severity(finding.level()),
        message: Message::new(text),
        locations: location(finding).into_iter().collect(),
        suppressions: None,
        partial_fingerprints: BTreeMap::new(),
        properties: Map::new(),
    }
}

fn location(finding: &Finding) -> Option<Location> {
    let at = finding.position()?;
    let (start, end) = columns(finding, at.column);
    let region = Region {
        start_line: at.line,
        start_column: Some(start),
        end_column: Some(end),
        snippet: finding.source_line().map(Message::new),
    };
    Some(Location::new(&at.file, region))
}

/// Start and end of the region in characters, from bytes.
fn columns(finding: &Finding, column: u32) -> (usize, usize) {
    let start = usize::try_from(column).unwrap_or(usize::MAX).saturating_sub(1);
    let end = start.saturating_add(finding.length());
    let line = finding.source_line().unwrap_or_default();
    let characters = |byte: usize| match line.get(..byte) {
        Some(before) => before.chars().count() + 1,
        None => byte.min(line.len().max(start)) + 1,
    };
    (characters(start), characters(end))
}

/// The level as SARIF has it.
pub(super) fn severity(level: Level) -> Severity {
    match level {
        Level::Note => Severity::Note,
        Level::Warning => Severity::Warning,
        Level::Error => Severity::Error,
    }
}
