//! Disagreements and what they are grouped by.

use crate::case::Operation;
use crate::error::{ErrorType, FieldError};
use crate::path::pattern;
use crate::rule::RuleId;
use crate::subject::SubjectId;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

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

impl Signature {
    /// Whether both are the same but for their subjects.
    #[must_use]
    pub fn is_like(&self, other: &Self) -> bool {
        let own = |of: &Self| (of.operation, of.direction, of.error_type);
        own(self) == own(other) && self.path == other.path && self.origin == other.origin
    }
}

/// A text that is no signature.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{word}` is no {wanted}: a signature reads `v1 ReplicationController update missing FieldValueInvalid spec.replicas minimum`"
)]
pub struct SignatureError {
    word: String,
    wanted: &'static str,
}

impl FromStr for Signature {
    type Err = SignatureError;

    /// Reads what is printed.
    fn from_str(text: &str) -> Result<Self, SignatureError> {
        let mut words = text.splitn(7, ' ');
        let mut word = || {
            let word = words.next().filter(|word| !word.is_empty());
            word.ok_or_else(|| SignatureError { word: text.to_owned(), wanted: "whole signature" })
        };
        let no = |word: &str, wanted| SignatureError { word: word.to_owned(), wanted };
        let (api_version, kind) = (word()?, word()?);
        let (kind, subresource) = kind.split_once('/').unwrap_or((kind, ""));
        let (operation, direction, error_type) = (word()?, word()?, word()?);
        let (path, origin) = (word()?, word()?);
        let operation = Operation::ALL
            .into_iter()
            .find(|known| known.to_string() == operation)
            .ok_or_else(|| no(operation, "operation"))?;
        let direction = match direction {
            "missing" => Direction::Missing,
            "extra" => Direction::Extra,
            other => return Err(no(other, "direction")),
        };
        let error_type = ErrorType::ALL
            .into_iter()
            .find(|known| known.api_name() == error_type)
            .ok_or_else(|| no(error_type, "type of error"))?;
        Ok(Self {
            subject: SubjectId::new(api_version, kind).with_subresource(subresource),
            operation,
            direction,
            error_type,
            path: if path == "<nil>" { String::new() } else { path.to_owned() },
            origin: if origin == "-" { String::new() } else { origin.to_owned() },
        })
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

#[cfg(test)]
mod tests {
    use super::Signature;

    #[test]
    fn what_is_printed_is_read_again() {
        for text in [
            "v1 ReplicationController update missing FieldValueInvalid spec.replicas minimum",
            "autoscaling/v1 Scale/scale create extra FieldValueRequired <nil> -",
            "apps/* Web create extra FieldValueInvalid spec.list[*].name format=k8s long name",
        ] {
            assert_eq!(text.parse::<Signature>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_is_no_signature_is_said_to_lack_a_part() {
        for (text, word) in [
            ("", "whole signature"),
            ("v1 Web update missing FieldValueInvalid spec.replicas", "whole signature"),
            ("v1 Web  update missing FieldValueInvalid spec.replicas -", "whole signature"),
            ("v1 Web patch missing FieldValueInvalid a -", "`patch` is no operation"),
            ("v1 Web update lost FieldValueInvalid a -", "`lost` is no direction"),
            ("v1 Web update missing Invalid a -", "`Invalid` is no type of error"),
        ] {
            let said = text.parse::<Signature>().unwrap_err().to_string();
            assert!(said.contains(word), "{text}: {said}");
        }
    }
}
