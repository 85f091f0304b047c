//! Steps of a path: a field of a map, an item of a list by its keys, its value or its index.

use crate::value::{compare, in_path};
use serde_json::Value;
use std::cmp::Ordering;
use std::fmt;

/// One step from a value to a part of it. The order of steps is the one in which sets are written.
#[derive(Clone, Debug)]
pub enum Element {
    /// A member of a map or struct.
    Field(String),
    /// An item of a list that is a map, by its keys, sorted by name.
    Key(Vec<(String, Value)>),
    /// An item of a list that is a set.
    Value(Value),
    /// An item by its place.
    Index(i64),
}

/// The steps from the root of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Path(pub Vec<Element>);

impl Element {
    /// A member of a map.
    #[must_use]
    pub fn field(name: impl Into<String>) -> Self {
        Self::Field(name.into())
    }

    /// An item by its keys, in any order.
    #[must_use]
    pub fn keys(mut keys: Vec<(String, Value)>) -> Self {
        keys.sort_by(|(left, _), (right, _)| left.cmp(right));
        Self::Key(keys)
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Field(_) => 0,
            Self::Key(_) => 1,
            Self::Value(_) => 2,
            Self::Index(_) => 3,
        }
    }
}

impl Path {
    /// A path of fields alone.
    #[must_use]
    pub fn of_fields(names: &[&str]) -> Self {
        Self(names.iter().map(|name| Element::field(*name)).collect())
    }
}

impl Ord for Element {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Field(left), Self::Field(right)) => left.cmp(right),
            (Self::Key(left), Self::Key(right)) => keys(left, right),
            (Self::Value(left), Self::Value(right)) => compare(left, right),
            (Self::Index(left), Self::Index(right)) => left.cmp(right),
            _ => self.rank().cmp(&other.rank()),
        }
    }
}

fn keys(left: &[(String, Value)], right: &[(String, Value)]) -> Ordering {
    let pairs = left.iter().zip(right);
    let different = pairs
        .map(|((left_name, left), (right_name, right))| left_name.cmp(right_name).then_with(|| compare(left, right)))
        .find(|order| order.is_ne());
    different.unwrap_or_else(|| left.len().cmp(&right.len()))
}

impl PartialOrd for Element {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Element {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Element {}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(name) => write!(f, ".{name}"),
            Self::Key(keys) => {
                let keys: Vec<String> = keys.iter().map(|(name, value)| format!("{name}={}", in_path(value))).collect();
                write!(f, "[{}]", keys.join(","))
            }
            Self::Value(value) => write!(f, "[={}]", in_path(value)),
            Self::Index(index) => write!(f, "[{index}]"),
        }
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|element| element.fmt(f))
    }
}
