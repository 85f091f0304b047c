//! Values that may be missing.

use super::call::{Call, Function};
use crate::value::{Error, Outcome, Value};

pub(super) fn function(name: &str) -> Option<Function> {
    Some(match name {
        "optional.of" => |call| match call.args {
            [value] => Ok(Value::some(value.clone())),
            _ => call.mismatch(),
        },
        "optional.none" => |_| Ok(Value::Optional(None)),
        "optional.ofNonZeroValue" => |call| match call.args {
            [value] if is_zero(value) => Ok(Value::Optional(None)),
            [value] => Ok(Value::some(value.clone())),
            _ => call.mismatch(),
        },
        "hasValue" => |call| match call.args {
            [Value::Optional(value)] => Ok(Value::Bool(value.is_some())),
            _ => call.mismatch(),
        },
        "value" => |call| match call.args {
            [Value::Optional(Some(value))] => Ok(Value::clone(value)),
            [Value::Optional(None)] => Err(Error::new("optional.none() dereference")),
            _ => call.mismatch(),
        },
        "optional.unwrap" | "unwrapOpt" => unwrap,
        "first" => |call| match call.args {
            [Value::List(list)] => end(list.get(0)),
            _ => call.mismatch(),
        },
        "last" => |call| match call.args {
            [Value::List(list)] => end(list.len().checked_sub(1).and_then(|last| list.get(last))),
            _ => call.mismatch(),
        },
        _ => return None,
    })
}

fn end<'a>(item: Option<Outcome<Value<'a>>>) -> Outcome<Value<'a>> {
    Ok(match item.transpose()? {
        Some(value) => Value::some(value),
        None => Value::Optional(None),
    })
}

fn unwrap<'a>(call: &Call<'_, 'a>) -> Outcome<Value<'a>> {
    let [Value::List(list)] = call.args else { return call.mismatch() };
    let mut present = Vec::new();
    for item in list.iter() {
        match item? {
            Value::Optional(Some(value)) => present.push(Value::clone(&value)),
            Value::Optional(None) => {}
            other => {
                let shown = super::convert::shown(&other);
                return Err(Error::new(format!("value {shown} is not optional")));
            }
        }
    }
    Ok(Value::list(present))
}

/// Whether a value is empty, zero, false or null.
fn is_zero(value: &Value<'_>) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(value) => !value,
        Value::Int(value) => *value == 0,
        Value::Uint(value) => *value == 0,
        Value::Double(value) => *value == 0.0,
        Value::String(text) => text.is_empty(),
        Value::Bytes(bytes) => bytes.is_empty(),
        Value::List(list) => list.is_empty(),
        Value::Map(map) => map.is_empty(),
        Value::Duration(span) => *span == 0,
        Value::Timestamp(at) => at.seconds == -62_135_596_800 && at.nanos == 0,
        Value::Optional(value) => value.is_none(),
        _ => false,
    }
}
