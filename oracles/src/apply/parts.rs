//! What is known of merging without the engine: which item of a list is which, objects in two parts, and one object written over
//! another.

use serde_json::{Map, Value};
use takeover_apply::fields::Element;
use takeover_apply::schema::{ListKind, ListType, MapType, Schema, TypeId};
use takeover_harness::path::Path;

/// A type below which values merge part by part.
pub(super) enum Granular<'s> {
    Map(&'s MapType),
    Set,
    Keyed(&'s ListType, &'s [String]),
}

/// How a value of a type merges; none if it is one piece.
pub(super) fn granular<'s>(schema: &'s Schema, ty: TypeId, value: &Value) -> Option<Granular<'s>> {
    let atom = schema.atom(ty);
    match value {
        Value::Object(_) => atom.map.as_ref().filter(|map| !map.atomic).map(Granular::Map),
        Value::Array(_) => match atom.list.as_ref()? {
            ListType { kind: ListKind::Atomic, .. } => None,
            ListType { kind: ListKind::Set, .. } => Some(Granular::Set),
            list @ ListType { kind: ListKind::Map(keys), .. } => Some(Granular::Keyed(list, keys)),
        },
        _ => None,
    }
}

/// What an item of a list is found by: its keys, those that it leaves out by their defaults.
pub(super) fn key(schema: &Schema, list: &ListType, keys: &[String], item: &Value) -> Vec<Option<Value>> {
    let declared = schema.atom(list.item).map.as_ref().map(|map| &map.fields);
    let of = |key: &String| item.get(key).cloned().or_else(|| declared?.get(key)?.default.clone());
    keys.iter().map(of).collect()
}

/// The step to an item with these values of its keys.
pub(super) fn key_element(keys: &[String], values: Vec<Option<Value>>) -> Element {
    Element::keys(keys.iter().cloned().zip(values).filter_map(|(name, value)| Some((name, value?))).collect())
}

/// Members that say which object it is: in both parts, and in no configuration's own set.
const IDENTITY: [&str; 2] = ["name", "namespace"];

/// Two configurations of one object that have nothing in common but what names it and its items, and together are the whole; none if
/// nothing is set.
pub(super) fn split(schema: &Schema, root: TypeId, whole: &Value) -> Option<[Value; 2]> {
    let mut rest = whole.clone();
    let mut identity = Map::new();
    let members = rest.as_object_mut()?;
    for name in ["apiVersion", "kind"] {
        identity.extend(members.remove(name).map(|value| (name.to_owned(), value)));
    }
    let mut named = Map::new();
    if let Some(metadata) = members.get_mut("metadata").and_then(Value::as_object_mut) {
        for name in IDENTITY {
            named.extend(metadata.remove(name).map(|value| (name.to_owned(), value)));
        }
    }
    if members.get("metadata").is_some_and(|metadata| metadata.as_object().is_some_and(Map::is_empty)) {
        members.remove("metadata");
    }
    identity.insert("metadata".to_owned(), Value::Object(named));
    let mut turn = false;
    let [one, other] = divided(schema, root, &rest, &mut turn);
    other.as_ref()?;
    let identity = Value::Object(identity);
    Some([one, other].map(|part| over(schema, root, &identity, &part.unwrap_or_else(|| Value::Object(Map::new())))))
}

/// The parts of a value, which take turns with what is one piece. The second has the first turn.
fn divided(schema: &Schema, ty: TypeId, value: &Value, turn: &mut bool) -> [Option<Value>; 2] {
    let piece = |turn: &mut bool| {
        *turn = !*turn;
        if *turn { [None, Some(value.clone())] } else { [Some(value.clone()), None] }
    };
    match (granular(schema, ty, value), value) {
        (Some(Granular::Map(map)), Value::Object(members)) if !members.is_empty() => {
            let mut parts = [Map::new(), Map::new()];
            for (name, member) in members {
                let ty = map.member(name).unwrap_or(Schema::UNTYPED);
                for (into, part) in parts.iter_mut().zip(divided(schema, ty, member, turn)) {
                    into.extend(part.map(|part| (name.clone(), part)));
                }
            }
            parts.map(|part| (!part.is_empty()).then_some(Value::Object(part)))
        }
        (Some(Granular::Set), Value::Array(items)) if !items.is_empty() => {
            let (first, second) = items.split_at(items.len() / 2);
            [first, second].map(|part| (!part.is_empty()).then(|| Value::Array(part.to_vec())))
        }
        (Some(Granular::Keyed(list, keys)), Value::Array(items)) if !items.is_empty() => {
            let mut parts = [Vec::new(), Vec::new()];
            let [first, second] = &mut parts;
            // Items of the first half are in both parts, if only by their keys.
            let shared = items.len().div_ceil(2);
            for item in items.iter().take(shared) {
                let (one, other) = shared_item(schema, list, keys, item, turn);
                first.push(one);
                second.extend(other);
            }
            second.extend(items.iter().skip(shared).cloned());
            parts.map(|part| (!part.is_empty()).then_some(Value::Array(part)))
        }
        _ => piece(turn),
    }
}

fn shared_item(
    schema: &Schema,
    list: &ListType,
    keys: &[String],
    item: &Value,
    turn: &mut bool,
) -> (Value, Option<Value>) {
    if granular(schema, list.item, item).is_none() {
        return (item.clone(), None);
    }
    let (mut of_keys, mut rest) = (Map::new(), Map::new());
    for (name, value) in item.as_object().into_iter().flatten() {
        if keys.contains(name) { &mut of_keys } else { &mut rest }.insert(name.clone(), value.clone());
    }
    if rest.is_empty() {
        return (item.clone(), None);
    }
    let of_keys = Value::Object(of_keys);
    let [one, other] = divided(schema, list.item, &Value::Object(rest), turn);
    let with_keys = |part: Value| over(schema, list.item, &of_keys, &part);
    (one.map_or_else(|| of_keys.clone(), with_keys), other.map(with_keys))
}

/// One value written over another, as by a client that reads an object, sets values and adds new items at the end.
pub(super) fn over(schema: &Schema, ty: TypeId, base: &Value, more: &Value) -> Value {
    match (granular(schema, ty, more), base, more) {
        (Some(Granular::Map(map)), Value::Object(old), Value::Object(new)) => {
            let mut members = old.clone();
            for (name, value) in new {
                let ty = map.member(name).unwrap_or(Schema::UNTYPED);
                let value = old.get(name).map_or_else(|| value.clone(), |old| over(schema, ty, old, value));
                members.insert(name.clone(), value);
            }
            Value::Object(members)
        }
        (Some(Granular::Set), Value::Array(old), Value::Array(new)) => {
            let mut items = old.clone();
            items.extend(new.iter().filter(|item| !old.contains(item)).cloned());
            Value::Array(items)
        }
        (Some(Granular::Keyed(list, keys)), Value::Array(old), Value::Array(new)) => {
            let mut items = old.clone();
            for item in new {
                let wanted = key(schema, list, keys, item);
                match items.iter_mut().find(|old| key(schema, list, keys, old) == wanted) {
                    Some(place) => *place = over(schema, list.item, place, item),
                    None => items.push(item.clone()),
                }
            }
            Value::Array(items)
        }
        _ => more.clone(),
    }
}

/// A value whose sets and keyed lists are sorted, so that only what is in them counts.
pub(super) fn sorted(schema: &Schema, ty: TypeId, value: &Value) -> Value {
    match (granular(schema, ty, value), value) {
        (Some(Granular::Map(map)), Value::Object(members)) => {
            let member = |(name, value): (&String, &Value)| {
                (name.clone(), sorted(schema, map.member(name).unwrap_or(Schema::UNTYPED), value))
            };
            Value::Object(members.iter().map(member).collect())
        }
        (Some(Granular::Set), Value::Array(items)) => {
            let mut items = items.clone();
            items.sort_by_cached_key(ToString::to_string);
            Value::Array(items)
        }
        (Some(Granular::Keyed(list, keys)), Value::Array(items)) => {
            let mut items: Vec<Value> = items.iter().map(|item| sorted(schema, list.item, item)).collect();
            items.sort_by_cached_key(|item| format!("{:?}", key(schema, list, keys, item)));
            Value::Array(items)
        }
        _ => value.clone(),
    }
}

/// What is wrong with a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Unfit {
    /// An item that has no key.
    NoKey,
    /// An item whose key an earlier one has.
    SameKey,
    /// It has another JSON type than the schema says.
    OtherType,
}

/// Calls `call` with the path of every item whose key is missing or repeats an earlier one.
pub(super) fn each_unfit(
    schema: &Schema,
    ty: TypeId,
    value: &Value,
    path: &Path<'_>,
    call: &mut dyn FnMut(String, Unfit),
) {
    match (granular(schema, ty, value), value) {
        (Some(Granular::Map(map)), Value::Object(members)) => {
            for (name, member) in members {
                let ty = map.member(name).unwrap_or(Schema::UNTYPED);
                let at = if map.fields.contains_key(name) { path.child(name) } else { path.key(name) };
                each_unfit(schema, ty, member, &at, call);
            }
        }
        (Some(Granular::Set), Value::Array(items)) => {
            for (at, item) in items.iter().enumerate() {
                let is_again = items.iter().take(at).any(|before| before == item);
                let unfit = if item.is_null() { Some(Unfit::NoKey) } else { is_again.then_some(Unfit::SameKey) };
                if let Some(unfit) = unfit {
                    call(path.index(at).to_field(), unfit);
                }
            }
        }
        (Some(Granular::Keyed(list, keys)), Value::Array(items)) => {
            let known: Vec<_> = items.iter().map(|item| key(schema, list, keys, item)).collect();
            for (at, (item, of)) in items.iter().zip(&known).enumerate() {
                let at_item = path.index(at);
                let is_again = known.iter().take(at).any(|before| before == of);
                let has_none = of.iter().all(Option::is_none);
                let unfit = if has_none { Some(Unfit::NoKey) } else { is_again.then_some(Unfit::SameKey) };
                if let Some(unfit) = unfit {
                    call(at_item.to_field(), unfit);
                }
                each_unfit(schema, list.item, item, &at_item, call);
            }
        }
        // Items of other lists may hold lists that merge.
        (None, Value::Array(items)) => {
            if let Some(list) = &schema.atom(ty).list {
                for (at, item) in items.iter().enumerate() {
                    each_unfit(schema, list.item, item, &path.index(at), call);
                }
            }
        }
        _ => {}
    }
}
