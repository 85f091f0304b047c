//! Requests: who sends which objects, and what of them counts.

use super::builtin_type::BuiltinType;
use serde_json::{Map, Value};
use takeover_apply::extract::Scope;
use takeover_apply::managed::ObjectType as _;

/// Metadata that requests do not set, and what every server keeps.
const OF_SERVER: [&str; 6] =
    ["uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"];

/// Who applies, and when.
#[derive(Clone, Copy)]
pub(super) struct Applier<'a> {
    pub(super) manager: &'a str,
    pub(super) now: &'a str,
    pub(super) force: bool,
}

/// The objects of a request, as somebody sends them.
#[derive(PartialEq)]
pub(super) struct Sent {
    pub(super) new: Value,
    pub(super) old: Option<Value>,
}

/// An object as somebody sends it: of the kind, under the name of its request, without what a server keeps.
pub(super) fn sent(kind: &BuiltinType, mut object: Value) -> Value {
    if let Some(members) = object.as_object_mut() {
        members.insert("apiVersion".to_owned(), kind.api_version().into());
        members.insert("kind".to_owned(), kind.kind().into());
        if let Some(metadata) = members.get_mut("metadata").and_then(Value::as_object_mut) {
            OF_SERVER.iter().for_each(|name| drop(metadata.remove(*name)));
        }
        address(members, kind.scope());
    }
    without_written_by_servers(&mut object);
    object
}

/// Names an object as the path of its request does: by a name, and a namespace if it is in one. A server refuses any other namespace.
fn address(members: &mut Map<String, Value>, scope: Scope) {
    let metadata = members.entry("metadata").or_insert_with(|| Value::Object(Map::new()));
    let Some(metadata) = metadata.as_object_mut() else { return };
    let is_unset = |value: Option<&Value>| value.is_none_or(|value| value.is_null() || value == "");
    for (name, value) in [("name", NAME), ("namespace", NAMESPACE)] {
        if is_unset(metadata.get(name)) {
            metadata.insert(name.to_owned(), value.into());
        }
    }
    if scope == Scope::Cluster {
        metadata.remove("namespace");
    }
}

/// The name of objects that have none.
const NAME: &str = "a";

/// The namespace of objects that have none.
const NAMESPACE: &str = "default";

/// Removes the metadata, in templates too, that no configuration has.
fn without_written_by_servers(value: &mut Value) {
    match value {
        Value::Object(members) => {
            if let Some(metadata) = members.get_mut("metadata").and_then(Value::as_object_mut) {
                ["managedFields", "selfLink"].iter().for_each(|name| drop(metadata.remove(*name)));
            }
            members.values_mut().for_each(without_written_by_servers);
        }
        Value::Array(items) => items.iter_mut().for_each(without_written_by_servers),
        _ => {}
    }
}

/// Gives an object the name of another: requests cannot change it.
pub(super) fn rename(object: &mut Value, of: &Value) {
    let Some(members) = object.as_object_mut() else { return };
    let metadata = members.entry("metadata").or_insert_with(|| Value::Object(Map::new()));
    let Some(metadata) = metadata.as_object_mut() else { return };
    for name in ["name", "namespace"] {
        match of.get("metadata").and_then(|metadata| metadata.get(name)) {
            Some(value) => drop(metadata.insert(name.to_owned(), value.clone())),
            None => drop(metadata.remove(name)),
        }
    }
}

/// Only the members that identify the object.
pub(super) fn identity(object: &Value) -> Value {
    let mut bare = Map::new();
    for name in ["apiVersion", "kind"] {
        bare.extend(object.get(name).map(|value| (name.to_owned(), value.clone())));
    }
    let mut bare = Value::Object(bare);
    rename(&mut bare, object);
    bare
}

pub(super) fn unmanaged(mut object: Value) -> Value {
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("managedFields");
    }
    object
}

/// An object without nulls and empty lists, which are written where a type has no `omitempty`.
pub(super) fn without_empty(value: Value) -> Value {
    let is_there = |value: &Value| !value.is_null() && value.as_array().is_none_or(|items| !items.is_empty());
    match value {
        Value::Object(members) => {
            let members = members.into_iter().map(|(name, value)| (name, without_empty(value)));
            Value::Object(members.filter(|(_, value)| is_there(value)).collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(without_empty).collect()),
        plain => plain,
    }
}
