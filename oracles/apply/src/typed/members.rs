//! The set of fields that a value has.

use super::atoms::Shape;
use super::items::element;
use crate::fields::{Element, FieldSet};
use crate::schema::{ListKind, ListType, MapType, Schema, TypeId};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Every leaf, item and member of a map that the value has. Structs are in the set only where they are null or empty; items that
/// occur several times are one field each.
#[must_use]
pub fn field_set(schema: &Schema, ty: TypeId, value: &Value) -> FieldSet {
    let mut set = FieldSet::new();
    collect(schema, ty, value, &mut Vec::new(), &mut set);
    set
}

fn collect(schema: &Schema, ty: TypeId, value: &Value, path: &mut Vec<Element>, set: &mut FieldSet) {
    match schema.atom(ty).shape(Some(value)) {
        Shape::Scalar(_) => set.insert(path),
        Shape::Map(map) if map.atomic => set.insert(path),
        Shape::List(list) if list.kind == ListKind::Atomic => set.insert(path),
        Shape::Map(map) => {
            if let Value::Object(members) = value {
                of_members(schema, map, members, path, set);
            }
        }
        Shape::List(list) => {
            if let Value::Array(items) = value {
                of_items(schema, list, items, path, set);
            }
        }
        Shape::Nothing => {}
    }
}

fn of_members(
    schema: &Schema,
    map: &MapType,
    members: &Map<String, Value>,
    path: &mut Vec<Element>,
    set: &mut FieldSet,
) {
    for (name, value) in members {
        let Some(ty) = map.member(name) else { continue };
        path.push(Element::field(name));
        collect(schema, ty, value, path, set);
        let is_bare = value.is_null() || value.as_object().is_some_and(Map::is_empty);
        if is_bare || !map.fields.contains_key(name) {
            set.insert(path);
        }
        path.pop();
    }
}

fn of_items(schema: &Schema, list: &ListType, items: &[Value], path: &mut Vec<Element>, set: &mut FieldSet) {
    let elements: Vec<(Element, &Value)> =
        items.iter().filter_map(|item| Some((element(schema, list, item).ok()?, item))).collect();
    let (mut seen, mut duplicates) = (BTreeSet::new(), BTreeSet::new());
    for (element, _) in &elements {
        if !seen.insert(element) {
            duplicates.insert(element);
        }
    }
    for (element, item) in &elements {
        path.push(element.clone());
        if !duplicates.contains(element) {
            collect(schema, list.item, item, path, set);
        }
        set.insert(path);
        path.pop();
    }
}
