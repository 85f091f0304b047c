//! Which requests a policy looks at.

use crate::handwritten::names::path_segment;
use crate::handwritten::report::not_supported;
use crate::handwritten::selector::{SelectorValues, validate_label_selector};
use k8s_openapi::api::admissionregistration::v1::{MatchResources, NamedRuleWithOperations};
use takeover_harness::error::{BadValue, ErrorList, FieldError};
use takeover_harness::object::{Edit, Node};
use takeover_harness::path::Path;

/// Defaults of `matchResources`.
pub(super) fn default_match_resources(resources: &mut Edit<'_>) {
    resources.set_default("matchPolicy", Node::Text("Equivalent"));
    for selector in ["namespaceSelector", "objectSelector"] {
        resources.set_default(selector, Edit::empty_struct(true));
    }
    for rules in ["resourceRules", "excludeResourceRules"] {
        resources.edit_each(rules, |rule| rule.set_default("scope", Node::Text("*")));
    }
}

/// Checks `matchResources`.
pub(super) fn validate_match_resources(resources: &MatchResources, path: &Path<'_>, errors: &mut ErrorList) {
    let policy = path.child("matchPolicy");
    match resources.match_policy.as_deref() {
        None => errors.push(FieldError::required(&policy, "")),
        Some("Equivalent" | "Exact") => {}
        Some(other) => errors.push(not_supported(&policy, other, &["Equivalent", "Exact"])),
    }
    for (selector, name) in
        [(&resources.namespace_selector, "namespaceSelector"), (&resources.object_selector, "objectSelector")]
    {
        let at = path.child(name);
        match selector {
            None => errors.push(FieldError::required(&at, "")),
            Some(selector) => validate_label_selector(Some(selector), SelectorValues::Checked, &at, errors),
        }
    }
    for (rules, name) in
        [(&resources.resource_rules, "resourceRules"), (&resources.exclude_resource_rules, "excludeResourceRules")]
    {
        let at = path.child(name);
        for (index, rule) in rules.iter().flatten().enumerate() {
            validate_rule(rule, &at.index(index), errors);
        }
    }
}

fn validate_rule(rule: &NamedRuleWithOperations, path: &Path<'_>, errors: &mut ErrorList) {
    let names = rule.resource_names.as_deref().unwrap_or_default();
    let at = path.child("resourceNames");
    for (index, name) in names.iter().enumerate() {
        for problem in path_segment(name) {
            errors.push(FieldError::invalid(&at.index(index), name.as_str(), problem));
        }
        if names.iter().take(index).any(|earlier| earlier == name) {
            errors.push(FieldError::duplicate(&at.index(index), name.as_str()));
        }
    }
    let operations = list(rule.operations.as_ref());
    let at = path.child("operations");
    not_empty(operations, &at, errors);
    wildcard_alone(operations, "operations", &at, errors);
    for (index, operation) in operations.iter().enumerate() {
        if !matches!(operation.as_str(), "*" | "CONNECT" | "CREATE" | "DELETE" | "UPDATE") {
            let supported = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
            errors.push(not_supported(&at.index(index), operation.as_str(), &supported));
        }
    }
    let groups = list(rule.api_groups.as_ref());
    not_empty(groups, &path.child("apiGroups"), errors);
    wildcard_alone(groups, "API groups", &path.child("apiGroups"), errors);
    let versions = list(rule.api_versions.as_ref());
    let at = path.child("apiVersions");
    not_empty(versions, &at, errors);
    wildcard_alone(versions, "API versions", &at, errors);
    for (index, version) in versions.iter().enumerate() {
        if version.is_empty() {
            errors.push(FieldError::required(&at.index(index), ""));
        }
    }
    validate_resources(list(rule.resources.as_ref()), &path.child("resources"), errors);
    if let Some(scope) = &rule.scope
        && !matches!(scope.as_str(), "*" | "Cluster" | "Namespaced")
    {
        errors.push(not_supported(&path.child("scope"), scope.as_str(), &["*", "Cluster", "Namespaced"]));
    }
}

fn list(values: Option<&Vec<String>>) -> &[String] {
    values.map(Vec::as_slice).unwrap_or_default()
}

fn not_empty(values: &[String], path: &Path<'_>, errors: &mut ErrorList) {
    if values.is_empty() {
        errors.push(FieldError::required(path, ""));
    }
}

fn wildcard_alone(values: &[String], what: &str, path: &Path<'_>, errors: &mut ErrorList) {
    if values.len() > 1 && values.iter().any(|value| value == "*") {
        let detail = format!("if '*' is present, must not specify other {what}");
        errors.push(FieldError::invalid(path, all(values), detail));
    }
}

fn all(values: &[String]) -> BadValue {
    BadValue::Json(values.into())
}

/// Resources with and without subresource: what a wildcard already covers must not be named again.
fn validate_resources(resources: &[String], path: &Path<'_>, errors: &mut ErrorList) {
    not_empty(resources, path, errors);
    let mut plain = false;
    for (index, resource) in resources.iter().enumerate() {
        let at = path.index(index);
        if resource.is_empty() {
            errors.push(FieldError::required(&at, ""));
            continue;
        }
        let Some((kind, sub)) = resource.split_once('/') else {
            plain = resource != "*";
            continue;
        };
        let before = || resources.iter().take(index).filter_map(|earlier| earlier.split_once('/'));
        if before().any(|(earlier, all)| all == "*" && earlier == kind) {
            let detail = format!("if '{kind}/*' is present, must not specify {resource}");
            errors.push(FieldError::invalid(&at, resource.as_str(), detail));
        }
        if before().any(|(any, earlier)| any == "*" && earlier == sub) {
            let detail = format!("if '*/{sub}' is present, must not specify {resource}");
            errors.push(FieldError::invalid(&at, resource.as_str(), detail));
        }
    }
    let has = |name: &str| resources.iter().any(|resource| resource == name);
    if resources.len() > 1 && has("*/*") {
        let detail = "if '*/*' is present, must not specify other resources";
        errors.push(FieldError::invalid(path, all(resources), detail));
    }
    if has("*") && plain {
        let detail = "if '*' is present, must not specify other resources without subresources";
        errors.push(FieldError::invalid(path, all(resources), detail));
    }
}
