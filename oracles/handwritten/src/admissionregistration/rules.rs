//! Rules: requests by operation and resource.

use crate::report::not_supported;
use crate::types::admissionregistration::v1::NamedRuleWithOperations;
use takeover_harness::error::{BadValue, ErrorList, FieldError};
use takeover_harness::path::Path;

/// Checks a rule, without the names of objects that a policy's rule may have. Resources may be subresources.
pub(super) fn validate_rule(rule: &NamedRuleWithOperations, path: &Path<'_>, errors: &mut ErrorList) {
    let operations = rule.operations.unwrap_or_default();
    let at = path.child("operations");
    not_empty(operations, &at, errors);
    wildcard_alone(operations, "operations", &at, errors);
    for (index, operation) in operations.iter().enumerate() {
        if !matches!(*operation, "*" | "CONNECT" | "CREATE" | "DELETE" | "UPDATE") {
            let supported = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
            errors.push(not_supported(&at.index(index), *operation, &supported));
        }
    }
    let groups = rule.api_groups.unwrap_or_default();
    not_empty(groups, &path.child("apiGroups"), errors);
    wildcard_alone(groups, "API groups", &path.child("apiGroups"), errors);
    let versions = rule.api_versions.unwrap_or_default();
    let at = path.child("apiVersions");
    not_empty(versions, &at, errors);
    wildcard_alone(versions, "API versions", &at, errors);
    for (index, version) in versions.iter().enumerate() {
        if version.is_empty() {
            errors.push(FieldError::required(&at.index(index), ""));
        }
    }
    validate_resources(rule.resources.unwrap_or_default(), &path.child("resources"), errors);
    if let Some(scope) = rule.scope
        && !matches!(scope, "*" | "Cluster" | "Namespaced")
    {
        errors.push(not_supported(&path.child("scope"), scope, &["*", "Cluster", "Namespaced"]));
    }
}

fn not_empty(values: &[&str], path: &Path<'_>, errors: &mut ErrorList) {
    if values.is_empty() {
        errors.push(FieldError::required(path, ""));
    }
}

fn wildcard_alone(values: &[&str], what: &str, path: &Path<'_>, errors: &mut ErrorList) {
    if values.len() > 1 && values.contains(&"*") {
        let detail = format!("if '*' is present, must not specify other {what}");
        errors.push(FieldError::invalid(path, all(values), detail));
    }
}

fn all(values: &[&str]) -> BadValue {
    BadValue::json(values.into())
}

/// Resources with and without subresource: what a wildcard already covers must not be named again.
fn validate_resources(resources: &[&str], path: &Path<'_>, errors: &mut ErrorList) {
    not_empty(resources, path, errors);
    let mut plain = false;
    for (index, resource) in resources.iter().enumerate() {
        let at = path.index(index);
        if resource.is_empty() {
            errors.push(FieldError::required(&at, ""));
            continue;
        }
        let Some((kind, sub)) = resource.split_once('/') else {
            plain = *resource != "*";
            continue;
        };
        let before = || resources.iter().take(index).filter_map(|earlier| earlier.split_once('/'));
        if before().any(|(earlier, all)| all == "*" && earlier == kind) {
            let detail = format!("if '{kind}/*' is present, must not specify {resource}");
            errors.push(FieldError::invalid(&at, *resource, detail));
        }
        if before().any(|(any, earlier)| any == "*" && earlier == sub) {
            let detail = format!("if '*/{sub}' is present, must not specify {resource}");
            errors.push(FieldError::invalid(&at, *resource, detail));
        }
    }
    let has = |name| resources.contains(&name);
    if resources.len() > 1 && has("*/*") {
        let detail = "if '*/*' is present, must not specify other resources";
        errors.push(FieldError::invalid(path, all(resources), detail));
    }
    if has("*") && plain {
        let detail = "if '*' is present, must not specify other resources without subresources";
        errors.push(FieldError::invalid(path, all(resources), detail));
    }
}
