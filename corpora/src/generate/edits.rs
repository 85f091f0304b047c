//! Edits that keep a valid object valid, for the new side of updates.

use super::choices::Choices;
use std::sync::Arc;
use takeover_harness::object::{Members, Tree};

/// Makes one small edit; says what, or nothing when the object has no place for it.
pub(super) fn edit(object: &mut Tree, choices: &mut Choices<'_, '_>) -> Option<&'static str> {
    match choices.below(4) {
        0 | 1 => annotate(object, choices),
        2 => match relabel(object, choices) {
            None => annotate(object, choices),
            what => what,
        },
        _ => label(object, choices),
    }
}

fn annotate(object: &mut Tree, choices: &mut Choices<'_, '_>) -> Option<&'static str> {
    let metadata = object.get_mut("metadata")?.as_object_mut()?;
    if choices.chance(1, 3) && metadata.remove("annotations").is_some() {
        return Some("annotations removed");
    }
    put(metadata, "annotations", "example.com/note", choices);
    Some("annotated")
}

fn label(object: &mut Tree, choices: &mut Choices<'_, '_>) -> Option<&'static str> {
    let metadata = object.get_mut("metadata")?.as_object_mut()?;
    put(metadata, "labels", "example.com/edited", choices);
    Some("labelled")
}

fn put(metadata: &mut Members, member: &str, key: &str, choices: &mut Choices<'_, '_>) {
    let value = choices.pick(&["one", "two", "three", ""]).copied().unwrap_or_default();
    match metadata.get_mut(member) {
        Some(Tree::Object(entries)) => Arc::make_mut(entries).insert(key, Tree::from(value)),
        _ => metadata.insert(member, Members::from_iter([(key.into(), Tree::from(value))]).into()),
    }
}

/// Gives a label another value wherever an entry of that key and value stands, so that what selects still selects.
fn relabel(object: &mut Tree, choices: &mut Choices<'_, '_>) -> Option<&'static str> {
    let labels = object.get("metadata")?.get("labels")?.as_object()?;
    let (key, from) = labels.nth(choices.below(labels.len()))?;
    let (key, from) = (Arc::clone(key), from.as_str()?.to_owned());
    replace(object, &key, &from, if from == "other" { "another" } else { "other" });
    Some("relabelled throughout")
}

fn replace(value: &mut Tree, key: &str, from: &str, to: &str) {
    match value {
        Tree::Array(items) if items.iter().any(|item| stands(item, key, from)) => {
            Arc::make_mut(items).iter_mut().for_each(|item| replace(item, key, from, to));
        }
        Tree::Object(members) if members.iter().any(|(name, member)| stands_as(name, member, key, from)) => {
            for (name, member) in Arc::make_mut(members).iter_mut() {
                match member {
                    Tree::String(text) if **name == *key && **text == *from => *text = to.into(),
                    member => replace(member, key, from, to),
                }
            }
        }
        _ => {}
    }
}

/// Whether an entry of this key and text stands anywhere in `value`.
fn stands(value: &Tree, key: &str, text: &str) -> bool {
    match value {
        Tree::Array(items) => items.iter().any(|item| stands(item, key, text)),
        Tree::Object(members) => members.iter().any(|(name, member)| stands_as(name, member, key, text)),
        _ => false,
    }
}

fn stands_as(name: &str, member: &Tree, key: &str, text: &str) -> bool {
    name == key && member.as_str() == Some(text) || stands(member, key, text)
}
