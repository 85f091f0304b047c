//! What one manager applied to an object (`Extract…From` of client-go's apply configurations).

use crate::fields::FieldSet;
use crate::managed::entries;
use crate::schema::{MapType, Schema, TypeId};
use crate::typed::{self, Duplicates};
use serde_json::{Map, Value};
use std::fmt;

/// Why nothing can be extracted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtractError(String);

impl fmt::Display for ExtractError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for ExtractError {}

/// The part of an object that a manager applied through a subresource (empty for the object itself); `None` if it applied nothing.
/// Only applies count, not updates by the same manager.
///
/// # Errors
/// Returns an error when the object does not fit its type, when its fields cannot be read, and when the manager's entry has none.
pub fn extract(
    schema: &Schema,
    root: TypeId,
    object: &Value,
    manager: &str,
    subresource: &str,
) -> Result<Option<Value>, ExtractError> {
    typed::validate(schema, root, object, Duplicates::Refused)
        .map_err(|error| ExtractError(format!("error converting obj to typed: {error}")))?;
    let is_asked = |entry: &entries::Entry<'_>| {
        entry.manager == manager && entry.operation == "Apply" && entry.subresource == subresource
    };
    let Some(entry) = entries::entries(object).into_iter().flatten().find(is_asked) else { return Ok(None) };
    let set = entry.fields.map_or(Ok(FieldSet::new()), FieldSet::from_json);
    let set = set.map_err(|error| ExtractError(format!("error marshalling FieldsV1 to JSON: {error}")))?;
    match typed::extract(schema, root, object, &set.leaves()) {
        extracted @ Value::Object(_) => Ok(Some(extracted)),
        other => Err(ExtractError(format!(
            "unable to convert managed fields for {manager} to unstructured, expected map, got {}",
            crate::value::go_type(&other)
        ))),
    }
}

/// Whether objects of a kind are in a namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// They are.
    Namespaced,
    /// They are not.
    Cluster,
}

/// The apply configuration of a manager as client-go's typed `Extract…From` gives it: what was applied, without members that its types
/// leave out when they are empty, under the version, kind, name and namespace of the object. The namespace is there, if empty, on
/// every object that can have one.
///
/// # Errors
/// As [`extract`].
pub fn configuration(
    (schema, root): (&Schema, TypeId),
    scope: Scope,
    object: &Value,
    manager: &str,
    subresource: &str,
) -> Result<Value, ExtractError> {
    let extracted = extract(schema, root, object, manager, subresource)?;
    let mut configuration = extracted.unwrap_or_else(|| Value::Object(Map::new()));
    configuration = as_typed(schema, root, configuration);
    let Some(members) = configuration.as_object_mut() else { return Ok(configuration) };
    for name in ["apiVersion", "kind"] {
        if let Some(value) = object.get(name) {
            members.insert(name.to_owned(), value.clone());
        }
    }
    let metadata = members.entry("metadata").or_insert_with(|| Value::Object(Map::new()));
    if let Some(metadata) = metadata.as_object_mut() {
        let of = |name: &str| object.get("metadata").and_then(|metadata| metadata.get(name)).cloned();
        let named = [("name", true), ("namespace", scope == Scope::Namespaced)];
        for (name, _) in named.into_iter().filter(|(_, is_there)| *is_there) {
            metadata.insert(name.to_owned(), of(name).unwrap_or_else(|| Value::from("")));
        }
    }
    Ok(configuration)
}

/// A configuration as typed clients write it: without nulls, empty lists and empty maps. An empty struct is a value, and so is JSON of no
/// type.
#[must_use]
pub fn as_typed(schema: &Schema, root: TypeId, mut configuration: Value) -> Value {
    leave_out_empty(schema, root, &mut configuration);
    configuration
}

fn leave_out_empty(schema: &Schema, ty: TypeId, value: &mut Value) {
    let atom = schema.atom(ty);
    match (value, &atom.map, &atom.list) {
        (Value::Object(members), Some(map), _) if !map.fields.is_empty() => {
            members.retain(|name, member| {
                let Some(ty) = map.member(name) else { return true };
                leave_out_empty(schema, ty, member);
                !is_left_out(schema, ty, member)
            });
        }
        (Value::Object(members), Some(map), _) => {
            if let Some(ty) = map.others.filter(|ty| *ty != Schema::DEDUCED) {
                members.values_mut().for_each(|member| leave_out_empty(schema, ty, member));
            }
        }
        (Value::Array(items), _, Some(list)) => {
            items.iter_mut().for_each(|item| leave_out_empty(schema, list.item, item));
        }
        _ => {}
    }
}

fn is_left_out(schema: &Schema, ty: TypeId, value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => {
            // Objects without members are empty structs in OpenAPI, and JSON of no type.
            let is_map = |map: &MapType| map.fields.is_empty() && map.others.is_some_and(|ty| ty != Schema::DEDUCED);
            members.is_empty() && schema.atom(ty).map.as_ref().is_some_and(is_map)
        }
        _ => false,
    }
}
