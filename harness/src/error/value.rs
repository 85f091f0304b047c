//! The bad value of a field error.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// The value an error complains about, as Kubernetes stores it in `field.Error.BadValue`.
///
/// Serialised as plain JSON.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum BadValue {
    /// Go `nil`.
    Null,
    /// A Go bool.
    Bool(bool),
    /// A Go integer of any size.
    Int(i64),
    /// A Go unsigned integer above the range of `i64`.
    Uint(u64),
    /// A value that messages leave out, in JSON the same as nil.
    #[serde(skip_deserializing)]
    Hidden,
    /// A Go float.
    Float(f64),
    /// A plain Go string.
    Text(Cow<'static, str>),
    /// Anything else, as Go's JSON encoding of it. `BadValue::from` writes numbers as Go does, `2` for the float `2.0`; [`BadValue::json`]
    /// leaves them as they are.
    Json(SharedJson),
    /// A Go struct with its members in Go's order, in which messages show them. Otherwise the same as its JSON.
    #[serde(skip_deserializing, serialize_with = "as_map")]
    Struct(Vec<(&'static str, BadValue)>),
}

/// JSON that copies share: some checks show the same list in each of their errors.
#[derive(Clone, Debug)]
pub struct SharedJson(Arc<Weighed>);

/// JSON, and about how many bytes it takes.
#[derive(Debug)]
struct Weighed {
    value: Value,
    bytes: usize,
}

impl SharedJson {
    /// The JSON.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.0.value
    }
}

impl From<Value> for SharedJson {
    fn from(value: Value) -> Self {
        let bytes = json_bytes(&value);
        Self(Arc::new(Weighed { value, bytes }))
    }
}

impl PartialEq for SharedJson {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.value() == other.value()
    }
}

impl Serialize for SharedJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for SharedJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(Self::from)
    }
}

/// Values are equal whose JSON is. The order of members does not count.
impl PartialEq for BadValue {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null | Self::Hidden, Self::Null | Self::Hidden) => true,
            (Self::Bool(one), Self::Bool(other)) => one == other,
            (Self::Int(one), Self::Int(other)) => one == other,
            (Self::Uint(one), Self::Uint(other)) => one == other,
            (Self::Float(one), Self::Float(other)) => one == other,
            (Self::Text(one), Self::Text(other)) => one == other,
            (Self::Json(one), Self::Json(other)) => one == other,
            _ => self.to_json() == other.to_json(),
        }
    }
}

fn as_map<S: Serializer>(members: &[(&'static str, BadValue)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(members.iter().map(|(name, value)| (name, value)))
}

impl BadValue {
    /// The empty string, which Required and Forbidden errors store.
    pub const EMPTY: BadValue = BadValue::Text(Cow::Borrowed(""));
    /// What TooLong errors store.
    pub const OMITTED: BadValue = BadValue::Text(Cow::Borrowed("<value omitted>"));

    /// A value as JSON, left as it is.
    #[must_use]
    pub fn json(value: Value) -> Self {
        Self::Json(value.into())
    }

    /// Whether messages leave the value out.
    pub(super) fn is_hidden(&self) -> bool {
        matches!(self, Self::Hidden)
    }

    /// Whether messages show both alike, as far as that is known without printing them.
    pub(crate) fn is_known_to_print_as(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) | (Self::Hidden, Self::Hidden) => true,
            (Self::Bool(one), Self::Bool(other)) => one == other,
            (Self::Int(one), Self::Int(other)) => one == other,
            (Self::Uint(one), Self::Uint(other)) => one == other,
            (Self::Text(one), Self::Text(other)) => one == other,
            (Self::Json(one), Self::Json(other)) => Arc::ptr_eq(&one.0, &other.0),
            _ => false,
        }
    }

    /// About how many bytes it takes beside the enum.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Json(value) => value.0.bytes,
            Self::Struct(members) => members.iter().map(|(_, value)| size_of::<Self>() + value.bytes()).sum(),
            _ => 0,
        }
    }

    /// The value as JSON.
    #[must_use]
    pub fn to_json(&self) -> Value {
        match self {
            Self::Null | Self::Hidden => Value::Null,
            Self::Bool(value) => Value::Bool(*value),
            Self::Int(value) => Value::from(*value),
            Self::Uint(value) => Value::from(*value),
            Self::Float(value) => whole(*value).unwrap_or_else(|| Value::from(*value)),
            Self::Text(value) => Value::String(value.as_ref().to_owned()),
            Self::Json(value) => value.value().clone(),
            Self::Struct(members) => {
                members.iter().map(|(name, value)| ((*name).to_owned(), value.to_json())).collect()
            }
        }
    }
}

/// The text of the value inside an error message: strings quoted as Go's `%q`, everything else as JSON.
impl fmt::Display for BadValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Hidden => Ok(()),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Int(value) => write!(f, "{value}"),
            Self::Uint(value) => write!(f, "{value}"),
            Self::Float(value) => write!(f, "{value}"),
            Self::Text(value) => write_quoted(f, value),
            Self::Json(value) => write_json(f, value.value()),
            Self::Struct(members) => {
                for (index, (name, value)) in members.iter().enumerate() {
                    write!(f, "{}\"{name}\":", if index == 0 { '{' } else { ',' })?;
                    match value {
                        Self::Text(text) => write_json(f, &Value::from(text.as_ref()))?,
                        value => write!(f, "{value}")?,
                    }
                }
                f.write_str(if members.is_empty() { "{}" } else { "}" })
            }
        }
    }
}

/// Writes JSON as Go's encoder does: characters that HTML minds, and the two line separators that JavaScript minds, escaped.
fn write_json(f: &mut fmt::Formatter<'_>, value: &Value) -> fmt::Result {
    let minded = |c: char| matches!(c, '<' | '>' | '&' | '\u{2028}' | '\u{2029}');
    write_escaped(f, &value.to_string(), minded, |f, c| write!(f, "\\u{:04x}", c as u32))
}

/// Writes `text` as Go's `strconv.Quote` does for the characters that occur in practice.
fn write_quoted(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_str("\"")?;
    let minded = |c: char| matches!(c, '"' | '\\') || c.is_control();
    write_escaped(f, text, minded, |f, c| match c {
        '"' => f.write_str("\\\""),
        '\\' => f.write_str("\\\\"),
        '\n' => f.write_str("\\n"),
        '\r' => f.write_str("\\r"),
        '\t' => f.write_str("\\t"),
        '\u{7}' => f.write_str("\\a"),
        '\u{8}' => f.write_str("\\b"),
        '\u{b}' => f.write_str("\\v"),
        '\u{c}' => f.write_str("\\f"),
        c if (c as u32) < 0x20 || c as u32 == 0x7f => write!(f, "\\x{:02x}", c as u32),
        c => write!(f, "\\u{:04x}", c as u32),
    })?;
    f.write_str("\"")
}

/// Writes a text, with `escape` for each character that is minded.
fn write_escaped(
    f: &mut fmt::Formatter<'_>,
    text: &str,
    minded: impl Fn(char) -> bool,
    escape: impl Fn(&mut fmt::Formatter<'_>, char) -> fmt::Result,
) -> fmt::Result {
    let mut rest = text;
    while let Some(at) = rest.find(&minded) {
        let (plain, from) = rest.split_at(at);
        f.write_str(plain)?;
        let mut chars = from.chars();
        if let Some(c) = chars.next() {
            escape(f, c)?;
        }
        rest = chars.as_str();
    }
    f.write_str(rest)
}

impl From<bool> for BadValue {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<i32> for BadValue {
    fn from(value: i32) -> Self {
        Self::Int(i64::from(value))
    }
}

impl From<i64> for BadValue {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl<T: Into<BadValue>> From<Option<T>> for BadValue {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl From<usize> for BadValue {
    fn from(value: usize) -> Self {
        i64::try_from(value).map_or(Self::Uint(u64::MAX), Self::Int)
    }
}

impl From<&str> for BadValue {
    fn from(value: &str) -> Self {
        Self::Text(Cow::Owned(value.to_owned()))
    }
}

impl From<String> for BadValue {
    fn from(value: String) -> Self {
        Self::Text(Cow::Owned(value))
    }
}

impl From<Value> for BadValue {
    fn from(value: Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(value),
            Value::String(value) => Self::Text(Cow::Owned(value)),
            Value::Number(number) => match (number.as_i64(), number.as_u64(), number.as_f64()) {
                (Some(value), _, _) => Self::Int(value),
                (None, Some(value), _) => Self::Uint(value),
                (None, None, Some(value)) => Self::Float(value),
                (None, None, None) => Self::json(Value::Number(number)),
            },
            other => Self::json(with_whole_numbers(other)),
        }
    }
}

/// About how many bytes a value takes beside the enum.
fn json_bytes(value: &Value) -> usize {
    let item = |value: &Value| size_of::<Value>() + json_bytes(value);
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(item).sum(),
        Value::Object(members) => members.iter().map(|(name, value)| name.len() + item(value)).sum(),
        _ => 0,
    }
}

/// JSON with floats of whole numbers as Go writes them, without a fraction.
fn with_whole_numbers(value: Value) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => number.as_f64().and_then(whole).unwrap_or(Value::Number(number)),
        Value::Array(items) => items.into_iter().map(with_whole_numbers).collect(),
        Value::Object(members) => {
            members.into_iter().map(|(name, value)| (name, with_whole_numbers(value))).collect::<Map<_, _>>().into()
        }
        other => other,
    }
}

/// The whole number that a float is, where integers of its size hold it.
fn whole(value: f64) -> Option<Value> {
    /// Up to here floats hold every integer.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let digits = (value.fract() == 0.0 && value.abs() <= EXACT).then(|| value.to_string())?;
    digits.parse::<i64>().ok().map(Value::from)
}

#[cfg(test)]
mod tests {
    use super::BadValue;
    use serde_json::json;

    #[test]
    fn values_print_as_kubernetes_prints_them() {
        for (value, printed) in [
            (BadValue::Null, "null"),
            (BadValue::from(-1), "-1"),
            (BadValue::from(true), "true"),
            (BadValue::from("a\"\n\u{7f}"), "\"a\\\"\\n\\x7f\""),
            (BadValue::from("\u{e9}\\\u{7}x\u{85}\u{2028}"), "\"\u{e9}\\\\\\ax\\u0085\u{2028}\""),
            (BadValue::from(json!(["x\u{2028}\u{2029}>"])), "[\"x\\u2028\\u2029\\u003e\"]"),
            (BadValue::from(json!({"a": "<b>&"})), "{\"a\":\"\\u003cb\\u003e\\u0026\"}"),
            (BadValue::from(json!(2.0)), "2"),
            (BadValue::from(json!({"a": [2.0, -3.0, 0.5, 1e300]})), "{\"a\":[2,-3,0.5,1e+300]}"),
        ] {
            assert_eq!(value.to_string(), printed);
        }
    }

    #[test]
    fn structs_show_their_members_in_gos_order_and_equal_their_json() {
        let inner = BadValue::Struct(vec![("Z", BadValue::from("<\n")), ("A", BadValue::Null)]);
        let value = BadValue::Struct(vec![("Name", BadValue::from(1)), ("Inner", inner)]);
        assert_eq!(value.to_string(), r#"{"Name":1,"Inner":{"Z":"\u003c\n","A":null}}"#);
        let json = json!({"Inner": {"A": null, "Z": "<\n"}, "Name": 1});
        assert_eq!(serde_json::to_value(&value).unwrap(), json);
        assert_eq!(value, BadValue::json(json));
        assert_ne!(value, BadValue::Struct(Vec::new()));
        assert_eq!(BadValue::Struct(Vec::new()).to_string(), "{}");
    }

    #[test]
    fn copies_share_their_json_and_are_equal_to_what_has_the_same() {
        let value = BadValue::json(json!([{"a": "text"}]));
        let (copy, other) = (value.clone(), BadValue::json(json!([{"a": "text"}])));
        assert!(
            value.is_known_to_print_as(&copy)
                && !value.is_known_to_print_as(&other)
                && !value.is_known_to_print_as(&BadValue::Null)
        );
        assert!(value == copy && value == other && value.bytes() == other.bytes() && value.bytes() > 4);
        assert_eq!(serde_json::to_value(&value).unwrap(), json!([{"a": "text"}]));
    }

    #[test]
    fn recorded_json_reads_as_the_value_it_was() {
        for (json, value) in [
            (json!(null), BadValue::Null),
            (json!(3), BadValue::Int(3)),
            (json!(2.5), BadValue::Float(2.5)),
            (json!("x"), BadValue::from("x")),
            (json!({"a": [1]}), BadValue::json(json!({"a": [1]}))),
        ] {
            assert_eq!(serde_json::from_value::<BadValue>(json.clone()).unwrap(), value, "{json}");
            assert_eq!(value.to_json(), json);
        }
    }
}
