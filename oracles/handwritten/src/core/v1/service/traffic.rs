//! Where traffic of a service comes from and goes to.

use super::spec::{is_reached_from_outside, kind, needs_health_check};
use crate::endpoint_ip::validate_endpoint_ip;
use crate::names::subdomain_name;
use crate::net::{Addresses, validate_ip};
use crate::ports::port_number;
use crate::report::{not_supported, text};
use crate::types::core::v1::{ServiceSpec, SessionAffinityConfig};
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::path::Path;

/// What keeps a client with a pod, as errors list it.
const AFFINITIES: [&str; 2] = ["ClientIP", "None"];
/// Where traffic may go, as errors list it.
const POLICIES: [&str; 2] = ["Cluster", "Local"];
/// Which endpoints are closest, as errors list it.
const DISTRIBUTIONS: [&str; 3] = ["PreferClose", "PreferSameZone", "PreferSameNode"];
/// Longest time that a client stays with a pod, in seconds.
const AFFINITY_LIMIT: i32 = 86_400;

/// Checks a service that is a name outside of the cluster: it has no addresses. The name may end in a dot.
pub(super) fn validate_external_name(spec: &ServiceSpec, path: &Path<'_>, errors: &mut ErrorList) {
    let is_set = |list: Option<&[&str]>| list.is_some_and(|list| !list.is_empty());
    let members = [
        ("clusterIPs", is_set(spec.cluster_ips)),
        ("ipFamilies", is_set(spec.ip_families)),
        ("ipFamilyPolicy", spec.ip_family_policy.is_some()),
    ];
    for (member, _) in members.into_iter().filter(|(_, set)| *set) {
        errors.push(FieldError::forbidden(&path.child(member), "may not be set for ExternalName services"));
    }
    let at = path.child("externalName");
    let name = text(spec.external_name);
    let name = name.strip_suffix('.').unwrap_or(name);
    if name.is_empty() {
        errors.push(FieldError::required(&at, ""));
        return;
    }
    for problem in subdomain_name(name) {
        errors.push(FieldError::invalid(&at, name, problem).with_origin("format=k8s-long-name"));
    }
}

/// Checks what keeps a client with a pod, and for how long.
pub(super) fn validate_session_affinity(spec: &ServiceSpec, path: &Path<'_>, errors: &mut ErrorList) {
    let (affinity, at) = (text(spec.session_affinity), path.child("sessionAffinity"));
    if affinity.is_empty() {
        errors.push(FieldError::required(&at, ""));
    } else if !AFFINITIES.contains(&affinity) {
        errors.push(not_supported(&at, affinity, &AFFINITIES));
    }
    let at = path.child("sessionAffinityConfig");
    match (affinity, spec.session_affinity_config) {
        ("ClientIP", config) => validate_affinity_time(config, &at, errors),
        ("None", Some(_)) => errors.push(FieldError::forbidden(&at, "must not be set when session affinity is None")),
        _ => {}
    }
}

fn validate_affinity_time(config: Option<&SessionAffinityConfig>, path: &Path<'_>, errors: &mut ErrorList) {
    let missing = |path: &Path<'_>| FieldError::required(path, "when session affinity type is ClientIP");
    let Some(config) = config else {
        errors.push(missing(path));
        return;
    };
    let client = path.child("clientIP");
    let Some(config) = config.client_ip else {
        errors.push(missing(&client));
        return;
    };
    let at = client.child("timeoutSeconds");
    match config.timeout_seconds {
        None => errors.push(missing(&at)),
        Some(seconds) if seconds <= 0 || seconds > AFFINITY_LIMIT => {
            let detail = format!("must be greater than 0 and less than {AFFINITY_LIMIT}");
            errors.push(FieldError::invalid(&at, seconds, detail));
        }
        Some(_) => {}
    }
}

/// Checks the addresses outside of the cluster. Those of `old` need only be ones that something answers at.
pub(super) fn validate_external_ips(
    spec: &ServiceSpec,
    old: Option<&ServiceSpec>,
    addresses: Addresses,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let tolerated = old.and_then(|old| old.external_ips).unwrap_or_default();
    for (index, ip) in spec.external_ips.into_iter().flatten().enumerate() {
        let (at, before) = (path.index(index), errors.len());
        if !tolerated.contains(ip) {
            validate_ip(ip, addresses, &at, errors);
        }
        if errors.len() == before {
            validate_endpoint_ip(ip, &at, errors);
        }
    }
}

/// Checks where traffic from outside may go, and the port at which a load balancer asks for pods.
pub(super) fn validate_external_policy(spec: &ServiceSpec, path: &Path<'_>, errors: &mut ErrorList) {
    let (policy, at) = (text(spec.external_traffic_policy), path.child("externalTrafficPolicy"));
    match (is_reached_from_outside(spec), policy) {
        (false, "") => {}
        (false, _) => {
            errors.push(FieldError::invalid(&at, policy, "may only be set for externally-accessible services"));
        }
        (true, "") => errors.push(FieldError::required(&at, "")),
        (true, policy) if !POLICIES.contains(&policy) => errors.push(not_supported(&at, policy, &POLICIES)),
        (true, _) => {}
    }
    let (port, at) = (spec.health_check_node_port.unwrap_or(0), path.child("healthCheckNodePort"));
    match (needs_health_check(spec), port) {
        (false, 0) => {}
        (false, _) => {
            let detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
            errors.push(FieldError::invalid(&at, port, detail));
        }
        (true, 0) => errors.push(FieldError::required(&at, "")),
        (true, _) => {
            if let Some(problem) = port_number(port) {
                errors.push(FieldError::invalid(&at, port, problem));
            }
        }
    }
}

/// Checks where traffic from inside the cluster may go.
pub(super) fn validate_internal_policy(spec: &ServiceSpec, path: &Path<'_>, errors: &mut ErrorList) {
    match spec.internal_traffic_policy {
        None if matches!(kind(spec), "ClusterIP" | "NodePort" | "LoadBalancer") => {
            errors.push(FieldError::required(path, ""));
        }
        Some(policy) if !POLICIES.contains(&policy) => errors.push(not_supported(path, policy, &POLICIES)),
        _ => {}
    }
}

/// Checks which endpoints are closest.
pub(super) fn validate_distribution(spec: &ServiceSpec, path: &Path<'_>, errors: &mut ErrorList) {
    if let Some(distribution) = spec.traffic_distribution.filter(|known| !DISTRIBUTIONS.contains(known)) {
        errors.push(not_supported(path, distribution, &DISTRIBUTIONS));
    }
}
