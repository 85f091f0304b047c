//! `autoscaling` HorizontalPodAutoscaler: the checks, and `v2`, whose form they judge.

use super::behavior::validate_behavior;
use super::defaults::default_autoscaler;
use super::metrics::validate_metrics;
use super::target::{ApiVersions, api_version_problem, validate_reference};
use crate::kind::{Checks, Prepare, Request, Served};
use crate::meta::{self, NameRule, Scope};
use crate::names::{dns_subdomain_start, subdomain_name};
use crate::report::text;
use crate::types::autoscaling::v2::{HorizontalPodAutoscaler, HorizontalPodAutoscalerSpec};
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::object::{Edit, Node};
use takeover_harness::oracle::Objects;
use takeover_harness::path::Path;

/// Judges HorizontalPodAutoscalers as a Kubernetes 1.36 server does.
#[derive(Clone, Copy, Debug)]
pub struct HorizontalPodAutoscalers;

/// How autoscalers are named.
const NAME: NameRule = NameRule::Plain { name: subdomain_name, start: dns_subdomain_start };
/// Option: autoscalers may scale down to no pods at all. Kubernetes also turns it on for one that does so already.
const SCALE_TO_ZERO: &str = "HPAScaleToZero";

impl Served for HorizontalPodAutoscalers {
    type Kind = Self;

    const DEFAULTS: Option<fn(&mut Edit<'_>)> = Some(default_autoscaler);
    const PREPARE: Option<Prepare> = Some(prepare);
    const SWITCHED_ON: Option<fn(&Objects<'_>) -> Option<&'static str>> = Some(switched_on);
}

/// An autoscaler that scales down to no pods may go on doing so, whatever the feature gate says.
pub(super) fn switched_on(objects: &Objects<'_>) -> Option<&'static str> {
    let old = Objects { new: objects.old?, ..*objects };
    let least = old.at(&Path::ROOT.child("spec").child("minReplicas"));
    matches!(least, Node::Int(0)).then_some(SCALE_TO_ZERO)
}

/// A new autoscaler has no status yet, and only `/status` changes it later.
pub(super) fn prepare<'a>(new: &mut Edit<'a>, old: Option<&Edit<'a>>, subresource: &str) {
    match old {
        None => new.clear("status"),
        Some(old) if subresource != "status" => new.copy("status", old),
        Some(old) => new.copy("spec", old),
    }
}

impl Checks for HorizontalPodAutoscalers {
    type Object<'a> = HorizontalPodAutoscaler<'a>;

    const SCOPE: Scope = Scope::Namespaced;

    fn create(new: &HorizontalPodAutoscaler, request: &Request<'_>, errors: &mut ErrorList) {
        let path = Path::ROOT.child("metadata");
        meta::validate_create(&new.metadata, Self::SCOPE, NAME, &path, errors);
        validate_spec(&spec(new), None, request, errors);
    }

    fn update(
        new: &HorizontalPodAutoscaler,
        old: &HorizontalPodAutoscaler,
        request: &Request<'_>,
        errors: &mut ErrorList,
    ) {
        meta::validate_update(&new.metadata, &old.metadata, &Path::ROOT.child("metadata"), errors);
        validate_spec(&spec(new), Some(&spec(old)), request, errors);
    }
}

fn spec<'a>(autoscaler: &HorizontalPodAutoscaler<'a>) -> HorizontalPodAutoscalerSpec<'a> {
    autoscaler.spec.copied().unwrap_or_default()
}

fn validate_spec(
    spec: &HorizontalPodAutoscalerSpec,
    old: Option<&HorizontalPodAutoscalerSpec>,
    request: &Request<'_>,
    errors: &mut ErrorList,
) {
    let path = Path::ROOT.child("spec");
    validate_bounds(spec, old, request, &path, errors);
    validate_reference(&spec.scale_target_ref, target_versions(spec, old), &path.child("scaleTargetRef"), errors);
    let metrics = spec.metrics.unwrap_or_default();
    validate_metrics(metrics, spec.min_replicas, object_versions(old), &path.child("metrics"), errors);
    validate_behavior(spec.behavior, &path.child("behavior"), errors);
}

fn validate_bounds(
    spec: &HorizontalPodAutoscalerSpec,
    old: Option<&HorizontalPodAutoscalerSpec>,
    request: &Request<'_>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let to_zero =
        request.options.get(SCALE_TO_ZERO) == Some(true) || old.is_some_and(|old| old.min_replicas == Some(0));
    let least = if to_zero { 0 } else { 1 };
    if let Some(min) = spec.min_replicas.filter(|min| *min < least) {
        let detail = format!("must be greater than or equal to {least}");
        errors.push(FieldError::invalid(&path.child("minReplicas"), min, detail).with_origin("minimum").covered());
    }
    let (max, at) = (spec.max_replicas, path.child("maxReplicas"));
    if max == 0 {
        errors.push(FieldError::required(&at, "must be set and greater than 0").covered());
    } else if max < 1 {
        let detail = "must be greater than or equal to 1";
        errors.push(FieldError::invalid(&at, max, detail).with_origin("minimum").covered());
    }
    if spec.min_replicas.is_some_and(|min| max < min) {
        errors.push(FieldError::invalid(&at, max, "must be greater than or equal to `minReplicas`"));
    }
}

/// Replication controllers alone are scaled by the version of the core group. Targets stored with any other version stay.
fn target_versions(spec: &HorizontalPodAutoscalerSpec, old: Option<&HorizontalPodAutoscalerSpec>) -> ApiVersions {
    let target = &spec.scale_target_ref;
    let kept = old
        .map(|old| &old.scale_target_ref)
        .is_some_and(|old| old.kind == target.kind && text(old.api_version) == text(target.api_version));
    match target.kind {
        _ if kept => ApiVersions::Any,
        "ReplicationController" => ApiVersions::WithCore,
        _ => ApiVersions::WithGroup,
    }
}

/// One stored metric of an object with a bad version excuses all others.
fn object_versions(old: Option<&HorizontalPodAutoscalerSpec>) -> ApiVersions {
    let stored = old.into_iter().flat_map(|old| old.metrics.into_iter().flatten());
    let mut versions = stored
        .filter(|metric| metric.type_ == "Object")
        .filter_map(|metric| metric.object)
        .map(|object| text(object.described_object.api_version));
    let bad = versions.any(|version| api_version_problem(version, ApiVersions::WithCore).is_some());
    if bad { ApiVersions::Any } else { ApiVersions::WithCore }
}
