//! JSON values as structured-merge-diff sees them: integers and floats are one order of numbers, and texts in messages are Go's.

use serde_json::{Map, Number, Value};
use std::cmp::Ordering;

/// Whether two values are equal; a float equals the integer of its value.
#[must_use]
pub fn equal(left: &Value, right: &Value) -> bool {
    left == right || compare(left, right) == Ordering::Equal
}

/// The order of values: numbers, texts, booleans, lists, maps, null.
#[must_use]
pub fn compare(left: &Value, right: &Value) -> Ordering {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => numbers(left, right),
        (Value::String(left), Value::String(right)) => left.cmp(right),
        (Value::Bool(left), Value::Bool(right)) => left.cmp(right),
        (Value::Array(left), Value::Array(right)) => lists(left, right),
        (Value::Object(left), Value::Object(right)) => maps(left, right),
        _ => rank(left).cmp(&rank(right)),
    }
}

/// The place of a value's kind in the order of values.
fn rank(value: &Value) -> u8 {
    match value {
        Value::Number(number) if number.is_f64() => 0,
        Value::Number(_) => 1,
        Value::String(_) => 2,
        Value::Bool(_) => 3,
        Value::Array(_) => 4,
        Value::Object(_) => 5,
        Value::Null => 6,
    }
}

fn numbers(left: &Number, right: &Number) -> Ordering {
    match (left.as_i64(), right.as_i64()) {
        (Some(left), Some(right)) => left.cmp(&right),
        _ => left.as_f64().partial_cmp(&right.as_f64()).unwrap_or(Ordering::Equal),
    }
}

fn lists(left: &[Value], right: &[Value]) -> Ordering {
    let different = left.iter().zip(right).map(|(left, right)| compare(left, right)).find(|order| order.is_ne());
    different.unwrap_or_else(|| left.len().cmp(&right.len()))
}

/// Maps in the order of the members of both: the first name that only one has makes that one the greater, unless it is exhausted.
fn maps(left: &Map<String, Value>, right: &Map<String, Value>) -> Ordering {
    let mut names: Vec<&String> = left.keys().chain(right.keys()).collect();
    names.sort_unstable();
    names.dedup();
    for (index, name) in names.into_iter().enumerate() {
        let order = match (left.get(name), right.get(name)) {
            _ if index == left.len() => Ordering::Less,
            _ if index == right.len() => Ordering::Greater,
            (None, _) => Ordering::Greater,
            (_, None) => Ordering::Less,
            (Some(left), Some(right)) => compare(left, right),
        };
        if order.is_ne() {
            return order;
        }
    }
    Ordering::Equal
}

/// Whether a map or list is empty, or the value is null or absent.
pub(crate) fn is_empty(value: Option<&Value>) -> bool {
    match value {
        None | Some(Value::Null) => true,
        Some(Value::Array(items)) => items.is_empty(),
        Some(Value::Object(members)) => members.is_empty(),
        Some(_) => false,
    }
}

/// A value in the path of a field: `"name"`, `80`, `true`.
#[must_use]
pub fn in_path(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => go_number(number),
        Value::String(text) => go_quoted(text),
        Value::Array(items) => format!("[{}]", items.iter().map(in_path).collect::<Vec<_>>().join(",")),
        Value::Object(members) => {
            members.iter().map(|(name, value)| format!("{name}={}", in_path(value))).collect::<String>()
        }
    }
}

/// A number as Go's `%v` prints it: floats in their shortest form, with an exponent where it is below -4 or above 5.
fn go_number(number: &Number) -> String {
    match number.as_f64().filter(|_| number.is_f64()) {
        Some(float) => go_float(float),
        None => number.to_string(),
    }
}

fn go_float(float: f64) -> String {
    // The shortest digits, as `d.ddde±x`.
    let scientific = format!("{float:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if (-4..6).contains(&exponent) {
        return float.to_string();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.unsigned_abs())
}

/// A text as Go's `%q` prints it.
#[must_use]
pub fn go_quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\u{7}' => quoted.push_str("\\a"),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{c}' => quoted.push_str("\\f"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\u{b}' => quoted.push_str("\\v"),
            low if u32::from(low) < 0x20 || low == '\u{7f}' => quoted.push_str(&format!("\\x{:02x}", u32::from(low))),
            printed => quoted.push(printed),
        }
    }
    quoted.push('"');
    quoted
}

/// A value as Go's `%v` prints what it is decoded into: `map[a:1]`, `[x y]`, `<nil>`.
#[must_use]
pub fn go_value(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => go_number(number),
        Value::String(text) => text.clone(),
        Value::Array(items) => format!("[{}]", items.iter().map(go_value).collect::<Vec<_>>().join(" ")),
        Value::Object(members) => {
            let members = members.iter().map(|(name, value)| format!("{name}:{}", go_value(value)));
            format!("map[{}]", members.collect::<Vec<_>>().join(" "))
        }
    }
}

/// The Go type that a value is decoded into, as `%T` prints it.
#[must_use]
pub fn go_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_f64() => "float64",
        Value::Number(_) => "int64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    }
}

/// A value in Go syntax, as `%#v` prints what it is decoded into.
#[must_use]
pub fn go_syntax(value: &Value) -> String {
    match value {
        Value::Null => "interface {}(nil)".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => go_number(number),
        Value::String(text) => go_quoted(text),
        Value::Array(items) => {
            format!("[]interface {{}}{{{}}}", items.iter().map(go_syntax).collect::<Vec<_>>().join(", "))
        }
        Value::Object(members) => {
            let members = members.iter().map(|(name, value)| format!("{}:{}", go_quoted(name), go_syntax(value)));
            format!("map[string]interface {{}}{{{}}}", members.collect::<Vec<_>>().join(", "))
        }
    }
}

/// A value as JSON, as Go's encoder writes it: `<`, `>` and `&` as code points, whole floats without a fraction.
pub(crate) fn go_json(value: &Value) -> String {
    match value {
        Value::Number(number) if number.is_f64() => {
            let float = number.as_f64().unwrap_or_default();
            match float.abs() {
                size if size != 0.0 && !(1e-6..1e21).contains(&size) => go_float_exponent(float),
                _ => float.to_string(),
            }
        }
        Value::String(text) => {
            let mut json = Value::String(text.clone()).to_string();
            for (character, written) in
                [('<', "\\u003c"), ('>', "\\u003e"), ('&', "\\u0026"), ('\u{2028}', "\\u2028"), ('\u{2029}', "\\u2029")]
            {
                if json.contains(character) {
                    json = json.replace(character, written);
                }
            }
            json
        }
        Value::Array(items) => format!("[{}]", items.iter().map(go_json).collect::<Vec<_>>().join(",")),
        Value::Object(members) => {
            let name = |name: &String| go_json(&Value::String(name.clone()));
            let members = members.iter().map(|(key, value)| format!("{}:{}", name(key), go_json(value)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
        other => other.to_string(),
    }
}

/// A float with an exponent, as Go's JSON encoder writes it: `1e+21`, `1e-7`.
fn go_float_exponent(float: f64) -> String {
    let scientific = format!("{float:e}");
    match scientific.split_once('e') {
        Some((digits, exponent)) if !exponent.starts_with('-') => format!("{digits}e+{exponent}"),
        _ => scientific,
    }
}

#[cfg(test)]
mod tests {
    use super::{compare, go_float, go_json, go_quoted, in_path};
    use serde_json::json;
    use std::cmp::Ordering;

    #[test]
    fn numbers_are_compared_by_value_and_kinds_have_an_order() {
        assert_eq!(compare(&json!(1), &json!(1.0)), Ordering::Equal);
        assert_eq!(compare(&json!(0), &json!(-0.0)), Ordering::Equal);
        assert_eq!(compare(&json!(2), &json!(1.5)), Ordering::Greater);
        for (less, more) in [
            (json!(9), json!("a")),
            (json!("z"), json!(false)),
            (json!(true), json!([])),
            (json!([1]), json!([1, 2])),
            (json!([9]), json!({})),
            (json!({"a": 1}), json!({"a": 2})),
            (json!({}), json!(null)),
        ] {
            assert_eq!(compare(&less, &more), Ordering::Less, "{less} {more}");
            assert_eq!(compare(&more, &less), Ordering::Greater, "{more} {less}");
        }
    }

    #[test]
    fn values_are_printed_as_go_prints_them() {
        assert_eq!(in_path(&json!("a\"b\n")), r#""a\"b\n""#);
        assert_eq!(go_quoted("\u{1}"), "\"\\x01\"");
        for (float, printed) in [(80.0, "80"), (0.5, "0.5"), (123_456_789.0, "1.23456789e+08"), (1.5e-7, "1.5e-07")] {
            assert_eq!(go_float(float), printed);
        }
        assert_eq!(go_json(&json!("<a>")), r#""\u003ca\u003e""#);
        assert_eq!(go_json(&json!({"p": 80.0})), r#"{"p":80}"#);
    }
}
