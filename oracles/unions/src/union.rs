//! Unions.

use serde::Serialize;
use serde_json::Value;
use std::fmt;

/// Several members of one struct; at most one of them is selected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Union {
    /// The struct: the full name of a Go type, or the version, kind and path of a schema.
    pub owner: String,
    /// The name of the union where its struct has several; otherwise empty.
    pub name: String,
    /// Where the union was read from.
    pub origin: Origin,
    /// The members, in the order of the source.
    pub members: Vec<Member>,
    /// The field that selects a member.
    pub discriminator: Option<Discriminator>,
    /// Without a discriminator: whether it is valid to set no member.
    pub may_be_empty: bool,
}

/// A field of a struct that takes part in a union.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its JSON name.
    pub name: String,
    /// The value by which the discriminator selects it.
    pub value: String,
    /// Whether the discriminator may select it while it is unset.
    pub optional: bool,
    /// Whether zero and empty values count as unset: Go fields that are not pointers.
    pub zero_is_unset: bool,
}

/// The field that selects a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Discriminator {
    /// Its JSON name.
    pub name: String,
    /// Every value that it may have. Those that select no member are empty members, or stand for no member.
    pub values: Vec<String>,
    /// Its default when it is left out [default: the empty text].
    pub default: Option<String>,
}

/// Where a union was read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Origin {
    /// `+unionDiscriminator` and `+unionMember`, as KEP-1027 defines them.
    Kep,
    /// `+k8s:unionMember` or `+k8s:zeroOrOneOfMember`.
    Validation,
    /// `+union` on the type.
    Type,
    /// `+oneOf=` or `+zeroOrOneOf=`, which name a group of fields.
    Group,
    /// The list in this crate, for unions that only comments and handwritten validation describe.
    Listed,
    /// `x-kubernetes-unions` in a schema.
    Extension,
    /// `oneOf` of required members in a schema.
    OneOf,
    /// `not` for every two members in a schema, with `anyOf` of required members if one must be set.
    Not,
    /// `maxProperties: 1` in a schema.
    MaxProperties,
    /// CEL rules of a schema.
    Cel,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Kep => "+unionMember",
            Self::Validation => "+k8s:unionMember",
            Self::Type => "+union",
            Self::Group => "+oneOf",
            Self::Listed => "no tag",
            Self::Extension => "x-kubernetes-unions",
            Self::OneOf => "oneOf",
            Self::Not => "not",
            Self::MaxProperties => "maxProperties",
            Self::Cel => "CEL",
        })
    }
}

/// What a value of the discriminator selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selected<'u> {
    /// This member.
    Member(&'u Member),
    /// No member: an empty member, or none at all.
    Nothing,
    /// An unknown value.
    Unknown,
}

impl Discriminator {
    /// Its value in a struct; the default or the empty text where the struct has none.
    #[must_use]
    pub fn of<'v>(&'v self, object: &'v Value) -> &'v str {
        let given = object.get(&self.name).and_then(Value::as_str).filter(|value| !value.is_empty());
        given.or(self.default.as_deref()).unwrap_or_default()
    }

    /// Whether it is valid to leave it out.
    #[must_use]
    pub fn may_be_absent(&self) -> bool {
        self.default.is_some() || self.values.iter().any(String::is_empty)
    }
}

impl Member {
    /// Whether a struct has it.
    #[must_use]
    pub fn is_set(&self, object: &Value) -> bool {
        match object.get(&self.name) {
            None | Some(Value::Null) => false,
            Some(value) => !(self.zero_is_unset && is_zero(value)),
        }
    }
}

fn is_zero(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(value) => !value,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
    }
}

impl Union {
    /// The member with this JSON name.
    #[must_use]
    pub fn member(&self, name: &str) -> Option<&Member> {
        self.members.iter().find(|member| member.name == name)
    }

    /// The members that a struct has set.
    pub fn set<'u>(&'u self, object: &'u Value) -> impl Iterator<Item = &'u Member> {
        self.members.iter().filter(|member| member.is_set(object))
    }

    /// What the value of the discriminator selects; unknown without one.
    #[must_use]
    pub fn selected(&self, value: &str) -> Selected<'_> {
        let known = self.discriminator.iter().flat_map(|of| &of.values).any(|known| known == value);
        match self.members.iter().find(|member| member.value == value) {
            Some(member) if known => Selected::Member(member),
            None if known => Selected::Nothing,
            _ => Selected::Unknown,
        }
    }

    /// The value of the discriminator that clears the union: the empty text, or else the first that selects no member.
    #[must_use]
    pub fn none_value(&self) -> Option<&str> {
        let values = &self.discriminator.as_ref()?.values;
        let selects_none = |value: &&String| self.selected(value) == Selected::Nothing;
        let empty = values.iter().find(|value| value.is_empty());
        empty.filter(selects_none).or_else(|| values.iter().find(selects_none)).map(String::as_str)
    }

    /// The union before one of its members was added.
    #[must_use]
    pub fn without(&self, name: &str) -> Self {
        let mut older = self.clone();
        let gone = older.members.extract_if(.., |member| member.name == name).map(|member| member.value);
        let gone: Vec<String> = gone.collect();
        if let Some(discriminator) = &mut older.discriminator {
            discriminator.values.retain(|value| !gone.contains(value));
        }
        older
    }

    /// The union as it would be without its discriminator.
    #[must_use]
    pub fn undiscriminated(&self) -> Self {
        let may_be_empty = if self.discriminator.is_some() { self.none_value().is_some() } else { self.may_be_empty };
        Self { discriminator: None, may_be_empty, ..self.clone() }
    }

    /// The union with its discriminator, or with the one that the KEP prescribes: a required string, named `type` unless `taken`
    /// has that name, with the values of the members, and the empty one if it is valid to set no member.
    #[must_use]
    pub fn discriminated(&self, taken: impl Fn(&str) -> bool) -> Self {
        if self.discriminator.is_some() {
            return self.clone();
        }
        let name = ["type", "unionType", "unionDiscriminator"].into_iter().find(|name| !taken(name));
        let none = self.may_be_empty.then(String::new);
        let values = self.members.iter().map(|member| member.value.clone()).chain(none).collect();
        let name = name.unwrap_or("unionMember").to_owned();
        Self { discriminator: Some(Discriminator { name, values, default: None }), ..self.clone() }
    }
}

/// The Go name of a field: `configMap` is `ConfigMap`.
pub(crate) fn pascal(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
