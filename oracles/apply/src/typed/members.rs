//! The set of fields that a value has.

use super::atoms::Shape;
use super::items::element;
use crate::fields::{Element, FieldSet};
use crate::schema::{ListKind, ListType, MapType, Schema, TypeId};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Every leaf, item and member of a map that the value has. Structs are in the set only where they are null or empty; items that
/// occur several times are one field each.
#[must_use]
pub fn field_set(schema: &Schema, ty: TypeId, value: &Value) -> FieldSet {
    let mut set = FieldSet::new();
    collect(schema, ty, value, &mut set);
    set
}

/// Adds what is below a value, and returns whether the value is a field itself.
fn collect(schema: &Schema, ty: TypeId, value: &Value, below: &mut FieldSet) -> bool {
    match (schema.atom(ty).shape(Some(value)), value) {
        (Shape::Scalar(_), _) => return true,
        (Shape::Map(map), _) if map.atomic => return true,
        (Shape::List(list), _) if list.kind == ListKind::Atomic => return true,
        (Shape::Map(map), Value::Object(members)) => of_members(schema, map, members, below),
        (Shape::List(list), Value::Array(items)) => of_items(schema, list, items, below),
        _ => {}
    }
    false
}

fn of_members(schema: &Schema, map: &MapType, members: &Map<String, Value>, set: &mut FieldSet) {
    for (name, value) in members {
        let Some(ty) = map.member(name) else { continue };
        let mut below = FieldSet::new();
        let is_field = collect(schema, ty, value, &mut below);
        let is_bare = value.is_null() || value.as_object().is_some_and(Map::is_empty);
        set.add(Element::field(name), is_field || is_bare || !map.fields.contains_key(name), below);
    }
}

fn of_items(schema: &Schema, list: &ListType, items: &[Value], set: &mut FieldSet) {
    let mut by_element: BTreeMap<Element, Option<&Value>> = BTreeMap::new();
    for item in items {
        if let Ok(at) = element(schema, list, item) {
            by_element.entry(at).and_modify(|single| *single = None).or_insert(Some(item));
        }
    }
    for (at, single) in by_element {
        let mut below = FieldSet::new();
        if let Some(item) = single {
            collect(schema, list.item, item, &mut below);
        }
        set.add(at, true, below);
    }
}
