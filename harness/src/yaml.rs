//! JSON trees as YAML in block style, for people.

use serde_json::{Map, Value};

/// Prints `value` as one YAML document in block style, ending in a line feed.
///
/// `apiVersion`, `kind`, `metadata` and `spec` come first at the root, everything else in the order of the tree. A text is
/// plain only where no YAML reader, 1.1 or 1.2, could take it for anything else; otherwise it is double-quoted on one line.
///
/// ```
/// use takeover_harness::yaml::to_yaml;
/// let object = serde_json::json!({"kind": "Thing", "spec": {"sizes": [1, "2"], "labels": {}}});
/// assert_eq!(to_yaml(&object), "kind: Thing\nspec:\n  labels: {}\n  sizes:\n  - 1\n  - \"2\"\n");
/// ```
#[must_use]
pub fn to_yaml(value: &Value) -> String {
    let mut out = String::new();
    match value {
        Value::Object(members) if !members.is_empty() => {
            let known = ["apiVersion", "kind", "metadata", "spec"];
            let first = known.iter().filter_map(|key| members.get_key_value(*key));
            let rest = members.iter().filter(|(key, _)| !known.contains(&key.as_str()));
            first.chain(rest).for_each(|(key, value)| member(key, value, 0, &mut out));
        }
        Value::Array(items) if !items.is_empty() => sequence(items, 0, &mut out),
        other => {
            scalar(other, &mut out);
            out.push('\n');
        }
    }
    out
}

fn mapping(members: &Map<String, Value>, indent: usize, out: &mut String) {
    for (key, value) in members {
        out.extend(std::iter::repeat_n(' ', indent));
        member(key, value, indent, out);
    }
}

/// One member; the indentation of its first line is already written.
fn member(key: &str, value: &Value, indent: usize, out: &mut String) {
    text(key, out);
    out.push(':');
    match value {
        Value::Object(members) if !members.is_empty() => {
            out.push('\n');
            mapping(members, indent + 2, out);
        }
        Value::Array(items) if !items.is_empty() => {
            out.push('\n');
            sequence(items, indent, out);
        }
        other => {
            out.push(' ');
            scalar(other, out);
            out.push('\n');
        }
    }
}

fn sequence(items: &[Value], indent: usize, out: &mut String) {
    for item in items {
        out.extend(std::iter::repeat_n(' ', indent));
        dash(item, indent, out);
    }
}

/// One item; the indentation of its first line is already written.
fn dash(item: &Value, indent: usize, out: &mut String) {
    out.push_str("- ");
    match item {
        Value::Object(members) => match members.iter().next() {
            Some((key, value)) => {
                member(key, value, indent + 2, out);
                for (key, value) in members.iter().skip(1) {
                    out.extend(std::iter::repeat_n(' ', indent + 2));
                    member(key, value, indent + 2, out);
                }
            }
            None => out.push_str("{}\n"),
        },
        Value::Array(items) => match items.split_first() {
            Some((first, rest)) => {
                dash(first, indent + 2, out);
                sequence(rest, indent + 2, out);
            }
            None => out.push_str("[]\n"),
        },
        other => {
            scalar(other, out);
            out.push('\n');
        }
    }
}

fn scalar(value: &Value, out: &mut String) {
    match value {
        Value::String(value) => text(value, out),
        // Numbers, bools and null, and empty lists and maps, are written as in JSON.
        other => out.push_str(&other.to_string()),
    }
}

fn text(value: &str, out: &mut String) {
    if is_plain(value) {
        out.push_str(value);
        return;
    }
    out.push('"');
    for c in value.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            // What YAML calls unprintable, and what it takes for line ends.
            '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => {
                out.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            _ => out.push(c),
        }
    }
    out.push('"');
}

/// A letter, then letters, digits and a few signs that mean nothing inside a plain scalar; and no word that YAML 1.1 reads
/// as a bool or null.
fn is_plain(value: &str) -> bool {
    const WORDS: [&str; 9] = ["y", "n", "yes", "no", "on", "off", "true", "false", "null"];
    value.starts_with(|c: char| c.is_ascii_alphabetic())
        && value.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/'))
        && !WORDS.iter().any(|word| value.eq_ignore_ascii_case(word))
}
