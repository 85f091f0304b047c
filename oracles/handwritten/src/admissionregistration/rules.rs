//! Rules: requests by operation and resource.

use crate::report::not_supported;
use k8s_openapi::api::admissionregistration::v1::NamedRuleWithOperations;
use takeover_harness::error::{BadValue, ErrorList, FieldError};
use takeover_harness::path::Path;

/// Checks a rule, without the names of objects that a policy's rule may have. Resources may be subresources.
pub(super) fn validate_rule(rule: &NamedRuleWithOperations, path: &Path<'_>, errors: &mut ErrorList) {
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
    if let Some(scope) = rule.scope.as_deref()
        && !matches!(scope, "*" | "Cluster" | "Namespaced")
    {
        errors.push(not_supported(&path.child("scope"), scope, &["*", "Cluster", "Namespaced"]));
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
