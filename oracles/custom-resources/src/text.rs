//! Texts as Go prints them.

use serde_json::Value;
use takeover_harness::error::BadValue;

/// A text as `%q` prints it.
pub(crate) fn quoted(text: &str) -> String {
    BadValue::from(text).to_string()
}

/// A float as `%v` prints it: the shortest digits, with an exponent below −4 and from 6 on.
pub(crate) fn float(value: f64) -> String {
    let text = format!("{value:e}");
    let Some((digits, exponent)) = text.split_once('e') else { return text };
    match exponent.parse::<i32>() {
        Ok(exponent) if !(-4..6).contains(&exponent) => {
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{digits}e{sign}{:02}", exponent.abs())
        }
        _ => value.to_string(),
    }
}

/// `1 byte`, `2 bytes`.
pub(crate) fn plural(count: i64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// A value as `%v` prints it.
pub(crate) fn go_value(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) if number.is_i64() => number.to_string(),
        Value::Number(number) => float(number.as_f64().unwrap_or_default()),
        Value::String(text) => text.clone(),
        Value::Array(items) => format!("[{}]", items.iter().map(go_value).collect::<Vec<_>>().join(" ")),
        Value::Object(members) => {
            let each = members.iter().map(|(key, value)| format!("{key}:{}", go_value(value)));
            format!("map[{}]", each.collect::<Vec<_>>().join(" "))
        }
    }
}

/// The Go type that a JSON value has when nothing else is known of it.
pub(crate) fn go_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_i64() => "int64",
        Value::Number(_) => "float64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    }
}

/// A value as JSON, shortened.
pub(crate) fn shortened(value: &Value) -> String {
    value.to_string().chars().take(80).collect()
}
