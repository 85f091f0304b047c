//! Faults of configurations, extraction and merging.

use super::builtin_type::BuiltinType;
use super::changes::{
    any_member, any_part, entries, is_atomic_list, is_atomic_map, is_empty_struct, keys_of, new_items_first,
    with_first_items, with_values_of, with_whole_items, without, without_keys, without_parts,
};
use super::objects::Applier;
use super::parts::over;
use crate::defaults::is_zero_scalar;
use serde_json::{Map, Value};
use takeover_apply::fields::{Element, FieldSet};
use takeover_apply::managed::{Conflict, Conflicts, ManagedFields, ObjectType as _, Operation, Owned, Owner};
use takeover_apply::schema::{Atom, ListKind, Schema, TypeId};
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
    /// An apply without force takes what others own.
    ConflictsIgnored,
    /// An apply is refused over the first conflict alone.
    FirstConflictAlone,
    /// Nothing is a conflict that somebody owns by an update.
    UpdatesGiveWay,
    /// Nothing is a conflict in an item of a list.
    ItemsGiveWay,
    /// A conflict is at the struct around the field.
    ConflictAtParent,
    /// A conflict names who applies instead of the owner.
    ApplierNamed,
    /// A field that keeps its value is a conflict, too.
    SameValueContested,
    /// Others keep what is taken with force.
    OthersKeepForced,
    /// What is taken with force belongs to nobody.
    ForcedNotOwned,
    /// What is taken with force keeps its value.
    ForcedValueKept,
}

/// Extracts what a manager applied to an object.
type Extract<'e> = dyn Fn(&Value, &str) -> Result<Value, String> + 'e;

impl Fault {
    pub(super) const ALL: [Self; 37] = [
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
        Self::ConflictsIgnored,
        Self::FirstConflictAlone,
        Self::UpdatesGiveWay,
        Self::ItemsGiveWay,
        Self::ConflictAtParent,
        Self::ApplierNamed,
        Self::SameValueContested,
        Self::OthersKeepForced,
        Self::ForcedNotOwned,
        Self::ForcedValueKept,
    ];

    /// The law that it breaks, and its name.
    pub(super) fn described(self) -> (Law, &'static str) {
        use Law::{Again, Conflicts, Extracted, RoundTrip, SameObject};
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
            Self::ConflictsIgnored => (Conflicts, "conflicts ignored"),
            Self::FirstConflictAlone => (Conflicts, "first conflict reported alone"),
            Self::UpdatesGiveWay => (Conflicts, "no conflict with updates"),
            Self::ItemsGiveWay => (Conflicts, "no conflict in items of lists"),
            Self::ConflictAtParent => (Conflicts, "conflict at the parent"),
            Self::ApplierNamed => (Conflicts, "conflict with the applier"),
            Self::SameValueContested => (Conflicts, "conflict over an unchanged field"),
            Self::OthersKeepForced => (Conflicts, "forced field still owned by others"),
            Self::ForcedNotOwned => (Conflicts, "forced field not owned"),
            Self::ForcedValueKept => (Conflicts, "forced field not changed"),
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

    /// Whether an object has anything that merges in another way.
    pub(super) fn may_show(self, schema: &Schema, root: TypeId, object: &Value) -> bool {
        let any = |is: &dyn Fn(&Atom) -> bool| any_part(schema, root, object, is);
        match self {
            Self::KeyedListsReplaced => any(&|atom| keys_of(atom).is_some()),
            Self::SetsReplaced => any(&|atom| atom.list.as_ref().is_some_and(|list| list.kind == ListKind::Set)),
            Self::FirstKeyAlone => any(&|atom| keys_of(atom).is_some_and(|keys| keys.len() > 1)),
            Self::ListsMerged => any(&|atom| is_atomic_list(schema, atom)),
            Self::MapsMerged => any(&is_atomic_map),
            _ => true,
        }
    }

    /// What is taken instead; none if it is the same.
    pub(super) fn after_take(self, taken: &Value) -> Option<Value> {
        let without = |is: fn(&Value) -> bool| any_member(taken, &is).then(|| without(taken.clone(), &is));
        match self {
            Self::ZerosNotTaken => without(is_zero_scalar),
            Self::EmptyNotTaken => without(is_empty_struct),
            _ => None,
        }
    }

    /// Whether it spoils what a sound apply has made.
    pub(super) fn comes_after(self) -> bool {
        matches!(
            self,
            Self::OthersForgotten
                | Self::OwnsAll
                | Self::NewItemsFirst
                | Self::ConflictsIgnored
                | Self::FirstConflictAlone
                | Self::UpdatesGiveWay
                | Self::ItemsGiveWay
                | Self::ConflictAtParent
                | Self::ApplierNamed
                | Self::SameValueContested
                | Self::OthersKeepForced
                | Self::ForcedNotOwned
        )
    }

    /// Whether it may change what an apply makes.
    pub(super) fn concerns(self, live: Option<&Value>, applied: &Value, by: Applier<'_>) -> bool {
        match self {
            Self::KeyedListsReplaced
            | Self::SetsReplaced
            | Self::FirstKeyAlone
            | Self::ListsMerged
            | Self::MapsMerged
            | Self::NotDefaulted => true,
            Self::NotPruned | Self::OthersPruned => {
                live.is_some_and(|live| self.before_apply(live, by.manager).is_some())
            }
            Self::ZerosNotApplied | Self::LiveWins | Self::ForcedValueKept => {
                self.sent(applied, live, by.force).is_some()
            }
            _ => false,
        }
    }

    /// The stored object before the apply; none if it is the same.
    pub(super) fn before_apply(self, live: &Value, manager: &str) -> Option<Value> {
        let forgets = |entry: &Value| match self {
            Self::NotPruned => is_of(entry, manager),
            Self::OthersPruned => !is_of(entry, manager),
            _ => false,
        };
        let known = live.get("metadata")?.get("managedFields")?.as_array()?;
        if !known.iter().any(forgets) {
            return None;
        }
        let mut live = live.clone();
        for entry in entries(&mut live).iter_mut().filter(|entry| forgets(entry)) {
            entry["fieldsV1"] = Value::Object(Map::new());
        }
        Some(live)
    }

    /// What is applied instead; none if it is the same.
    pub(super) fn sent(self, applied: &Value, live: Option<&Value>, force: bool) -> Option<Value> {
        match (self, live) {
            (Self::ZerosNotApplied, _) => {
                any_member(applied, &is_zero_scalar).then(|| without(applied.clone(), &is_zero_scalar))
            }
            (Self::LiveWins, Some(live)) => Some(with_values_of(applied, live)),
            (Self::ForcedValueKept, Some(live)) if force => Some(with_values_of(applied, live)),
            _ => None,
        }
    }

    /// The conflicts over which an apply is refused; none if it is not.
    pub(super) fn refused(
        self,
        kind: &BuiltinType,
        conflicts: Conflicts,
        live: Option<&Value>,
        applied: &Value,
        by: Applier<'_>,
    ) -> Option<Conflicts> {
        let mut found = conflicts.0;
        match self {
            Self::ConflictsIgnored => found.clear(),
            Self::FirstConflictAlone => found.truncate(1),
            Self::UpdatesGiveWay => found.retain(|conflict| conflict.owner.operation == Operation::Apply),
            Self::ItemsGiveWay => {
                let is_field = |step: &Element| matches!(step, Element::Field(_));
                found.retain(|conflict| conflict.path.0.iter().all(is_field));
            }
            Self::ConflictAtParent => found.iter_mut().for_each(|conflict| _ = conflict.path.0.pop()),
            Self::ApplierNamed => {
                found.iter_mut().for_each(|conflict| conflict.owner = Owner::applier(by.manager, ""));
            }
            Self::SameValueContested => {
                let (schema, root) = kind.schema();
                let applied = field_set(schema, root, applied);
                let owners = live.and_then(|live| ManagedFields::of(live).ok()).unwrap_or_default().fields;
                found = owners
                    .into_iter()
                    .flat_map(|(owner, owned)| {
                        let paths = owned.set.intersection(&applied).paths();
                        paths.into_iter().map(move |path| Conflict { owner: owner.clone(), path })
                    })
                    .collect();
            }
            _ => {}
        }
        (!found.is_empty()).then_some(Conflicts(found))
    }

    /// What an apply makes instead; none if it is the same.
    pub(super) fn after_apply(
        self,
        kind: &BuiltinType,
        live: Option<&Value>,
        made: &Value,
        by: Applier<'_>,
    ) -> Option<Value> {
        let (schema, root) = kind.schema();
        let is_own = |entry: &Value| is_of(entry, by.manager);
        let mut spoilt = made.clone();
        match (self, live) {
            (Self::OthersForgotten, _) => entries(&mut spoilt).retain(is_own),
            (Self::OwnsAll, _) => {
                let mut bare = made.clone();
                entries(&mut bare).clear();
                let all = field_set(schema, root, &bare).to_json();
                if let Some(own) = entries(&mut spoilt).iter_mut().find(|entry| is_own(entry)) {
                    own["fieldsV1"] = all;
                }
            }
            (Self::NewItemsFirst, Some(live)) => spoilt = new_items_first(schema, root, made, live),
            (Self::OthersKeepForced, Some(live)) if by.force => {
                let mut live = live.clone();
                let others = entries(&mut live).drain(..).filter(|entry| !is_own(entry));
                entries(&mut spoilt).retain(is_own);
                entries(&mut spoilt).extend(others);
            }
            (Self::ForcedNotOwned, Some(live)) if by.force => {
                let owners = |object: &Value| ManagedFields::of(object).unwrap_or_default().fields;
                let after = owners(made);
                let lost = |(owner, before): (Owner, Owned)| match after.get(&owner) {
                    Some(after) => before.set.difference(&after.set),
                    None => before.set,
                };
                let lost: Vec<FieldSet> = owners(live).into_iter().map(lost).collect();
                for own in entries(&mut spoilt).iter_mut().filter(|entry| is_own(entry)) {
                    let set = FieldSet::from_json(&own["fieldsV1"]).unwrap_or_default();
                    own["fieldsV1"] = lost.iter().fold(set, |set, lost| set.difference(lost)).to_json();
                }
            }
            _ => return None,
        }
        (spoilt != *made).then_some(spoilt)
    }

    /// What is extracted instead; none if it is the same.
    pub(super) fn extracted(
        self,
        kind: &BuiltinType,
        object: &Value,
        manager: &str,
        extract: &Extract<'_>,
    ) -> Option<Result<Value, String>> {
        let known = object.get("metadata").and_then(|metadata| metadata.get("managedFields")).and_then(Value::as_array);
        let has = |manager: &str, operation: &str| {
            let is = |entry: &Value| is_of(entry, manager) && entry.get("operation") == Some(&operation.into());
            known.is_some_and(|entries| entries.iter().any(is))
        };
        let others = if manager == "one" { "two" } else { "one" };
        match self {
            Self::OthersExtracted if !has(others, "Apply") => return None,
            Self::UpdatesExtracted if !has(manager, "Update") => return None,
            Self::OthersExtracted
            | Self::UpdatesExtracted
            | Self::AllExtracted
            | Self::WholeItemsExtracted
            | Self::KeysNotExtracted
            | Self::FirstItemExtracted
            | Self::ZerosNotExtracted
            | Self::EmptyNotExtracted
            | Self::PiecesNotExtracted
            | Self::EntriesNotExtracted
            | Self::NameNotExtracted => {}
            _ => return None,
        }
        Some(self.extracted_otherwise(kind, object, (manager, others), extract))
    }

    fn extracted_otherwise(
        self,
        kind: &BuiltinType,
        object: &Value,
        (manager, others): (&str, &str),
        extract: &Extract<'_>,
    ) -> Result<Value, String> {
        let (schema, root) = kind.schema();
        let sound = || extract(object, manager);
        Ok(match self {
            Self::OthersExtracted => over(schema, root, &sound()?, &extract(object, others)?),
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

/// Whether an entry of managed fields is of a manager.
fn is_of(entry: &Value, manager: &str) -> bool {
    entry.get("manager").and_then(Value::as_str) == Some(manager)
}
