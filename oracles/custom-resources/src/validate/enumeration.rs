//! `enum`, with Go's conversions between the types of values.

use crate::text::quoted;
use serde_json::{Number, Value};

/// Whether a value is one of those allowed.
pub(super) fn holds(allowed: &[Value], value: &Value) -> bool {
    allowed.iter().any(|entry| match (entry, value) {
        (_, Value::Null) | (Value::Null, _) => false,
        (Value::Number(entry), Value::Number(value)) => equal(entry, value),
        // Go converts an integer to the text of one character.
        (Value::String(entry), Value::Number(number)) => number.as_i64().is_some_and(|code| {
            let c = u32::try_from(code).ok().and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER);
            *entry == *c.encode_utf8(&mut [0; 4])
        }),
        (entry, value) => entry == value,
    })
}

/// Equal once the value has the type of the entry: floats lose their fraction for an integer.
#[expect(clippy::cast_possible_truncation, reason = "Go truncates as well")]
fn equal(entry: &Number, value: &Number) -> bool {
    match (entry.as_i64(), value.as_i64()) {
        (Some(entry), Some(value)) => entry == value,
        (Some(entry), None) => value.as_f64().is_some_and(|value| value as i64 == entry),
        (None, _) => entry.as_f64() == value.as_f64(),
    }
}

/// The list of what is allowed, for people.
pub(super) fn supported(allowed: &[Value]) -> String {
    let shown: Vec<String> = allowed
        .iter()
        .map(|entry| match entry {
            Value::String(text) => quoted(text),
            other => quoted(&other.to_string()),
        })
        .collect();
    format!("supported values: {}", shown.join(", "))
}
