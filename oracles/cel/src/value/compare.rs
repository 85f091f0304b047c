//! Equality and order.

use super::error::{Error, Outcome};
use super::kinds::{ListType, Map, Value};
use std::cmp::Ordering;

impl Value<'_> {
    /// [`equal`], as the parts of values see it.
    pub(super) fn equal(&self, other: &Value<'_>) -> Outcome<bool> {
        equal(self, other)
    }

    /// `==` of parts, where null is like any other value.
    pub(super) fn same_kind_equal(&self, other: &Value<'_>) -> Outcome<bool> {
        same_kind_equal(self, other)
    }

    /// `==` of a part with one that cannot be read: scalars are not equal to it.
    ///
    /// # Errors
    /// Returns the error for all others.
    pub(super) fn unequal_to(&self, error: Error) -> Outcome<bool> {
        match self {
            Value::Null
            | Value::Bool(_)
            | Value::Int(_)
            | Value::Uint(_)
            | Value::Double(_)
            | Value::String(_)
            | Value::Bytes(_)
            | Value::Timestamp(_)
            | Value::Duration(_) => Ok(false),
            _ => Err(error),
        }
    }
}

/// `a == b`. Values of different types are not equal.
///
/// # Errors
/// Returns an error where data do not fit the schema, and for kinds that only compare with themselves.
pub fn equal(a: &Value<'_>, b: &Value<'_>) -> Outcome<bool> {
    match (a, b) {
        (Value::Null, Value::Null) => Ok(true),
        (Value::Null, _) | (_, Value::Null) => Ok(false),
        _ => same_kind_equal(a, b),
    }
}

/// `a == b`, where null is like any other value.
fn same_kind_equal(a: &Value<'_>, b: &Value<'_>) -> Outcome<bool> {
    Ok(match (a, b) {
        (Value::Null, Value::Null) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Int(_) | Value::Uint(_) | Value::Double(_), Value::Int(_) | Value::Uint(_) | Value::Double(_)) => {
            numeric(a, b) == Some(Ordering::Equal)
        }
        (Value::String(a), Value::String(b)) => a == b,
        (Value::Bytes(a), Value::Bytes(b)) => a == b,
        (Value::Timestamp(a), Value::Timestamp(b)) => a == b,
        (Value::Duration(a), Value::Duration(b)) => a == b,
        (Value::Type(a), Value::Type(b)) => a == b,
        (Value::List(a), Value::List(b)) => return a.equals(b),
        (Value::Map(a), Value::Map(b)) => return a.equals(b),
        (Value::Optional(a), Value::Optional(b)) => match (a, b) {
            (None, None) => true,
            (Some(a), Some(b)) => return equal(a, b),
            _ => false,
        },
        (Value::Ip(a), Value::Ip(b)) => a == b,
        (Value::Cidr(a), Value::Cidr(b)) => a == b,
        (Value::Url(a), Value::Url(b)) => a.to_string() == b.to_string(),
        (Value::Quantity(a), Value::Quantity(b)) => a.same(b),
        (Value::Semver(a), Value::Semver(b)) => a.precedence(b) == Ordering::Equal,
        (Value::Format(a), Value::Format(b)) => a.name == b.name,
        (Value::Opaque(a), Value::Opaque(b)) => super::data::same(*a, *b),
        (Value::List(list), _) if !matches!(list.list_type, ListType::Plain) => {
            return Err(Error::no_such_overload());
        }
        (Value::Map(Map::Typed(..)), _) => return Err(Error::no_such_overload()),
        (
            Value::Ip(_)
            | Value::Cidr(_)
            | Value::Url(_)
            | Value::Quantity(_)
            | Value::Semver(_)
            | Value::Format(_)
            | Value::Access(_)
            | Value::Members(_),
            _,
        ) => return Err(Error::no_such_overload()),
        _ => false,
    })
}

/// Order of two numbers by their values, whatever their types. NaN has none.
fn numeric(a: &Value<'_>, b: &Value<'_>) -> Option<Ordering> {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        (Value::Uint(a), Value::Uint(b)) => Some(a.cmp(b)),
        (Value::Int(a), Value::Uint(b)) => Some(i128::from(*a).cmp(&i128::from(*b))),
        (Value::Uint(a), Value::Int(b)) => Some(i128::from(*a).cmp(&i128::from(*b))),
        (Value::Double(a), Value::Double(b)) => a.partial_cmp(b),
        (Value::Double(a), Value::Int(b)) => with_int(*a, *b),
        (Value::Int(a), Value::Double(b)) => with_int(*b, *a).map(Ordering::reverse),
        (Value::Double(a), Value::Uint(b)) => with_uint(*a, *b),
        (Value::Uint(a), Value::Double(b)) => with_uint(*b, *a).map(Ordering::reverse),
        _ => None,
    }
}

fn with_int(double: f64, int: i64) -> Option<Ordering> {
    if double < -9_223_372_036_854_775_808.0 {
        Some(Ordering::Less)
    } else if double > 9_223_372_036_854_775_808.0 {
        Some(Ordering::Greater)
    } else {
        double.partial_cmp(&(int as f64))
    }
}

fn with_uint(double: f64, uint: u64) -> Option<Ordering> {
    if double < 0.0 {
        Some(Ordering::Less)
    } else if double > 18_446_744_073_709_551_616.0 {
        Some(Ordering::Greater)
    } else {
        double.partial_cmp(&(uint as f64))
    }
}

/// The order of `a` and `b`.
///
/// # Errors
/// Returns an error where they have none.
pub fn compare(a: &Value<'_>, b: &Value<'_>) -> Outcome<Ordering> {
    Ok(match (a, b) {
        (Value::Int(_) | Value::Uint(_) | Value::Double(_), Value::Int(_) | Value::Uint(_) | Value::Double(_)) => {
            return numeric(a, b).ok_or_else(|| Error::new("NaN values cannot be ordered"));
        }
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (Value::String(a), Value::String(b)) => a.cmp(b),
        (Value::Bytes(a), Value::Bytes(b)) => a.cmp(b),
        (Value::Timestamp(a), Value::Timestamp(b)) => a.cmp(b),
        (Value::Duration(a), Value::Duration(b)) => a.cmp(b),
        _ => return Err(Error::no_such_overload()),
    })
}
