//! ValidatingAdmissionPolicyBinding.

use super::match_resources::{default_match_resources, validate_match_resources};
use crate::kind::{Checks, Prepare, Request, Served};
use crate::meta::{self, NameRule, Scope};
use crate::names::{dns_subdomain_start, path_segment, subdomain_name};
use crate::prepare::count_spec_changes;
use crate::report::{not_supported, text};
use crate::selector::{SelectorValues, validate_label_selector};
use crate::types::admissionregistration::v1::{
    ParamRef, ValidatingAdmissionPolicyBinding, ValidatingAdmissionPolicyBindingSpec,
};
use takeover_harness::error::{BadValue, ErrorList, FieldError};
use takeover_harness::object::{Edit, Node};
use takeover_harness::path::Path;

/// The checks, and the versions `v1` and `v1beta1`.
#[derive(Clone, Copy, Debug)]
pub struct ValidatingAdmissionPolicyBindings;

/// The version `v1alpha1`, which has a default more.
#[derive(Clone, Copy, Debug)]
pub struct ValidatingAdmissionPolicyBindingsV1alpha1;

const NAME: NameRule = NameRule::Plain { name: subdomain_name, start: dns_subdomain_start };

impl Served for ValidatingAdmissionPolicyBindings {
    type Kind = Self;

    const DEFAULTS: Option<fn(&mut Edit<'_>)> = Some(default_binding);
    const PREPARE: Option<Prepare> = Some(count_spec_changes);
}

impl Served for ValidatingAdmissionPolicyBindingsV1alpha1 {
    type Kind = ValidatingAdmissionPolicyBindings;

    const DEFAULTS: Option<fn(&mut Edit<'_>)> = Some(|binding| {
        default_binding(binding);
        binding.edit("spec", |spec| {
            spec.edit_if_set("paramRef", |param| param.set_default("parameterNotFoundAction", Node::Text("Deny")));
        });
    });
    const PREPARE: Option<Prepare> = Some(count_spec_changes);
}

fn default_binding(binding: &mut Edit<'_>) {
    binding.edit("spec", |spec| spec.edit_if_set("matchResources", default_match_resources));
}

impl Checks for ValidatingAdmissionPolicyBindings {
    type Object<'a> = ValidatingAdmissionPolicyBinding<'a>;

    const SCOPE: Scope = Scope::Cluster;
    const UNCONDITIONAL_UPDATE: bool = false;

    fn create(new: &ValidatingAdmissionPolicyBinding, _: &Request<'_>, errors: &mut ErrorList) {
        meta::validate_generic_create(&new.metadata, Self::SCOPE, NAME, &Path::ROOT.child("metadata"), errors);
        validate_spec(&new.spec.copied().unwrap_or_default(), &Path::ROOT.child("spec"), errors);
    }

    /// A changed binding is judged as a new one.
    fn update(
        new: &ValidatingAdmissionPolicyBinding,
        _: &ValidatingAdmissionPolicyBinding,
        request: &Request<'_>,
        errors: &mut ErrorList,
    ) {
        Self::create(new, request, errors);
    }
}

fn validate_spec(spec: &ValidatingAdmissionPolicyBindingSpec, path: &Path<'_>, errors: &mut ErrorList) {
    let (policy, name) = (text(spec.policy_name), path.child("policyName"));
    if policy.is_empty() {
        errors.push(FieldError::required(&name, "").covered());
    } else {
        for problem in subdomain_name(policy) {
            errors.push(FieldError::invalid(&name, policy, problem));
        }
    }
    if let Some(param) = spec.param_ref {
        validate_param_ref(param, &path.child("paramRef"), errors);
    }
    if let Some(resources) = spec.match_resources {
        validate_match_resources(resources, &path.child("matchResources"), errors);
    }
    validate_actions(spec.validation_actions.unwrap_or_default(), &path.child("validationActions"), errors);
}

fn validate_param_ref(param: &ParamRef, path: &Path<'_>, errors: &mut ErrorList) {
    let name = text(param.name);
    if !name.is_empty() {
        for problem in path_segment(name) {
            errors.push(FieldError::invalid(&path.child("name"), name, problem));
        }
        if param.selector.is_some() {
            let detail = "name and selector are mutually exclusive";
            errors.push(FieldError::forbidden(&path.child("name"), detail));
            errors.push(FieldError::forbidden(&path.child("selector"), detail));
        }
    }
    validate_label_selector(param.selector, SelectorValues::Checked, &path.child("selector"), errors);
    if name.is_empty() && param.selector.is_none() {
        errors.push(FieldError::required(path, "one of name or selector must be specified"));
    }
    let action = text(param.parameter_not_found_action);
    let at = path.child("parameterNotFoundAction");
    if action.is_empty() {
        errors.push(FieldError::required(&at, ""));
    } else if !matches!(action, "Allow" | "Deny") {
        errors.push(not_supported(&at, action, &["Deny", "Allow"]));
    }
}

fn validate_actions(actions: &[&str], path: &Path<'_>, errors: &mut ErrorList) {
    for (index, action) in actions.iter().enumerate() {
        let at = path.index(index);
        if !matches!(*action, "Audit" | "Deny" | "Warn") {
            errors.push(not_supported(&at, *action, &["Audit", "Deny", "Warn"]));
        }
        if actions.iter().take(index).any(|earlier| earlier == action) {
            errors.push(FieldError::duplicate(&at, *action));
        }
    }
    let has = |name| actions.contains(&name);
    if has("Deny") && has("Warn") {
        let detail = "must not contain both Deny and Warn (repeating the same validation failure information in the API response and \
                      headers serves no purpose)";
        errors.push(FieldError::invalid(path, BadValue::json(actions.into()), detail));
    }
    if actions.is_empty() {
        errors.push(FieldError::required(path, "at least one validation action is required").covered());
    }
}
