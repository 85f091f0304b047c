//! The two error lists of a finding, side by side.

use crate::run::finding::FindingCase;
use crate::text::shown;
use takeover_harness::compare::{DifferenceKind, Direction, Signature};
use takeover_harness::error::FieldError;
use takeover_harness::path::pattern;

/// Who reports an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reporter {
    /// Both sides.
    Both,
    /// The handwritten side only.
    Reference,
    /// The declarative side only.
    Candidate,
    /// The handwritten side; no rule is expected to report it, so it takes no part in the comparison.
    Apart,
}

impl Reporter {
    /// The sign in front of the line, as in a diff.
    #[must_use]
    pub fn sign(self) -> char {
        match self {
            Self::Both => '=',
            Self::Reference => '-',
            Self::Candidate => '+',
            Self::Apart => ' ',
        }
    }
}

/// One line of the difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Who reports it.
    pub reporter: Reporter,
    /// The error, printable and of bounded length: type, path, origin, value, detail, as far as there are any.
    pub parts: Vec<String>,
    /// Whether it is the error that the finding is about.
    pub is_finding: bool,
}

impl Line {
    /// The error in one line.
    #[must_use]
    pub fn text(&self) -> String {
        self.parts.concat()
    }
}

/// Most lines of a difference; more are counted in its last line.
const MOST_LINES: usize = 60;

/// The difference of the two error lists of `case`: first what the handwritten side reports, then what only the other does. An error
/// counts as reported by both when type, path and origin are the same.
#[must_use]
pub fn difference(case: &FindingCase) -> Vec<Line> {
    let same = |one: &FieldError, other: &FieldError| {
        one.error_type == other.error_type && one.field == other.field && one.origin == other.origin
    };
    let line = |error: &FieldError, reporter| Line {
        reporter,
        parts: parts(error),
        is_finding: case.signature.as_ref().is_some_and(|signature| is_of(error, reporter, signature)),
    };
    let reference = case.reference.iter().map(|error| {
        let reporter = if case.candidate.iter().any(|other| same(error, other)) {
            Reporter::Both
        } else if error.covered_by_declarative {
            Reporter::Reference
        } else {
            Reporter::Apart
        };
        line(error, reporter)
    });
    let alone = case.candidate.iter().filter(|error| !case.reference.iter().any(|other| same(error, other)));
    let mut lines: Vec<Line> = reference.chain(alone.map(|error| line(error, Reporter::Candidate))).collect();
    if lines.len() > MOST_LINES {
        // What the finding is about is never cut away.
        lines.sort_by_key(|line| !line.is_finding);
        let more = lines.len() - MOST_LINES;
        lines.truncate(MOST_LINES);
        lines.push(Line { reporter: Reporter::Apart, parts: vec![format!("… and {more} more")], is_finding: false });
    }
    lines
}

fn is_of(error: &FieldError, reporter: Reporter, signature: &Signature) -> bool {
    let direction = match reporter {
        Reporter::Reference => Direction::Missing,
        Reporter::Candidate => Direction::Extra,
        Reporter::Both | Reporter::Apart => return false,
    };
    direction == signature.direction
        && pattern(&error.field) == signature.path
        && matches!(&signature.kind, DifferenceKind::Error { error_type, origin }
            if error.error_type == *error_type && error.origin == *origin)
}

/// An error in one line: type, path, origin, value, detail.
#[must_use]
pub fn said(error: &FieldError) -> String {
    parts(error).concat()
}

fn parts(error: &FieldError) -> Vec<String> {
    let mut parts = vec![error.error_type.api_name().to_owned(), format!(" {}", shown(&error.field))];
    if !error.origin.is_empty() {
        parts.push(format!(" ({})", shown(&error.origin)));
    }
    let value = error.bad_value.to_json();
    if !value.is_null() && value.as_str() != Some("") {
        parts.push(format!(" {}", shown(&value.to_string())));
    }
    if !error.detail.is_empty() {
        parts.push(format!(": {}", shown(&error.detail)));
    }
    parts
}
