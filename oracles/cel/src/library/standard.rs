//! Operators and the functions of the language itself.

use super::call::{Call, Function};
use crate::value::{Error, Key, Map, Outcome, Value, compare};
use std::cmp::Ordering;
use std::sync::Arc;

pub(super) fn function(name: &str) -> Option<Function> {
    Some(match name {
        "!_" => not,
        "-_" => negate,
        "_+_" => add,
        "_-_" => subtract,
        "_*_" => multiply,
        "_/_" => divide,
        "_%_" => remainder,
        "_<_" => |call| ordered(call, Ordering::is_lt),
        "_<=_" => |call| ordered(call, Ordering::is_le),
        "_>_" => |call| ordered(call, Ordering::is_gt),
        "_>=_" => |call| ordered(call, Ordering::is_ge),
        "@in" | "in" | "_in_" => contained,
        "size" => size,
        "cel.@mapInsert" => map_insert,
        "@not_strictly_false" | "__not_strictly_false__" => |call| match call.args {
            [Value::Bool(value)] => Ok(Value::Bool(*value)),
            _ => Ok(Value::Bool(true)),
        },
        _ => return None,
    })
}

fn overload<T>() -> Outcome<T> {
    Err(Error::no_such_overload())
}

fn int_overflow() -> Error {
    Error::new("integer overflow")
}

fn uint_overflow() -> Error {
    Error::new("unsigned integer overflow")
}

fn not<'a>(call: &Call<'_, 'a>) -> Outcome<Value<'a>> {
    match call.args {
        [Value::Bool(value)] => Ok(Value::Bool(!value)),
        _ => call.unbound(),
    }
}

impl Call<'_, '_> {
    /// An operator that the first argument's type does not have.
    fn unbound<T>(&self) -> Outcome<T> {
        Err(Error::new(format!("no such overload: {}", self.name)))
    }
}

fn negate<'a>(call: &Call<'_, 'a>) -> Outcome<Value<'a>> {
    match call.args {
        [Value::Int(value)] => value.checked_neg().map(Value::Int).ok_or_else(int_overflow),
        [Value::Double(value)] => Ok(Value::Double(-value)),
        [Value::Duration(value)] => value.checked_neg().map(Value::Duration).ok_or_else(int_overflow),
        _ => call.unbound(),
    }
}

fn add<'a>(call: &Call<'_, 'a>) -> Outcome<Value<'a>> {
    let [left, right] = call.args else { return overload() };
    plus(left, right)
}

/// `left + right`
pub(super) fn plus<'a>(left: &Value<'a>, right: &Value<'a>) -> Outcome<Value<'a>> {
    match (left, right) {
        (Value::Int(a), Value::Int(b)) => a.checked_add(*b).map(Value::Int).ok_or_else(int_overflow),
        (Value::Uint(a), Value::Uint(b)) => a.checked_add(*b).map(Value::Uint).ok_or_else(uint_overflow),
        (Value::Double(a), Value::Double(b)) => Ok(Value::Double(a + b)),
        (Value::String(a), Value::String(b)) => Ok(Value::text(format!("{}{}", &**a, &**b))),
        (Value::Bytes(a), Value::Bytes(b)) => Ok(Value::Bytes([&**a, &**b].concat().into())),
        (Value::List(a), Value::List(b)) => a.concat(b).map(Value::List),
        (Value::Duration(a), Value::Duration(b)) => a.checked_add(*b).map(Value::Duration).ok_or_else(int_overflow),
        (Value::Timestamp(at), Value::Duration(span)) | (Value::Duration(span), Value::Timestamp(at)) => {
            at.plus(*span).map(Value::Timestamp).ok_or_else(|| Error::new("timestamp overflow"))
        }
        _ => overload(),
    }
}

fn subtract<'a>(call: &Call<'_, 'a>) -> Outcome<Value<'a>> {
    match call.args {
        [Value::Int(a), Value::Int(b)] => a.checked_sub(*b).map(Value::Int).ok_or_else(int_overflow),
        [Value::Uint(a), Value::Uint(b)] => a.checked_sub(*b).map(Value::Uint).ok_or_else(uint_overflow),
        [Value::Double(a), Value::Double(b)] => Ok(Value::Double(a - b)),
        [Value::Duration(a), Value::Duration(b)] => a.checked_sub(*b).map(Value::Duration).ok_or_else(int_overflow),
        [Value::Timestamp(a), Value::Timestamp(b)] => a.since(*b).map(Value::Duration).ok_or_else(int_overflow),
        [Value::Timestamp(at), Value::Duration(span)] => span
            .checked_neg()
            .and_then(|span| at.plus(span))
            .map(Value::Timestamp)
            .ok_or_else(|| Error::new("timestamp overflow")),
        _ => overload(),
    }
}

fn multiply<'a>(call: &Call<'_, 'a>) -> Outcome<Value<'a>> {
    match call.args {
        [Value::Int(a), Value::Int(b)] => a.checked_mul(*b).map(Value::Int).ok_or_else(int_overflow),
        [Value::Uint(a), Value::Uint(b)] => a.checked_mul(*b).map(Value::Uint).ok_or_else(uint_overflow),
        [Value::Double(a), Value::Double(b)] => Ok(Value::Double(a * b)),
        _ => overload(),
    }
}

fn divide<'a>(call: &Call<'_, 'a>) -> Outcome<Value<'a>> {
    match call.args {
        [Value::Int(_), Value::Int(0)] | [Value::Uint(_), Value::Uint(0)] => Err(Error::new("division by zero")),
        [Value::Int(a), Value::Int(b)] => a.checked_div(*b).map(Value::Int).ok_or_else(int_overflow),
        [Value::Uint(a), Value::Uint(b)] => a.checked_div(*b).map(Value::Uint).ok_or_else(uint_overflow),
        [Value::Double(a), Value::Double(b)] => Ok(Value::Double(a / b)),
        _ => overload(),
    }
}

fn remainder<'a>(call: &Call<'_, 'a>) -> Outcome<Value<'a>> {
    match call.args {
        [Value::Int(_), Value::Int(0)] | [Value::Uint(_), Value::Uint(0)] => Err(Error::new("modulus by zero")),
        [Value::Int(a), Value::Int(b)] => a.checked_rem(*b).map(Value::Int).ok_or_else(int_overflow),
        [Value::Uint(a), Value::Uint(b)] => a.checked_rem(*b).map(Value::Uint).ok_or_else(uint_overflow),
        _ => overload(),
    }
}

fn ordered<'a>(call: &Call<'_, 'a>, holds: fn(Ordering) -> bool) -> Outcome<Value<'a>> {
    let [left, right] = call.args else { return overload() };
    compare(left, right).map(|order| Value::Bool(holds(order)))
}

fn contained<'a>(call: &Call<'_, 'a>) -> Outcome<Value<'a>> {
    match call.args {
        [value, Value::List(list)] => list.contains(value).map(Value::Bool),
        [key, Value::Map(map)] => map.find(key).map(|found| Value::Bool(found.is_some())),
        _ => overload(),
    }
}

fn size<'a>(call: &Call<'_, 'a>) -> Outcome<Value<'a>> {
    let size = match call.args {
        [Value::String(text)] => text.chars().count(),
        [Value::Bytes(bytes)] => bytes.len(),
        [Value::List(list)] => list.len(),
        [Value::Map(map)] => map.len(),
        _ => return call.mismatch(),
    };
    Ok(Value::Int(i64::try_from(size).unwrap_or(i64::MAX)))
}

/// A map with another entry, or with those of another map.
fn map_insert<'a>(call: &Call<'_, 'a>) -> Outcome<Value<'a>> {
    let (target, added) = match call.args {
        [Value::Map(target), key, value] => (target, vec![(key.clone(), value.clone())]),
        [Value::Map(target), Value::Map(added)] => {
            let mut entries = Vec::with_capacity(added.len());
            for key in added.keys() {
                if let Some(value) = added.find(&key)? {
                    entries.push((key, value));
                }
            }
            (target, entries)
        }
        _ => return call.mismatch(),
    };
    let mut entries = match target {
        Map::Plain(map) => Arc::clone(map),
        _ => return overload(),
    };
    insert(&mut entries, added)?;
    Ok(Value::Map(Map::Plain(entries)))
}

/// Adds entries in place where nobody else has the map.
pub(crate) fn insert<'a>(map: &mut Arc<crate::value::PlainMap<'a>>, added: Vec<(Value<'a>, Value<'a>)>) -> Outcome<()> {
    for (key, value) in added {
        if Map::Plain(Arc::clone(map)).find(&key)?.is_some() {
            let shown = super::convert::shown(&key);
            return Err(Error::new(format!("insert failed: key {shown} already exists")));
        }
        let key = Key::of(&key).ok_or_else(Error::no_such_overload)?;
        Arc::make_mut(map).insert(key, value);
    }
    Ok(())
}
