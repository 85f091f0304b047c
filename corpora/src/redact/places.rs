//! What stands where in an object.

use super::embedded::Parts;
use super::tokens;
use serde_json::{Map, Value};

/// What a text in an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Data of somebody's, replaced as a whole.
    Data(Parts),
    /// The same in base64.
    Base64(Parts),
    /// The value of an annotation.
    Annotation,
    /// The name of an object, a user or a host.
    Name,
    /// A key that a user chose.
    Key,
    /// The version or kind of an object.
    Fixed,
    /// Anything else.
    Plain,
    /// Elements of a list of environment variables.
    Environment,
}

/// Maps whose keys a user chose, whatever they look like.
const MAPS: [&str; 13] = [
    "annotations",
    "binaryData",
    "capacity",
    "data",
    "hard",
    "labels",
    "limits",
    "matchLabels",
    "nodeSelector",
    "parameters",
    "requests",
    "selector",
    "stringData",
];

/// Fields that name something.
const NAMES: [&str; 12] = [
    "claimName",
    "generateName",
    "host",
    "hostname",
    "name",
    "namespace",
    "nodeName",
    "secretName",
    "serviceAccount",
    "serviceAccountName",
    "subdomain",
    "username",
];

/// Fields whose value `name` is that of an object.
const OBJECTS: [&str; 6] = ["claimRef", "involvedObject", "metadata", "ownerReferences", "subjects", "targetRef"];

/// Shows `visit` every text of `value`, keys that users chose included, each with its place.
pub(super) fn walk(value: &mut Value, visit: &mut dyn FnMut(Place, &mut String)) {
    step(value, Place::Plain, "", visit);
}

fn step(value: &mut Value, place: Place, field: &str, visit: &mut dyn FnMut(Place, &mut String)) {
    match value {
        Value::String(text) => visit(if place == Place::Environment { Place::Plain } else { place }, text),
        Value::Array(list) => list.iter_mut().for_each(|element| step(element, place, field, visit)),
        Value::Object(map) => {
            let kind = Kind::of(map);
            for (key, child) in map.iter_mut() {
                step(child, below(place, kind, field, key), key, visit);
            }
            keys(map, field, visit);
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Shows the keys that users chose. A key that would become another one of the map stays.
fn keys(map: &mut Map<String, Value>, field: &str, visit: &mut dyn FnMut(Place, &mut String)) {
    let chosen = MAPS.contains(&field);
    let mut renamed = Vec::new();
    for key in map.keys().filter(|key| chosen || !is_field(key)) {
        let mut name = key.clone();
        visit(Place::Key, &mut name);
        if name != *key {
            renamed.push((key.clone(), name));
        }
    }
    for (key, name) in renamed {
        if !map.contains_key(&name)
            && let Some(value) = map.remove(&key)
        {
            map.insert(name, value);
        }
    }
}

/// Whether a key looks like the name of a field.
fn is_field(key: &str) -> bool {
    key.starts_with(|c: char| c.is_ascii_lowercase()) && key.chars().all(|c| c.is_ascii_alphanumeric())
}

/// Kinds whose data are secret.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Secret,
    ConfigMap,
    Other,
}

impl Kind {
    fn of(map: &Map<String, Value>) -> Self {
        match (map.get("apiVersion").and_then(Value::as_str), map.get("kind").and_then(Value::as_str)) {
            (Some("v1"), Some("Secret")) => Self::Secret,
            (Some("v1"), Some("ConfigMap")) => Self::ConfigMap,
            _ => Self::Other,
        }
    }
}

/// The place of a member of a map of this place and kind, which is the field `field` of another.
fn below(place: Place, kind: Kind, field: &str, key: &str) -> Place {
    match (place, kind, key) {
        (Place::Data(_) | Place::Base64(_) | Place::Annotation, ..) => place,
        (_, Kind::Secret, "data") => Place::Base64(Parts::Secret),
        (_, Kind::ConfigMap, "data") => Place::Data(Parts::Open),
        (_, Kind::ConfigMap, "binaryData") => Place::Base64(Parts::Open),
        (_, _, "stringData") => Place::Data(Parts::Secret),
        (_, _, "annotations") => Place::Annotation,
        (_, _, "env") => Place::Environment,
        (Place::Environment, _, "value") => Place::Data(Parts::Open),
        (_, _, "apiVersion" | "kind") => Place::Fixed,
        (_, _, "name") if OBJECTS.contains(&field) => Place::Name,
        (_, _, "name") => Place::Plain,
        (_, _, key) if NAMES.contains(&key) => Place::Name,
        (_, _, key) if tokens::is_secret_field(key) => Place::Data(Parts::Secret),
        _ => Place::Plain,
    }
}
