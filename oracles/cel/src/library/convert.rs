//! Conversions between types.

use super::call::{Call, Function};
use crate::scalar::{net, time};
use crate::value::{Error, Outcome, Value, double_text, go_general, numbers};

pub(super) fn function(name: &str) -> Option<Function> {
    Some(match name {
        "dyn" => |call| call.args.first().cloned().ok_or_else(Error::no_such_overload),
        "type" => |call| match call.args {
            [value] => Ok(Value::Type(value.type_name().into())),
            _ => call.mismatch(),
        },
        "int" => int,
        "uint" => uint,
        "double" => double,
        "string" => string,
        "bytes" => bytes,
        "bool" => boolean,
        "timestamp" => timestamp,
        "duration" => duration,
        _ => return None,
    })
}

fn failed<T>(from: &Value<'_>, to: &str) -> Outcome<T> {
    Err(Error::new(format!("type conversion error from '{}' to '{to}'", from.type_name())))
}

fn int<'a>(call: &Call<'_, 'a>) -> Outcome<Value<'a>> {
    let overflow = || Error::new("integer overflow");
    match call.args {
        [Value::Int(value)] => Ok(Value::Int(*value)),
        [Value::Uint(value)] => i64::try_from(*value).map(Value::Int).map_err(|_| overflow()),
        [Value::Double(value)] => numbers::exact_int(value.trunc()).map(Value::Int).ok_or_else(overflow),
        [from @ Value::String(text)] => match whole(text).and_then(|text| text.parse().ok()) {
            Some(value) => Ok(Value::Int(value)),
            None => failed(from, "int"),
        },
        [Value::Timestamp(at)] => Ok(Value::Int(at.seconds)),
        [Value::Duration(span)] => Ok(Value::Int(*span)),
        _ => call.mismatch(),
    }
}

/// A number as Go reads it: digits with at most one sign.
fn whole(text: &str) -> Option<&str> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then_some(text)
}

fn uint<'a>(call: &Call<'_, 'a>) -> Outcome<Value<'a>> {
    let overflow = || Error::new("unsigned integer overflow");
    match call.args {
        [Value::Uint(value)] => Ok(Value::Uint(*value)),
        [Value::Int(value)] => u64::try_from(*value).map(Value::Uint).map_err(|_| overflow()),
        [Value::Double(value)] => {
            numbers::exact_uint(value.trunc()).filter(|_| *value >= 0.0).map(Value::Uint).ok_or_else(overflow)
        }
        [from @ Value::String(text)] => match whole(text).filter(|text| !text.starts_with(['+', '-'])) {
            Some(text) => text.parse().map(Value::Uint).or_else(|_| failed(from, "uint")),
            None => failed(from, "uint"),
        },
        _ => call.mismatch(),
    }
}

fn double<'a>(call: &Call<'_, 'a>) -> Outcome<Value<'a>> {
    match call.args {
        [Value::Double(value)] => Ok(Value::Double(*value)),
        [Value::Int(value)] => Ok(Value::Double(*value as f64)),
        [Value::Uint(value)] => Ok(Value::Double(*value as f64)),
        [from @ Value::String(text)] => match without_underscores(text).parse::<f64>() {
            Ok(value) if value.is_infinite() && text.bytes().any(|byte| byte.is_ascii_digit()) => {
                failed(from, "double")
            }
            Ok(value) => Ok(Value::Double(value)),
            Err(_) => failed(from, "double"),
        },
        _ => call.mismatch(),
    }
}

/// Go allows underscores between digits.
fn without_underscores(text: &str) -> std::borrow::Cow<'_, str> {
    let bytes = text.as_bytes();
    let digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
    let places = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'_').map(|(at, _)| at);
    let mut any = false;
    for at in places {
        any = true;
        if !digit(at.checked_sub(1)) || !digit(Some(at + 1)) {
            return text.into();
        }
    }
    if any { text.replace('_', "").into() } else { text.into() }
}

fn string<'a>(call: &Call<'_, 'a>) -> Outcome<Value<'a>> {
    let text = match call.args {
        [Value::String(text)] => return Ok(Value::String(text.clone())),
        [Value::Bool(value)] => value.to_string(),
        [Value::Int(value)] => value.to_string(),
        [Value::Uint(value)] => value.to_string(),
        [Value::Double(value)] => go_general(*value, 6),
        [Value::Bytes(bytes)] => match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => return Err(Error::new("invalid UTF-8 in bytes, cannot convert to string")),
        },
        [Value::Timestamp(at)] => at.to_string(),
        [Value::Duration(span)] => seconds(*span),
        [Value::Ip(address)] => address.to_string(),
        [Value::Cidr(range)] => range.to_string(),
        _ => return call.mismatch(),
    };
    Ok(Value::text(text))
}

/// A span in seconds, as `string()` writes it.
pub(super) fn seconds(span: i64) -> String {
    let (whole, rest) = (span / 1_000_000_000, span % 1_000_000_000);
    format!("{}s", whole as f64 + rest as f64 / 1e9)
}

fn bytes<'a>(call: &Call<'_, 'a>) -> Outcome<Value<'a>> {
    match call.args {
        [Value::Bytes(bytes)] => Ok(Value::Bytes(bytes.clone())),
        [Value::String(text)] => Ok(Value::Bytes(text.as_bytes().into())),
        _ => call.mismatch(),
    }
}

fn boolean<'a>(call: &Call<'_, 'a>) -> Outcome<Value<'a>> {
    match call.args {
        [Value::Bool(value)] => Ok(Value::Bool(*value)),
        [from @ Value::String(text)] => match &**text {
            "1" | "t" | "T" | "true" | "TRUE" | "True" => Ok(Value::Bool(true)),
            "0" | "f" | "F" | "false" | "FALSE" | "False" => Ok(Value::Bool(false)),
            _ => failed(from, "bool"),
        },
        _ => call.mismatch(),
    }
}

fn timestamp<'a>(call: &Call<'_, 'a>) -> Outcome<Value<'a>> {
    let overflow = || Error::new("timestamp overflow");
    match call.args {
        [Value::Timestamp(at)] => Ok(Value::Timestamp(*at)),
        [Value::Int(seconds)] if time::SECONDS.contains(seconds) => {
            Ok(Value::Timestamp(time::Timestamp { seconds: *seconds, nanos: 0 }))
        }
        [Value::Int(_)] => Err(overflow()),
        [from @ Value::String(text)] => match time::timestamp(text) {
            Ok(at) if time::SECONDS.contains(&at.seconds) => Ok(Value::Timestamp(at)),
            Ok(_) => Err(overflow()),
            Err(_) => failed(from, "google.protobuf.Timestamp"),
        },
        _ => call.mismatch(),
    }
}

fn duration<'a>(call: &Call<'_, 'a>) -> Outcome<Value<'a>> {
    match call.args {
        [Value::Duration(span)] => Ok(Value::Duration(*span)),
        [Value::Int(nanos)] => Ok(Value::Duration(*nanos)),
        [from @ Value::String(text)] => match time::duration(text) {
            Some(span) => Ok(Value::Duration(span)),
            None => failed(from, "google.protobuf.Duration"),
        },
        _ => call.mismatch(),
    }
}

/// A value as messages of errors show it.
pub(crate) fn shown(value: &Value<'_>) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Uint(value) => value.to_string(),
        Value::Double(value) => double_text(*value),
        Value::String(text) => text.to_string(),
        Value::Timestamp(at) => format!("{at}"),
        Value::Duration(span) => time::go_duration(*span),
        Value::Type(name) => name.to_string(),
        Value::Ip(address) => address.to_string(),
        Value::Cidr(range) => net::Cidr::to_string(range),
        Value::Quantity(quantity) => quantity.to_string(),
        Value::Semver(version) => version.to_string(),
        Value::Url(url) => url.to_string(),
        other => other.type_name().to_owned(),
    }
}
