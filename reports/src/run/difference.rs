//! What the two sides say of the smallest case of a finding, side by side.

use crate::numbers::grouped;
use crate::run::comparison::{heeds_origin, includes};
use crate::run::finding::{CaseDifference, FindingCase};
use crate::text::shown;
use serde_json::Value;
use takeover_harness::compare::{ComparedBy, DifferenceKind, Direction, Signature};
use takeover_harness::error::FieldError;
use takeover_harness::path::pattern;
use takeover_harness::side::Side;

/// Who says something: reports an error, rejects the object, or sets a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reporter {
    /// Both sides.
    Both,
    /// The reference only.
    Reference,
    /// The candidate only.
    Candidate,
    /// One side, and it takes no part in the comparison; for example, the error of a handwritten check that no rule is expected
    /// to report.
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
    /// Who says it.
    pub reporter: Reporter,
    /// What is said, printable and of bounded length. Of an error: type, path, origin, value, detail, as far as there are any.
    pub parts: Vec<String>,
    /// Whether it is what the finding is about.
    pub is_finding: bool,
}

impl Line {
    /// What is said, in one line.
    #[must_use]
    pub fn text(&self) -> String {
        self.parts.concat()
    }
}

/// Most lines of a difference; more are counted in its last line.
const MOST_LINES: usize = 60;

/// What the two sides say of `case`: the decisions and values that differ, then the errors, those of the reference before those that
/// only the candidate reports. An error counts as reported by both when type, path and, where it matters, origin are the same.
#[must_use]
pub fn difference(case: &FindingCase) -> Vec<Line> {
    let same = |one: &FieldError, other: &FieldError| {
        one.error_type == other.error_type
            && one.field == other.field
            && (one.origin == other.origin || !heeds_origin(case.compared_by))
    };
    // Compared by decision, errors tell where the other side has none, and no decision of its own is told.
    let by_decision = case.compared_by == Some(ComparedBy::Decision) && case.differences.is_empty();
    let decides = |others: &[FieldError]| by_decision && others.is_empty();
    let line = |error: &FieldError, reporter| Line {
        reporter,
        parts: parts(error),
        is_finding: case.signature.as_ref().is_some_and(|signature| is_of(error, reporter, signature)),
    };
    let reference = case.reference.iter().map(|error| {
        let reporter = if case.candidate.iter().any(|other| same(error, other)) {
            Reporter::Both
        } else if decides(case.candidate.as_slice()) || includes(case.compared_by, Side::Reference, error) {
            Reporter::Reference
        } else {
            Reporter::Apart
        };
        line(error, reporter)
    });
    let alone = case.candidate.iter().filter(|error| !case.reference.iter().any(|other| same(error, other)));
    let alone = alone.map(|error| {
        let takes_part = decides(case.reference.as_slice()) || includes(case.compared_by, Side::Candidate, error);
        line(error, if takes_part { Reporter::Candidate } else { Reporter::Apart })
    });
    let differences = case.differences.iter().flat_map(|difference| {
        let is_finding = case.signature.as_ref().is_some_and(|signature| difference.is_of(signature));
        let line = move |(reporter, parts)| Line { reporter, parts, is_finding };
        both_sides(difference).map(line)
    });
    bounded(differences.chain(reference).chain(alone).collect())
}

/// At most `MOST_LINES` lines, and one that counts the others. What the finding is about is never left out.
#[must_use]
pub fn bounded(mut lines: Vec<Line>) -> Vec<Line> {
    if lines.len() > MOST_LINES {
        lines.sort_by_key(|line| !line.is_finding);
        let more = lines.len() - MOST_LINES;
        lines.truncate(MOST_LINES);
        lines.push(Line {
            reporter: Reporter::Apart,
            parts: vec![format!("… and {} more", grouped(more as u64))],
            is_finding: false,
        });
    }
    lines
}

/// What each of the two sides has, in a line each.
#[must_use]
pub fn value_lines(difference: &CaseDifference) -> [Line; 2] {
    both_sides(difference).map(|(reporter, parts)| Line { reporter, parts, is_finding: false })
}

/// What each of the two sides says.
fn both_sides(difference: &CaseDifference) -> [(Reporter, Vec<String>); 2] {
    let (reference, candidate) = match difference {
        CaseDifference::Decision { direction, reason, .. } => {
            let (accepts, rejects) = (vec!["accepts".to_owned()], vec!["rejects: ".to_owned(), shown(reason)]);
            if *direction == Direction::Missing { (rejects, accepts) } else { (accepts, rejects) }
        }
        CaseDifference::Value { path, reference, candidate, .. } => {
            let says = |value: &Option<Value>| {
                let value = value.as_ref().map_or_else(|| "unset".to_owned(), |value| shown(&value.to_string()));
                vec![shown(path), format!(": {value}")]
            };
            (says(reference), says(candidate))
        }
    };
    [(Reporter::Reference, reference), (Reporter::Candidate, candidate)]
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
