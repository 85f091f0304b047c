//! What lint found, as data. Its JSON form is described in `docs/lint.md`.

use crate::severity::Severity;
use serde::{Serialize, Serializer};
use takeover_harness::rule::Source;

/// Version of the JSON forms. It grows when readers of the older version would be misled.
pub const FORMAT_VERSION: u32 = 1;

/// A run of lint.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LintReport {
    /// [`FORMAT_VERSION`].
    pub format_version: u32,
    /// Reference release of graduation.
    pub release: Option<String>,
    /// What was looked at, and how much was found.
    pub summary: LintSummary,
    /// By file, line and column; those without a place first.
    pub findings: Vec<LintFinding>,
    /// Every lint, in the order they run.
    #[serde(skip)]
    pub lints: Vec<LintAbout>,
    /// The lints that run only on request, and did not.
    #[serde(skip)]
    pub off: Vec<&'static str>,
    /// Whether notes are shown to people, rather than counted only.
    #[serde(skip)]
    pub with_notes: bool,
    /// Whether CRDs were looked at: then packages are files, types are CRDs, and fields are properties.
    #[serde(skip)]
    pub of_crds: bool,
}

/// Counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LintSummary {
    /// Packages that were looked at.
    pub packages: usize,
    /// Types in them.
    pub types: usize,
    /// Fields of these.
    pub fields: usize,
    /// Validation tags, one per line.
    pub tags: usize,
    /// Findings that fail the run.
    pub errors: usize,
    /// Findings that are worth a look.
    pub warnings: usize,
    /// Findings that are for information only.
    pub notes: usize,
    /// Findings that exceptions took away.
    pub excused: usize,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LintFinding {
    /// Name of the lint.
    pub lint: &'static str,
    /// How much it weighs.
    pub level: Severity,
    /// What is wrong, without the place.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
    /// Where, if the fault has a place in a file.
    #[serde(flatten, serialize_with = "file_line_and_column")]
    pub position: Option<LintPosition>,
    /// How many bytes from the position on are at fault.
    pub length: usize,
    /// Qualified name of the Go type; none when the finding is about no type.
    pub go_type: Option<String>,
    /// Go name of the field, or of the constant.
    pub field: Option<String>,
    /// The source line, without its line end; written only where it is short.
    #[serde(serialize_with = "short_alone")]
    pub source: Option<String>,
    /// Whether it is a hint, for which people get a line.
    #[serde(skip)]
    pub is_hint: bool,
    /// The line with its neighbours.
    #[serde(skip)]
    pub excerpt: Option<Excerpt>,
}

/// Longest line that is shown, in bytes. Of longer ones nobody sees the place, and those beyond 65,535 cannot be drawn at all.
pub(super) const LONGEST_LINE: usize = 2_000;

impl LintFinding {
    /// The source line, if it is short enough to be shown.
    pub(super) fn shown_source(&self) -> Option<&str> {
        short(self.source.as_deref())
    }
}

fn short(line: Option<&str>) -> Option<&str> {
    line.filter(|line| line.len() <= LONGEST_LINE)
}

/// Writes a line that is short, and nothing of a longer one, which each finding of a file of one line would repeat.
#[expect(clippy::ref_option, reason = "the signature that serde asks for")]
fn short_alone<S: Serializer>(line: &Option<String>, to: S) -> Result<S::Ok, S::Error> {
    Serialize::serialize(&short(line.as_deref()), to)
}

/// A position in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LintPosition {
    /// File and line.
    pub at: Source,
    /// Column in bytes, from 1.
    pub column: u32,
}

/// A line with its neighbours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The lines.
    pub text: String,
    /// Lines of the file before the first one here.
    pub before: usize,
    /// Offset of the line of the finding.
    pub start: usize,
}

fn file_line_and_column<S: Serializer>(position: &Option<LintPosition>, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Members<'p> {
        file: Option<&'p str>,
        line: Option<u32>,
        column: Option<u32>,
    }
    let position = position.as_ref();
    let members = Members {
        file: position.map(|position| position.at.file.as_str()),
        line: position.map(|position| position.at.line),
        column: position.map(|position| position.column),
    };
    members.serialize(serializer)
}

/// The lints there are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LintList {
    /// [`FORMAT_VERSION`].
    pub format_version: u32,
    /// Every lint, in the order they run.
    pub lints: Vec<LintAbout>,
}

/// A lint as its registration describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LintAbout {
    /// Its name.
    pub name: &'static str,
    /// How much its findings weigh.
    pub level: Severity,
    /// Whether it runs only when asked for.
    pub on_request: bool,
    /// Who asks for it: `generator`, `KEP-5073` or `takeover`.
    pub origin: &'static str,
    /// In a sentence.
    pub summary: &'static str,
    /// In full.
    pub explanation: &'static str,
}
