//! What decoding and encoding does to the metadata of an object.

use super::typed::{GoStruct, GoType, OBJECT_META, Written};
use serde_json::{Map, Value};
use takeover_harness::object::Instant;

/// Makes of metadata what decoding into `ObjectMeta` and encoding leave of it: no unknown members, nothing empty, times in UTC. Adds
/// the paths of unknown members, below `path`.
///
/// # Errors
/// Returns the message of the decoder when a value has another type than its member.
pub(super) fn round_trip(metadata: &mut Value, path: &str, unknown: &mut Vec<String>) -> Result<(), String> {
    let mut decoder = Decoder { unknown, within: Vec::new() };
    let decoded = match metadata {
        Value::Null => Map::new(),
        Value::Object(members) => decoder.members(&OBJECT_META, members, path)?,
        other => {
            return Err(format!("json: cannot unmarshal {} into Go value of type v1.ObjectMeta", go_kind(other)));
        }
    };
    *metadata = Value::Object(decoded);
    Ok(())
}

struct Decoder<'d> {
    unknown: &'d mut Vec<String>,
    /// Names of the members on the way.
    within: Vec<&'static str>,
}

impl Decoder<'_> {
    fn members(
        &mut self,
        of: &GoStruct,
        members: &Map<String, Value>,
        path: &str,
    ) -> Result<Map<String, Value>, String> {
        let mut decoded = Map::new();
        for (name, value) in members {
            let known = of.members.iter().find(|(known, _, _)| known == name);
            let Some((name, ty, written)) = known else {
                self.unknown.push(format!("{path}.{name}"));
                continue;
            };
            self.within.push(name);
            let made = self.value(ty, value, &format!("{path}.{name}"), of)?;
            self.within.pop();
            let given = *written != Written::UnlessZero && !value.is_null();
            if let Some(made) = made.filter(|made| given || !is_zero(made)) {
                decoded.insert((*name).to_owned(), made);
            }
        }
        for (name, _, _) in of.members.iter().filter(|(_, _, written)| *written == Written::Always) {
            decoded.entry(*name).or_insert_with(|| Value::from(""));
        }
        Ok(decoded)
    }

    /// The value as Go writes it back; none for null, which leaves what was there.
    fn value(&mut self, ty: &GoType, value: &Value, path: &str, of: &GoStruct) -> Result<Option<Value>, String> {
        Ok(Some(match (ty, value) {
            (_, Value::Null) => return Ok(None),
            (GoType::Raw, any) => any.clone(),
            (GoType::Text, Value::String(_)) | (GoType::Flag, Value::Bool(_)) => value.clone(),
            (GoType::Int, Value::Number(number)) if number.is_i64() => value.clone(),
            (GoType::Int, Value::Number(number)) => return Err(self.refusal(&format!("number {number}"), ty, of)),
            (GoType::Time, Value::String(text)) => {
                let instant = Instant::parse(text).ok_or_else(|| {
                    format!("parsing time {text:?} as \"2006-01-02T15:04:05Z07:00\": cannot parse {text:?}")
                })?;
                if instant.is_zero() { Value::Null } else { Value::from(instant.to_seconds_text()) }
            }
            (GoType::Time, other) => {
                return Err(format!("json: cannot unmarshal {} into Go value of type string", go_kind(other)));
            }
            (GoType::Texts, Value::Object(members)) => {
                let mut texts = Map::new();
                for (key, value) in members {
                    let text = self.value(&GoType::Text, value, path, of)?;
                    texts.insert(key.clone(), text.unwrap_or_else(|| Value::from("")));
                }
                Value::Object(texts)
            }
            (GoType::List { of: element, .. }, Value::Array(items)) => {
                let mut made = Vec::with_capacity(items.len());
                for (index, item) in items.iter().enumerate() {
                    made.push(match (item, element) {
                        (Value::Null, GoType::Struct(of)) => Value::Object(self.members(of, &Map::new(), path)?),
                        (Value::Null, _) => Value::from(""),
                        (item, element) => {
                            self.value(element, item, &format!("{path}[{index}]"), of)?.unwrap_or_default()
                        }
                    });
                }
                Value::Array(made)
            }
            (GoType::Struct(of), Value::Object(members)) => Value::Object(self.members(of, members, path)?),
            (ty, other) => return Err(self.refusal(go_kind(other), ty, of)),
        }))
    }

    fn refusal(&self, found: &str, ty: &GoType, of: &GoStruct) -> String {
        let (of, within) = (of.name, self.within.join("."));
        format!("json: cannot unmarshal {found} into Go struct field {of}.{within} of type {}", ty.name())
    }
}

fn is_zero(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(flag) => !flag,
        Value::Number(number) => number.as_i64() == Some(0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
    }
}

/// What Go's decoder calls a JSON value.
fn go_kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

#[cfg(test)]
mod tests {
    use super::round_trip;
    use serde_json::{Value, json};

    fn made(metadata: Value) -> Result<(Value, Vec<String>), String> {
        let (mut metadata, mut unknown) = (metadata, Vec::new());
        round_trip(&mut metadata, "metadata", &mut unknown).map(|()| (metadata, unknown))
    }

    #[test]
    fn only_what_is_known_and_not_empty_stays() {
        let rows = [
            (json!(null), json!({}), vec![]),
            (json!({"labels": null, "annotations": {}, "name": "", "generation": 0}), json!({}), vec![]),
            (json!({"labels": {"a": null}}), json!({"labels": {"a": ""}}), vec![]),
            (
                json!({"creationTimestamp": null, "deletionGracePeriodSeconds": 0}),
                json!({"deletionGracePeriodSeconds": 0}),
                vec![],
            ),
            (
                json!({"creationTimestamp": "2026-01-02T05:04:05.7+02:00", "clusterName": "x"}),
                json!({"creationTimestamp": "2026-01-02T03:04:05Z"}),
                vec!["metadata.clusterName"],
            ),
            (
                json!({"ownerReferences": [{"kind": "A", "controller": false, "odd": 1}]}),
                json!({"ownerReferences": [{"apiVersion": "", "kind": "A", "name": "", "uid": "", "controller": false}]}),
                vec!["metadata.ownerReferences[0].odd"],
            ),
            (json!({"finalizers": ["a", null]}), json!({"finalizers": ["a", ""]}), vec![]),
        ];
        for (given, expected, odd) in rows {
            let odd = odd.into_iter().map(str::to_owned).collect();
            assert_eq!(made(given.clone()), Ok((expected, odd)), "{given}");
        }
    }

    #[test]
    fn other_types_are_refused_in_the_words_of_the_decoder() {
        let rows = [
            (json!("x"), "json: cannot unmarshal string into Go value of type v1.ObjectMeta"),
            (
                json!({"labels": {"a": 1}}),
                "json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string",
            ),
            (
                json!({"labels": "a"}),
                "json: cannot unmarshal string into Go struct field ObjectMeta.labels of type map[string]string",
            ),
            (
                json!({"generation": 1.5}),
                "json: cannot unmarshal number 1.5 into Go struct field ObjectMeta.generation of type int64",
            ),
            (
                json!({"ownerReferences": [{"controller": "yes"}]}),
                "json: cannot unmarshal string into Go struct field OwnerReference.ownerReferences.controller of type bool",
            ),
        ];
        for (given, expected) in rows {
            assert_eq!(made(given.clone()), Err(expected.to_owned()), "{given}");
        }
        assert!(made(json!({"creationTimestamp": "yesterday"})).unwrap_err().starts_with("parsing time \"yesterday\""));
    }
}
