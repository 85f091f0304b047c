//! ResourceClaimTemplate.

use super::claim_spec::{self, validate_claim_spec};
use super::defaults::default_template;
use super::go_form::{Use, claim_spec as claim_form};
use super::resource_claim::{NAME, same_spec};
use crate::kind::{Checks, Request, Served};
use crate::meta::{self, Scope, validate_template_metadata};
use crate::report::IMMUTABLE;
use crate::time;
use crate::types::meta::v1::ObjectMeta;
use crate::types::resource::v1::{ResourceClaimTemplate, ResourceClaimTemplateSpec};
use serde_json::{Map, Value};
use takeover_harness::error::{BadValue, ErrorList, FieldError};
use takeover_harness::object::Edit;
use takeover_harness::pair::Delegated;
use takeover_harness::path::Path;

/// Metadata as Go's struct orders it.
const ORDER: [&str; 15] = [
    "name",
    "generateName",
    "namespace",
    "selfLink",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "labels",
    "annotations",
    "ownerReferences",
    "finalizers",
    "managedFields",
];

/// Judges ResourceClaimTemplates as a Kubernetes 1.36 server does. Its own shape is that of `v1` and `v1beta2`.
#[derive(Clone, Copy, Debug)]
pub struct ResourceClaimTemplates;

impl Served for ResourceClaimTemplates {
    type Kind = Self;

    const DEFAULTS: Option<fn(&mut Edit<'_>)> = Some(default_template);
    const FILLED: &'static [&'static str] = &[
        "spec.spec.devices.requests[*].exactly.allocationMode",
        "spec.spec.devices.requests[*].firstAvailable[*].allocationMode",
    ];
}

impl Checks for ResourceClaimTemplates {
    type Object<'a> = ResourceClaimTemplate<'a>;

    const SCOPE: Scope = Scope::Namespaced;

    fn create(new: &ResourceClaimTemplate, _: &Request<'_>, errors: &mut ErrorList) {
        meta::validate_create(&new.metadata, Self::SCOPE, NAME, &Path::ROOT.child("metadata"), errors);
        let path = Path::ROOT.child("spec");
        if let Some(meta) = new.spec.metadata {
            validate_template_metadata(meta, &path.child("metadata"), errors);
        }
        validate_claim_spec(&new.spec.spec, &path.child("spec"), errors);
    }

    /// An update is checked like a creation too, though the spec cannot change.
    fn update(new: &ResourceClaimTemplate, old: &ResourceClaimTemplate, request: &Request<'_>, errors: &mut ErrorList) {
        Self::create(new, request, errors);
        meta::validate_update(&new.metadata, &old.metadata, &Path::ROOT.child("metadata"), errors);
        if !same_template(&new.spec, &old.spec) {
            let path = Path::ROOT.child("spec");
            let has_requests = request.has_at(&path.child("spec").child("devices").child("requests"));
            let printed = BadValue::from(template_form(&new.spec, has_requests));
            errors.push(FieldError::invalid(&path, printed, IMMUTABLE));
        }
    }

    fn delegated() -> Vec<Delegated> {
        claim_spec::delegated("spec.spec")
    }
}

/// Whether two specs are equal: no labels and an empty map of labels are, for one.
fn same_template(new: &ResourceClaimTemplateSpec, old: &ResourceClaimTemplateSpec) -> bool {
    same_spec(&new.spec, &old.spec) && (new.metadata == old.metadata || metadata(new) == metadata(old))
}

/// The spec as Kubernetes prints it: the metadata opened up, the rest by Go's names.
fn template_form(spec: &ResourceClaimTemplateSpec, has_requests: bool) -> Value {
    let mut members = metadata(spec);
    members.insert("Spec".to_owned(), claim_form(&spec.spec, has_requests, Use::Printed));
    Value::Object(members)
}

/// Replaces the times in printed metadata by what Kubernetes prints for them.
fn print_times(meta: &ObjectMeta, members: &mut Map<String, Value>) {
    for (name, time) in [("creationTimestamp", meta.creation_timestamp), ("deletionTimestamp", meta.deletion_timestamp)]
    {
        if let (Some(printed), Some(time)) = (members.get_mut(name), time) {
            *printed = time::json(time);
        }
    }
    let entries = members.get_mut("managedFields").and_then(Value::as_array_mut);
    for (printed, entry) in entries.into_iter().flatten().zip(meta.managed_fields.into_iter().flatten()) {
        if let (Some(printed), Some(time)) = (printed.get_mut("time"), entry.time) {
            *printed = time::json(time);
        }
    }
}

/// The metadata that is set, in Go's order. Empty maps and lists are left out.
fn metadata(spec: &ResourceClaimTemplateSpec) -> Map<String, Value> {
    let Some(Ok(Value::Object(mut members))) = spec.metadata.map(serde_json::to_value) else {
        return Map::new();
    };
    if let Some(meta) = spec.metadata {
        print_times(meta, &mut members);
    }
    members.retain(|_, value| match value {
        Value::Array(items) => !items.is_empty(),
        Value::Object(entries) => !entries.is_empty(),
        _ => true,
    });
    ORDER.iter().filter_map(|name| members.remove(*name).map(|value| ((*name).to_owned(), value))).collect()
}
