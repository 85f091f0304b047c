//! What a YAML scalar means: the YAML 1.1 rules that Kubernetes' YAML library keeps, `yes` and `on` included.

use super::number::{self, Integer};
use base64::Engine as _;

/// A resolved scalar.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Scalar {
    Null,
    Bool(bool),
    Int(i64),
    /// A whole number above the signed range.
    Uint(u64),
    Float(f64),
    /// A text other than the scalar's own.
    Other(String),
    /// The scalar's text as it stands.
    Text,
}

/// The tag of a scalar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    /// None: plain scalars are resolved, others are texts.
    None,
    /// A tag of YAML's own: `str`, `int`, …
    Core(String),
    /// Any other, `!` among them: the scalar is a text.
    Foreign,
}

/// The meaning of the scalar `text`.
///
/// # Errors
/// Returns an error when the tag does not allow the text; the message names both.
pub(super) fn resolve(text: &str, plain: bool, tag: &Tag) -> Result<Scalar, String> {
    let name = match tag {
        Tag::None if !plain => return Ok(Scalar::Text),
        Tag::None => return Ok(implicit(text)),
        Tag::Foreign => return Ok(Scalar::Text),
        Tag::Core(name) => name.as_str(),
    };
    let refused = || Err(format!("`{}` is not a value of tag `!!{name}`", crate::shortened::shortened(text)));
    match (name, implicit(text)) {
        ("bool", value @ Scalar::Bool(_))
        | ("int", value @ (Scalar::Int(_) | Scalar::Uint(_)))
        | ("float", value @ (Scalar::Float(_) | Scalar::Int(_)))
        | ("null", value @ Scalar::Null) => Ok(value),
        ("bool" | "int" | "float" | "null", _) => refused(),
        ("timestamp", _) if !looks_like_a_date(text) => refused(),
        ("binary", _) => match decoded(text) {
            Some(bytes) => Ok(Scalar::Other(bytes)),
            None => refused(),
        },
        _ => Ok(Scalar::Text),
    }
}

/// The meaning of a plain scalar without tag.
fn implicit(text: &str) -> Scalar {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Scalar::Null,
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => return Scalar::Bool(true),
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            return Scalar::Bool(false);
        }
        ".nan" | ".NaN" | ".NAN" => return Scalar::Float(f64::NAN),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => return Scalar::Float(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => return Scalar::Float(f64::NEG_INFINITY),
        _ => {}
    }
    match text.as_bytes().first() {
        Some(b'.') => number::float(text).map_or(Scalar::Text, Scalar::Float),
        Some(b'0'..=b'9' | b'+' | b'-') => numeric(text),
        _ => Scalar::Text,
    }
}

fn numeric(text: &str) -> Scalar {
    // Underscores may stand anywhere in a number that begins as one.
    let digits = if text.contains('_') { &text.replace('_', "") } else { text };
    match number::integer(digits) {
        Some(Integer::Signed(value)) => Scalar::Int(value),
        Some(Integer::Unsigned(value)) => Scalar::Uint(value),
        None => number::float(digits).map_or(Scalar::Text, Scalar::Float),
    }
}

/// Dates stay texts; the tag alone asks for one.
fn looks_like_a_date(text: &str) -> bool {
    let mut parts = text.splitn(3, '-');
    let numeric = |part: Option<&str>, longest: usize| {
        part.is_some_and(|part| {
            !part.is_empty() && part.len() <= longest && part.bytes().all(|byte| byte.is_ascii_digit())
        })
    };
    let year = parts.next();
    year.is_some_and(|year| year.len() == 4)
        && numeric(year, 4)
        && numeric(parts.next(), 2)
        && parts.next().is_some_and(|day| day.starts_with(|first: char| first.is_ascii_digit()))
}

/// Base64 as text; a byte that is no UTF-8 becomes the replacement character, as JSON of Go has it.
fn decoded(text: &str) -> Option<String> {
    let compact: String = text.chars().filter(|character| !matches!(character, '\n' | '\r')).collect();
    let bytes = base64::engine::general_purpose::STANDARD.decode(compact).ok()?;
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        chunk.invalid().iter().for_each(|_| out.push(char::REPLACEMENT_CHARACTER));
    }
    Some(out)
}
