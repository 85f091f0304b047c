//! One rule of operations on resources.

use crate::api::Rule;
use crate::request::{Request, Resource};

/// Whether the rule matches the request if its resource is `resource`. Names of objects are ignored.
pub(super) fn matches(rule: &Rule, resource: &Resource, request: &Request) -> bool {
    one_of(&rule.operations, &request.operation)
        && one_of(&rule.api_groups, &resource.group)
        && one_of(&rule.api_versions, &resource.version)
        && rule.resources.iter().any(|entry| {
            let (name, subresource) = entry.split_once('/').unwrap_or((entry, ""));
            is(name, &resource.resource) && is(subresource, &request.subresource)
        })
        && in_scope(rule, resource, request)
}

fn is(entry: &str, text: &str) -> bool {
    entry == "*" || entry == text
}

fn one_of(entries: &[String], text: &str) -> bool {
    entries.iter().any(|entry| is(entry, text))
}

fn in_scope(rule: &Rule, resource: &Resource, request: &Request) -> bool {
    let is_namespace = resource.group.is_empty() && resource.version == "v1" && resource.resource == "namespaces";
    match rule.scope.as_deref() {
        None | Some("*") => true,
        Some("Namespaced") => !is_namespace && !request.namespace.is_empty(),
        Some("Cluster") => is_namespace || request.namespace.is_empty(),
        Some(_) => false,
    }
}
