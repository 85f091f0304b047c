//! Whole objects inside of objects (`x-kubernetes-embedded-resource`).
//!
//! Of their metadata, labels and annotations are judged.

use super::text::plural;
use crate::structural::{Additional, Structural};
use regex::Regex;
use serde_json::{Map, Value};
use std::sync::LazyLock;
use takeover_harness::error::FieldError;
use takeover_harness::path::Path;

const KIND_FORM: &str = "may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric \
                         characters or '-', start with an alphabetic character, and end with an alphanumeric character \
                         (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const KEY_FORM: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric \
                        character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is \
                        '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const PREFIX_FORM: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must \
                           start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
                           '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const VALUE_FORM: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must \
                          start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex \
                          used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const LABEL_KEY: &str = "format=k8s-label-key";
const LABEL_VALUE: &str = "format=k8s-label-value";
/// Names and values of all annotations of an object, in bytes.
const MAX_ANNOTATIONS: usize = 256 * 1024;

static DNS_1035: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new("^[a-z]([-a-z0-9]*[a-z0-9])?$").ok());
static SUBDOMAIN: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new("^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$").ok());
static KEY: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new("^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$").ok());

fn matches(pattern: &LazyLock<Option<Regex>>, text: &str) -> bool {
    pattern.as_ref().is_some_and(|pattern| pattern.is_match(text))
}

/// Adds the errors of all objects inside of an object.
pub(super) fn check(structural: &Structural, object: &Value, errors: &mut Vec<FieldError>) {
    below(structural, object, &Path::ROOT, errors);
}

fn below(node: &Structural, value: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                let (schema, path) = match (node.properties.get(key), &node.additional) {
                    (Some(schema), _) => (schema, path.child(key)),
                    (None, Some(Additional::Schema(schema))) => (schema, path.key(key)),
                    _ => continue,
                };
                one(schema, value, &path, errors);
            }
        }
        Value::Array(items) => {
            if let Some(schema) = &node.items {
                items.iter().enumerate().for_each(|(index, item)| one(schema, item, &path.index(index), errors));
            }
        }
        _ => {}
    }
}

fn one(node: &Structural, value: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    if let (true, Value::Object(members)) = (node.embedded, value) {
        for name in ["apiVersion", "kind"] {
            errors.extend(type_meta(name, members.get(name), &path.child(name)));
        }
        if let Some(Value::Object(metadata)) = members.get("metadata") {
            object_meta(metadata, &path.child("metadata"), errors);
        }
    }
    below(node, value, path, errors);
}

fn type_meta(name: &str, value: Option<&Value>, path: &Path<'_>) -> Option<FieldError> {
    match value {
        None => Some(FieldError::required(path, "")),
        Some(Value::String(text)) if text.is_empty() => Some(FieldError::invalid(path, "", "must not be empty")),
        Some(Value::String(text)) if name == "apiVersion" => (text.matches('/').count() > 1)
            .then(|| FieldError::invalid(path, text.as_str(), format!("unexpected GroupVersion string: {text}"))),
        Some(Value::String(text)) => {
            let lower = text.to_lowercase();
            if lower.len() > 63 {
                let detail = "may have mixed case, but should otherwise match: must be no more than 63 characters";
                return Some(FieldError::invalid(path, text.as_str(), detail));
            }
            (!matches(&DNS_1035, &lower)).then(|| FieldError::invalid(path, text.as_str(), KIND_FORM))
        }
        Some(other) => Some(FieldError::invalid(path, other.clone(), "must be a string")),
    }
}

fn object_meta(metadata: &Map<String, Value>, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    if let Some(Value::Object(labels)) = metadata.get("labels") {
        let path = path.child("labels");
        for (key, value) in labels {
            let problems = key_problems(key).into_iter();
            errors
                .extend(problems.map(|detail| FieldError::invalid(&path, key.as_str(), detail).with_origin(LABEL_KEY)));
            let value = value.as_str().unwrap_or_default();
            let mut refuse = |detail: String| {
                errors.push(FieldError::invalid(&path, value, detail).with_origin(LABEL_VALUE));
            };
            if value.len() > 63 {
                refuse("must be no more than 63 bytes".to_owned());
            }
            if !value.is_empty() && !matches(&KEY, value) {
                refuse(VALUE_FORM.to_owned());
            }
        }
    }
    if let Some(Value::Object(annotations)) = metadata.get("annotations") {
        let path = path.child("annotations");
        for key in annotations.keys() {
            let problems = key_problems(&key.to_lowercase()).into_iter();
            errors.extend(problems.map(|detail| FieldError::invalid(&path, key.as_str(), detail)));
        }
        let size: usize = annotations.iter().map(|(key, value)| key.len() + value.as_str().map_or(0, str::len)).sum();
        if size > MAX_ANNOTATIONS {
            let most = i64::try_from(MAX_ANNOTATIONS).unwrap_or(i64::MAX);
            let detail = format!("may not be more than {}", plural(most, "byte", "bytes"));
            let bad = takeover_harness::error::BadValue::OMITTED;
            errors.push(FieldError::new(takeover_harness::error::ErrorType::TooLong, &path, bad, detail));
        }
    }
}

/// What is wrong with a key of the form `prefix/name`.
fn key_problems(key: &str) -> Vec<String> {
    let mut problems = Vec::new();
    let name = match key.split('/').collect::<Vec<_>>().as_slice() {
        [name] => (*name).to_owned(),
        [prefix, name] => {
            if prefix.is_empty() {
                problems.push("prefix part must be non-empty".to_owned());
            } else {
                if prefix.len() > 253 {
                    problems.push("prefix part must be no more than 253 bytes".to_owned());
                }
                if !matches(&SUBDOMAIN, prefix) {
                    problems.push(format!("prefix part {PREFIX_FORM}"));
                }
            }
            (*name).to_owned()
        }
        _ => {
            let form = KEY_FORM.replacen("must consist", "a valid label key must consist", 1);
            return vec![format!("{form} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')")];
        }
    };
    if name.is_empty() {
        problems.push("name part must be non-empty".to_owned());
    } else if name.len() > 63 {
        problems.push("name part must be no more than 63 bytes".to_owned());
    }
    if !matches(&KEY, &name) {
        problems.push(format!("name part {KEY_FORM}"));
    }
    problems
}
