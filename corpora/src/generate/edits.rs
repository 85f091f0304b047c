//! Edits that keep a valid object valid, for the new side of updates.

use super::choices::Choices;
use super::grow::Soil;
use takeover_harness::object::{NewMembers, Tree};

impl<'s> Soil<'s> {
    /// Makes one small edit; says what, or nothing when the object has no place for it.
    pub(super) fn edit(&self, object: &mut Tree<'s>, choices: &mut Choices<'_, '_>) -> Option<&'static str> {
        match choices.below(4) {
            0 | 1 => self.annotate(object, choices),
            2 => match self.relabel(object, choices) {
                None => self.annotate(object, choices),
                what => what,
            },
            _ => self.label(object, choices),
        }
    }

    fn annotate(&self, object: &mut Tree<'s>, choices: &mut Choices<'_, '_>) -> Option<&'static str> {
        self.in_metadata(object, |metadata| {
            if choices.chance(1, 3) && metadata.remove("annotations").is_some() {
                return "annotations removed";
            }
            self.put_entry(metadata, "annotations", "example.com/note", choices);
            "annotated"
        })
    }

    fn label(&self, object: &mut Tree<'s>, choices: &mut Choices<'_, '_>) -> Option<&'static str> {
        self.in_metadata(object, |metadata| {
            self.put_entry(metadata, "labels", "example.com/edited", choices);
            "labelled"
        })
    }

    /// Changes the metadata of an object, if it has any.
    fn in_metadata(
        &self,
        object: &mut Tree<'s>,
        change: impl FnOnce(&mut NewMembers<'s>) -> &'static str,
    ) -> Option<&'static str> {
        let mut metadata = object.get("metadata")?.as_object()?.to_change(self.arena);
        let what = change(&mut metadata);
        object.change("metadata", self.arena, |value| *value = metadata.into());
        Some(what)
    }

    fn put_entry(
        &self,
        metadata: &mut NewMembers<'s>,
        member: &'static str,
        key: &'static str,
        choices: &mut Choices<'_, '_>,
    ) {
        let value = choices.pick(&["one", "two", "three", ""]).copied().unwrap_or_default();
        let entries = metadata.get(member).and_then(Tree::as_object).unwrap_or_default();
        let mut entries = entries.to_change(self.arena);
        entries.insert(key, Tree::from(value));
        metadata.insert(member, entries.into());
    }

    /// Gives a label another value wherever an entry of that key and value stands, so that what selects still selects.
    fn relabel(&self, object: &mut Tree<'s>, choices: &mut Choices<'_, '_>) -> Option<&'static str> {
        let labels = object.get("metadata")?.get("labels")?.as_object()?;
        let (key, from) = labels.nth(choices.below(labels.len()))?;
        let from = from.as_str()?;
        if let Some(relabelled) = self.replaced(object, key, from, if from == "other" { "another" } else { "other" }) {
            *object = relabelled;
        }
        Some("relabelled throughout")
    }

    /// Returns `value` with the text `to` in every entry that has this key and the text `from`, or `None` if there is no such entry.
    fn replaced(&self, value: &Tree<'s>, key: &str, from: &str, to: &'static str) -> Option<Tree<'s>> {
        match value {
            Tree::Array(items) => {
                let mut copy = None;
                for (at, item) in items.iter().enumerate() {
                    if let Some(new) = self.replaced(item, key, from, to)
                        && let Some(item) = copy.get_or_insert_with(|| self.items_of(value)).get_mut(at)
                    {
                        *item = new;
                    }
                }
                copy.map(Tree::from)
            }
            Tree::Object(members) => {
                let mut copy = None;
                for (at, (name, member)) in members.iter().enumerate() {
                    let new = match member {
                        Tree::String(text) if name == key && *text == from => Some(Tree::from(to)),
                        member => self.replaced(member, key, from, to),
                    };
                    if let Some(new) = new
                        && let Some((_, member)) = copy.get_or_insert_with(|| members.to_change(self.arena)).nth_mut(at)
                    {
                        *member = new;
                    }
                }
                copy.map(Tree::from)
            }
            _ => None,
        }
    }
}
