//! Rules of operations on resources.

use super::not_supported;
use crate::api::Rule;
use crate::names::path_segment;
use serde_json::json;
use std::collections::BTreeSet;
use takeover_harness::error::FieldError;
use takeover_harness::path::Path;

/// Judges a rule.
pub(super) fn judge(rule: &Rule, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let mut names = BTreeSet::new();
    for (index, name) in rule.resource_names.iter().enumerate() {
        let (list, at) = (path.child("resourceNames"), index);
        errors.extend(
            path_segment(name).into_iter().map(|problem| FieldError::invalid(&list.index(at), name.as_str(), problem)),
        );
        if !names.insert(name) {
            errors.push(FieldError::duplicate(&list.index(at), name.as_str()));
        }
    }
    alone(&rule.operations, "other operations", &path.child("operations"), errors);
    for (index, operation) in rule.operations.iter().enumerate() {
        const KNOWN: [&str; 5] = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
        if !KNOWN.contains(&operation.as_str()) {
            errors.push(not_supported(&path.child("operations").index(index), operation, &KNOWN));
        }
    }
    alone(&rule.api_groups, "other API groups", &path.child("apiGroups"), errors);
    alone(&rule.api_versions, "other API versions", &path.child("apiVersions"), errors);
    for (index, _) in rule.api_versions.iter().enumerate().filter(|(_, version)| version.is_empty()) {
        errors.push(FieldError::required(&path.child("apiVersions").index(index), ""));
    }
    resources(&rule.resources, &path.child("resources"), errors);
    const SCOPES: [&str; 3] = ["*", "Cluster", "Namespaced"];
    if let Some(scope) = rule.scope.as_deref().filter(|scope| !SCOPES.contains(scope)) {
        errors.push(not_supported(&path.child("scope"), scope, &SCOPES));
    }
}

/// There is something, and `*` stands alone.
fn alone(entries: &[String], others: &str, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    if entries.is_empty() {
        errors.push(FieldError::required(path, ""));
    }
    if entries.len() > 1 && entries.iter().any(|entry| entry == "*") {
        errors.push(FieldError::invalid(path, json!(entries), format!("if '*' is present, must not specify {others}")));
    }
}

fn resources(entries: &[String], path: &Path<'_>, errors: &mut Vec<FieldError>) {
    if entries.is_empty() {
        errors.push(FieldError::required(path, ""));
    }
    let (mut whole_resources, mut whole_subresources) = (BTreeSet::new(), BTreeSet::new());
    // Of several entries without a subresource API servers remember the last one.
    let mut last_is_named = false;
    for (index, entry) in entries.iter().enumerate() {
        if entry.is_empty() {
            errors.push(FieldError::required(&path.index(index), ""));
            continue;
        }
        let Some((resource, subresource)) = entry.split_once('/') else {
            last_is_named = entry != "*";
            continue;
        };
        let mut beside = |whole: String| {
            let detail = format!("if '{whole}' is present, must not specify {entry}");
            errors.push(FieldError::invalid(&path.index(index), entry.as_str(), detail));
        };
        if whole_resources.contains(resource) {
            beside(format!("{resource}/*"));
        }
        if whole_subresources.contains(subresource) {
            beside(format!("*/{subresource}"));
        }
        if subresource == "*" {
            whole_resources.insert(resource);
        }
        if resource == "*" {
            whole_subresources.insert(subresource);
        }
    }
    let has = |whole: &str| entries.iter().any(|entry| entry == whole);
    if entries.len() > 1 && has("*/*") {
        let detail = "if '*/*' is present, must not specify other resources";
        errors.push(FieldError::invalid(path, json!(entries), detail));
    }
    if has("*") && last_is_named {
        let detail = "if '*' is present, must not specify other resources without subresources";
        errors.push(FieldError::invalid(path, json!(entries), detail));
    }
}
