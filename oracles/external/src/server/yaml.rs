//! As much YAML as a kubeconfig needs: maps, lists and scalars, which are text but for `true`, `false` and null.

use granit_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Value};

/// Most values of a file.
const MOST_VALUES: usize = 100_000;

/// A map or list whose end has not come yet.
enum Open {
    List(Vec<Value>),
    Map(Map<String, Value>, Option<String>),
}

/// Reads the first document; the number of the line at fault otherwise. Says nothing more of it: it may hold secrets.
pub(super) fn read(text: &str) -> Result<Value, usize> {
    let mut open: Vec<Open> = Vec::new();
    let mut count = 0_usize;
    let mut parser = Parser::new_from_str(text);
    while let Some(event) = parser.next_event() {
        let (event, span) = event.map_err(|error| error.marker().line())?;
        let line = span.start.line();
        count += 1;
        let value = match event {
            Event::Scalar(text, style, ..) => scalar(&text, style == ScalarStyle::Plain),
            Event::SequenceStart(..) => {
                open.push(Open::List(Vec::new()));
                continue;
            }
            Event::MappingStart(..) => {
                open.push(Open::Map(Map::new(), None));
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(Open::List(items)) => Value::Array(items),
                Some(Open::Map(members, None)) => Value::Object(members),
                _ => return Err(line),
            },
            Event::DocumentEnd => break,
            // Nobody's tools write them.
            Event::Alias(_) => return Err(line),
            _ => continue,
        };
        if count > MOST_VALUES {
            return Err(line);
        }
        match open.last_mut() {
            None => return Ok(value),
            Some(Open::List(items)) => items.push(value),
            Some(Open::Map(members, key)) => match (key.take(), value) {
                (Some(key), value) => {
                    members.insert(key, value);
                }
                (None, Value::String(name)) => *key = Some(name),
                (None, _) => return Err(line),
            },
        }
    }
    Ok(Value::Null)
}

fn scalar(text: &str, plain: bool) -> Value {
    match text {
        "" | "~" | "null" if plain => Value::Null,
        "true" if plain => Value::Bool(true),
        "false" if plain => Value::Bool(false),
        text => Value::String(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::read;
    use serde_json::json;

    #[test]
    fn a_kubeconfig_reads_as_kubectl_writes_it() {
        let text = "apiVersion: v1\nclusters:\n- cluster:\n    server: https://a:6443\n    insecure-skip-tls-verify: true\n  name: \"true\"\nusers: null\npreferences: {}\nn: 12\n";
        assert_eq!(
            read(text),
            Ok(json!({
                "apiVersion": "v1", "users": null, "preferences": {}, "n": "12",
                "clusters": [{"cluster": {"server": "https://a:6443", "insecure-skip-tls-verify": true}, "name": "true"}],
            }))
        );
        assert_eq!(read(r#"{"clusters": [{"name": "a"}]}"#), Ok(json!({"clusters": [{"name": "a"}]})));
        assert_eq!(read(""), Ok(json!(null)));
    }

    #[test]
    fn what_is_wrong_is_named_by_its_line() {
        assert_eq!(read("a: b\nc: [d\ne: f"), Err(3));
        assert_eq!(read("a: &x b\nc: *x"), Err(2));
        assert_eq!(read("a: b\n? [c]\n: d"), Err(2));
    }
}
