//! Questions about the specification of a service.

use crate::report::text;
use k8s_openapi::api::core::v1::ServiceSpec;
use takeover_harness::error::BadValue;

/// Types of services, as errors list them.
pub(super) const TYPES: [&str; 4] = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
/// The address of a service that has none.
pub(super) const HEADLESS: &str = "None";

/// The type of the service.
pub(super) fn kind(spec: &ServiceSpec) -> &str {
    text(spec.type_.as_ref())
}

/// Whether the service has no address of its own.
pub(super) fn is_headless(spec: &ServiceSpec) -> bool {
    matches!(cluster_ips(spec), [only] if only == HEADLESS)
}

/// The addresses of the service.
pub(super) fn cluster_ips(spec: &ServiceSpec) -> &[String] {
    spec.cluster_ips.as_deref().unwrap_or_default()
}

/// The families of its addresses.
pub(super) fn families(spec: &ServiceSpec) -> &[String] {
    spec.ip_families.as_deref().unwrap_or_default()
}

/// Whether anything outside of the cluster reaches the service.
pub(super) fn is_reached_from_outside(spec: &ServiceSpec) -> bool {
    match kind(spec) {
        "LoadBalancer" | "NodePort" => true,
        "ClusterIP" => !spec.external_ips.as_deref().unwrap_or_default().is_empty(),
        _ => false,
    }
}

/// Whether a load balancer has to ask every node whether it has a pod of the service.
pub(super) fn needs_health_check(spec: &ServiceSpec) -> bool {
    kind(spec) == "LoadBalancer" && text(spec.external_traffic_policy.as_ref()) == "Local"
}

/// A list as errors show it.
pub(super) fn list_form(list: Option<&Vec<String>>) -> BadValue {
    list.map_or(BadValue::Null, |list| BadValue::Json(list.as_slice().into()))
}

/// An optional text as errors show it.
pub(super) fn text_form(value: Option<&String>) -> BadValue {
    value.map_or(BadValue::Null, |value| value.as_str().into())
}
