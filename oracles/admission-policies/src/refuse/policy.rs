//! Policies.

use super::expressions::Judged;
use super::{matching, not_supported};
use crate::api::{ParamKind, Policy};
use crate::names::{dns1035_label, subdomain};
use serde_json::json;
use takeover_custom_resources::Scope;
use takeover_custom_resources::validate::validate_metadata;
use takeover_harness::error::FieldError;
use takeover_harness::path::Path;

/// Most audit annotations.
const MOST_ANNOTATIONS: usize = 20;

/// Everything for which an API server refuses to create a policy, in its order.
#[must_use]
pub fn policy_errors(policy: &Policy) -> Vec<FieldError> {
    let mut errors = validate_metadata(Scope::Cluster, &policy.manifest).into_vec();
    let spec = &policy.spec;
    let path = Path::ROOT.child("spec");
    const FAILURES: [&str; 2] = ["Fail", "Ignore"];
    match spec.failure_policy.as_deref() {
        None => errors.push(FieldError::required(&path.child("failurePolicy"), "")),
        Some(failure) if FAILURES.contains(&failure) => {}
        Some(failure) => errors.push(not_supported(&path.child("failurePolicy"), failure, &FAILURES)),
    }
    if let Some(kind) = &spec.param_kind {
        param_kind(kind, &path.child("paramKind"), &mut errors);
    }
    let constraints = path.child("matchConstraints");
    match &spec.match_constraints {
        None => errors.push(FieldError::required(&constraints, "")),
        Some(given) => {
            matching::judge(given, &constraints, &mut errors);
            if given.resource_rules.is_empty() {
                errors.push(FieldError::required(&constraints.child("resourceRules"), ""));
            }
        }
    }
    let (validations, annotations) = (path.child("validations"), path.child("auditAnnotations"));
    let has_nothing = spec.validations.is_empty() && spec.audit_annotations.is_empty();
    let too_many = spec.audit_annotations.len() > MOST_ANNOTATIONS;
    let mut judged = Judged::new(spec, &mut errors);
    judged.conditions(spec, &path.child("matchConditions"));
    for (index, variable) in spec.variables.iter().enumerate() {
        judged.variable(variable, &path.child("variables").index(index));
    }
    for (index, validation) in spec.validations.iter().enumerate() {
        judged.validation(validation, &validations.index(index));
    }
    if too_many {
        judged.too_many_annotations(&annotations, MOST_ANNOTATIONS, &annotations_as_json(policy));
    }
    let mut keys: Vec<&str> = Vec::new();
    for (index, annotation) in spec.audit_annotations.iter().enumerate() {
        let path = annotations.index(index);
        judged.annotation(annotation, &policy.name, &path);
        if keys.contains(&annotation.key.as_str()) {
            judged.duplicate_key(&annotation.key, &path);
        }
        keys.push(&annotation.key);
    }
    if has_nothing {
        let detail = "validations or auditAnnotations must contain at least one item";
        errors.push(FieldError::required(&validations, detail));
        errors.push(FieldError::required(&annotations, detail));
    }
    errors
}

fn annotations_as_json(policy: &Policy) -> serde_json::Value {
    // In Go's words, which are those of the internal type.
    policy
        .spec
        .audit_annotations
        .iter()
        .map(|annotation| json!({"Key": annotation.key, "ValueExpression": annotation.value_expression}))
        .collect()
}

fn param_kind(kind: &ParamKind, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let version_path = path.child("apiVersion");
    let version = kind.api_version.as_str();
    if version.is_empty() {
        errors.push(FieldError::required(&version_path, ""));
    } else if version.matches('/').count() > 1 {
        let detail = format!("unexpected GroupVersion string: {version}");
        errors.push(FieldError::invalid(&version_path, version, detail));
    } else {
        let (group, of_group) = match version {
            "/" => ("", ""),
            _ => version.split_once('/').unwrap_or(("", version)),
        };
        let problems = if group.is_empty() { Vec::new() } else { subdomain(group) };
        if !problems.is_empty() {
            errors.push(FieldError::invalid(&version_path, group, problems.join(",")));
        }
        let problems = dns1035_label(of_group);
        if of_group.is_empty() {
            errors.push(FieldError::invalid(&version_path, version, "version must be specified"));
        } else if !problems.is_empty() {
            errors.push(FieldError::invalid(&version_path, of_group, problems.join(",")));
        }
    }
    let kind_path = path.child("kind");
    if kind.kind.is_empty() {
        errors.push(FieldError::required(&kind_path, ""));
        return;
    }
    let problems = dns1035_label(&kind.kind.to_lowercase());
    if !problems.is_empty() {
        let detail = format!("may have mixed case, but should otherwise match: {}", problems.join(","));
        errors.push(FieldError::invalid(&kind_path, kind.kind.as_str(), detail));
    }
}
