//! Bindings.

use super::{matching, not_supported};
use crate::api::{Binding, ParamRef};
use crate::names::{path_segment, subdomain};
use serde_json::json;
use std::collections::BTreeSet;
use takeover_custom_resources::Scope;
use takeover_custom_resources::validate::validate_metadata;
use takeover_harness::error::FieldError;
use takeover_harness::path::Path;

/// Everything for which an API server refuses to create a binding, in its order.
#[must_use]
pub fn binding_errors(binding: &Binding) -> Vec<FieldError> {
    let mut errors = validate_metadata(Scope::Cluster, &binding.manifest).into_vec();
    let spec = &binding.spec;
    let path = Path::ROOT.child("spec");
    if spec.policy_name.is_empty() {
        errors.push(FieldError::required(&path.child("policyName"), "").covered());
    } else {
        let problems = subdomain(&spec.policy_name).into_iter();
        let name = path.child("policyName");
        errors.extend(problems.map(|problem| FieldError::invalid(&name, spec.policy_name.as_str(), problem)));
    }
    if let Some(reference) = &spec.param_ref {
        param_ref(reference, &path.child("paramRef"), &mut errors);
    }
    if let Some(resources) = &spec.match_resources {
        matching::judge(resources, &path.child("matchResources"), &mut errors);
    }
    actions(&spec.validation_actions, &path.child("validationActions"), &mut errors);
    errors
}

fn param_ref(reference: &ParamRef, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    const EXCLUSIVE: &str = "name and selector are mutually exclusive";
    let name = path.child("name");
    let named = !reference.name.is_empty();
    if named {
        let problems = path_segment(&reference.name).into_iter();
        errors.extend(problems.map(|problem| FieldError::invalid(&name, reference.name.as_str(), problem)));
        if reference.selector.is_some() {
            errors.push(FieldError::forbidden(&name, EXCLUSIVE));
        }
    }
    if let Some(selector) = &reference.selector {
        matching::selector(selector, &path.child("selector"), errors);
        if named {
            errors.push(FieldError::forbidden(&path.child("selector"), EXCLUSIVE));
        }
    }
    if !named && reference.selector.is_none() {
        errors.push(FieldError::required(path, "one of name or selector must be specified"));
    }
    let action = path.child("parameterNotFoundAction");
    match reference.parameter_not_found_action.as_deref() {
        None | Some("") => errors.push(FieldError::required(&action, "")),
        Some("Allow" | "Deny") => {}
        Some(other) => errors.push(not_supported(&action, other, &["Deny", "Allow"])),
    }
}

fn actions(actions: &[String], path: &Path<'_>, errors: &mut Vec<FieldError>) {
    const KNOWN: [&str; 3] = ["Audit", "Deny", "Warn"];
    let mut seen = BTreeSet::new();
    for (index, action) in actions.iter().enumerate() {
        if !KNOWN.contains(&action.as_str()) {
            errors.push(not_supported(&path.index(index), action, &KNOWN));
        }
        if !seen.insert(action.as_str()) {
            errors.push(FieldError::duplicate(&path.index(index), action.as_str()));
        }
    }
    if seen.contains("Deny") && seen.contains("Warn") {
        let detail = "must not contain both Deny and Warn (repeating the same validation failure information in the \
                      API response and headers serves no purpose)";
        errors.push(FieldError::invalid(path, json!(actions), detail));
    }
    if seen.is_empty() {
        errors.push(FieldError::required(path, "at least one validation action is required").covered());
    }
}
