//! What lint found, as machines read it.

use serde::Serialize;
use takeover_oracles::declarative::lint::{self, Finding, LINTS, Level, Lint, Origin};

/// Version of the JSON form; grows when a reader of an older one would be misled.
const FORMAT_VERSION: u32 = 1;

/// A run of lint.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    format_version: u32,
    /// Reference release of graduation.
    release: Option<String>,
    pub summary: Summary,
    findings: Vec<Entry>,
    #[serde(skip)]
    pub found: Vec<Finding>,
    #[serde(skip)]
    pub unreadable: usize,
}

/// Counts.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    pub packages: usize,
    pub types: usize,
    pub fields: usize,
    pub tags: usize,
    pub errors: usize,
    pub warnings: usize,
    pub notes: usize,
    pub excused: usize,
}

/// One finding.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    lint: &'static str,
    level: Level,
    message: String,
    help: Option<String>,
    file: Option<String>,
    line: Option<u32>,
    column: Option<u32>,
    length: usize,
    go_type: Option<String>,
    field: Option<String>,
    source: Option<String>,
}

impl Report {
    /// Keeps the findings that `wanted` accepts by their file; those without a file stay.
    #[must_use]
    pub fn new(report: lint::Report, wanted: impl Fn(&str) -> bool) -> Self {
        let mut found = report.findings;
        found.retain(|finding| finding.position().is_none_or(|at| wanted(&at.file)));
        let count = |level| found.iter().filter(|finding| finding.level() == level).count();
        let summary = Summary {
            packages: report.packages,
            types: report.types,
            fields: report.fields,
            tags: report.tags,
            errors: count(Level::Error),
            warnings: count(Level::Warning),
            notes: count(Level::Note),
            excused: report.excused,
        };
        Self {
            format_version: FORMAT_VERSION,
            release: report.release.map(|release| release.to_string()),
            summary,
            findings: found.iter().map(entry).collect(),
            found,
            unreadable: report.unreadable,
        }
    }
}

fn entry(finding: &Finding) -> Entry {
    let at = finding.position();
    let owned = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Entry {
        lint: finding.lint().name,
        level: finding.level(),
        message: finding.message().to_owned(),
        help: finding.help_text().map(str::to_owned),
        file: at.map(|at| at.file.as_ref().to_owned()),
        line: at.map(|at| at.line),
        column: at.map(|at| at.column),
        length: finding.length(),
        go_type: owned(finding.go_type()),
        field: finding.field().and_then(owned),
        source: finding.source_line().map(str::to_owned),
    }
}

/// The lints there are.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Listing {
    format_version: u32,
    pub lints: Vec<About>,
}

/// A lint as its registration describes it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct About {
    pub name: &'static str,
    pub level: Level,
    pub on_request: bool,
    pub origin: &'static str,
    pub summary: &'static str,
    pub explanation: &'static str,
}

impl Listing {
    /// Every lint, in the order they run.
    #[must_use]
    pub fn new() -> Self {
        Self { format_version: FORMAT_VERSION, lints: LINTS.iter().map(|lint| about(lint)).collect() }
    }
}

fn about(lint: &Lint) -> About {
    About {
        name: lint.name,
        level: lint.level,
        on_request: lint.on_request,
        origin: match lint.source {
            Origin::Generator => "generator",
            Origin::Proposal => "KEP-5073",
            Origin::Own => "takeover",
        },
        summary: lint.summary,
        explanation: lint.explanation,
    }
}
