//! `format()` of strings.

use super::call::Call;
use crate::scalar::text::quoted;
use crate::value::{Error, Map, Outcome, Value, go_general};
use std::fmt::Write as _;

/// Digits after the point where none are given.
const PRECISION: usize = 6;

pub(super) fn format<'a>(call: &Call<'_, 'a>) -> Outcome<Value<'a>> {
    let [Value::String(text), Value::List(args)] = call.args else { return call.mismatch() };
    let mut out = String::with_capacity(text.len());
    let mut rest: &str = text;
    let mut used = 0;
    while let Some(at) = rest.find('%') {
        let (before, clause) = rest.split_at(at);
        out.push_str(before);
        rest = clause.get(1..).unwrap_or_default();
        if rest.is_empty() {
            return Err(Error::new("unexpected end of string"));
        }
        if let Some(after) = rest.strip_prefix('%') {
            out.push('%');
            rest = after;
            continue;
        }
        let arg = args.get(used).ok_or_else(|| Error::new(format!("index {used} out of range")))??;
        used += 1;
        let (precision, after) = precision(rest).map_err(|error| {
            Error::new(format!("could not parse formatting clause: error while parsing precision: {error}"))
        })?;
        let mut chars = after.chars();
        let letter =
            chars.next().ok_or_else(|| Error::new("could not parse formatting clause: unexpected end of string"))?;
        rest = chars.as_str();
        let made = match letter {
            's' => string(&arg),
            'd' => decimal(&arg),
            'f' => fixed(&arg, precision.unwrap_or(PRECISION)),
            'e' => scientific(&arg, precision.unwrap_or(PRECISION)),
            'b' => binary(&arg),
            'x' => hex(&arg, false),
            'X' => hex(&arg, true),
            'o' => octal(&arg),
            other => {
                return Err(Error::new(format!(
                    "could not parse formatting clause: unrecognized formatting clause \"{other}\""
                )));
            }
        };
        out.push_str(&made.map_err(|error| Error::new(format!("error during formatting: {error}")))?);
    }
    out.push_str(rest);
    Ok(Value::text(out))
}

fn precision(text: &str) -> Result<(Option<usize>, &str), String> {
    let Some(after) = text.strip_prefix('.') else { return Ok((None, text)) };
    let Some(end) = after.find(|c: char| !c.is_ascii_digit()) else {
        return Err("could not find end of precision specifier".to_owned());
    };
    let (digits, rest) = after.split_at(end);
    let number = digits.parse::<usize>().map_err(|_| {
        let why = if digits.is_empty() { "invalid syntax" } else { "value out of range" };
        format!("error while converting precision to integer: strconv.Atoi: parsing {}: {why}", quoted(digits))
    })?;
    Ok((Some(number.min(1_000)), rest))
}

type Made = Result<String, String>;

fn refused(clause: &str, takes: &str, arg: &Value<'_>) -> Made {
    let _ = clause;
    Err(format!("{takes}, was given {}", arg.type_name()))
}

/// What a whole argument of `%s` looks like.
fn string(arg: &Value<'_>) -> Made {
    match arg {
        Value::Null => Ok("null".to_owned()),
        Value::String(text) => Ok(text.to_string()),
        Value::Bool(value) => Ok(value.to_string()),
        Value::Int(value) => Ok(value.to_string()),
        Value::Uint(value) => Ok(value.to_string()),
        Value::Double(value) => Ok(go_general(*value, 6)),
        Value::Bytes(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => Ok(text.to_owned()),
            Err(_) => {
                Err("could not convert argument \"invalid UTF-8 in bytes, cannot convert to string\" to string"
                    .to_owned())
            }
        },
        Value::Timestamp(at) => Ok(at.to_string()),
        Value::Duration(span) => Ok(super::convert::seconds(*span)),
        Value::Type(name) => Ok(name.to_string()),
        Value::List(list) => {
            let items = list.iter().map(|item| inner(&item.map_err(|error| error.to_string())?));
            Ok(format!("[{}]", items.collect::<Result<Vec<_>, _>>()?.join(", ")))
        }
        Value::Map(map) => map_text(map),
        other => refused(
            "s",
            "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, \
             and timestamps",
            other,
        ),
    }
}

/// What an element looks like: as it would be written in an expression.
fn inner(value: &Value<'_>) -> Made {
    Ok(match value {
        Value::String(text) => quoted(text),
        Value::Bytes(_) => format!("b{}", quoted(&string(value)?)),
        Value::Double(value) if value.is_finite() => format!("{value:.PRECISION$}"),
        Value::Double(value) => quoted(&go_general(*value, 6)),
        Value::Timestamp(_) => format!("timestamp({})", quoted(&string(value)?)),
        Value::Duration(_) => format!("duration({})", quoted(&string(value)?)),
        Value::Type(name) => format!("type({name})"),
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Uint(_) | Value::List(_) | Value::Map(_) => {
            string(value)?
        }
        other => return Err(format!("no formatting function for {}", other.type_name())),
    })
}

fn map_text(map: &Map<'_>) -> Made {
    let mut entries = Vec::with_capacity(map.len());
    for key in map.keys() {
        let name = match &key {
            Value::String(text) => quoted(text),
            Value::Bool(_) | Value::Int(_) | Value::Uint(_) => string(&key)?,
            other => return Err(format!("no formatting function for map key of type {}", other.type_name())),
        };
        let value = map.find(&key).map_err(|error| error.to_string())?;
        entries.push((name, inner(&value.unwrap_or(Value::Null))?));
    }
    entries.sort();
    let entries: Vec<String> = entries.into_iter().map(|(name, value)| format!("{name}:{value}")).collect();
    Ok(format!("{{{}}}", entries.join(", ")))
}

fn decimal(arg: &Value<'_>) -> Made {
    match arg {
        Value::Int(value) => Ok(value.to_string()),
        Value::Uint(value) => Ok(value.to_string()),
        other => refused("d", "decimal clause can only be used on integers", other),
    }
}

/// The number of an argument that may be a number: a double, or the types of what is not a number.
fn number(arg: &Value<'_>) -> Option<f64> {
    match arg {
        Value::Double(value) => Some(*value),
        Value::String(text) => match &**text {
            "NaN" => Some(f64::NAN),
            "Infinity" => Some(f64::INFINITY),
            "-Infinity" => Some(f64::NEG_INFINITY),
            _ => None,
        },
        _ => None,
    }
}

/// What is no number, as English has it.
fn special(value: f64) -> Option<&'static str> {
    if value.is_nan() {
        Some("NaN")
    } else if value.is_infinite() {
        Some(if value > 0.0 { "\u{221e}" } else { "-\u{221e}" })
    } else {
        None
    }
}

fn fixed(arg: &Value<'_>, precision: usize) -> Made {
    let Some(value) = number(arg) else {
        return refused("f", "fixed-point clause can only be used on doubles", arg);
    };
    if let Some(special) = special(value) {
        return Ok(special.to_owned());
    }
    let text = format!("{value:.precision$}");
    let (whole, fraction) = text.split_once('.').map_or((text.as_str(), None), |(whole, part)| (whole, Some(part)));
    let (sign, digits) = whole.strip_prefix('-').map_or(("", whole), |digits| ("-", digits));
    let mut out = sign.to_owned();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    if let Some(fraction) = fraction {
        let _ = write!(out, ".{fraction}");
    }
    Ok(out)
}

fn scientific(arg: &Value<'_>, precision: usize) -> Made {
    let Some(value) = number(arg) else {
        return refused("e", "scientific clause can only be used on doubles", arg);
    };
    if let Some(special) = special(value) {
        return Ok(special.to_owned());
    }
    let text = format!("{value:.precision$e}");
    let Some((digits, exponent)) = text.split_once('e') else { return Ok(text) };
    let exponent: i32 = exponent.parse().unwrap_or_default();
    let raised: String = format!("{:02}", exponent.abs())
        .chars()
        .map(|digit| {
            let place = digit.to_digit(10).and_then(|digit| usize::try_from(digit).ok()).unwrap_or_default();
            [
                '\u{2070}', '\u{b9}', '\u{b2}', '\u{b3}', '\u{2074}', '\u{2075}', '\u{2076}', '\u{2077}', '\u{2078}',
                '\u{2079}',
            ]
            .get(place)
            .copied()
            .unwrap_or(digit)
        })
        .collect();
    Ok(format!("{digits}\u{d7}10{}{raised}", if exponent < 0 { "\u{207b}" } else { "" }))
}

fn signed(value: i64, made: impl Fn(u64) -> String) -> String {
    format!("{}{}", if value < 0 { "-" } else { "" }, made(value.unsigned_abs()))
}

fn binary(arg: &Value<'_>) -> Made {
    match arg {
        Value::Int(value) => Ok(signed(*value, |value| format!("{value:b}"))),
        Value::Uint(value) => Ok(format!("{value:b}")),
        Value::Bool(value) => Ok(u8::from(*value).to_string()),
        other => refused("b", "only integers and bools can be formatted as binary", other),
    }
}

fn octal(arg: &Value<'_>) -> Made {
    match arg {
        Value::Int(value) => Ok(signed(*value, |value| format!("{value:o}"))),
        Value::Uint(value) => Ok(format!("{value:o}")),
        other => refused("o", "octal clause can only be used on integers", other),
    }
}

fn hex(arg: &Value<'_>, upper: bool) -> Made {
    let bytes = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let text = match arg {
        Value::Int(value) => signed(*value, |value| format!("{value:x}")),
        Value::Uint(value) => format!("{value:x}"),
        Value::String(text) => bytes(text.as_bytes()),
        Value::Bytes(value) => bytes(value),
        other => {
            return refused("x", "only integers, byte buffers, and strings can be formatted as hex", other);
        }
    };
    Ok(if upper { text.to_uppercase() } else { text })
}
