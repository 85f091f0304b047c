//! What decoding and encoding does to the metadata of an object.

use serde_json::{Map, Value};

const MEMBERS: [&str; 15] = [
    "name",
    "generateName",
    "namespace",
    "selfLink",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "labels",
    "annotations",
    "ownerReferences",
    "finalizers",
    "managedFields",
];

/// Removes members that object metadata does not have, and those that are null or empty; null becomes an object. Returns the paths
/// of the unknown ones. What is of a wrong type stays.
pub(super) fn decode(metadata: &mut Value, path: &str) -> Vec<String> {
    if metadata.is_null() {
        *metadata = Value::Object(Map::new());
    }
    let mut unknown = Vec::new();
    if let Value::Object(members) = metadata {
        members.retain(|name, value| {
            if !MEMBERS.contains(&name.as_str()) {
                unknown.push(format!("{path}.{name}"));
                return false;
            }
            match value {
                Value::Null => false,
                Value::String(text) => !text.is_empty(),
                Value::Array(items) => !items.is_empty(),
                Value::Object(members) => !members.is_empty(),
                Value::Number(number) => name != "generation" || number.as_i64() != Some(0),
                Value::Bool(_) => true,
            }
        });
    }
    unknown
}
