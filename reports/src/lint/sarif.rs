//! The report as SARIF 2.1.0, which code hosts and editors read.

use super::model::{LintAbout, LintFinding, LintPosition, LintReport};
use crate::annotation::is_builtin;
use crate::form::{Form, FormError};
use crate::sarif::{Configuration, Location, Log, Message, Region, ReportingDescriptor, SarifResult};
use crate::text::json;
use serde_json::Map;

/// For code hosts and editors.
pub(super) const FORM: Form<LintReport> =
    Form::new("sarif", "SARIF 2.1.0, for code hosts and editors", "sarif", |report, _| {
        json(&sarif(report)).map_err(FormError::of)
    });

/// The log of one run.
fn sarif(report: &LintReport) -> Log {
    let rules: Vec<ReportingDescriptor> = report.lints.iter().map(descriptor).collect();
    let results = report.findings.iter().map(|finding| result(&rules, finding)).collect();
    Log::new(rules, results, Map::new())
}

fn descriptor(lint: &LintAbout) -> ReportingDescriptor {
    ReportingDescriptor {
        default_configuration: Configuration { level: lint.level, enabled: !lint.on_request },
        properties: Map::from_iter([("origin".to_owned(), lint.origin.into())]),
        ..ReportingDescriptor::new(lint.name, lint.level, lint.summary, lint.explanation)
    }
}

fn result(rules: &[ReportingDescriptor], finding: &LintFinding) -> SarifResult {
    let help = finding.help.as_ref().map_or_else(String::new, |help| format!("\n{help}"));
    let text = format!("{}{help}", finding.message);
    SarifResult::new(rules, finding.lint, finding.level, text, location(finding).into_iter().collect())
}

fn location(finding: &LintFinding) -> Option<Location> {
    // No repository of a user has the built-in types.
    let LintPosition { at, column } = finding.position.as_ref().filter(|position| !is_builtin(&position.at.file))?;
    let (start, end) = columns(finding, *column);
    let region = Region {
        start_line: at.line,
        start_column: Some(start),
        end_column: Some(end),
        snippet: finding.shown_source().map(Message::new),
    };
    Some(Location::new(&at.file, region))
}

/// Start and end of the region in characters, from bytes.
fn columns(finding: &LintFinding, column: u32) -> (usize, usize) {
    let start = usize::try_from(column).unwrap_or(usize::MAX).saturating_sub(1);
    let end = start.saturating_add(finding.length);
    let line = finding.source.as_deref().unwrap_or_default();
    let characters = |byte: usize| match line.get(..byte) {
        Some(before) => before.chars().count() + 1,
        None => byte.min(line.len().max(start)) + 1,
    };
    (characters(start), characters(end))
}
