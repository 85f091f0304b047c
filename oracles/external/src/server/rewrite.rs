//! What is changed in objects before they are sent. Documented in the module above.

use serde_json::{Map, Value};

/// What a server gives each stored object, and does not want to be told again.
const GIVEN: [&str; 6] =
    ["uid", "creationTimestamp", "generation", "selfLink", "deletionTimestamp", "deletionGracePeriodSeconds"];

/// An object to be created in a dry run; `namespace` is given if it has one.
pub(super) fn created(mut object: Value, namespace: Option<&str>) -> Value {
    if let Some(metadata) = metadata(&mut object) {
        metadata.remove("resourceVersion");
        if let Some(namespace) = namespace {
            metadata.insert("namespace".to_owned(), namespace.into());
        }
    }
    object
}

/// The old object of an update, to be stored under this name.
pub(super) fn stored(mut old: Value, namespace: &str, name: &str) -> Value {
    if let Some(metadata) = metadata(&mut old) {
        for member in GIVEN.into_iter().chain(["resourceVersion", "finalizers", "ownerReferences"]) {
            metadata.remove(member);
        }
        metadata.insert("namespace".to_owned(), namespace.into());
        metadata.insert("name".to_owned(), name.into());
    }
    old
}

/// The new object of an update from `old`, which the server has as `stored`.
pub(super) fn changed(mut new: Value, old: &Value, stored: &Value) -> Value {
    let in_metadata = |object: &Value, member: &str| object.get("metadata").and_then(|it| it.get(member)).cloned();
    if let Some(metadata) = metadata(&mut new) {
        for member in GIVEN {
            let before = in_metadata(old, member).filter(|value| !value.is_null());
            let after = metadata.get(member).filter(|value| !value.is_null()).cloned();
            if before == after {
                set(metadata, member, in_metadata(stored, member));
            }
        }
        for member in ["name", "namespace", "resourceVersion"] {
            set(metadata, member, in_metadata(stored, member));
        }
    }
    new
}

fn set(members: &mut Map<String, Value>, name: &str, value: Option<Value>) {
    match value {
        Some(value) => {
            members.insert(name.to_owned(), value);
        }
        None => {
            members.remove(name);
        }
    }
}

/// The metadata, which are made where there are none; none where they are something else, which is for the server to say.
fn metadata(object: &mut Value) -> Option<&mut Map<String, Value>> {
    let metadata = object.as_object_mut()?.entry("metadata").or_insert(Value::Null);
    if metadata.is_null() {
        *metadata = Value::Object(Map::new());
    }
    metadata.as_object_mut()
}

#[cfg(test)]
mod tests {
    use super::{changed, created, stored};
    use serde_json::json;

    #[test]
    fn a_create_keeps_its_name_and_loses_what_servers_refuse() {
        let object = json!({"metadata": {"name": "a", "namespace": "shop", "resourceVersion": "7", "uid": "u"}});
        assert_eq!(
            created(object.clone(), Some("scratch")),
            json!({"metadata": {"name": "a", "namespace": "scratch", "uid": "u"}})
        );
        assert_eq!(created(object, None), json!({"metadata": {"name": "a", "namespace": "shop", "uid": "u"}}));
        assert_eq!(created(json!({}), Some("s")), json!({"metadata": {"namespace": "s"}}));
    }

    #[test]
    fn a_stored_object_can_be_deleted_again() {
        let old = json!({"metadata": {
            "name": "a", "labels": {"x": "y"}, "finalizers": ["f"], "ownerReferences": [{}], "uid": "u", "generation": 3,
            "creationTimestamp": null, "resourceVersion": "7",
        }});
        assert_eq!(
            stored(old, "scratch", "t-1"),
            json!({"metadata": {"name": "t-1", "namespace": "scratch", "labels": {"x": "y"}}})
        );
    }

    #[test]
    fn what_an_update_leaves_alone_is_left_alone_and_what_it_changes_is_changed() {
        let old = json!({"metadata": {"name": "a", "uid": "u", "generation": 3, "creationTimestamp": null}});
        let new = json!({"metadata": {"name": "b", "uid": "u", "generation": 2, "finalizers": ["f"]}});
        let kept = json!({"metadata": {
            "name": "t-1", "namespace": "scratch", "uid": "s", "resourceVersion": "9", "creationTimestamp": "now", "generation": 1,
        }});
        assert_eq!(
            changed(new, &old, &kept),
            json!({"metadata": {
                "name": "t-1", "namespace": "scratch", "uid": "s", "resourceVersion": "9", "creationTimestamp": "now",
                "generation": 2, "finalizers": ["f"],
            }})
        );
    }
}
