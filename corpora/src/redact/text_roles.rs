//! Tells what each text in an object is from its place.

use super::embedded::Parts;
use super::tokens;
use serde_json::{Map, Value};

/// What a text in an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextRole {
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
    /// The name of a field.
    Field,
    /// The version or kind of an object.
    Fixed,
    /// Anything else.
    Plain,
    /// The same within a map whose keys a user chose, or an object of a kind that is none of Kubernetes.
    Chosen,
    /// Elements of a list of environment variables.
    Environment,
}

/// Maps whose keys a user chose, whatever they look like.
const MAPS: [&str; 16] = [
    "annotations",
    "attachmentMetadata",
    "binaryData",
    "capacity",
    "data",
    "hard",
    "labels",
    "limits",
    "matchLabels",
    "nodeSelector",
    "options",
    "parameters",
    "requests",
    "selector",
    "stringData",
    "volumeAttributes",
];

/// Those of them whose keys say what the values are.
const TELLING: [&str; 4] = ["attachmentMetadata", "options", "parameters", "volumeAttributes"];

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

/// Shows `visit` every text of `value`, keys included, each with its role.
pub(super) fn walk(value: &mut Value, visit: &mut dyn FnMut(TextRole, &mut String)) {
    // What says of itself what it is tells which of its fields are Kubernetes' own.
    let role = if value.get("apiVersion").is_some() { TextRole::Plain } else { TextRole::Chosen };
    step(value, role, "", visit);
}

fn step(value: &mut Value, role: TextRole, field: &str, visit: &mut dyn FnMut(TextRole, &mut String)) {
    match value {
        Value::String(text) => visit(if role == TextRole::Environment { TextRole::Plain } else { role }, text),
        Value::Array(list) => elements(list, role, field, visit),
        Value::Object(map) => {
            let kind = Kind::of(map);
            let role = if kind == Kind::Foreign && is_open(role) { TextRole::Chosen } else { role };
            // As in the header of a request: a name, and the value of that name.
            let named = is_open(role) && map.get("name").and_then(Value::as_str).is_some_and(tokens::is_secret_name);
            for (key, child) in map.iter_mut() {
                let secret = named && key == "value" && child.is_string();
                let below = if secret { TextRole::Data(Parts::Secret) } else { below(role, kind, field, key, child) };
                step(child, below, key, visit);
            }
            keys(map, field, visit);
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Shows the elements of a list. Among arguments, what follows a flag of a secret is one.
fn elements(list: &mut [Value], role: TextRole, field: &str, visit: &mut dyn FnMut(TextRole, &mut String)) {
    let mut before = String::new();
    for element in list {
        let secret = match element {
            Value::String(text) if is_open(role) => {
                let given = !text.starts_with(['-', '$']);
                let secret = (given && tokens::is_secret_flag(&before))
                    || (given && text.contains(':') && tokens::is_user_flag(&before));
                before.clone_from(text);
                secret
            }
            _ => false,
        };
        step(element, if secret { TextRole::Data(Parts::Secret) } else { role }, field, visit);
    }
}

/// Shows the keys of a map. Those that users chose may be replaced, but not by another one of the map.
fn keys(map: &mut Map<String, Value>, field: &str, visit: &mut dyn FnMut(TextRole, &mut String)) {
    let chosen = MAPS.contains(&field);
    let mut renamed = Vec::new();
    for key in map.keys() {
        let role = if chosen || !is_field(key) { TextRole::Key } else { TextRole::Field };
        let mut name = key.clone();
        visit(role, &mut name);
        if name != *key && role == TextRole::Key {
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

/// Whether texts of this role are not known to be anybody's data.
fn is_open(role: TextRole) -> bool {
    matches!(role, TextRole::Plain | TextRole::Chosen | TextRole::Environment | TextRole::Name)
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
    /// Of somebody else than Kubernetes.
    Foreign,
    Other,
}

impl Kind {
    fn of(map: &Map<String, Value>) -> Self {
        match (map.get("apiVersion").and_then(Value::as_str), map.get("kind").and_then(Value::as_str)) {
            (Some("v1"), Some("Secret")) => Self::Secret,
            (Some("v1"), Some("ConfigMap")) => Self::ConfigMap,
            (Some(version), Some(_)) if is_foreign(version) => Self::Foreign,
            _ => Self::Other,
        }
    }
}

/// Whether a version is of a group that is none of Kubernetes' own.
fn is_foreign(version: &str) -> bool {
    version.split_once('/').is_some_and(|(group, _)| group.contains('.') && !group.ends_with(".k8s.io"))
}

/// The role of the member `child` of a map of this role and kind, which is the field `field` of another.
fn below(role: TextRole, kind: Kind, field: &str, key: &str, child: &Value) -> TextRole {
    match (role, kind, key) {
        (TextRole::Annotation, ..) if tokens::is_secret_name(key) => TextRole::Data(Parts::Secret),
        (TextRole::Data(_) | TextRole::Base64(_) | TextRole::Annotation, ..) => role,
        (_, Kind::Secret, "data") => TextRole::Base64(Parts::Secret),
        (_, Kind::ConfigMap, "data") => TextRole::Data(Parts::Open),
        (_, Kind::ConfigMap, "binaryData") => TextRole::Base64(Parts::Open),
        (_, _, "stringData") => TextRole::Data(Parts::Secret),
        (_, _, "annotations") => TextRole::Annotation,
        (_, _, "env") => TextRole::Environment,
        (TextRole::Environment, _, "value") => TextRole::Data(Parts::Open),
        (_, _, "apiVersion" | "kind") => TextRole::Fixed,
        (_, _, "name") if OBJECTS.contains(&field) => TextRole::Name,
        (_, _, key) if key != "name" && NAMES.contains(&key) => TextRole::Name,
        (_, _, key) if tokens::is_secret_field(key) => TextRole::Data(Parts::Secret),
        (TextRole::Chosen, _, "value") if tokens::is_secret_name(field) && is_flat(child) => {
            TextRole::Data(Parts::Secret)
        }
        (TextRole::Chosen, _, "key") if TELLING.contains(&field) && child.is_string() => TextRole::Data(Parts::Secret),
        (TextRole::Chosen, _, key) if tokens::is_secret_name(key) && is_flat(child) => TextRole::Data(Parts::Secret),
        (_, Kind::Foreign, "metadata") => TextRole::Plain,
        (TextRole::Chosen, ..) => TextRole::Chosen,
        (_, _, key) if TELLING.contains(&key) => TextRole::Chosen,
        _ => TextRole::Plain,
    }
}

/// Whether a value is a text or a list of texts, rather than an object that may refer to one.
fn is_flat(value: &Value) -> bool {
    match value {
        Value::Array(list) => list.iter().all(Value::is_string),
        other => other.is_string(),
    }
}
