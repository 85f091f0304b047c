//! Disagreements and what they are grouped by.

use crate::case::Operation;
use crate::error::{ErrorType, FieldError};
use crate::path::pattern;
use crate::rule::RuleId;
use crate::subject::SubjectId;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Which side is alone with an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Only the reference reports it; the candidate misses it.
    Missing,
    /// Only the candidate reports it.
    Extra,
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Missing => "missing",
            Self::Extra => "extra",
        })
    }
}

/// One disagreement of one case.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Which side is alone.
    pub direction: Direction,
    /// The error that has no partner.
    pub error: FieldError,
    /// The rules it is laid to: the rule that made an extra error, every rule that should have made a missing one.
    pub rules: Vec<RuleId>,
}

/// What findings are grouped by.
///
/// Printed in one line of words separated by a space, `<nil>` for the root and `-` for no origin:
///
/// ```
/// use takeover_harness::{case::Operation, compare::{Direction, Signature}, error::ErrorType, subject::SubjectId};
/// let signature = Signature {
///     subject: SubjectId::new("v1", "ReplicationController"),
///     operation: Operation::Update,
///     direction: Direction::Missing,
///     error_type: ErrorType::Invalid,
///     path: "spec.replicas".into(),
///     origin: "minimum".into(),
/// };
/// assert_eq!(signature.to_string(), "v1 ReplicationController update missing FieldValueInvalid spec.replicas minimum");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Signature {
    /// The subject.
    pub subject: SubjectId,
    /// Create or update.
    pub operation: Operation,
    /// Which side is alone.
    pub direction: Direction,
    /// Type of the error.
    pub error_type: ErrorType,
    /// Path pattern: `[*]` for indexes and keys, empty for the object itself.
    pub path: String,
    /// Origin of the error; may be empty.
    pub origin: String,
}

impl Signature {
    /// The signature of `finding` in a case of `subject`.
    #[must_use]
    pub fn of(subject: &SubjectId, operation: Operation, finding: &Finding) -> Self {
        Self {
            subject: subject.clone(),
            operation,
            direction: finding.direction,
            error_type: finding.error.error_type,
            path: pattern(&finding.error.field),
            origin: finding.error.origin.as_ref().to_owned(),
        }
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = if self.path.is_empty() { "<nil>" } else { &self.path };
        let origin = if self.origin.is_empty() { "-" } else { &self.origin };
        let error_type = self.error_type.api_name();
        write!(f, "{} {} {} {error_type} {path} {origin}", self.subject, self.operation, self.direction)
    }
}
