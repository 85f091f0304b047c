//! Zero values.

use serde_json::Value;

/// Whether a value is the zero value of a Go boolean, number or string.
pub(crate) fn is_zero_scalar(value: &Value) -> bool {
    match value {
        Value::Bool(flag) => !flag,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Null | Value::Array(_) | Value::Object(_) => false,
    }
}
