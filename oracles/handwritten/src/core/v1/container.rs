//! Containers of a pod: what main and init containers have in common, and what sets them apart.

use super::container_env::{validate_env, validate_env_from};
use super::container_mounts::{validate_devices, validate_mounts};
use super::container_ports::{validate_host_ports, validate_ports};
use super::container_resources::{validate_requirements, validate_resize_policy};
use super::container_security::validate_container_security;
use super::pod::Pod;
use super::probes::{validate_lifecycle, validate_probes};
use crate::distinct::Distinct;
use crate::names::dns_label;
use crate::report::{not_supported, text};
use crate::types::core::v1::Container;
use std::collections::BTreeSet;
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::path::Path;

/// Checks the main containers; `path` is that of their list.
pub(super) fn validate_containers(pod: &Pod<'_>, path: &Path<'_>, errors: &mut ErrorList) {
    let containers = &pod.spec.containers;
    if containers.is_empty() {
        errors.push(FieldError::required(path, ""));
        return;
    }
    let mut names = Distinct::default();
    for (index, container) in containers.iter().enumerate() {
        let at = path.index(index);
        validate_common(container, pod, &at, errors);
        if !names.insert(container.name) {
            errors.push(FieldError::duplicate(&at.child("name"), container.name));
        }
        validate_long_running(container, pod, &at, errors);
    }
    validate_host_ports(containers, path, errors);
}

/// Checks the init containers; `path` is that of their list.
pub(super) fn validate_init_containers(pod: &Pod<'_>, path: &Path<'_>, errors: &mut ErrorList) {
    let init_containers = pod.spec.init_containers.unwrap_or_default();
    if init_containers.is_empty() {
        return;
    }
    let mut names: BTreeSet<&str> = pod.spec.containers.iter().map(|container| container.name).collect();
    for (index, container) in init_containers.iter().enumerate() {
        let at = path.index(index);
        validate_common(container, pod, &at, errors);
        if names.contains(&container.name) {
            errors.push(FieldError::duplicate(&at.child("name"), container.name));
        } else if !container.name.is_empty() {
            names.insert(container.name);
        }
        // They run one after the other, so only the ports of one can collide. The errors name the first container.
        validate_host_ports(std::slice::from_ref(container), path, errors);
        if text(container.restart_policy) == "Always" {
            validate_long_running(container, pod, &at, errors);
        } else {
            forbid_long_running(container, &at, errors);
        }
    }
}

/// What containers that keep running may have, and those that end may not.
fn validate_long_running(container: &Container, pod: &Pod<'_>, path: &Path<'_>, errors: &mut ErrorList) {
    if let Some(lifecycle) = container.lifecycle {
        validate_lifecycle(lifecycle, pod.spec, &path.child("lifecycle"), errors);
    }
    validate_probes(container, path, errors);
}

fn forbid_long_running(container: &Container, path: &Path<'_>, errors: &mut ErrorList) {
    for (member, set) in [
        ("lifecycle", container.lifecycle.is_some()),
        ("livenessProbe", container.liveness_probe.is_some()),
        ("readinessProbe", container.readiness_probe.is_some()),
        ("startupProbe", container.startup_probe.is_some()),
    ] {
        if set {
            let detail = "may not be set for init containers without restartPolicy=Always";
            errors.push(FieldError::forbidden(&path.child(member), detail));
        }
    }
}

fn validate_common(container: &Container, pod: &Pod<'_>, path: &Path<'_>, errors: &mut ErrorList) {
    let name = path.child("name");
    if container.name.is_empty() {
        errors.push(FieldError::required(&name, ""));
    } else {
        for problem in dns_label(container.name) {
            let error = FieldError::invalid(&name, container.name, problem);
            errors.push(error.with_origin("format=k8s-short-name"));
        }
    }
    // Templates may hold any text: something may yet replace it.
    if text(container.image).is_empty() {
        errors.push(FieldError::required(&path.child("image"), ""));
    }
    for (member, value, supported) in [
        (
            "terminationMessagePolicy",
            &container.termination_message_policy,
            &["File", "FallbackToLogsOnError"] as &[&str],
        ),
        ("imagePullPolicy", &container.image_pull_policy, &["Always", "IfNotPresent", "Never"]),
    ] {
        match text(*value) {
            "" => errors.push(FieldError::required(&path.child(member), "")),
            value if supported.contains(&value) => {}
            value => errors.push(not_supported(&path.child(member), value, supported)),
        }
    }
    validate_ports(container.ports.unwrap_or_default(), &path.child("ports"), errors);
    validate_env(container.env.unwrap_or_default(), &path.child("env"), errors);
    validate_env_from(container.env_from.unwrap_or_default(), &path.child("envFrom"), errors);
    validate_mounts(container, &pod.volumes, &path.child("volumeMounts"), errors);
    validate_devices(container, &pod.volumes, &path.child("volumeDevices"), errors);
    if let Some(required) = container.resources {
        validate_requirements(required, pod, &path.child("resources"), errors);
    }
    let policies = container.resize_policy.unwrap_or_default();
    validate_resize_policy(policies, pod.spec, &path.child("resizePolicy"), errors);
    validate_restart_policy(container, &path.child("restartPolicy"), errors);
    if let Some(context) = container.security_context {
        validate_container_security(context, pod.spec, &path.child("securityContext"), errors);
    }
}

fn validate_restart_policy(container: &Container, path: &Path<'_>, errors: &mut ErrorList) {
    const SUPPORTED: [&str; 3] = ["Always", "Never", "OnFailure"];
    match container.restart_policy {
        Some(policy) if !SUPPORTED.contains(&policy) => errors.push(not_supported(path, policy, &SUPPORTED)),
        None if container.restart_policy_rules.is_some_and(|rules| !rules.is_empty()) => {
            errors.push(FieldError::required(path, "must specify restartPolicy when restart rules are used"));
        }
        _ => {}
    }
}
