//! The steps between decoding and validation.

use crate::kind::CustomKind;
use crate::validate::Request;
use serde_json::{Map, Value};

/// What validation sees of an object that was sent and coerced: the status is dropped or taken over where it has its own
/// subresource, of a status update everything else is taken over, and the server sets the generation. What identifies the stored
/// object stays as it was.
#[must_use]
pub fn prepare(kind: &CustomKind, sent: Value, request: Request<'_>) -> Value {
    let mut object = sent;
    match request {
        Request::Create => {
            if kind.status_subresource {
                remove(&mut object, "status");
            }
            set_metadata(&mut object, "generation", Value::from(1));
        }
        Request::Update(old) => {
            if kind.status_subresource {
                match old.get("status") {
                    Some(status) => set(&mut object, "status", status.clone()),
                    None => remove(&mut object, "status"),
                }
            }
            let before = generation(old);
            let after = if same_but_metadata(&object, old) { before } else { before.saturating_add(1) };
            set_metadata(&mut object, "generation", Value::from(after));
            keep_identity(&mut object, old);
        }
        Request::UpdateStatus(old) => {
            let mut changed = old.clone();
            match object.get("status") {
                Some(status) => set(&mut changed, "status", status.clone()),
                None => remove(&mut changed, "status"),
            }
            match object.pointer("/metadata/managedFields") {
                Some(fields) => set_metadata(&mut changed, "managedFields", fields.clone()),
                None => remove_metadata(&mut changed, "managedFields"),
            }
            object = changed;
        }
    }
    object
}

fn generation(object: &Value) -> i64 {
    object.pointer("/metadata/generation").and_then(Value::as_i64).unwrap_or_default()
}

fn same_but_metadata(one: &Value, other: &Value) -> bool {
    let (Some(one), Some(other)) = (one.as_object(), other.as_object()) else { return one == other };
    let count = |members: &Map<String, Value>| members.keys().filter(|name| *name != "metadata").count();
    count(one) == count(other) && one.iter().all(|(name, value)| name == "metadata" || other.get(name) == Some(value))
}

/// A uid is that of the stored object if none is given; other times than that of its creation are ignored.
fn keep_identity(object: &mut Value, old: &Value) {
    let given = object.pointer("/metadata/uid").and_then(Value::as_str).unwrap_or_default();
    if let (true, Some(uid)) = (given.is_empty(), old.pointer("/metadata/uid")) {
        set_metadata(object, "uid", uid.clone());
    }
    if let Some(time) = old.pointer("/metadata/creationTimestamp").filter(|time| !time.is_null()) {
        set_metadata(object, "creationTimestamp", time.clone());
    }
}

fn set(object: &mut Value, name: &str, value: Value) {
    if let Some(members) = object.as_object_mut() {
        members.insert(name.to_owned(), value);
    }
}

fn remove(object: &mut Value, name: &str) {
    if let Some(members) = object.as_object_mut() {
        members.remove(name);
    }
}

fn set_metadata(object: &mut Value, name: &str, value: Value) {
    if let Some(members) = object.as_object_mut() {
        set(members.entry("metadata").or_insert_with(|| Value::Object(Map::new())), name, value);
    }
}

fn remove_metadata(object: &mut Value, name: &str) {
    if let Some(metadata) = object.get_mut("metadata") {
        remove(metadata, name);
    }
}
