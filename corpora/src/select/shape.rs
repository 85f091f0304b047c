//! What two cases have in common that differ only in values of the same class.

use super::sample::first;
use crate::load::LoadedCase;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;
use takeover_harness::case::{Payload, stored};

/// Which cases count as repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Dedup {
    /// Those of the same shape: the same operation on the same kind, the same paths of fields without indices and keys, and at
    /// each the same classes of values.
    Shape,
}

/// The hash of the shape of a case.
#[must_use]
pub fn shape_of(loaded: &LoadedCase) -> u64 {
    let mut hasher = blake3::Hasher::new();
    let head = format!("{} {} {} {}", loaded.api_version, loaded.kind, loaded.subresource, loaded.case.operation);
    hasher.update(head.as_bytes());
    let new = paths(&loaded.case.object);
    for path in &new {
        hasher.update(&[0]).update(path.as_bytes());
    }
    if let Some(old) = &loaded.case.old {
        for path in paths(old) {
            hasher.update(&[1]).update(path.as_bytes());
        }
        // Two objects of one shape may be the same or differ.
        hasher.update(&[2, u8::from(*old == loaded.case.object)]);
    }
    let mut options: Vec<_> = loaded.case.options.iter().filter(|(_, on)| *on).collect();
    options.sort_unstable();
    options.iter().for_each(|(name, _)| _ = hasher.update(&[3]).update(name.as_bytes()));
    first(&hasher)
}

/// Every path of an object with the class of the value there.
fn paths(payload: &Payload) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    match payload {
        Payload::Value(value) => step(value, &mut String::new(), &mut out),
        Payload::Stored(value) => step(&stored(Value::clone(value)), &mut String::new(), &mut out),
        Payload::Tree(tree) => step(&tree.to_value(), &mut String::new(), &mut out),
        Payload::Json(text) => match serde_json::from_slice(text) {
            Ok(value) => step(&value, &mut String::new(), &mut out),
            Err(_) => _ = out.insert("not JSON".to_owned()),
        },
    }
    out
}

fn step(value: &Value, path: &mut String, out: &mut BTreeSet<String>) {
    let length = path.len();
    match value {
        Value::Object(map) => {
            out.insert(format!("{path} {}", size(map.len())));
            for (key, child) in map {
                path.push('.');
                // Keys that a user chose are values.
                let field =
                    key.starts_with(|c: char| c.is_ascii_lowercase()) && key.chars().all(|c| c.is_ascii_alphanumeric());
                path.push_str(if field { key } else { "*" });
                step(child, path, out);
                path.truncate(length);
            }
        }
        Value::Array(list) => {
            out.insert(format!("{path}[] {}", size(list.len())));
            path.push_str("[]");
            list.iter().for_each(|element| step(element, path, out));
            path.truncate(length);
        }
        other => {
            out.insert(format!("{path}={}", class(other)));
        }
    }
}

fn size(length: usize) -> &'static str {
    match length {
        0 => "empty",
        1 => "one",
        _ => "several",
    }
}

/// The class of a value: what rules look at, roughly. Words that look like those of an enumeration are themselves.
fn class(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => {
            let magnitude = |number: u64| if number < 2 { number } else { 10_u64.pow(number.ilog10()) };
            match (number.as_u64(), number.as_i64()) {
                (Some(number), _) => format!("{}", magnitude(number)),
                (None, Some(number)) => format!("-{}", magnitude(number.unsigned_abs())),
                (None, None) => "fraction".to_owned(),
            }
        }
        Value::String(text) => text_class(text),
        Value::Array(_) | Value::Object(_) => String::new(),
    }
}

fn text_class(text: &str) -> String {
    let word = text.len() <= 32
        && text.starts_with(|c: char| c.is_ascii_uppercase())
        && text.chars().all(|c| c.is_ascii_alphanumeric());
    if word {
        return text.to_owned();
    }
    // The sorts of characters in the order in which they first come, and the length in powers of two.
    let mut sorts = String::new();
    for c in text.chars() {
        let sort = match c {
            'a'..='z' => 'a',
            'A'..='Z' => 'A',
            '0'..='9' => '0',
            _ if c.is_ascii() => c,
            _ => '?',
        };
        if !sorts.contains(sort) {
            sorts.push(sort);
        }
    }
    let length = if text.is_empty() { 0 } else { text.len().ilog2() + 1 };
    format!("{length}{sorts}")
}
