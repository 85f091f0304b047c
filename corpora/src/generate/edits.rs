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
    if let Some(relabelled) = replaced(object, &key, &from, if from == "other" { "another" } else { "other" }) {
        *object = relabelled;
    }
    Some("relabelled throughout")
}

/// Returns `value` with the text `to` in every entry that has this key and the text `from`, or `None` if there is no such entry.
fn replaced(value: &Tree, key: &str, from: &str, to: &str) -> Option<Tree> {
    match value {
        Tree::Array(items) => {
            let mut copy: Option<Vec<Tree>> = None;
            for (at, item) in items.iter().enumerate() {
                if let Some(new) = replaced(item, key, from, to)
                    && let Some(item) = copy.get_or_insert_with(|| Vec::clone(items)).get_mut(at)
                {
                    *item = new;
                }
            }
            copy.map(Tree::from)
        }
        Tree::Object(members) => {
            let mut copy: Option<Members> = None;
            for (at, (name, member)) in members.iter().enumerate() {
                let new = match member {
                    Tree::String(text) if **name == *key && **text == *from => Some(Tree::from(to)),
                    member => replaced(member, key, from, to),
                };
                if let Some(new) = new
                    && let Some((_, member)) = copy.get_or_insert_with(|| Members::clone(members)).nth_mut(at)
                {
                    *member = new;
                }
            }
            copy.map(Tree::from)
        }
        _ => None,
    }
}
