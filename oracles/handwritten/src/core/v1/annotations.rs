//! Annotations of pods that Kubernetes reads.

use super::local_path::validate_local_path;
use super::tolerations::{Comparisons, validate_tolerations};
use crate::go_json::syntax;
use crate::labels::Labels;
use crate::report::text;
use crate::types::core::v1::{PodSpec, Toleration};
use serde_json::Value;
use takeover_harness::error::{BadValue, ErrorList, FieldError};
use takeover_harness::object::{Arena, TypedNode};
use takeover_harness::path::Path;

const MIRROR_POD: &str = "kubernetes.io/config.mirror";
const TOLERATIONS: &str = "scheduler.alpha.kubernetes.io/tolerations";
const DELETION_COST: &str = "controller.kubernetes.io/pod-deletion-cost";
const SECCOMP_POD: &str = "seccomp.security.alpha.kubernetes.io/pod";
const SECCOMP_CONTAINER: &str = "container.seccomp.security.alpha.kubernetes.io/";
const APPARMOR_CONTAINER: &str = "container.apparmor.security.beta.kubernetes.io/";

/// Checks the values of the annotations that mean something to Kubernetes. `old` are the stored ones on updates: a bad
/// deletion cost may stay.
pub fn validate_pod_annotations(
    annotations: Option<&Labels>,
    old: Option<&Labels>,
    spec: &PodSpec,
    comparisons: Comparisons,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let Some(annotations) = annotations else { return };
    if let Some(value) = annotations.get(MIRROR_POD)
        && text(spec.node_name).is_empty()
    {
        let detail = "must set spec.nodeName if mirror pod annotation is set";
        errors.push(FieldError::invalid(&path.key(MIRROR_POD), *value, detail));
    }
    if let Some(value) = annotations.get(TOLERATIONS).filter(|value| !value.is_empty()) {
        let (json, arena) = (serde_json::from_str::<Value>(value), Arena::new());
        match json.as_ref().ok().map(|json| TypedNode::untyped(json, &arena).read::<&[Toleration<'_>]>()) {
            Some(Ok(tolerations)) => {
                validate_tolerations(tolerations, comparisons, &path.child(TOLERATIONS), errors);
            }
            _ => errors.push(FieldError::invalid(path, TOLERATIONS, go_json_error(value))),
        }
    }
    if let Some(value) = annotations.get(DELETION_COST)
        && !is_deletion_cost(value)
        && old.and_then(|old| old.get(DELETION_COST)).is_none_or(|old| is_deletion_cost(old))
    {
        errors.push(FieldError::invalid(&path.key(DELETION_COST), *value, "must be a 32bit integer"));
    }
    for (key, value) in annotations {
        if key == SECCOMP_POD || key.starts_with(SECCOMP_CONTAINER) {
            validate_seccomp_profile(value, &path.child(key), errors);
        } else if let Some(container) = key.strip_prefix(APPARMOR_CONTAINER) {
            validate_apparmor(container, value, spec, &path.key(key), errors);
        }
    }
}

/// A 32-bit integer without plus sign, and without leading zeros unless it has a minus sign.
fn is_deletion_cost(value: &str) -> bool {
    let starts_well = value == "0" || value.starts_with(|c: char| matches!(c, '-' | '1'..='9'));
    starts_well && value.parse::<i32>().is_ok()
}

fn validate_seccomp_profile(profile: &str, path: &Path<'_>, errors: &mut ErrorList) {
    if matches!(profile, "runtime/default" | "docker/default" | "unconfined") {
        return;
    }
    let Some(file) = profile.strip_prefix("localhost/") else {
        errors.push(FieldError::invalid(path, profile, "must be a valid seccomp profile"));
        return;
    };
    validate_local_path(file, path, errors);
}

fn validate_apparmor(container: &str, profile: &str, spec: &PodSpec, path: &Path<'_>, errors: &mut ErrorList) {
    let init = spec.init_containers.into_iter().flatten().map(|container| container.name);
    let ephemeral = spec.ephemeral_containers.into_iter().flatten().map(|container| container.name);
    let mut names = init.chain(spec.containers.iter().map(|container| container.name)).chain(ephemeral);
    if !names.any(|name| name == container) {
        errors.push(FieldError::invalid(path, container, "container not found"));
    }
    let known = matches!(profile, "" | "runtime/default" | "unconfined") || profile.starts_with("localhost/");
    if !known {
        let detail = format!("invalid AppArmor profile name: {}", BadValue::from(profile));
        errors.push(FieldError::invalid(path, profile, detail));
    }
}

/// What Go's JSON decoder says where ours gave up; inexact in lists whose elements are no tolerations. Ours gives up on numbers and
/// texts beyond its range in members that Go skips, and not on a member of another type that comes twice.
fn go_json_error(text: &str) -> String {
    match syntax(text.as_bytes()) {
        Ok("array") => "json: cannot unmarshal an element into Go value of type core.Toleration".to_owned(),
        Ok(sort) => format!("json: cannot unmarshal {sort} into Go value of type []core.Toleration"),
        Err(problem) => problem,
    }
}
