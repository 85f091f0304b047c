//! What faults make of values.

use serde_json::{Map, Value};
use takeover_apply::schema::{Atom, ListKind, Schema, TypeId};

pub(super) fn keys_of(atom: &Atom) -> Option<&[String]> {
    match &atom.list.as_ref()?.kind {
        ListKind::Map(keys) => Some(keys),
        _ => None,
    }
}

/// Whether a list is one piece, and its items are scalars.
pub(super) fn is_atomic_list(schema: &Schema, atom: &Atom) -> bool {
    let items = atom.list.as_ref().filter(|list| list.kind == ListKind::Atomic).map(|list| schema.atom(list.item));
    items.is_some_and(|item| item.map.is_none() && item.list.is_none())
}

pub(super) fn is_atomic_map(atom: &Atom) -> bool {
    atom.scalar.is_none() && atom.map.as_ref().is_some_and(|map| map.atomic)
}

pub(super) fn is_empty_struct(value: &Value) -> bool {
    value.as_object().is_some_and(Map::is_empty)
}

/// The entries of the managers of an object.
pub(super) fn entries(object: &mut Value) -> &mut Vec<Value> {
    let metadata = &mut object["metadata"];
    if !metadata["managedFields"].is_array() {
        metadata["managedFields"] = Value::Array(Vec::new());
    }
    match &mut metadata["managedFields"] {
        Value::Array(entries) => entries,
        _ => unreachable!("it was made a list"),
    }
}

/// Whether some member of an object, at any level, is what `is` says.
pub(super) fn any_member(value: &Value, is: &dyn Fn(&Value) -> bool) -> bool {
    match value {
        Value::Object(members) => members.values().any(|member| is(member) || any_member(member, is)),
        Value::Array(items) => items.iter().any(|item| any_member(item, is)),
        _ => false,
    }
}

/// Whether the type of some list or map of a value is what `is` says.
pub(super) fn any_part(schema: &Schema, ty: TypeId, value: &Value, is: &dyn Fn(&Atom) -> bool) -> bool {
    let atom = schema.atom(ty);
    match value {
        Value::Object(members) => {
            let of = |name: &str| atom.map.as_ref().and_then(|map| map.member(name)).unwrap_or(Schema::UNTYPED);
            is(atom) || members.iter().any(|(name, value)| any_part(schema, of(name), value, is))
        }
        Value::Array(items) => {
            let ty = atom.list.as_ref().map_or(Schema::UNTYPED, |list| list.item);
            is(atom) || items.iter().any(|item| any_part(schema, ty, item, is))
        }
        _ => false,
    }
}

/// A value without the members, at every level, that `is` says.
pub(super) fn without(value: Value, is: &dyn Fn(&Value) -> bool) -> Value {
    match value {
        Value::Object(members) => {
            let kept = members.into_iter().filter(|(_, member)| !is(member));
            Value::Object(kept.map(|(name, member)| (name, without(member, is))).collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(|item| without(item, is)).collect()),
        plain => plain,
    }
}

/// What is applied, with the values that the object has already.
pub(super) fn with_values_of(applied: &Value, live: &Value) -> Value {
    match (applied, live) {
        (Value::Object(applied), Value::Object(live)) => {
            let of = |(name, value): (&String, &Value)| {
                (name.clone(), live.get(name).map_or_else(|| value.clone(), |live| with_values_of(value, live)))
            };
            Value::Object(applied.iter().map(of).collect())
        }
        (Value::Array(_) | Value::Object(_), _) => applied.clone(),
        _ => live.clone(),
    }
}

pub(super) fn with_first_items(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            Value::Object(members.into_iter().map(|(name, member)| (name, with_first_items(member))).collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().take(1).map(with_first_items).collect()),
        plain => plain,
    }
}

/// A value, its members and items as `call` makes them of their types; none takes one away.
fn each_part(schema: &Schema, ty: TypeId, value: &Value, call: &dyn Fn(TypeId, &Value) -> Option<Value>) -> Value {
    let atom = schema.atom(ty);
    match value {
        Value::Object(members) => {
            let of = |(name, value): (&String, &Value)| {
                let ty = atom.map.as_ref().and_then(|map| map.member(name)).unwrap_or(Schema::UNTYPED);
                Some((name.clone(), call(ty, value)?))
            };
            Value::Object(members.iter().filter_map(of).collect())
        }
        Value::Array(items) => {
            let ty = atom.list.as_ref().map_or(Schema::UNTYPED, |list| list.item);
            Value::Array(items.iter().filter_map(|item| call(ty, item)).collect())
        }
        plain => plain.clone(),
    }
}

pub(super) fn without_parts(schema: &Schema, ty: TypeId, value: &Value, is: &dyn Fn(&Atom, &Value) -> bool) -> Value {
    each_part(schema, ty, value, &|ty, value| {
        (!is(schema.atom(ty), value)).then(|| without_parts(schema, ty, value, is))
    })
}

pub(super) fn without_keys(schema: &Schema, ty: TypeId, value: &Value) -> Value {
    let value = each_part(schema, ty, value, &|ty, value| Some(without_keys(schema, ty, value)));
    match (value, keys_of(schema.atom(ty))) {
        (Value::Array(mut items), Some(keys)) => {
            for item in items.iter_mut().filter_map(Value::as_object_mut) {
                item.retain(|name, _| !keys.contains(name));
            }
            Value::Array(items)
        }
        (value, _) => value,
    }
}

/// The items of an object with the keys of those of a part.
pub(super) fn with_whole_items(schema: &Schema, ty: TypeId, part: &Value, whole: &Value) -> Value {
    match (part, whole, keys_of(schema.atom(ty))) {
        (Value::Array(part), Value::Array(whole), Some(keys)) => {
            let is_same = |one: &Value, other: &Value| keys.iter().all(|key| one.get(key) == other.get(key));
            let of = |item: &Value| whole.iter().find(|of| is_same(item, of)).unwrap_or(item).clone();
            Value::Array(part.iter().map(of).collect())
        }
        (Value::Object(part), Value::Object(whole), _) => {
            let map = schema.atom(ty).map.as_ref();
            let of = |(name, value): (&String, &Value)| {
                let ty = map.and_then(|map| map.member(name)).unwrap_or(Schema::UNTYPED);
                let whole = whole.get(name).unwrap_or(&Value::Null);
                (name.clone(), with_whole_items(schema, ty, value, whole))
            };
            Value::Object(part.iter().map(of).collect())
        }
        _ => part.clone(),
    }
}

/// An object whose lists have grown, with what is new before what was there.
pub(super) fn new_items_first(schema: &Schema, ty: TypeId, made: &Value, live: &Value) -> Value {
    match (made, live, keys_of(schema.atom(ty))) {
        (Value::Array(made), Value::Array(live), Some(_)) if made.len() > live.len() => {
            let mut items = made.clone();
            items.rotate_left(live.len());
            Value::Array(items)
        }
        (Value::Object(made), Value::Object(live), _) => {
            let map = schema.atom(ty).map.as_ref();
            let of = |(name, value): (&String, &Value)| {
                let ty = map.and_then(|map| map.member(name)).unwrap_or(Schema::UNTYPED);
                let live = live.get(name).unwrap_or(&Value::Null);
                (name.clone(), new_items_first(schema, ty, value, live))
            };
            Value::Object(made.iter().map(of).collect())
        }
        _ => made.clone(),
    }
}
