//! What apply reads and writes in the metadata of an object.

use serde_json::{Map, Value};

/// A text in the metadata; empty if it is absent or no text.
pub(super) fn text<'o>(object: &'o Value, name: &str) -> &'o str {
    object.get("metadata").and_then(|metadata| metadata.get(name)).and_then(Value::as_str).unwrap_or_default()
}

/// The annotations; `None` if they are absent or one of them is no text.
pub(super) fn annotations(object: &Value) -> Option<&Map<String, Value>> {
    let annotations = object.get("metadata")?.get("annotations")?.as_object()?;
    annotations.values().all(Value::is_string).then_some(annotations)
}

/// Puts a member into the metadata, which is made if it is absent, or takes it out.
pub(super) fn set(object: &mut Value, name: &str, value: Option<Value>) {
    let Some(members) = object.as_object_mut() else { return };
    match value {
        Some(value) => {
            let metadata = members.entry("metadata").or_insert_with(|| Value::Object(Map::new()));
            if let Some(metadata) = metadata.as_object_mut() {
                metadata.insert(name.to_owned(), value);
            }
        }
        None => {
            if let Some(metadata) = members.get_mut("metadata").and_then(Value::as_object_mut) {
                metadata.remove(name);
            }
        }
    }
}

/// Takes the managed fields out of an object.
pub(super) fn without_managed_fields(mut object: Value) -> Value {
    set(&mut object, "managedFields", None);
    object
}

/// Version and kind of an object, as messages print them: `apps/v1, Kind=Deployment`.
pub(super) fn version_and_kind(object: &Value) -> String {
    let of = |name: &str| object.get(name).and_then(Value::as_str).unwrap_or_default();
    let version = of("apiVersion");
    let slash = if version.contains('/') { "" } else { "/" };
    format!("{slash}{version}, Kind={}", of("kind"))
}

/// An object as messages name it: `namespace/name; apps/v1, Kind=Deployment`.
pub(super) fn named(object: &Value) -> String {
    format!("{}/{}; {}", text(object, "namespace"), text(object, "name"), version_and_kind(object))
}
