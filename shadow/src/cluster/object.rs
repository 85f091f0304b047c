//! What is changed in objects before they are sent.

use super::manifest::LABEL;
use serde_json::{Map, Value, json};

/// What a server gives each stored object.
const GIVEN: [&str; 8] = [
    "uid",
    "resourceVersion",
    "creationTimestamp",
    "generation",
    "managedFields",
    "selfLink",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
];

/// Longest name that is replaced.
const LONGEST_NAME: usize = 40;

/// Annotations and the beginnings of labels by which an object changes what others get, for as long as it is stored.
const DEFAULT_CLASSES: [&str; 3] = [
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
    "ingressclass.kubernetes.io/is-default-class",
];
const AGGREGATES: &str = "rbac.authorization.k8s.io/aggregate-to-";

/// Where an object goes and how it is told from all others of the check.
pub(super) struct Mark<'m> {
    /// Namespace of the check; none for kinds without namespaces.
    pub(super) namespace: Option<&'m str>,
    /// Name and label that no other object of the check has.
    pub(super) name: String,
}

impl Mark<'_> {
    /// The object with a name, namespace and label of the check, and without what servers give. A name that is not a usual one is kept: it
    /// may be what is at stake. What would change things for others is left out.
    pub(super) fn apply(&self, mut object: Value) -> Value {
        let Some(metadata) = metadata(&mut object) else { return object };
        for member in GIVEN {
            metadata.remove(member);
        }
        if metadata.get("name").and_then(Value::as_str).is_some_and(is_usual) {
            metadata.insert("name".to_owned(), self.name.as_str().into());
        }
        if let Some(namespace) = self.namespace {
            metadata.insert("namespace".to_owned(), namespace.into());
        }
        if let Some(annotations) = metadata.get_mut("annotations").and_then(Value::as_object_mut) {
            annotations.retain(|name, _| !DEFAULT_CLASSES.contains(&name.as_str()));
        }
        let labels = metadata.entry("labels").or_insert(Value::Null);
        if labels.is_null() {
            *labels = Value::Object(Map::new());
        }
        if let Some(labels) = labels.as_object_mut() {
            labels.retain(|name, _| !name.starts_with(AGGREGATES));
            labels.insert(LABEL.to_owned(), self.name.as_str().into());
        }
        object
    }
}

/// The old object of an update as it can be stored and deleted again.
pub(super) fn stored(mut object: Value) -> Value {
    if let Some(metadata) = metadata(&mut object) {
        for member in ["finalizers", "ownerReferences"] {
            metadata.remove(member);
        }
    }
    object
}

/// The new object of an update of what the server has as `kept`.
pub(super) fn changed(mut object: Value, kept: &Value) -> Value {
    if let Some(metadata) = metadata(&mut object) {
        for member in ["name", "namespace", "uid", "resourceVersion"] {
            match kept.get("metadata").and_then(|of| of.get(member)) {
                Some(value) => metadata.insert(member.to_owned(), value.clone()),
                None => metadata.remove(member),
            };
        }
    }
    object
}

/// An object that has so many replicas, for kinds whose replicas are a subresource.
pub(super) fn scaled(api_version: &str, kind: &str, name: &str, replicas: &Value) -> Value {
    let labels = json!({"app": name});
    let selector = if kind == "ReplicationController" { labels.clone() } else { json!({"matchLabels": labels}) };
    let containers = json!([{"name": "a", "image": "registry.invalid/none"}]);
    let template = json!({"metadata": {"labels": labels}, "spec": {"containers": containers}});
    let spec = if kind == "StatefulSet" {
        json!({"replicas": replicas, "selector": selector, "template": template, "serviceName": name})
    } else {
        json!({"replicas": replicas, "selector": selector, "template": template})
    };
    json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, "spec": spec})
}

/// The text at `metadata.<member>`; empty without one.
pub(super) fn text<'v>(object: &'v Value, member: &str) -> &'v str {
    object.get("metadata").and_then(|metadata| metadata.get(member)).and_then(Value::as_str).unwrap_or_default()
}

/// Whether it is a short DNS label that begins with a letter, which every kind takes.
fn is_usual(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    name.len() <= LONGEST_NAME
        && name.bytes().all(fits)
        && name.starts_with(|first: char| first.is_ascii_lowercase())
        && !name.ends_with('-')
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
    use super::{LABEL, Mark, changed, stored};
    use serde_json::json;

    #[test]
    fn objects_get_a_name_of_their_own_and_change_nothing_for_others() {
        let mark = Mark { namespace: None, name: "run-7".to_owned() };
        let class = json!({"metadata": {
            "name": "fast", "uid": "u", "resourceVersion": "3", "namespace": "a",
            "annotations": {"storageclass.kubernetes.io/is-default-class": "true", "a": "b"},
            "labels": {"rbac.authorization.k8s.io/aggregate-to-admin": "true", "c": "d"},
        }});
        assert_eq!(
            mark.apply(class),
            json!({"metadata": {
                "name": "run-7", "namespace": "a", "annotations": {"a": "b"}, "labels": {"c": "d", LABEL: "run-7"},
            }})
        );
        let placed = Mark { namespace: Some("ns"), name: "run-8".to_owned() };
        for (name, kept) in [("system:a", "system:a"), ("-a", "-a"), ("10.0.0.1", "10.0.0.1"), ("web", "run-8")] {
            let object = placed.apply(json!({"metadata": {"name": name}}));
            assert_eq!(object, json!({"metadata": {"name": kept, "namespace": "ns", "labels": {LABEL: "run-8"}}}));
        }
        assert_eq!(placed.apply(json!({"metadata": []})), json!({"metadata": []}), "that is for the server to say");
    }

    #[test]
    fn an_update_is_of_the_object_that_was_stored() {
        let old = json!({"metadata": {"name": "a", "finalizers": ["f"], "ownerReferences": [{}]}});
        assert_eq!(stored(old), json!({"metadata": {"name": "a"}}));
        let kept = json!({"metadata": {"name": "run-1", "uid": "u", "resourceVersion": "3"}});
        let new = json!({"metadata": {"name": "a", "namespace": "x", "finalizers": ["f"]}, "spec": 1});
        let sent =
            json!({"metadata": {"name": "run-1", "uid": "u", "resourceVersion": "3", "finalizers": ["f"]}, "spec": 1});
        assert_eq!(changed(new, &kept), sent);
    }
}
