//! A structural schema as JSON again, as far as CEL looks at it.

use super::{Additional, ListType, MapType, Structural};
use serde_json::{Map, Value};
use std::sync::Arc;

impl Structural {
    /// What CEL needs to know of the schema: types, formats, bounds of sizes, names and what stands below. Rules and other constraints are
    /// left out. None if there are more than `most` nodes.
    #[must_use]
    pub fn to_cel_schema(&self, most: usize) -> Option<Value> {
        below(self, &mut most.clone())
    }
}

fn below(node: &Structural, left: &mut usize) -> Option<Value> {
    *left = left.checked_sub(1)?;
    let mut members = Map::new();
    let mut put = |name: &str, value: Option<Value>| {
        members.extend(value.map(|value| (name.to_owned(), value)));
    };
    let checks = &node.checks;
    let flag = |on: bool| on.then_some(Value::Bool(true));
    put("type", node.ty.map(|ty| Value::from(ty.name())));
    put("nullable", flag(node.nullable));
    put("default", node.default.as_ref().map(|_| Value::Bool(true)));
    put("x-kubernetes-preserve-unknown-fields", flag(node.preserve_unknown));
    put("x-kubernetes-embedded-resource", flag(node.embedded));
    put("x-kubernetes-int-or-string", flag(node.int_or_string));
    let list_type = match node.list_type {
        ListType::Atomic => None,
        ListType::Set => Some(Value::from("set")),
        ListType::Map => Some(Value::from("map")),
    };
    put("x-kubernetes-list-type", list_type);
    let keys = (!node.list_map_keys.is_empty()).then(|| Value::from(node.list_map_keys.clone()));
    put("x-kubernetes-list-map-keys", keys);
    put("x-kubernetes-map-type", (node.map_type == MapType::Atomic).then(|| Value::from("atomic")));
    put("format", checks.format.clone().map(Value::from));
    put("maxLength", checks.max_length.map(Value::from));
    put("maxItems", checks.max_items.map(Value::from));
    put("maxProperties", checks.max_properties.map(Value::from));
    put("enum", (!checks.enumeration.is_empty()).then(|| Value::Array(checks.enumeration.clone())));
    put("required", (!checks.required.is_empty()).then(|| Value::from(checks.required.clone())));
    let child = |node: &Arc<Structural>, left: &mut usize| below(node, left);
    if let Some(items) = &node.items {
        members.insert("items".to_owned(), child(items, left)?);
    }
    if !node.properties.is_empty() {
        let mut properties = Map::new();
        for (name, node) in &node.properties {
            properties.insert(name.clone(), child(node, left)?);
        }
        members.insert("properties".to_owned(), Value::Object(properties));
    }
    match &node.additional {
        None => {}
        Some(Additional::Any) => drop(members.insert("additionalProperties".to_owned(), Value::Bool(true))),
        Some(Additional::Forbidden) => drop(members.insert("additionalProperties".to_owned(), Value::Bool(false))),
        Some(Additional::Schema(node)) => {
            drop(members.insert("additionalProperties".to_owned(), child(node, left)?));
        }
    }
    Some(Value::Object(members))
}
