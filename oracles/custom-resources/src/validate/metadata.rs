//! Metadata of objects.

use crate::kind::Scope;
use regex::Regex;
use serde_json::{Map, Value};
use std::sync::LazyLock;
use takeover_harness::error::{BadValue, ErrorList, ErrorType, FieldError};
use takeover_harness::path::Path;

const SUBDOMAIN_FORM: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and \
                              must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation \
                              is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL_FORM: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and \
                          end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is \
                          '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const KEY_FORM: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric \
                        character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is \
                        '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const VALUE_FORM: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must \
                          start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex \
                          used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const KEY_ORIGIN: &str = "format=k8s-label-key";
const VALUE_ORIGIN: &str = "format=k8s-label-value";
const IMMUTABLE: &str = "field is immutable";
/// Names and values of all annotations of an object, in bytes.
const MAX_ANNOTATIONS: usize = 256 * 1024;

static SUBDOMAIN: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new("^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$").ok());
static LABEL: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$").ok());
static KEY: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new("^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$").ok());

fn matches(pattern: &LazyLock<Option<Regex>>, text: &str) -> bool {
    pattern.as_ref().is_some_and(|pattern| pattern.is_match(text))
}

/// Names are said to be counted in characters, and the parts of keys and values in bytes. It is bytes that count.
fn too_long(most: usize, unit: &str) -> String {
    format!("must be no more than {most} {unit}")
}

/// Judges the metadata of a new object, as a server does after it generated a name: names are DNS subdomains.
#[must_use]
pub fn validate_metadata(scope: Scope, object: &Value) -> ErrorList {
    let mut errors = Vec::new();
    let none = Map::new();
    let metadata = Metadata(object.get("metadata").and_then(Value::as_object).unwrap_or(&none));
    let path = Path::ROOT.child("metadata");
    metadata.created(subdomain, scope == Scope::Namespaced, &path, &mut errors);
    errors.into()
}

/// Judges the metadata of a changed object.
#[must_use]
pub fn validate_metadata_update(object: &Value, old: &Value) -> ErrorList {
    let mut errors = Vec::new();
    let none = Map::new();
    let of =
        |object: &'_ Value| object.get("metadata").and_then(Value::as_object).cloned().unwrap_or_else(|| none.clone());
    let (new, old) = (of(object), of(old));
    Metadata(&new).updated(Metadata(&old), &Path::ROOT.child("metadata"), &mut errors);
    errors.into()
}

/// Adds the errors of the metadata of an object inside of another.
pub(super) fn embedded(metadata: &Map<String, Value>, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let metadata = Metadata(metadata);
    metadata.named(path_segment, &path.child("generateName"), metadata.text("generateName"), true, errors);
    // A name is not asked for.
    metadata.named(path_segment, &path.child("name"), metadata.text("name"), false, errors);
    let namespace = metadata.text("namespace");
    if !namespace.is_empty() {
        metadata.namespace(namespace, &path.child("namespace"), errors);
    }
    metadata.rest(path, errors);
    metadata.finalizers(&path.child("finalizers"), errors);
}

/// What is wrong with a name, or with the beginning of one.
type Names = fn(&str, bool) -> Vec<String>;

/// What keeps a text from being a DNS subdomain.
pub(crate) fn subdomain_problems(text: &str) -> Vec<String> {
    subdomain(text, false)
}

/// Judges the metadata of a new object that lives in no namespace and whose name has to be `required` for a reason.
pub(crate) fn named_metadata(metadata: &Map<String, Value>, required: &str, reason: &str) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let (metadata, path) = (Metadata(metadata), Path::ROOT.child("metadata"));
    metadata.created(subdomain, false, &path, &mut errors);
    for name in ["generateName", "name"] {
        let text = metadata.text(name);
        if !text.is_empty() && text != required {
            errors.push(FieldError::invalid(&path.child(name), text, reason.to_owned()));
        }
    }
    errors
}

fn subdomain(name: &str, prefix: bool) -> Vec<String> {
    // The dash at the end of a beginning will not be at an end.
    let name = match name.strip_suffix('-') {
        Some(shorter) if prefix && name.len() > 1 => {
            format!("{}a", shorter.get(..shorter.len() - 1).unwrap_or_default())
        }
        _ => name.to_owned(),
    };
    let mut problems = Vec::new();
    if name.len() > 253 {
        problems.push(too_long(253, "characters"));
    }
    if !matches(&SUBDOMAIN, &name) {
        problems.push(SUBDOMAIN_FORM.to_owned());
    }
    problems
}

fn path_segment(name: &str, prefix: bool) -> Vec<String> {
    if !prefix && matches!(name, "." | "..") {
        return vec![format!("may not be '{name}'")];
    }
    let signs = ["/", "%"].into_iter().filter(|sign| name.contains(sign));
    signs.map(|sign| format!("may not contain '{sign}'")).collect()
}

/// Object metadata, decoded by a server.
#[derive(Clone, Copy)]
struct Metadata<'m>(&'m Map<String, Value>);

impl<'m> Metadata<'m> {
    fn text(self, name: &str) -> &'m str {
        self.0.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    fn number(self, name: &str) -> i64 {
        self.0.get(name).and_then(Value::as_i64).unwrap_or_default()
    }

    fn list(self, name: &str) -> &'m [Value] {
        self.0.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
    }

    fn created(self, names: Names, namespaced: bool, path: &Path<'_>, errors: &mut Vec<FieldError>) {
        self.named(names, &path.child("generateName"), self.text("generateName"), true, errors);
        let name = self.text("name");
        if name.is_empty() {
            errors.push(FieldError::required(&path.child("name"), "name or generateName is required"));
        } else {
            self.named(names, &path.child("name"), name, false, errors);
        }
        let (namespace, at) = (self.text("namespace"), path.child("namespace"));
        match (namespaced, namespace.is_empty()) {
            (true, true) => errors.push(FieldError::required(&at, "")),
            (true, false) => self.namespace(namespace, &at, errors),
            (false, false) => errors.push(FieldError::forbidden(&at, "not allowed on this type")),
            (false, true) => {}
        }
        self.rest(path, errors);
        self.finalizers(&path.child("finalizers"), errors);
    }

    fn updated(self, old: Self, path: &Path<'_>, errors: &mut Vec<FieldError>) {
        if self.text("resourceVersion").is_empty() {
            let path = path.child("resourceVersion");
            errors.push(FieldError::invalid(&path, 0, "must be specified for an update"));
        }
        if self.number("generation") < old.number("generation") {
            let path = path.child("generation");
            errors.push(FieldError::invalid(&path, self.number("generation"), "must not be decremented"));
        }
        for name in ["name", "namespace", "uid", "creationTimestamp"] {
            if self.text(name) != old.text(name) {
                errors.push(FieldError::invalid(&path.child(name), self.text(name), IMMUTABLE));
            }
        }
        for name in ["deletionTimestamp", "deletionGracePeriodSeconds"] {
            if self.0.get(name) != old.0.get(name) {
                let value = self.0.get(name).cloned().unwrap_or_default();
                errors.push(FieldError::invalid(&path.child(name), value, IMMUTABLE));
            }
        }
        self.rest(path, errors);
    }

    fn named(self, names: Names, path: &Path<'_>, name: &str, prefix: bool, errors: &mut Vec<FieldError>) {
        if !name.is_empty() {
            errors.extend(names(name, prefix).into_iter().map(|detail| FieldError::invalid(path, name, detail)));
        }
    }

    fn namespace(self, namespace: &str, path: &Path<'_>, errors: &mut Vec<FieldError>) {
        if namespace.len() > 63 {
            errors.push(FieldError::invalid(path, namespace, too_long(63, "characters")));
        }
        if !matches(&LABEL, namespace) {
            errors.push(FieldError::invalid(path, namespace, LABEL_FORM));
        }
    }

    /// What is judged on create and on update.
    fn rest(self, path: &Path<'_>, errors: &mut Vec<FieldError>) {
        if self.number("generation") < 0 {
            let detail = "must be greater than or equal to 0";
            errors.push(FieldError::invalid(&path.child("generation"), self.number("generation"), detail));
        }
        if let Some(Value::Object(labels)) = self.0.get("labels") {
            self::labels(labels, &path.child("labels"), errors);
        }
        if let Some(Value::Object(annotations)) = self.0.get("annotations") {
            self::annotations(annotations, &path.child("annotations"), errors);
        }
        self.owners(&path.child("ownerReferences"), errors);
        self.managers(&path.child("managedFields"), errors);
    }

    fn managers(self, path: &Path<'_>, errors: &mut Vec<FieldError>) {
        for (index, entry) in self.list("managedFields").iter().enumerate() {
            let path = path.index(index);
            let text = |name: &str| entry.get(name).and_then(Value::as_str).unwrap_or_default();
            let mut refuse = |name: &str, detail: String| {
                errors.push(FieldError::invalid(&path.child(name), text(name).to_owned(), detail));
            };
            if !matches!(text("operation"), "Apply" | "Update") {
                refuse("operation", "must be `Apply` or `Update`".to_owned());
            }
            if !matches!(text("fieldsType"), "" | "FieldsV1") {
                refuse("fieldsType", "must be `FieldsV1`".to_owned());
            }
            let manager = text("manager");
            for (position, c) in manager.char_indices().filter(|(_, c)| c.is_control()) {
                refuse("manager", format!("invalid character U+{:04X} (at position {position})", u32::from(c)));
            }
            for (name, most) in [("manager", 128), ("subresource", 256)] {
                if text(name).len() > most {
                    let detail = format!("may not be more than {most} bytes");
                    errors.push(FieldError::new(ErrorType::TooLong, &path.child(name), BadValue::OMITTED, detail));
                }
            }
        }
    }

    fn owners(self, path: &Path<'_>, errors: &mut Vec<FieldError>) {
        let owners = self.list("ownerReferences");
        let mut controller: Option<String> = None;
        for owner in owners {
            let text = |name: &str| owner.get(name).and_then(Value::as_str).unwrap_or_default();
            let (api_version, kind) = (text("apiVersion"), text("kind"));
            // More than one slash makes no group and version at all.
            let version = match api_version.split('/').collect::<Vec<_>>().as_slice() {
                [version] | [_, version] => *version,
                _ => "",
            };
            if version.is_empty() {
                errors.push(FieldError::invalid(&path.child("apiVersion"), api_version, "version must not be empty"));
            }
            for name in ["kind", "name", "uid"] {
                if text(name).is_empty() {
                    errors.push(FieldError::invalid(&path.child(name), "", "must not be empty"));
                }
            }
            if api_version == "v1" && kind == "Event" {
                let detail = "/v1, Kind=Event is disallowed from being an owner";
                errors.push(FieldError::invalid(path, owner.clone(), detail));
            }
            if owner.get("controller") == Some(&Value::Bool(true)) {
                let name = format!("{kind}/{}", text("name"));
                match &controller {
                    None => controller = Some(name),
                    Some(first) => {
                        let detail = format!(
                            "Only one reference can have Controller set to true. Found \"true\" in references for {first} and {name}"
                        );
                        errors.push(FieldError::invalid(path, Value::from(owners), detail));
                    }
                }
            }
        }
    }

    fn finalizers(self, path: &Path<'_>, errors: &mut Vec<FieldError>) {
        let finalizers = self.list("finalizers");
        for name in finalizers.iter().filter_map(Value::as_str) {
            let problems = key_problems(name, "a qualified name").into_iter();
            errors.extend(problems.map(|detail| FieldError::invalid(path, name, detail)));
        }
        let (orphan, foreground) = ("orphan", "foregroundDeletion");
        if [orphan, foreground].iter().all(|name| finalizers.iter().any(|finalizer| finalizer == name)) {
            let detail = format!("finalizer {orphan} and {foreground} cannot be both set");
            errors.push(FieldError::invalid(path, Value::from(finalizers), detail));
        }
    }
}

fn labels(labels: &Map<String, Value>, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    for (key, value) in labels {
        let problems = key_problems(key, "a valid label key").into_iter();
        errors.extend(problems.map(|detail| FieldError::invalid(path, key.as_str(), detail).with_origin(KEY_ORIGIN)));
        let value = value.as_str().unwrap_or_default();
        let long = (value.len() > 63).then(|| too_long(63, "bytes"));
        let wrong = (!value.is_empty() && !matches(&KEY, value)).then(|| VALUE_FORM.to_owned());
        let problems = long.into_iter().chain(wrong);
        errors.extend(problems.map(|detail| FieldError::invalid(path, value, detail).with_origin(VALUE_ORIGIN)));
    }
}

fn annotations(annotations: &Map<String, Value>, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    for key in annotations.keys() {
        // Case is of no account here.
        let problems = key_problems(&key.to_lowercase(), "a valid label key").into_iter();
        errors.extend(problems.map(|detail| FieldError::invalid(path, key.as_str(), detail).with_origin(KEY_ORIGIN)));
    }
    let size: usize = annotations.iter().map(|(key, value)| key.len() + value.as_str().map_or(0, str::len)).sum();
    if size > MAX_ANNOTATIONS {
        let detail = format!("may not be more than {MAX_ANNOTATIONS} bytes");
        errors.push(FieldError::new(ErrorType::TooLong, path, BadValue::OMITTED, detail));
    }
}

/// What is wrong with a key of the form `name` or `prefix/name`.
pub(crate) fn key_problems(key: &str, what: &str) -> Vec<String> {
    let mut problems = Vec::new();
    let name = match key.split('/').collect::<Vec<_>>().as_slice() {
        [name] => *name,
        ["", name] => {
            problems.push("prefix part must be non-empty".to_owned());
            name
        }
        [prefix, name] => {
            let long = (prefix.len() > 253).then(|| too_long(253, "bytes"));
            let wrong = (!matches(&SUBDOMAIN, prefix)).then(|| SUBDOMAIN_FORM.to_owned());
            problems.extend(long.into_iter().chain(wrong).map(|problem| format!("prefix part {problem}")));
            name
        }
        _ => {
            return vec![format!(
                "{what} {KEY_FORM} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
            )];
        }
    };
    if name.is_empty() {
        problems.push("name part must be non-empty".to_owned());
    } else if name.len() > 63 {
        problems.push(format!("name part {}", too_long(63, "bytes")));
    }
    if !matches(&KEY, name) {
        problems.push(format!("name part {KEY_FORM}"));
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::{validate_metadata, validate_metadata_update};
    use crate::kind::Scope;
    use serde_json::{Value, json};
    use takeover_harness::error::ErrorList;

    fn said(errors: &ErrorList) -> Vec<String> {
        let short = |error: &takeover_harness::error::FieldError| {
            let detail: String = error.detail.chars().take(45).collect();
            format!("{} {}: {detail}", error.field, error.error_type)
        };
        errors.iter().map(short).collect()
    }

    fn created(scope: Scope, metadata: &Value) -> Vec<String> {
        said(&validate_metadata(scope, &json!({"metadata": metadata})))
    }

    #[test]
    fn new_objects_need_a_name_and_a_namespace_where_there_are_some() {
        assert_eq!(created(Scope::Cluster, &json!({"name": "a.b"})), [""; 0]);
        assert_eq!(created(Scope::Namespaced, &json!({"name": "a", "namespace": "b"})), [""; 0]);
        assert_eq!(
            created(Scope::Namespaced, &json!({})),
            ["metadata.name Required value: name or generateName is required", "metadata.namespace Required value: "]
        );
        assert_eq!(
            created(Scope::Cluster, &json!({"name": "A", "namespace": "b"})),
            [
                "metadata.name Invalid value: a lowercase RFC 1123 subdomain must consist o",
                "metadata.namespace Forbidden: not allowed on this type",
            ]
        );
        assert_eq!(created(Scope::Cluster, &json!({"generateName": "a-", "name": "a-x"})), [""; 0]);
    }

    #[test]
    fn keys_are_counted_in_bytes_and_names_in_characters() {
        let long = "a".repeat(64);
        let labels = json!({"name": "a", "labels": {long.as_str(): long.as_str()}});
        assert_eq!(
            created(Scope::Cluster, &labels),
            [
                "metadata.labels Invalid value: name part must be no more than 63 bytes",
                "metadata.labels Invalid value: must be no more than 63 bytes",
            ]
        );
        assert_eq!(
            created(Scope::Namespaced, &json!({"name": "a", "namespace": long})),
            ["metadata.namespace Invalid value: must be no more than 63 characters"]
        );
    }

    #[test]
    fn changed_objects_keep_their_names() {
        let of = |name: &str, generation: i64| json!({"metadata": {"name": name, "resourceVersion": "1", "generation": generation}});
        assert_eq!(said(&validate_metadata_update(&of("a", 2), &of("a", 1))), [""; 0]);
        assert_eq!(
            said(&validate_metadata_update(&of("b", 1), &of("a", 2))),
            [
                "metadata.generation Invalid value: must not be decremented",
                "metadata.name Invalid value: field is immutable",
            ]
        );
    }
}
