//! Where two answers disagree.

use crate::cause::{Cause, Relation};
use crate::error::{ErrorType, FieldError};
use crate::rule::{ErrorShape, RuleId};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;

/// Which side says something that the other does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Only the reference reports an error, sets a value or rejects.
    Missing,
    /// Only the candidate does.
    Extra,
    /// Both sides set a value, and the two values are different.
    Differs,
}

impl Direction {
    /// Every direction.
    pub const ALL: [Self; 3] = [Self::Missing, Self::Extra, Self::Differs];

    /// Returns the direction for exchanged sides.
    #[must_use]
    pub fn reversed(self) -> Self {
        match self {
            Self::Missing => Self::Extra,
            Self::Extra => Self::Missing,
            Self::Differs => Self::Differs,
        }
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Missing => "missing",
            Self::Extra => "extra",
            Self::Differs => "differs",
        })
    }
}

/// One disagreement of one case.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Which side is alone.
    pub direction: Direction,
    /// What differs.
    pub what: What,
    /// The rules that it is attributed to: the rule that made an extra error, every rule that should have made a missing one, every
    /// rule at the place of a value.
    pub rules: Vec<RuleId>,
    /// How the value in question relates to the stored object.
    pub relation: Relation,
    /// Of which sort the value in question is: `unset`, `negative`, `text`, `bool+version`, … Empty where nobody looked.
    pub class: String,
    /// Why the sides differ; none where nobody looked for the cause.
    pub cause: Option<Cause>,
    /// The error of the silent side that stops it, if the cause is [`Cause::Stopped`].
    pub stopped_by: Option<ErrorShape>,
}

impl Difference {
    /// A difference that nobody has looked into yet.
    #[must_use]
    pub fn new(direction: Direction, what: What, rules: Vec<RuleId>) -> Self {
        Self {
            direction,
            what,
            rules,
            relation: Relation::default(),
            class: String::new(),
            cause: None,
            stopped_by: None,
        }
    }
}

/// What sort of thing differs.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DifferenceKind {
    /// An error.
    Error {
        /// Its type.
        error_type: ErrorType,
        /// Its origin; may be empty.
        origin: String,
    },
    /// A value.
    Value,
    /// The decision.
    Decision {
        /// The reason that is given, without its values; empty where none is known.
        shape: String,
    },
}

/// What differs.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// An error that only one side reports.
    Error(FieldError),
    /// A value of the objects that the sides make.
    Value {
        /// Where, printed as the field of an error.
        path: String,
        /// What the reference has there.
        reference: Option<Value>,
        /// What the candidate has there.
        candidate: Option<Value>,
    },
    /// Only one side accepts the object.
    Decision {
        /// The field that the reason names, printed as the field of an error; `<nil>` where it names none.
        field: String,
        /// Why the other side rejects it, in words for people.
        reason: String,
        /// The reason without its values, which findings are told apart by; empty where nobody is to read it.
        shape: String,
    },
}

impl What {
    /// Where, printed as the field of an error.
    #[must_use]
    pub fn field(&self) -> &str {
        match self {
            Self::Error(error) => &error.field,
            Self::Value { path: field, .. } | Self::Decision { field, .. } => field,
        }
    }

    /// Its kind, which differences are grouped by.
    #[must_use]
    pub fn kind(&self) -> DifferenceKind {
        match self {
            Self::Error(error) => {
                DifferenceKind::Error { error_type: error.error_type, origin: error.origin.as_ref().to_owned() }
            }
            Self::Value { .. } => DifferenceKind::Value,
            Self::Decision { shape, .. } => DifferenceKind::Decision { shape: shape.clone() },
        }
    }
}

/// Prints the error as Kubernetes does, both values, or the reason.
impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = |value: &Option<Value>| value.as_ref().map_or_else(|| "unset".to_owned(), Value::to_string);
        match self {
            Self::Error(error) => write!(f, "{error}"),
            Self::Value { path, reference, candidate } => {
                write!(f, "{path}: {} in the reference, {} in the candidate", value(reference), value(candidate))
            }
            Self::Decision { reason, .. } => f.write_str(reason),
        }
    }
}
