//! The report for people: each finding with its source line, as a compiler prints it, and a line of counts.

use super::model::{Excerpt, LONGEST_LINE, LintFinding, LintList, LintReport};
use crate::form::Form;
use crate::numbers::grouped;
use crate::severity::Severity;
use crate::text::printable_text;
use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteError, MietteSpanContents, SourceCode,
    SourceSpan, SpanContents,
};
use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use takeover_harness::text::plural;

/// For a terminal.
pub(super) const FORM: Form<LintReport> =
    Form::new("table", "For people: findings with their source lines", "txt", |report, _| {
        Ok(printable_text(&table(report)))
    });

/// Every lint with its level and what it says.
pub(super) const LIST: Form<LintList> = Form::new("table", "For people", "txt", |list, _| Ok(listing(list)));

/// Width of the text in characters, the same for every output.
const WIDTH: usize = 120;

/// The findings, then the counts.
fn table(report: &LintReport) -> String {
    let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor()).with_width(WIDTH);
    let mut out = String::new();
    let mut hidden: BTreeMap<&str, u64> = BTreeMap::new();
    let mut hints: BTreeMap<&str, Vec<&LintFinding>> = BTreeMap::new();
    for finding in &report.findings {
        if finding.level == Severity::Note && !report.with_notes {
            *hidden.entry(finding.lint).or_default() += 1;
            continue;
        }
        if finding.is_hint {
            hints.entry(finding.lint).or_default().push(finding);
            continue;
        }
        // A finding that cannot be drawn is still said.
        if handler.render_report(&mut out, &Drawn(finding)).is_err() {
            out.push_str(&finding.message);
        }
        out.push('\n');
    }
    for (lint, found) in hints {
        let _ = writeln!(out, "{lint}\n");
        for finding in &found {
            let place = finding.position.as_ref().map_or_else(String::new, |position| format!("{}: ", position.at));
            let _ = writeln!(out, "  {} {place}{}", sign(finding.level), finding.message);
        }
        if let Some(help) = found.iter().find_map(|finding| finding.help.as_ref()) {
            let _ = writeln!(out, "  help: {help}");
        }
        out.push('\n');
    }
    let summary = &report.summary;
    let (packages, types, fields) = (summary.packages as u64, summary.types as u64, summary.fields as u64);
    let looked_at = if report.of_crds {
        let properties = if fields == 1 { "property" } else { "properties" };
        format!("{} in {}, {} {properties}", plural(types, "CRD"), plural(packages, "file"), grouped(fields))
    } else {
        let tags = plural(summary.tags as u64, "tag");
        format!("{tags} in {}, {}, {}", plural(packages, "package"), plural(types, "type"), plural(fields, "field"))
    };
    let (errors, warnings) = (plural(summary.errors as u64, "error"), plural(summary.warnings as u64, "warning"));
    // CRDs have no notes and no exceptions.
    let others = if report.of_crds {
        String::new()
    } else {
        format!(", {}, {} excused", plural(summary.notes as u64, "note"), grouped(summary.excused as u64))
    };
    let _ = writeln!(out, "{looked_at} looked at: {errors}, {warnings}{others}");
    if !hidden.is_empty() {
        let hidden: Vec<String> = hidden.iter().map(|(lint, count)| format!("{} of {lint}", grouped(*count))).collect();
        let _ = writeln!(out, "not shown: {} (--notes shows them)", hidden.join(", "));
    }
    if !report.off.is_empty() {
        let _ = writeln!(out, "off by default: {} (--deny LINT turns one on)", report.off.join(", "));
    }
    out
}

/// As the findings with their source lines begin.
fn sign(level: Severity) -> char {
    match level {
        Severity::Error => '×',
        Severity::Warning => '⚠',
        Severity::Note => '☞',
    }
}

fn listing(list: &LintList) -> String {
    let width = list.lints.iter().map(|lint| lint.name.len()).max().unwrap_or(0);
    list.lints.iter().fold(String::new(), |mut out, lint| {
        let request = if lint.on_request { " Off by default." } else { "" };
        let _ = writeln!(out, "{:width$}  {:7}  {}{request}", lint.name, lint.level.to_string(), lint.summary);
        out
    })
}

/// A finding as it is drawn.
#[derive(Debug)]
struct Drawn<'f>(&'f LintFinding);

impl Drawn<'_> {
    fn has_excerpt(&self) -> bool {
        let excerpt = self.0.excerpt.as_ref();
        excerpt.is_some_and(|excerpt| excerpt.text.lines().all(|line| line.len() <= LONGEST_LINE))
    }
}

impl fmt::Display for Drawn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.position {
            Some(position) if !self.has_excerpt() => write!(f, "{}: {}", position.at, self.0.message),
            _ => f.write_str(&self.0.message),
        }
    }
}

impl std::error::Error for Drawn<'_> {}

impl Diagnostic for Drawn<'_> {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(self.0.lint))
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.0.level {
            Severity::Note => miette::Severity::Advice,
            Severity::Warning => miette::Severity::Warning,
            Severity::Error => miette::Severity::Error,
        })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.0.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.has_excerpt().then_some(self as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let Excerpt { text, start, .. } = self.0.excerpt.as_ref().filter(|_| self.has_excerpt())?;
        let column = usize::try_from(self.0.position.as_ref()?.column).ok()?.saturating_sub(1);
        let line = text.get(*start..).and_then(|text| text.lines().next()).unwrap_or_default();
        let label = LabeledSpan::new(Some("here".to_owned()), start + column.min(line.len()), self.0.length);
        Some(Box::new(std::iter::once(label)))
    }
}

impl SourceCode for Drawn<'_> {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let (Some(excerpt), Some(position)) = (&self.0.excerpt, &self.0.position) else {
            return Err(MietteError::OutOfBounds);
        };
        let found = excerpt.text.read_span(span, before, after)?;
        let line = found.line() + excerpt.before;
        let contents = MietteSpanContents::new_named(
            position.at.file.clone(),
            found.data(),
            *found.span(),
            line,
            found.column(),
            found.line_count(),
        );
        Ok(Box::new(contents))
    }
}
