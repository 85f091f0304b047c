//! `v1` ReplicationController and its `/scale`.

use super::defaults::default_replication_controller;
use super::disabled_fields::drop_disabled_fields_of_workload;
use super::pod_template::{self, convert_template, validate_pod_template, validate_restarts};
use crate::kind::{Checks, Gate, Prepare, Request, STRICT_ADDRESSES, Served};
use crate::labels::Labels;
use crate::meta::{self, NameRule, Scope};
use crate::names::dns_subdomain;
use crate::prepare::count_spec_changes;
use crate::report::{Covered, non_negative};
use crate::selector::{labels_form, matches};
use crate::types::core::v1::{PodTemplateSpec, ReplicationController, ReplicationControllerSpec};
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::object::Edit;
use takeover_harness::pair::Delegated;
use takeover_harness::path::Path;

/// Judges ReplicationControllers as a Kubernetes 1.36 server does.
///
/// An update of `/scale` hands the stored controller with another number of replicas to the same checks.
#[derive(Clone, Copy, Debug)]
pub struct ReplicationControllers;

/// What annotations start with that tell of members which have no form in this version.
const UNCONVERTED: &str = "non-convertible.kubernetes.io";
/// How controllers are named: DNS subdomains, by a check that has a declarative twin.
const NAME: NameRule = NameRule::Migrated { name: dns_subdomain, origin: "format=k8s-long-name" };

impl Served for ReplicationControllers {
    type Kind = Self;

    const DEFAULTS: Option<fn(&mut Edit<'_>)> = Some(default_replication_controller);
    const PREPARE: Option<Prepare> = Some(prepare);
    const CONVERT: Option<fn(&mut Edit<'_>)> = Some(|controller| {
        controller.edit_if_set("spec", |spec| spec.edit_if_set("template", convert_template));
    });
}

/// A new controller has no status yet, and only `/status` changes it later.
fn prepare<'a>(new: &mut Edit<'a>, old: Option<&Edit<'a>>, subresource: &str) {
    match old {
        None => new.clear("status"),
        Some(old) if subresource != "status" => new.copy("status", old),
        Some(old) => new.copy("spec", old),
    }
    drop_disabled_fields_of_workload(new, old);
    count_spec_changes(new, old, subresource);
}

impl Checks for ReplicationControllers {
    type Object<'a> = ReplicationController<'a>;

    const SCOPE: Scope = Scope::Namespaced;
    const GATES: &'static [Gate] = &[STRICT_ADDRESSES];
    const SUBRESOURCES: &'static [&'static str] = &["scale"];

    fn create(new: &ReplicationController, request: &Request<'_>, errors: &mut ErrorList) {
        let path = Path::ROOT.child("metadata");
        meta::validate_create(&new.metadata, Self::SCOPE, NAME, &path, errors);
        validate_spec(new, None, request, errors);
    }

    fn update(new: &ReplicationController, old: &ReplicationController, request: &Request<'_>, errors: &mut ErrorList) {
        meta::validate_update(&new.metadata, &old.metadata, &Path::ROOT.child("metadata"), errors);
        validate_spec(new, Some(old), request, errors);
        validate_unconverted(new, old, errors);
    }

    fn delegated() -> Vec<Delegated> {
        pod_template::delegated("spec.template")
    }
}

/// What a stored controller of another version had that this one cannot say is noted in annotations, and stays.
fn validate_unconverted(new: &ReplicationController, old: &ReplicationController, errors: &mut ErrorList) {
    let notes = old.metadata.annotations.into_iter().flatten().filter(|(key, _)| key.starts_with(UNCONVERTED));
    for (key, value) in notes {
        let Some((_, member)) = key.split_once('/').filter(|(_, member)| !member.contains('/')) else { continue };
        if member.contains("selector") {
            let [after, before] = [new, old].map(|of| of.spec.and_then(|spec| spec.selector).unwrap_or_default());
            if after != before {
                let detail = "cannot update non-convertible selector";
                let path = Path::ROOT.child("spec");
                errors.push(FieldError::invalid(&path.child("selector"), labels_form(Some(&after)), detail));
            }
        } else {
            let mut error = FieldError::not_found(&Path::ROOT.child(member), *value);
            error.detail = "unknown non-convertible field".into();
            errors.push(error);
        }
    }
}

fn validate_spec(
    new: &ReplicationController,
    old: Option<&ReplicationController>,
    request: &Request<'_>,
    errors: &mut ErrorList,
) {
    let none = ReplicationControllerSpec::default();
    let spec = new.spec.unwrap_or(&none);
    let path = Path::ROOT.child("spec");
    non_negative(spec.min_ready_seconds.unwrap_or(0).into(), &path.child("minReadySeconds"), Covered::Yes, errors);
    if spec.selector.is_none_or(Labels::is_empty) {
        errors.push(FieldError::required(&path.child("selector"), ""));
    }
    match spec.replicas {
        Some(replicas) => non_negative(replicas.into(), &path.child("replicas"), Covered::Yes, errors),
        None => errors.push(FieldError::required(&path.child("replicas"), "").covered()),
    }
    let at = path.child("template");
    match spec.template {
        None => errors.push(FieldError::required(&at, "")),
        Some(template) => {
            let old = old.and_then(|old| old.spec).and_then(|spec| spec.template);
            validate_pod_labels(template, spec.selector.as_ref(), &at, errors);
            validate_pod_template(template, old, request, &at, errors);
            validate_restarts(template, "ReplicationController", &at, errors);
        }
    }
}

/// The controller finds the pods that it makes.
fn validate_pod_labels(template: &PodTemplateSpec, selector: Option<&Labels>, path: &Path<'_>, errors: &mut ErrorList) {
    let labels = template.metadata.and_then(|meta| meta.labels.as_ref());
    if !matches(selector, labels) {
        let meta = path.child("metadata");
        let detail = "`selector` does not match template `labels`";
        errors.push(FieldError::invalid(&meta.child("labels"), labels_form(labels), detail));
    }
}
