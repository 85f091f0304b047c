//! `apps/v1` ReplicaSet.

use super::deployment::NAME;
use super::selected_pods::{validate_replicated, validate_same_selector};
use super::status::{counters, optional, validate_available, validate_counters, validate_parts};
use crate::core::v1::defaults::default_pod_spec;
use crate::core::v1::disabled_fields::drop_disabled_fields_of_workload;
use crate::core::v1::pod_template::{self, convert_template};
use crate::kind::{Checks, Gate, Prepare, Request, STRICT_ADDRESSES, Served};
use crate::meta::{self, Scope};
use crate::prepare::count_spec_changes;
use crate::report::{Covered, non_negative};
use crate::types::apps::v1::{ReplicaSet, ReplicaSetSpec, ReplicaSetStatus};
use crate::types::core::v1::PodTemplateSpec;
use takeover_harness::error::ErrorList;
use takeover_harness::object::{Edit, Node};
use takeover_harness::pair::Delegated;
use takeover_harness::path::Path;

/// Judges ReplicaSets as a Kubernetes 1.36 server does.
#[derive(Clone, Copy, Debug)]
pub struct ReplicaSets;

impl Served for ReplicaSets {
    type Kind = Self;

    const DEFAULTS: Option<fn(&mut Edit<'_>)> = Some(|set| {
        set.edit("spec", |spec| {
            spec.set_default("replicas", Node::Int(1));
            spec.edit("template", |template| template.edit_alone("spec", default_pod_spec));
        });
    });
    const PREPARE: Option<Prepare> = Some(prepare);
    const CONVERT: Option<fn(&mut Edit<'_>)> = Some(|set| {
        set.edit_if_set("spec", |spec| spec.edit_if_set("template", convert_template));
    });
}

/// A new set has no status yet, and only `/status` changes it later.
pub(super) fn prepare<'a>(new: &mut Edit<'a>, old: Option<&Edit<'a>>, subresource: &str) {
    match old {
        None => new.clear("status"),
        Some(old) if subresource.is_empty() => new.copy("status", old),
        Some(old) => new.copy("spec", old),
    }
    drop_disabled_fields_of_workload(new, old);
    count_spec_changes(new, old, subresource);
}

impl Checks for ReplicaSets {
    type Object<'a> = ReplicaSet<'a>;

    const SCOPE: Scope = Scope::Namespaced;
    const GATES: &'static [Gate] = &[STRICT_ADDRESSES];
    const SUBRESOURCES: &'static [&'static str] = &["status"];

    fn create(new: &ReplicaSet, request: &Request<'_>, errors: &mut ErrorList) {
        meta::validate_create(&new.metadata, Self::SCOPE, NAME, &Path::ROOT.child("metadata"), errors);
        validate_spec(&spec(new), None, request, errors);
    }

    fn update(new: &ReplicaSet, old: &ReplicaSet, request: &Request<'_>, errors: &mut ErrorList) {
        meta::validate_update(&new.metadata, &old.metadata, &Path::ROOT.child("metadata"), errors);
        if request.subresource.is_empty() {
            let (new, old) = (spec(new), spec(old));
            validate_spec(&new, Some(&old), request, errors);
            let path = Path::ROOT.child("spec");
            validate_same_selector(new.selector, old.selector, &path.child("selector"), errors);
        } else {
            validate_status(&new.status.copied().unwrap_or_default(), errors);
        }
    }

    fn delegated() -> Vec<Delegated> {
        pod_template::delegated("spec.template")
    }
}

fn spec<'a>(set: &ReplicaSet<'a>) -> ReplicaSetSpec<'a> {
    set.spec.copied().unwrap_or_default()
}

fn validate_spec(spec: &ReplicaSetSpec, old: Option<&ReplicaSetSpec>, request: &Request<'_>, errors: &mut ErrorList) {
    let path = Path::ROOT.child("spec");
    non_negative(spec.replicas.unwrap_or(0).into(), &path.child("replicas"), Covered::No, errors);
    non_negative(spec.min_ready_seconds.unwrap_or(0).into(), &path.child("minReadySeconds"), Covered::No, errors);
    let (none, stored) = (PodTemplateSpec::default(), old.map(|old| old.template.copied().unwrap_or_default()));
    validate_replicated(spec.selector, spec.template.unwrap_or(&none), stored.as_ref(), request, &path, errors);
}

fn validate_status(status: &ReplicaSetStatus, errors: &mut ErrorList) {
    let path = Path::ROOT.child("status");
    let parts = counters([
        ("fullyLabeledReplicas", status.fully_labeled_replicas),
        ("readyReplicas", status.ready_replicas),
        ("availableReplicas", status.available_replicas),
    ]);
    let all = Some(status.replicas);
    let optional = [
        status.observed_generation.map(|generation| ("observedGeneration", generation)),
        optional("terminatingReplicas", status.terminating_replicas),
    ];
    let counted = counters([("replicas", all)]).into_iter().chain(parts).chain(optional.into_iter().flatten());
    validate_counters(counted, &path, errors);
    validate_parts(&parts, all, &path, errors);
    validate_available(status.available_replicas, ("readyReplicas", status.ready_replicas), &path, errors);
}
