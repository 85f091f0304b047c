//! IngressClass, in `v1` and `v1beta1`.

use crate::kind::{Checks, Prepare, Request, Served};
use crate::meta::{self, NameRule, Scope};
use crate::names::{dns_label, dns_subdomain_start, path_segment, subdomain_name};
use crate::prepare;
use crate::report::{IMMUTABLE, not_supported, text, too_long};
use crate::types::networking::v1::{IngressClass, IngressClassParametersReference};
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::object::Edit;
use takeover_harness::path::Path;

/// Longest name of a controller, in bytes.
const CONTROLLER_LIMIT: usize = 250;
/// Where the parameters of a class may live.
const SCOPES: [&str; 2] = ["Cluster", "Namespace"];
/// How classes are named.
const NAME: NameRule = NameRule::Plain { name: subdomain_name, start: dns_subdomain_start };

/// Judges IngressClasses as a Kubernetes 1.36 server does.
#[derive(Clone, Copy, Debug)]
pub struct IngressClasses;

impl Served for IngressClasses {
    type Kind = Self;

    const DEFAULTS: Option<fn(&mut Edit<'_>)> = Some(default_class);
    const PREPARE: Option<Prepare> = Some(prepare::count_spec_changes);
}

/// `v1beta1` IngressClasses, whose parameters have no default scope.
#[derive(Clone, Copy, Debug)]
pub struct IngressClassesV1beta1;

impl Served for IngressClassesV1beta1 {
    type Kind = IngressClasses;

    const PREPARE: Option<Prepare> = Some(prepare::count_spec_changes);
}

fn default_class(class: &mut Edit<'_>) {
    class.edit("spec", |spec| {
        spec.edit_if_set("parameters", |parameters| parameters.set_default_text("scope", "Cluster"));
    });
}

impl Checks for IngressClasses {
    type Object<'a> = IngressClass<'a>;

    const SCOPE: Scope = Scope::Cluster;

    fn create(new: &IngressClass, _: &Request<'_>, errors: &mut ErrorList) {
        validate_class(new, errors);
    }

    fn update(new: &IngressClass, old: &IngressClass, _: &Request<'_>, errors: &mut ErrorList) {
        meta::validate_update(&new.metadata, &old.metadata, &Path::ROOT.child("metadata"), errors);
        let (now, before) = (controller(new), controller(old));
        if now != before {
            errors.push(FieldError::invalid(&Path::ROOT.child("spec").child("controller"), now, IMMUTABLE));
        }
        validate_class(new, errors);
    }
}

fn controller<'a>(class: &IngressClass<'a>) -> &'a str {
    text(class.spec.and_then(|spec| spec.controller))
}

fn validate_class(class: &IngressClass, errors: &mut ErrorList) {
    meta::validate_create(&class.metadata, IngressClasses::SCOPE, NAME, &Path::ROOT.child("metadata"), errors);
    let path = Path::ROOT.child("spec");
    validate_controller(controller(class), &path.child("controller"), errors);
    if let Some(parameters) = class.spec.and_then(|spec| spec.parameters) {
        validate_parameters(parameters, &path.child("parameters"), errors);
    }
}

/// A controller is a DNS subdomain, `/` and a path. Errors show the part that is wrong.
fn validate_controller(controller: &str, path: &Path<'_>, errors: &mut ErrorList) {
    if controller.is_empty() {
        errors.push(FieldError::required(path, ""));
        return;
    }
    if controller.len() > CONTROLLER_LIMIT {
        errors.push(too_long(path, CONTROLLER_LIMIT));
    }
    let (host, rest) = match controller.split_once('/') {
        Some((host, rest)) if !host.is_empty() && !rest.is_empty() => (host, rest),
        _ => {
            let detail = "must be a domain-prefixed path (such as \"acme.io/foo\")";
            errors.push(FieldError::invalid(path, controller, detail));
            return;
        }
    };
    for problem in subdomain_name(host) {
        errors.push(FieldError::invalid(path, host, problem));
    }
    if !rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/-._~%!$&'()*+,;=:".contains(&byte)) {
        let detail = "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')";
        errors.push(FieldError::invalid(path, rest, detail));
    }
}

fn validate_parameters(parameters: &IngressClassParametersReference, path: &Path<'_>, errors: &mut ErrorList) {
    if let Some(group) = parameters.api_group {
        for problem in subdomain_name(group) {
            errors.push(FieldError::invalid(&path.child("apiGroup"), group, problem));
        }
    }
    for (value, member) in [(parameters.kind, "kind"), (parameters.name, "name")] {
        let at = path.child(member);
        if value.is_empty() {
            errors.push(FieldError::required(&at, "").covered());
        }
        for problem in path_segment(value) {
            errors.push(FieldError::invalid(&at, value, problem));
        }
    }
    let at = path.child("namespace");
    match (parameters.scope, parameters.namespace) {
        (None, _) => errors.push(FieldError::required(&path.child("scope"), "")),
        (Some("Namespace"), None) => {
            errors.push(FieldError::required(&at, "`parameters.scope` is set to 'Namespace'"));
        }
        (Some("Namespace"), Some(namespace)) => {
            for problem in dns_label(namespace) {
                errors.push(FieldError::invalid(&at, namespace, problem));
            }
        }
        (Some("Cluster"), Some(_)) => {
            errors.push(FieldError::forbidden(&at, "`parameters.scope` is set to 'Cluster'"));
        }
        (Some("Cluster"), None) => {}
        (Some(scope), _) => errors.push(not_supported(&path.child("scope"), scope, &SCOPES)),
    }
}
