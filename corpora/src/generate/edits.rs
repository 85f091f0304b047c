//! Edits that keep a valid object valid, for the new side of updates.

use super::choices::Choices;
use serde_json::{Map, Value};

/// Makes one small edit; says what, or nothing when the object has no place for it.
pub(super) fn edit(object: &mut Value, choices: &mut Choices<'_, '_>) -> Option<&'static str> {
    match choices.below(4) {
        0 | 1 => annotate(object, choices),
        2 => match relabel(object, choices) {
            None => annotate(object, choices),
            what => what,
        },
        _ => label(object, choices),
    }
}

fn annotate(object: &mut Value, choices: &mut Choices<'_, '_>) -> Option<&'static str> {
    let metadata = object.get_mut("metadata")?.as_object_mut()?;
    if choices.chance(1, 3) && metadata.remove("annotations").is_some() {
        return Some("annotations removed");
    }
    put(metadata, "annotations", "example.com/note", choices);
    Some("annotated")
}

fn label(object: &mut Value, choices: &mut Choices<'_, '_>) -> Option<&'static str> {
    let metadata = object.get_mut("metadata")?.as_object_mut()?;
    put(metadata, "labels", "example.com/edited", choices);
    Some("labelled")
}

fn put(metadata: &mut Map<String, Value>, member: &str, key: &str, choices: &mut Choices<'_, '_>) {
    let value = choices.pick(&["one", "two", "three", ""]).copied().unwrap_or_default();
    match metadata.get_mut(member) {
        Some(Value::Object(entries)) => {
            entries.insert(key.to_owned(), Value::from(value));
        }
        _ => {
            metadata.insert(member.to_owned(), Value::Object(Map::from_iter([(key.to_owned(), Value::from(value))])));
        }
    }
}

/// Gives a label another value wherever an entry of that key and value stands, so that what selects still selects.
fn relabel(object: &mut Value, choices: &mut Choices<'_, '_>) -> Option<&'static str> {
    let labels = object.get("metadata")?.get("labels")?.as_object()?;
    let (key, from) = labels.iter().nth(choices.below(labels.len()))?;
    let (key, from) = (key.clone(), from.as_str()?.to_owned());
    replace(object, &key, &from, if from == "other" { "another" } else { "other" });
    Some("relabelled throughout")
}

fn replace(value: &mut Value, key: &str, from: &str, to: &str) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| replace(item, key, from, to)),
        Value::Object(members) => {
            for (name, member) in members {
                match member {
                    Value::String(text) if name == key && text == from => to.clone_into(text),
                    member => replace(member, key, from, to),
                }
            }
        }
        _ => {}
    }
}
