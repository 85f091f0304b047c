//! Questions about the specification of a service.

use crate::report::text;
use crate::types::core::v1::ServiceSpec;
use takeover_harness::error::BadValue;

/// Types of services, as errors list them.
pub(super) const TYPES: [&str; 4] = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
/// The address of a service that has none.
pub(super) const HEADLESS: &str = "None";

/// The type of the service.
pub(super) fn kind<'a>(spec: &ServiceSpec<'a>) -> &'a str {
    text(spec.type_)
}

/// Whether the service has no address of its own.
pub(super) fn is_headless(spec: &ServiceSpec) -> bool {
    matches!(cluster_ips(spec), [only] if *only == HEADLESS)
}

/// The addresses of the service.
pub(super) fn cluster_ips<'a>(spec: &ServiceSpec<'a>) -> &'a [&'a str] {
    spec.cluster_ips.unwrap_or_default()
}

/// The families of its addresses.
pub(super) fn families<'a>(spec: &ServiceSpec<'a>) -> &'a [&'a str] {
    spec.ip_families.unwrap_or_default()
}

/// Whether anything outside of the cluster reaches the service.
pub(super) fn is_reached_from_outside(spec: &ServiceSpec) -> bool {
    match kind(spec) {
        "LoadBalancer" | "NodePort" => true,
        "ClusterIP" => !spec.external_ips.unwrap_or_default().is_empty(),
        _ => false,
    }
}

/// Whether a load balancer has to ask every node whether it has a pod of the service.
pub(super) fn needs_health_check(spec: &ServiceSpec) -> bool {
    kind(spec) == "LoadBalancer" && text(spec.external_traffic_policy) == "Local"
}

/// A list as errors show it.
pub(super) fn list_form(list: Option<&[&str]>) -> BadValue {
    list.map_or(BadValue::Null, |list| BadValue::json(list.into()))
}
