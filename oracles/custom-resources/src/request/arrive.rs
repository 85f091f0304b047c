//! What clients and the server fill in of the metadata of an object before the steps of its kind.

use crate::kind::{CustomKind, Scope};
use serde_json::{Map, Value};

/// Where an object without namespace goes, as clients have it.
pub(crate) const DEFAULT_NAMESPACE: &str = "default";
/// Stands for the random end of a generated name, so that the same object always gets the same name.
const GENERATED_END: &str = "x7k2p";
/// Longest name that is generated, in bytes.
const NAME_LIMIT: usize = 63;
/// The version of a stored object that names none.
pub(crate) const SOME_VERSION: &str = "1";

/// Completes the metadata of a coerced object as a request does: its namespace, a generated name, and on updates the version that it is
/// based on, for which clients send what they read. `old` is the stored object, completed by [`arrive_stored`].
pub fn arrive(kind: &CustomKind, object: &mut Value, old: Option<&Value>) {
    let Some(metadata) = metadata(object) else { return };
    let stored = old.and_then(|old| old.get("metadata"));
    let of_stored = |name: &str| stored.and_then(|stored| stored.get(name));
    settle_namespace(kind.scope, metadata, of_stored("namespace"));
    match old {
        None => {
            metadata.remove("deletionTimestamp");
            metadata.remove("deletionGracePeriodSeconds");
            generate_name(metadata);
        }
        Some(_) => {
            for name in ["resourceVersion", "deletionGracePeriodSeconds"] {
                if let (true, Some(value)) = (is_empty(metadata.get(name)), of_stored(name)) {
                    metadata.insert(name.to_owned(), value.clone());
                }
            }
            if let Some(time) = of_stored("deletionTimestamp").filter(|time| !time.is_null()) {
                metadata.insert("deletionTimestamp".to_owned(), time.clone());
            }
        }
    }
}

/// Adds the metadata that every stored object has and manifests leave out.
pub fn arrive_stored(kind: &CustomKind, old: &mut Value) {
    let Some(metadata) = metadata(old) else { return };
    settle_namespace(kind.scope, metadata, None);
    if is_empty(metadata.get("resourceVersion")) {
        metadata.insert("resourceVersion".to_owned(), Value::from(SOME_VERSION));
    }
}

fn metadata(object: &mut Value) -> Option<&mut Map<String, Value>> {
    object.as_object_mut()?.entry("metadata").or_insert_with(|| Value::Object(Map::new())).as_object_mut()
}

fn is_empty(value: Option<&Value>) -> bool {
    match value {
        None | Some(Value::Null) => true,
        Some(Value::String(text)) => text.is_empty(),
        Some(_) => false,
    }
}

/// An object is stored in a namespace, or in none, whatever a manifest says.
fn settle_namespace(scope: Scope, metadata: &mut Map<String, Value>, stored: Option<&Value>) {
    match scope {
        Scope::Cluster => {
            metadata.remove("namespace");
        }
        Scope::Namespaced if is_empty(metadata.get("namespace")) => {
            let namespace = stored.filter(|stored| !is_empty(Some(stored))).cloned();
            metadata.insert("namespace".to_owned(), namespace.unwrap_or_else(|| Value::from(DEFAULT_NAMESPACE)));
        }
        Scope::Namespaced => {}
    }
}

fn generate_name(metadata: &mut Map<String, Value>) {
    let start = metadata.get("generateName").and_then(Value::as_str).unwrap_or_default();
    if start.is_empty() || !is_empty(metadata.get("name")) {
        return;
    }
    let name = generated_name(start);
    metadata.insert("name".to_owned(), Value::from(name));
}

/// A name that begins with `start`.
pub(crate) fn generated_name(start: &str) -> String {
    let mut end = start.len().min(NAME_LIMIT - GENERATED_END.len());
    while !start.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}{GENERATED_END}", start.get(..end).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::{arrive, arrive_stored};
    use crate::kinds_of_crd;
    use serde_json::{Value, json};

    fn arrived(scope: &str, metadata: Value, old: Option<Value>) -> Value {
        let crd = json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "spec": {
            "group": "example.com", "scope": scope, "names": {"kind": "Gadget", "plural": "gadgets"},
            "versions": [{"name": "v1", "schema": {"openAPIV3Schema": {"type": "object"}}}]}});
        let kind = kinds_of_crd(&crd).unwrap().remove(0);
        let old = old.map(|metadata| {
            let mut old = json!({"metadata": metadata});
            arrive_stored(&kind, &mut old);
            old
        });
        let mut object = json!({"metadata": metadata});
        arrive(&kind, &mut object, old.as_ref());
        object["metadata"].take()
    }

    #[test]
    fn requests_complete_the_metadata() {
        assert_eq!(arrived("Namespaced", json!({"name": "a"}), None), json!({"name": "a", "namespace": "default"}));
        assert_eq!(arrived("Cluster", json!({"name": "a", "namespace": "b"}), None), json!({"name": "a"}));
        assert_eq!(
            arrived("Cluster", json!({"generateName": "a-"}), None),
            json!({"generateName": "a-", "name": "a-x7k2p"})
        );
        let stored = json!({"name": "a", "namespace": "b", "deletionTimestamp": "2026-01-01T00:00:00Z"});
        assert_eq!(
            arrived("Namespaced", json!({"name": "a"}), Some(stored)),
            json!({"name": "a", "namespace": "b", "resourceVersion": "1", "deletionTimestamp": "2026-01-01T00:00:00Z"})
        );
    }
}
