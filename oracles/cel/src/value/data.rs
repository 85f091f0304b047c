//! Decoded JSON, seen through a trait, so that no tree is copied.

use std::fmt::Debug;

/// A node of decoded JSON.
pub trait Datum: Debug + Send + Sync {
    /// What it is.
    fn view(&self) -> View<'_>;
    /// An item of a list.
    fn item(&self, index: usize) -> Option<&dyn Datum>;
    /// A member of an object.
    fn member(&self, name: &str) -> Option<&dyn Datum>;
    /// All members of an object.
    fn members<'d>(&'d self) -> Box<dyn Iterator<Item = (&'d str, &'d dyn Datum)> + 'd>;
}

/// What a [`Datum`] is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum View<'d> {
    /// `null`
    Null,
    /// A boolean.
    Bool(bool),
    /// A number written without a fraction or an exponent, within 64 bits.
    Int(i64),
    /// Any other number.
    Float(f64),
    /// A string.
    String(&'d str),
    /// A list of so many items.
    List(usize),
    /// An object of so many members.
    Object(usize),
}

impl Datum for serde_json::Value {
    fn view(&self) -> View<'_> {
        match self {
            Self::Null => View::Null,
            Self::Bool(value) => View::Bool(*value),
            Self::Number(number) => match number.as_i64() {
                Some(int) => View::Int(int),
                None => View::Float(number.as_f64().unwrap_or_default()),
            },
            Self::String(text) => View::String(text),
            Self::Array(items) => View::List(items.len()),
            Self::Object(members) => View::Object(members.len()),
        }
    }

    fn item(&self, index: usize) -> Option<&dyn Datum> {
        self.as_array()?.get(index).map(|item| item as &dyn Datum)
    }

    fn member(&self, name: &str) -> Option<&dyn Datum> {
        self.as_object()?.get(name).map(|member| member as &dyn Datum)
    }

    fn members<'d>(&'d self) -> Box<dyn Iterator<Item = (&'d str, &'d dyn Datum)> + 'd> {
        match self {
            Self::Object(members) => Box::new(members.iter().map(|(name, value)| (name.as_str(), value as &dyn Datum))),
            _ => Box::new(std::iter::empty()),
        }
    }
}

/// Equality of decoded data, where an absent, an empty list and null differ, as Kubernetes compares what no schema describes.
pub(super) fn same(a: &dyn Datum, b: &dyn Datum) -> bool {
    match (a.view(), b.view()) {
        (View::List(left), View::List(right)) => {
            left == right
                && (0..left).all(|index| match (a.item(index), b.item(index)) {
                    (Some(a), Some(b)) => same(a, b),
                    _ => false,
                })
        }
        (View::Object(left), View::Object(right)) => {
            left == right && a.members().all(|(name, value)| b.member(name).is_some_and(|other| same(value, other)))
        }
        (left, right) => left == right,
    }
}
