//! A value without the fields of a set, or with nothing but them.

use super::atoms::Shape;
use super::items::element;
use super::members::field_set;
use crate::fields::{Element, FieldSet};
use crate::schema::{ListKind, ListType, MapType, Schema, TypeId};
use serde_json::{Map, Value};

/// The value without the members and items of the set. What loses all its parts stays, empty.
#[must_use]
pub fn remove(schema: &Schema, ty: TypeId, value: &Value, set: &FieldSet) -> Value {
    cut(schema, ty, value, set, Cut::Remove)
}

/// The members and items of the set alone; null if the value has none of them.
#[must_use]
pub fn extract(schema: &Schema, ty: TypeId, value: &Value, set: &FieldSet) -> Value {
    cut(schema, ty, value, set, Cut::Extract)
}

/// As [`extract`], with the keys of every item that is on the way to a field of the set.
#[must_use]
pub fn extract_with_keys(schema: &Schema, ty: TypeId, value: &Value, set: &FieldSet) -> Value {
    let there = field_set(schema, ty, value);
    let mut with_keys = set.clone();
    for path in set.paths().into_iter().filter(|path| there.has(&path.0)) {
        for (index, element) in path.0.iter().enumerate() {
            let Element::Key(keys) = element else { continue };
            for (name, _) in keys {
                let mut key: Vec<Element> = path.0.iter().take(index + 1).cloned().collect();
                key.push(Element::field(name));
                with_keys.insert(&key);
            }
        }
    }
    extract(schema, ty, value, &with_keys)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Cut {
    Remove,
    Extract,
}

fn cut(schema: &Schema, ty: TypeId, value: &Value, set: &FieldSet, cut: Cut) -> Value {
    let whole = || if cut == Cut::Extract { value.clone() } else { Value::Null };
    match (schema.atom(ty).shape(Some(value)), value) {
        (Shape::Scalar(_), _) => value.clone(),
        (Shape::List(list), Value::Array(items)) => {
            if items.is_empty() || list.kind == ListKind::Atomic {
                return whole();
            }
            of_items(schema, list, items, set, cut)
        }
        (Shape::Map(map), Value::Object(members)) => {
            if members.is_empty() || map.atomic {
                return whole();
            }
            of_members(schema, map, members, set, cut)
        }
        _ => Value::Null,
    }
}

/// What is left of a part from which something was removed: it stays, if only as an empty one.
fn inside(schema: &Schema, ty: TypeId, value: &Value, set: &FieldSet, how: Cut) -> Value {
    match (cut(schema, ty, value, set, how), value) {
        (Value::Null, Value::Object(_)) if how == Cut::Remove => Value::Object(Map::new()),
        (Value::Null, Value::Array(_)) if how == Cut::Remove => Value::Array(Vec::new()),
        (left, _) => left,
    }
}

fn of_items(schema: &Schema, list: &ListType, items: &[Value], set: &FieldSet, cut: Cut) -> Value {
    let (mut left, mut went_inside) = (Vec::new(), false);
    for item in items {
        let Ok(at) = element(schema, list, item) else { continue };
        let is_in = set.has(std::slice::from_ref(&at));
        let below = set.below(&at).filter(|below| !below.is_empty());
        match (cut, below) {
            (Cut::Remove, _) if is_in => {}
            (_, Some(below)) => {
                went_inside = true;
                left.push(inside(schema, list.item, item, below, cut));
            }
            (Cut::Extract, None) if !is_in => {}
            (_, None) => left.push(item.clone()),
        }
    }
    let stays = !left.is_empty() || (went_inside && cut == Cut::Remove);
    if stays { Value::Array(left) } else { Value::Null }
}

fn of_members(schema: &Schema, map: &MapType, members: &Map<String, Value>, set: &FieldSet, how: Cut) -> Value {
    let (mut left, mut went_inside) = (Map::new(), false);
    for (name, value) in members {
        let at = Element::field(name);
        let ty = map.member(name);
        if set.has(std::slice::from_ref(&at)) {
            if how == Cut::Extract {
                // Servers look for the parts of a member in the set that the member itself is in.
                let part = ty.map_or(Value::Null, |ty| cut(schema, ty, value, set, how));
                left.insert(name.clone(), part);
            }
            continue;
        }
        match set.below(&at).filter(|below| !below.is_empty()) {
            Some(below) => {
                went_inside = true;
                let part = ty.map_or(Value::Null, |ty| inside(schema, ty, value, below, how));
                left.insert(name.clone(), part);
            }
            None if how == Cut::Extract => {}
            None => {
                left.insert(name.clone(), value.clone());
            }
        }
    }
    let stays = !left.is_empty() || (went_inside && how == Cut::Remove);
    if stays { Value::Object(left) } else { Value::Null }
}
