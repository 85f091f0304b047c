//! Faults of configurations, extraction and merging.

use super::builtin_type::BuiltinType;
use super::changes::{
    entries, is_atomic_list, is_atomic_map, is_empty_struct, keys_of, new_items_first, with_first_items,
    with_values_of, with_whole_items, without, without_keys, without_parts,
};
use super::parts::over;
use crate::defaults::is_zero_scalar;
use serde_json::{Map, Value};
use takeover_apply::managed::ObjectType as _;
use takeover_apply::schema::{Atom, ListKind, Schema};
use takeover_apply::typed::field_set;
use takeover_harness::rule::Law;

/// What is wrong with the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// A configuration leaves out zero values.
    ZerosNotTaken,
    /// A configuration leaves out empty structs.
    EmptyNotTaken,
    /// What another manager applied is extracted, too.
    OthersExtracted,
    /// What the manager updated is extracted, too.
    UpdatesExtracted,
    /// Everything is extracted, defaults, too.
    AllExtracted,
    /// Items are extracted as a whole when one of their fields is applied.
    WholeItemsExtracted,
    /// Items are extracted without their keys.
    KeysNotExtracted,
    /// The first item of each list is extracted alone.
    FirstItemExtracted,
    /// Zero values are not extracted.
    ZerosNotExtracted,
    /// Empty structs are not extracted.
    EmptyNotExtracted,
    /// Lists and maps of one piece are not extracted.
    PiecesNotExtracted,
    /// Entries of maps are not extracted.
    EntriesNotExtracted,
    /// The name of the object is not extracted.
    NameNotExtracted,
    /// Lists with keys are merged as one piece.
    KeyedListsReplaced,
    /// Sets are merged as one piece.
    SetsReplaced,
    /// Lists of one piece are merged as sets.
    ListsMerged,
    /// Maps of one piece are merged entry by entry.
    MapsMerged,
    /// Items of lists are found by their first key alone.
    FirstKeyAlone,
    /// What is there is kept instead of what is applied.
    LiveWins,
    /// What is no longer applied stays.
    NotPruned,
    /// What others own is removed with what is no longer applied.
    OthersPruned,
    /// New items of lists come first.
    NewItemsFirst,
    /// Zero values are not applied.
    ZerosNotApplied,
    /// Applied objects get no defaults.
    NotDefaulted,
    /// Other managers lose what they own.
    OthersForgotten,
    /// The manager comes to own the whole object.
    OwnsAll,
    /// An apply that changes nothing has a new time.
    AlwaysTouched,
}

/// Extracts what a manager applied to an object.
type Extract<'e> = dyn Fn(&Value, &str) -> Result<Value, String> + 'e;

impl Fault {
    pub(super) const ALL: [Self; 27] = [
        Self::ZerosNotTaken,
        Self::EmptyNotTaken,
        Self::OthersExtracted,
        Self::UpdatesExtracted,
        Self::AllExtracted,
        Self::WholeItemsExtracted,
        Self::KeysNotExtracted,
        Self::FirstItemExtracted,
        Self::ZerosNotExtracted,
        Self::EmptyNotExtracted,
        Self::PiecesNotExtracted,
        Self::EntriesNotExtracted,
        Self::NameNotExtracted,
        Self::KeyedListsReplaced,
        Self::SetsReplaced,
        Self::ListsMerged,
        Self::MapsMerged,
        Self::FirstKeyAlone,
        Self::LiveWins,
        Self::NotPruned,
        Self::OthersPruned,
        Self::NewItemsFirst,
        Self::ZerosNotApplied,
        Self::NotDefaulted,
        Self::OthersForgotten,
        Self::OwnsAll,
        Self::AlwaysTouched,
    ];

    /// The law that it breaks, and its name.
    pub(super) fn described(self) -> (Law, &'static str) {
        use Law::{Again, Extracted, RoundTrip, SameObject};
        match self {
            Self::ZerosNotTaken => (RoundTrip, "zero values left out"),
            Self::EmptyNotTaken => (RoundTrip, "empty structs left out"),
            Self::OthersExtracted => (Extracted, "fields of others extracted"),
            Self::UpdatesExtracted => (Extracted, "updated fields extracted"),
            Self::AllExtracted => (Extracted, "whole object extracted"),
            Self::WholeItemsExtracted => (Extracted, "whole items extracted"),
            Self::KeysNotExtracted => (Extracted, "keys not extracted"),
            Self::FirstItemExtracted => (Extracted, "first item extracted alone"),
            Self::ZerosNotExtracted => (Extracted, "zero values not extracted"),
            Self::EmptyNotExtracted => (Extracted, "empty structs not extracted"),
            Self::PiecesNotExtracted => (Extracted, "atomic lists and maps not extracted"),
            Self::EntriesNotExtracted => (Extracted, "entries of maps not extracted"),
            Self::NameNotExtracted => (Extracted, "name not extracted"),
            Self::KeyedListsReplaced => (SameObject, "keyed lists replaced"),
            Self::SetsReplaced => (SameObject, "sets replaced"),
            Self::ListsMerged => (SameObject, "atomic lists merged"),
            Self::MapsMerged => (SameObject, "atomic maps merged"),
            Self::FirstKeyAlone => (SameObject, "items found by their first key"),
            Self::LiveWins => (SameObject, "old values kept"),
            Self::NotPruned => (SameObject, "fields no longer applied kept"),
            Self::OthersPruned => (SameObject, "fields of others removed"),
            Self::NewItemsFirst => (SameObject, "new items first"),
            Self::ZerosNotApplied => (SameObject, "zero values not applied"),
            Self::NotDefaulted => (SameObject, "defaults not set"),
            Self::OthersForgotten => (Extracted, "other managers forgotten"),
            Self::OwnsAll => (Extracted, "whole object owned"),
            Self::AlwaysTouched => (Again, "time renewed without change"),
        }
    }

    /// Whether objects of a kind can show the fault.
    pub(super) fn fits(self, kind: &BuiltinType) -> bool {
        let (schema, _) = kind.schema();
        let any = |is: &dyn Fn(&Atom) -> bool| schema.atoms().skip(2).any(is);
        match self {
            Self::ListsMerged => any(&|atom| is_atomic_list(schema, atom)),
            Self::MapsMerged => any(&is_atomic_map),
            Self::FirstKeyAlone => any(&|atom| keys_of(atom).is_some_and(|keys| keys.len() > 1)),
            Self::NotDefaulted => kind.has_defaults(),
            _ => true,
        }
    }

    /// How objects merge.
    pub(super) fn merging(self, sound: &Schema) -> Option<Schema> {
        let lists = |is: fn(&ListKind) -> bool, make: fn(&ListKind) -> ListKind| {
            sound.changed(|atom| {
                if let Some(list) = atom.list.as_mut().filter(|list| is(&list.kind)) {
                    list.kind = make(&list.kind);
                }
            })
        };
        Some(match self {
            Self::KeyedListsReplaced => lists(|kind| matches!(kind, ListKind::Map(_)), |_| ListKind::Atomic),
            Self::SetsReplaced => lists(|kind| *kind == ListKind::Set, |_| ListKind::Atomic),
            Self::FirstKeyAlone => lists(
                |kind| matches!(kind, ListKind::Map(keys) if keys.len() > 1),
                |kind| match kind {
                    ListKind::Map(keys) => ListKind::Map(keys.iter().take(1).cloned().collect()),
                    other => other.clone(),
                },
            ),
            Self::ListsMerged => sound.changed(|atom| {
                if is_atomic_list(sound, atom)
                    && let Some(list) = &mut atom.list
                {
                    list.kind = ListKind::Set;
                }
            }),
            Self::MapsMerged => sound.changed(|atom| {
                if is_atomic_map(atom)
                    && let Some(map) = &mut atom.map
                {
                    map.atomic = false;
                }
            }),
            _ => return None,
        })
    }

    pub(super) fn after_take(self, taken: Value) -> Value {
        match self {
            Self::ZerosNotTaken => without(taken, &is_zero_scalar),
            Self::EmptyNotTaken => without(taken, &is_empty_struct),
            _ => taken,
        }
    }

    /// The stored object before the apply.
    pub(super) fn before_apply(self, live: &Value, manager: &str) -> Value {
        let mut live = live.clone();
        let is_own = |entry: &Value| entry.get("manager") == Some(&manager.into());
        for entry in entries(&mut live) {
            let forgets = match self {
                Self::NotPruned => is_own(entry),
                Self::OthersPruned => !is_own(entry),
                _ => false,
            };
            if forgets {
                entry["fieldsV1"] = Value::Object(Map::new());
            }
        }
        live
    }

    /// What is applied.
    pub(super) fn sent(self, applied: &Value, live: Option<&Value>) -> Value {
        match (self, live) {
            (Self::ZerosNotApplied, _) => without(applied.clone(), &is_zero_scalar),
            (Self::LiveWins, Some(live)) => with_values_of(applied, live),
            _ => applied.clone(),
        }
    }

    pub(super) fn after_apply(self, kind: &BuiltinType, live: Option<&Value>, mut made: Value, manager: &str) -> Value {
        let (schema, root) = kind.schema();
        let is_own = |entry: &Value| entry.get("manager") == Some(&manager.into());
        match self {
            Self::OthersForgotten => entries(&mut made).retain(is_own),
            Self::OwnsAll => {
                let mut bare = made.clone();
                entries(&mut bare).clear();
                let all = field_set(schema, root, &bare).to_json();
                if let Some(own) = entries(&mut made).iter_mut().find(|entry| is_own(entry)) {
                    own["fieldsV1"] = all;
                }
            }
            Self::NewItemsFirst => {
                if let Some(live) = live {
                    made = new_items_first(schema, root, &made, live);
                }
            }
            _ => {}
        }
        made
    }

    pub(super) fn extracted(
        self,
        kind: &BuiltinType,
        object: &Value,
        manager: &str,
        extract: &Extract<'_>,
    ) -> Result<Value, String> {
        let (schema, root) = kind.schema();
        let sound = || extract(object, manager);
        Ok(match self {
            Self::OthersExtracted => {
                let others = if manager == "one" { "two" } else { "one" };
                over(schema, root, &sound()?, &extract(object, others)?)
            }
            Self::UpdatesExtracted => {
                let mut object = object.clone();
                for entry in entries(&mut object) {
                    entry["operation"] = "Apply".into();
                }
                extract(&object, manager)?
            }
            Self::AllExtracted => {
                let mut all = object.clone();
                entries(&mut all).clear();
                all
            }
            Self::WholeItemsExtracted => with_whole_items(schema, root, &sound()?, object),
            Self::KeysNotExtracted => without_keys(schema, root, &sound()?),
            Self::FirstItemExtracted => with_first_items(sound()?),
            Self::ZerosNotExtracted => without(sound()?, &is_zero_scalar),
            Self::EmptyNotExtracted => without(sound()?, &is_empty_struct),
            Self::PiecesNotExtracted => without_parts(schema, root, &sound()?, &|atom, value| match value {
                Value::Object(_) => is_atomic_map(atom),
                Value::Array(_) => atom.list.as_ref().is_some_and(|list| list.kind == ListKind::Atomic),
                _ => false,
            }),
            Self::EntriesNotExtracted => without_parts(schema, root, &sound()?, &|atom, value| {
                value.is_object() && atom.map.as_ref().is_some_and(|map| map.fields.is_empty() && !map.atomic)
            }),
            Self::NameNotExtracted => {
                let mut extracted = sound()?;
                if let Some(metadata) = extracted.get_mut("metadata").and_then(Value::as_object_mut) {
                    metadata.remove("name");
                }
                extracted
            }
            _ => sound()?,
        })
    }
}
