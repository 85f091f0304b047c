//! Whole objects inside of objects (`x-kubernetes-embedded-resource`).

use super::metadata;
use crate::structural::{Additional, Structural};
use regex::Regex;
use serde_json::Value;
use std::sync::LazyLock;
use takeover_harness::error::FieldError;
use takeover_harness::path::Path;

const KIND_FORM: &str = "may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric \
                         characters or '-', start with an alphabetic character, and end with an alphanumeric character \
                         (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

static DNS_1035: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new("^[a-z]([-a-z0-9]*[a-z0-9])?$").ok());

fn matches(pattern: &LazyLock<Option<Regex>>, text: &str) -> bool {
    pattern.as_ref().is_some_and(|pattern| pattern.is_match(text))
}

/// Adds the errors of all objects inside of an object.
pub(super) fn check(structural: &Structural, object: &Value, errors: &mut Vec<FieldError>) {
    below(structural, object, &Path::ROOT, errors);
}

/// The errors of a value that is an object of its own, and of those inside of it.
pub(crate) fn embedded_errors(structural: &Structural, value: &Value, path: &Path<'_>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    one(structural, value, path, &mut errors);
    errors
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
            metadata::embedded(metadata, &path.child("metadata"), errors);
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
