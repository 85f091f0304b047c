//! A node of a structural schema.

use super::Pattern;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// A schema of one value. The default accepts every value.
///
/// Nodes inside of `allOf`, `anyOf`, `oneOf` and `not` have the same form. A schema is a finite tree: what refers to itself is cut
/// while it is read.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Structural {
    /// Name of the definition that it stands for, where it was referred to.
    pub name: Option<Arc<str>>,
    /// Type of the value; none for int-or-string, for preserved values, and inside of `allOf` and its like.
    pub ty: Option<SchemaType>,
    /// Whether null is a value.
    pub nullable: bool,
    /// The value that an absent one gets.
    pub default: Option<Value>,
    /// Whether unknown members are kept.
    pub preserve_unknown: bool,
    /// Whether the value is a whole object with apiVersion, kind and metadata.
    pub embedded: bool,
    /// Whether the value is an integer or a text.
    pub int_or_string: bool,
    /// How elements of a list are told apart.
    pub list_type: ListType,
    /// Members that tell elements of a list apart, for [`ListType::Map`].
    pub list_map_keys: Vec<String>,
    /// Whether members of an object have owners of their own.
    pub map_type: MapType,
    /// Constraints on the value.
    pub checks: Checks,
    /// CEL rules on the value.
    pub rules: Vec<CelRule>,
    /// Schema of the elements of a list.
    pub items: Option<Arc<Structural>>,
    /// Schemas of the members of an object.
    pub properties: BTreeMap<String, Arc<Structural>>,
    /// What is said of other members.
    pub additional: Option<Additional>,
}

/// Constraints on a value.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Checks {
    /// Name of a form: `date-time`, `int32`.
    pub format: Option<String>,
    /// Bound below.
    pub minimum: Option<f64>,
    /// Whether the bound below is refused itself.
    pub exclusive_minimum: bool,
    /// Bound above.
    pub maximum: Option<f64>,
    /// Whether the bound above is refused itself.
    pub exclusive_maximum: bool,
    /// What numbers are multiples of.
    pub multiple_of: Option<f64>,
    /// Least length of a text in code points.
    pub min_length: Option<i64>,
    /// Greatest length of a text in code points.
    pub max_length: Option<i64>,
    /// What a text matches somewhere.
    pub pattern: Option<Arc<Pattern>>,
    /// Least number of elements.
    pub min_items: Option<i64>,
    /// Greatest number of elements.
    pub max_items: Option<i64>,
    /// Whether elements differ.
    pub unique_items: bool,
    /// Least number of members.
    pub min_properties: Option<i64>,
    /// Greatest number of members.
    pub max_properties: Option<i64>,
    /// Members that must be there.
    pub required: Vec<String>,
    /// The values that are allowed; empty for all.
    pub enumeration: Vec<Value>,
    /// Schemas that must all accept the value.
    pub all_of: Vec<Arc<Structural>>,
    /// Schemas of which one must accept the value.
    pub any_of: Vec<Arc<Structural>>,
    /// Schemas of which exactly one must accept the value.
    pub one_of: Vec<Arc<Structural>>,
    /// A schema that must not accept the value.
    pub not: Option<Arc<Structural>>,
}

/// What a schema says of members that it does not name.
#[derive(Clone, Debug)]
pub enum Additional {
    /// Any value.
    Any,
    /// They are refused.
    Forbidden,
    /// Their schema.
    Schema(Arc<Structural>),
}

/// A CEL rule, as written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CelRule {
    /// The expression.
    pub rule: String,
    /// Message of its errors.
    pub message: Option<String>,
    /// Expression that makes the message.
    pub message_expression: Option<String>,
    /// Type of its errors: `FieldValueInvalid`, ….
    pub reason: Option<String>,
    /// Where its errors point to, below the value.
    pub field_path: Option<String>,
    /// Whether the old value is optional.
    pub optional_old_self: Option<bool>,
}

/// A type of JSON values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SchemaType {
    /// `array`
    Array,
    /// `boolean`
    Boolean,
    /// `integer`
    Integer,
    /// `number`
    Number,
    /// `object`
    Object,
    /// `string`
    String,
}

impl SchemaType {
    /// The type of this name.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        Some(match name {
            "array" => Self::Array,
            "boolean" => Self::Boolean,
            "integer" => Self::Integer,
            "number" => Self::Number,
            "object" => Self::Object,
            "string" => Self::String,
            _ => return None,
        })
    }

    /// Its name in schemas.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Array => "array",
            Self::Boolean => "boolean",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Object => "object",
            Self::String => "string",
        }
    }
}

impl fmt::Display for SchemaType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How elements of a list are told apart (`x-kubernetes-list-type`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ListType {
    /// By position; the list is one value.
    #[default]
    Atomic,
    /// By their value.
    Set,
    /// By their keys.
    Map,
}

/// Whether members of an object have owners of their own (`x-kubernetes-map-type`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MapType {
    /// Each has.
    #[default]
    Granular,
    /// The object is one value.
    Atomic,
}

impl Structural {
    /// A schema that keeps and accepts everything.
    #[must_use]
    pub fn anything() -> Self {
        Self { preserve_unknown: true, nullable: true, ..Self::default() }
    }

    /// The schema of the member `key`: of its own, or that of other members.
    #[must_use]
    pub fn member(&self, key: &str) -> Option<&Arc<Structural>> {
        self.properties.get(key).or(match &self.additional {
            Some(Additional::Schema(schema)) => Some(schema),
            _ => None,
        })
    }

    /// The schemas of elements and members, without those inside of `allOf` and its like.
    pub fn children(&self) -> impl Iterator<Item = &Arc<Structural>> {
        let additional = match &self.additional {
            Some(Additional::Schema(schema)) => Some(schema),
            _ => None,
        };
        self.items.iter().chain(self.properties.values()).chain(additional)
    }

    /// The schemas inside of `allOf`, `anyOf`, `oneOf` and `not`.
    pub fn alternatives(&self) -> impl Iterator<Item = &Arc<Structural>> {
        let checks = &self.checks;
        checks.all_of.iter().chain(&checks.any_of).chain(&checks.one_of).chain(&checks.not)
    }

    /// Whether a member or an element, however deep, has a default.
    #[must_use]
    pub fn has_defaults(&self) -> bool {
        self.children().any(|child| child.default.is_some() || child.has_defaults())
    }

    /// Whether the value, or one below, is an int-or-string.
    #[must_use]
    pub fn holds_int_or_string(&self) -> bool {
        self.int_or_string || self.children().any(|child| child.holds_int_or_string())
    }

    /// Whether a value below may be a whole object of its own.
    #[must_use]
    pub fn has_embedded(&self) -> bool {
        self.children().any(|child| child.embedded || child.has_embedded())
    }

    /// Number of CEL rules here and below.
    #[must_use]
    pub fn cel_rules(&self) -> usize {
        self.rules.len() + self.children().map(|child| child.cel_rules()).sum::<usize>()
    }
}
