//! The constraint and the schema that a rule stands for.

use std::fmt;
use std::sync::Arc;
use takeover_harness::rule::RuleId;

/// A constraint of a schema, and the rule that stands for it.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// The rule.
    pub(crate) rule: RuleId,
    /// The way to the schema that has the constraint.
    pub(crate) at: Arc<[Down]>,
    /// The constraint.
    pub(crate) what: Constraint,
}

/// A step from a schema to one of its parts.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Down {
    /// A member.
    Member(Arc<str>),
    /// The other members.
    Other,
    /// The elements.
    Element,
}

/// A constraint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Constraint {
    Required(String),
    Enum,
    IntOrString,
    Minimum,
    Maximum,
    MultipleOf,
    Pattern,
    Format,
    MinLength,
    MaxLength,
    MinItems,
    MaxItems,
    MinProperties,
    MaxProperties,
    ListType,
    Unique,
    Alternatives(Junctor),
    /// The CEL rule of this number at its schema.
    Cel(usize),
}

/// How schemas are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Junctor {
    AllOf,
    AnyOf,
    OneOf,
    Not,
}

impl Junctor {
    /// The keyword.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::AllOf => "allOf",
            Self::AnyOf => "anyOf",
            Self::OneOf => "oneOf",
            Self::Not => "not",
        }
    }
}

impl Constraint {
    /// The keyword, with what tells it apart from others of the schema: `minimum`, `x-kubernetes-validations/0`.
    pub(crate) fn keyword(&self) -> String {
        let name = match self {
            Self::Required(_) => "required",
            Self::Enum => "enum",
            Self::IntOrString => "x-kubernetes-int-or-string",
            Self::Minimum => "minimum",
            Self::Maximum => "maximum",
            Self::MultipleOf => "multipleOf",
            Self::Pattern => "pattern",
            Self::Format => "format",
            Self::MinLength => "minLength",
            Self::MaxLength => "maxLength",
            Self::MinItems => "minItems",
            Self::MaxItems => "maxItems",
            Self::MinProperties => "minProperties",
            Self::MaxProperties => "maxProperties",
            Self::ListType => "x-kubernetes-list-type",
            Self::Unique => "uniqueItems",
            Self::Alternatives(junctor) => junctor.name(),
            Self::Cel(index) => return format!("x-kubernetes-validations/{index}"),
        };
        name.to_owned()
    }
}

/// Prints the step as part of a JSON pointer.
impl fmt::Display for Down {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Member(name) => write!(f, "/properties/{}", name.replace('~', "~0").replace('/', "~1")),
            Self::Other => f.write_str("/additionalProperties"),
            Self::Element => f.write_str("/items"),
        }
    }
}
