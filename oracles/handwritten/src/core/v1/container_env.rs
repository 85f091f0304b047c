//! Environment variables of containers and where their values come from.

use super::config_key::config_key;
use super::downward_api::{validate_field_selector, validate_resource_selector};
use crate::names::{Problems, dns_subdomain_start, subdomain_name};
use crate::report::text;
use crate::types::core::v1::{EnvFromSource, EnvVar, EnvVarSource, ResourceFieldSelector};
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::path::Path;

/// Fields of the pod that variables may hold.
const FIELDS: [&str; 9] = [
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
];
const SEVERAL: &str = "may not have more than one field specified at a time";

/// Checks single variables.
pub(super) fn validate_env(variables: &[EnvVar], path: &Path<'_>, errors: &mut ErrorList) {
    for (index, variable) in variables.iter().enumerate() {
        let at = path.index(index);
        if variable.name.is_empty() {
            errors.push(FieldError::required(&at.child("name"), ""));
        } else {
            validate_variable_name(variable.name, &at.child("name"), errors);
        }
        if let Some(source) = variable.value_from {
            let is_set = variable.value.as_ref().is_some_and(|value| !value.is_empty());
            validate_source(source, is_set, &at.child("valueFrom"), errors);
        }
    }
}

/// Checks sources of many variables. Their choice is reported at the list itself.
pub(super) fn validate_env_from(sources: &[EnvFromSource], path: &Path<'_>, errors: &mut ErrorList) {
    for (index, source) in sources.iter().enumerate() {
        let at = path.index(index);
        if let Some(prefix) = source.prefix.filter(|prefix| !prefix.is_empty()) {
            validate_variable_name(prefix, &at.child("prefix"), errors);
        }
        let config_map = source.config_map_ref.map(|source| text(source.name));
        let secret = source.secret_ref.map(|source| text(source.name));
        for (member, name) in [("configMapRef", config_map), ("secretRef", secret)] {
            let at = at.child(member);
            match name {
                None => {}
                Some("") => errors.push(FieldError::required(&at.child("name"), "")),
                // As if more would follow: a dash at the end passes.
                Some(name) => push_all(dns_subdomain_start(name), name, &at.child("name"), errors),
            }
        }
        match (config_map, secret) {
            (None, None) => {
                let detail = "must specify one of: `configMapRef` or `secretRef`";
                errors.push(FieldError::invalid(path, "", detail));
            }
            (Some(_), Some(_)) => errors.push(FieldError::invalid(path, "", SEVERAL)),
            _ => {}
        }
    }
}

fn validate_source(source: &EnvVarSource, has_value: bool, path: &Path<'_>, errors: &mut ErrorList) {
    if let Some(field) = source.field_ref {
        validate_field_selector(field, &FIELDS, &path.child("fieldRef"), errors);
    }
    if let Some(resource) = source.resource_field_ref {
        // Without a name, the variable's own container is meant.
        let named = ResourceFieldSelector { container_name: Some("self"), ..*resource };
        validate_resource_selector(&named, &path.child("resourceFieldRef"), errors);
    }
    if let Some(selector) = source.config_map_key_ref {
        validate_key_selector(text(selector.name), selector.key, &path.child("configMapKeyRef"), errors);
    }
    if let Some(selector) = source.secret_key_ref {
        validate_key_selector(text(selector.name), selector.key, &path.child("secretKeyRef"), errors);
    }
    let sources = [
        source.field_ref.is_some(),
        source.resource_field_ref.is_some(),
        source.config_map_key_ref.is_some(),
        source.secret_key_ref.is_some(),
        source.file_key_ref.is_some(),
    ];
    let detail = match sources.iter().filter(|set| **set).count() {
        0 => "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`",
        _ if has_value => "may not be specified when `value` is not empty",
        1 => return,
        _ => SEVERAL,
    };
    errors.push(FieldError::invalid(path, "", detail));
}

/// Checks the choice of a key of a configuration map or secret.
fn validate_key_selector(name: &str, key: &str, path: &Path<'_>, errors: &mut ErrorList) {
    push_all(subdomain_name(name), name, &path.child("name"), errors);
    let at = path.child("key");
    if key.is_empty() {
        errors.push(FieldError::required(&at, ""));
    } else {
        push_all(config_key(key), key, &at, errors);
    }
}

fn validate_variable_name(name: &str, path: &Path<'_>, errors: &mut ErrorList) {
    if !name.bytes().all(|byte| (b' '..=b'~').contains(&byte) && byte != b'=') {
        let detail = "a valid environment variable name must consist only of printable ASCII characters other than '='";
        errors.push(FieldError::invalid(path, name, detail));
    }
}

fn push_all(problems: Problems, value: &str, path: &Path<'_>, errors: &mut ErrorList) {
    for problem in problems {
        errors.push(FieldError::invalid(path, value, problem));
    }
}
