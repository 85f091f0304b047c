//! What differences are grouped by.

use super::difference::{Difference, DifferenceKind, Direction};
use crate::case::Operation;
use crate::cause::{Cause, Relation};
use crate::error::ErrorType;
use crate::path::pattern;
use crate::subject::PairId;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// What differences are grouped by: those with one signature are one finding.
///
/// Printed in one line of words separated by a space, `<nil>` for the root and `-` for no cause and no origin. A decision has the shape of
/// its reason where an error has its origin:
///
/// ```
/// use takeover_harness::compare::{Cause, DifferenceKind, Direction, Relation, Signature};
/// use takeover_harness::{case::Operation, error::ErrorType, subject::SubjectId};
/// let signature = Signature {
///     pair: SubjectId::new("v1", "ReplicationController").into(),
///     operation: Operation::Update,
///     relation: Relation::Kept,
///     direction: Direction::Missing,
///     cause: Some(Cause::Ratchets),
///     path: "spec.replicas".into(),
///     kind: DifferenceKind::Error { error_type: ErrorType::Invalid, origin: "minimum".into() },
/// };
/// assert_eq!(signature.to_string(), "v1 ReplicationController update kept missing ratchets FieldValueInvalid spec.replicas minimum");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "File", into = "File")]
pub struct Signature {
    /// The pair.
    pub pair: PairId,
    /// Create or update.
    pub operation: Operation,
    /// How the value in question relates to the stored object.
    pub relation: Relation,
    /// Which side is alone.
    pub direction: Direction,
    /// Why; none where nobody looked for the cause.
    pub cause: Option<Cause>,
    /// Path pattern: `[*]` for indexes and keys, empty for the object itself.
    pub path: String,
    /// What differs there.
    pub kind: DifferenceKind,
}

/// The form in files: flat, so that readers can select each member of an error by its name.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct File {
    subject: PairId,
    operation: Operation,
    relation: Relation,
    direction: Direction,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cause: Option<Cause>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error_type: Option<ErrorType>,
    /// What differs, unless it is an error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    what: Option<NoError>,
    path: String,
    #[serde(default)]
    origin: String,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum NoError {
    Value,
    Decision,
}

impl From<Signature> for File {
    fn from(signature: Signature) -> Self {
        let Signature { pair: subject, operation, relation, direction, cause, path, kind } = signature;
        let (error_type, what, origin) = match kind {
            DifferenceKind::Error { error_type, origin } => (Some(error_type), None, origin),
            DifferenceKind::Value => (None, Some(NoError::Value), String::new()),
            DifferenceKind::Decision { shape } => (None, Some(NoError::Decision), shape),
        };
        Self { subject, operation, relation, direction, cause, error_type, what, path, origin }
    }
}

impl TryFrom<File> for Signature {
    type Error = &'static str;

    fn try_from(file: File) -> Result<Self, &'static str> {
        let File { subject: pair, operation, relation, direction, cause, error_type, what, path, origin } = file;
        let kind = match (error_type, what) {
            (Some(error_type), None) => DifferenceKind::Error { error_type, origin },
            (None, Some(NoError::Value)) => DifferenceKind::Value,
            (None, Some(NoError::Decision)) => DifferenceKind::Decision { shape: origin },
            _ => return Err("a signature has either `errorType` or `what`"),
        };
        Ok(Self { pair, operation, relation, direction, cause, path, kind })
    }
}

impl Signature {
    /// The signature of `difference` in a case of `pair`.
    #[must_use]
    pub fn of(pair: &PairId, operation: Operation, difference: &Difference) -> Self {
        Self {
            pair: pair.clone(),
            operation,
            relation: difference.relation,
            direction: difference.direction,
            cause: difference.cause,
            path: pattern(difference.what.field()),
            kind: difference.what.kind(),
        }
    }

    /// Whether it is the signature of `difference` in a case of its pair, whatever the cause.
    #[must_use]
    pub fn is_of(&self, operation: Operation, difference: &Difference) -> bool {
        self.operation == operation
            && self.direction == difference.direction
            && self.relation == difference.relation
            && self.kind == difference.what.kind()
            && self.path == pattern(difference.what.field())
    }

    /// Returns the sort key: the type of an error comes before its path, as it does in print.
    fn order(
        &self,
    ) -> (&PairId, Operation, Direction, Option<ErrorType>, &str, &DifferenceKind, Relation, Option<Cause>) {
        let error_type = match &self.kind {
            DifferenceKind::Error { error_type, .. } => Some(*error_type),
            DifferenceKind::Value | DifferenceKind::Decision { .. } => None,
        };
        (&self.pair, self.operation, self.direction, error_type, &self.path, &self.kind, self.relation, self.cause)
    }

    /// What differs, without the pair, the operation, the relation and the cause: `missing FieldValueInvalid spec.replicas minimum`.
    #[must_use]
    pub fn difference(&self) -> String {
        format!("{} {}", self.direction, self.complaint())
    }

    /// What only one side says: `FieldValueInvalid spec.replicas minimum`.
    #[must_use]
    pub fn complaint(&self) -> String {
        let path = if self.path.is_empty() { "<nil>" } else { &self.path };
        let (what, origin) = match &self.kind {
            DifferenceKind::Error { error_type, origin } => (error_type.api_name(), origin.as_str()),
            DifferenceKind::Value => (VALUE, ""),
            DifferenceKind::Decision { shape } => (DECISION, shape.as_str()),
        };
        let origin = if origin.is_empty() { NONE } else { origin };
        format!("{what} {path} {origin}")
    }

    /// Whether both are the same but for their pairs.
    #[must_use]
    pub fn is_like(&self, other: &Self) -> bool {
        let own = |of: &Self| (of.operation, of.relation, of.direction, of.cause);
        own(self) == own(other) && self.path == other.path && self.kind == other.kind
    }
}

impl PartialOrd for Signature {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Signature {
    fn cmp(&self, other: &Self) -> Ordering {
        self.order().cmp(&other.order())
    }
}

/// Printed for what there is none of.
const NONE: &str = "-";

/// Printed for a value, in the place of an error type.
const VALUE: &str = "Value";

/// Printed for the decision, in the place of an error type.
const DECISION: &str = "Decision";

/// A text that is not a signature.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{word}` is not {wanted}: a signature looks like `v1 ReplicationController update kept missing ratchets FieldValueInvalid spec.replicas minimum`"
)]
pub struct SignatureError {
    word: String,
    wanted: &'static str,
}

impl FromStr for Signature {
    type Err = SignatureError;

    /// Reads the printed form.
    fn from_str(text: &str) -> Result<Self, SignatureError> {
        let mut words = text.splitn(9, ' ');
        let mut word = || {
            let word = words.next().filter(|word| !word.is_empty());
            word.ok_or_else(|| SignatureError { word: text.to_owned(), wanted: "a whole signature" })
        };
        let no = |word: &str, wanted| SignatureError { word: word.to_owned(), wanted };
        let (api_version, kind) = (word()?, word()?);
        let pair = PairId::of_words(api_version, kind).map_err(|_| no(kind, "kind with the name of a pair"))?;
        let (operation, relation, direction) = (word()?, word()?, word()?);
        let (cause, what) = (word()?, word()?);
        let (path, origin) = (word()?, word()?);
        let operation = Operation::ALL
            .into_iter()
            .find(|known| known.to_string() == operation)
            .ok_or_else(|| no(operation, "an operation"))?;
        let relation = Relation::ALL
            .into_iter()
            .find(|known| known.word() == relation)
            .ok_or_else(|| no(relation, "a relation of a value"))?;
        let cause = match cause {
            NONE => None,
            word => Some(word.parse().map_err(|_| no(word, "a cause"))?),
        };
        let direction = Direction::ALL
            .into_iter()
            .find(|known| known.to_string() == direction)
            .ok_or_else(|| no(direction, "a direction"))?;
        let own = |origin: &str| if origin == NONE { String::new() } else { origin.to_owned() };
        let kind_of = |text: &str| match text {
            VALUE => Some(DifferenceKind::Value),
            DECISION => Some(DifferenceKind::Decision { shape: own(origin) }),
            _ => ErrorType::ALL
                .into_iter()
                .find(|known| known.api_name() == text)
                .map(|error_type| DifferenceKind::Error { error_type, origin: own(origin) }),
        };
        Ok(Self {
            pair,
            operation,
            relation,
            direction,
            cause,
            path: if path == "<nil>" { String::new() } else { path.to_owned() },
            kind: kind_of(what).ok_or_else(|| no(what, "an error type"))?,
        })
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pair, operation, relation, direction, .. } = self;
        let cause = self.cause.map_or(NONE, Cause::word);
        write!(f, "{pair} {operation} {relation} {direction} {cause} {}", self.complaint())
    }
}

#[cfg(test)]
mod tests {
    use super::Signature;

    #[test]
    fn what_is_printed_is_read_again() {
        for text in [
            "v1 ReplicationController update kept missing ratchets FieldValueInvalid spec.replicas minimum",
            "autoscaling/v1 Scale/scale create new extra reports-more FieldValueRequired <nil> -",
            "apps/* Web create new extra - FieldValueInvalid spec.list[*].name format=k8s long name",
            "v1 Web/scale#webhook-2 create new differs - Value spec.list[*].name -",
            "v1 Web#webhook update changed missing lost-twin Decision <nil> -",
            "v1 Web#webhook create new missing reports-less Decision <nil> must be at most N",
        ] {
            assert_eq!(text.parse::<Signature>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_is_no_signature_is_said_to_lack_a_part() {
        for (text, word) in [
            ("", "whole signature"),
            ("v1 Web update kept missing ratchets FieldValueInvalid spec.replicas", "whole signature"),
            ("v1 Web  update kept missing ratchets FieldValueInvalid spec.replicas -", "whole signature"),
            ("v1 Web patch new missing - FieldValueInvalid a -", "`patch` is not an operation"),
            ("v1 Web update missing FieldValueInvalid a - b c", "`missing` is not a relation of a value"),
            ("v1 Web update old missing - FieldValueInvalid a -", "`old` is not a relation of a value"),
            ("v1 Web update new lost - FieldValueInvalid a -", "`lost` is not a direction"),
            ("v1 Web update new missing rust FieldValueInvalid a -", "`rust` is not a cause"),
            ("v1 Web update new missing - Invalid a -", "`Invalid` is not an error type"),
        ] {
            let said = text.parse::<Signature>().unwrap_err().to_string();
            assert!(said.contains(word), "{text}: {said}");
        }
    }
}
