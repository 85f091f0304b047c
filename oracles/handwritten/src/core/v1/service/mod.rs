//! `v1` Service and its `/status`.
//!
//! A server gives a service what only a cluster can tell: addresses, families of addresses, ports of nodes. Here a service gets the
//! families as on a cluster that has IPv4 alone, and what cannot be known stays unset. Nothing is refused because of how a cluster
//! is set up: ranges of addresses and ports, whether it has both families, what its other services use.

mod addresses;
mod changes;
mod defaults;
mod families;
mod load_balancer;
mod ports;
mod prepare;
mod refusals;
mod spec;
mod traffic;

use self::addresses::validate_addresses;
use self::changes::validate_changes;
use self::defaults::default_service;
use self::load_balancer::{validate_class, validate_node_port_allocation, validate_source_ranges, validate_status};
use self::ports::{validate_node_ports, validate_ports};
use self::prepare::{prepare_service, settle_stored};
use self::refusals::refuse;
use self::spec::{TYPES, is_headless, kind};
use self::traffic::{
    validate_distribution, validate_external_ips, validate_external_name, validate_external_policy,
    validate_internal_policy, validate_session_affinity,
};
use crate::kind::{Checks, Gate, Prepare, RELAXED_SERVICE_NAMES, Request, STRICT_ADDRESSES, Served};
use crate::labels::validate_labels;
use crate::meta::{self, NameRule, Scope};
use crate::names::{dns_label, dns_label_start, old_dns_label, old_dns_label_start};
use crate::report::not_supported;
use crate::types::core::v1::{Service, ServiceSpec, ServiceStatus};
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::object::Edit;
use takeover_harness::path::Path;

/// How services are named.
const NAME: NameRule = NameRule::Plain { name: dns_label, start: dns_label_start };
/// How services were named before Kubernetes 1.36.
const OLD_NAME: NameRule = NameRule::Plain { name: old_dns_label, start: old_dns_label_start };
/// The annotation that turns hints by topology on or off, by its first name and by that of today.
const TOPOLOGY_HINTS: &str = "service.kubernetes.io/topology-aware-hints";
const TOPOLOGY_MODE: &str = "service.kubernetes.io/topology-mode";

/// Judges Services as a Kubernetes 1.36 server does.
#[derive(Clone, Copy, Debug)]
pub struct Services;

impl Served for Services {
    type Kind = Self;

    const DEFAULTS: Option<fn(&mut Edit<'_>)> = Some(default_service);
    const PREPARE: Option<Prepare> = Some(prepare_service);
    const STORED: Option<fn(&mut Edit<'_>)> = Some(settle_stored);
}

impl Checks for Services {
    type Object<'a> = Service<'a>;

    const SCOPE: Scope = Scope::Namespaced;
    const GATES: &'static [Gate] = &[RELAXED_SERVICE_NAMES, STRICT_ADDRESSES];
    const SUBRESOURCES: &'static [&'static str] = &["status"];

    fn refuse(new: &Service, old: Option<&Service>, request: &Request<'_>, errors: &mut ErrorList) {
        if request.subresource.is_empty() {
            let none = ServiceSpec::default();
            let old = old.map(|old| old.spec.unwrap_or(&none));
            refuse(new.spec.unwrap_or(&none), old, request.addresses(), errors);
        }
    }

    fn create(new: &Service, request: &Request<'_>, errors: &mut ErrorList) {
        let name = if request.has(RELAXED_SERVICE_NAMES) { NAME } else { OLD_NAME };
        meta::validate_create(&new.metadata, Self::SCOPE, name, &Path::ROOT.child("metadata"), errors);
        validate(new, None, request, errors);
    }

    fn update(new: &Service, old: &Service, request: &Request<'_>, errors: &mut ErrorList) {
        meta::validate_update(&new.metadata, &old.metadata, &Path::ROOT.child("metadata"), errors);
        let none = (ServiceSpec::default(), ServiceStatus::default());
        let spec = new.spec.unwrap_or(&none.0);
        if request.subresource == "status" {
            let (status, stored) = (new.status, old.status);
            validate_status(status.unwrap_or(&none.1), stored, spec, request.addresses(), errors);
            return;
        }
        validate_changes(spec, old.spec.unwrap_or(&none.0), errors);
        validate(new, Some(old), request, errors);
    }
}

/// The checks of every service. What `old`, the stored one, has is read with more patience.
fn validate(new: &Service, old: Option<&Service>, request: &Request<'_>, errors: &mut ErrorList) {
    let none = ServiceSpec::default();
    let spec = new.spec.unwrap_or(&none);
    let stored = old.and_then(|old| old.spec);
    let path = Path::ROOT.child("spec");
    validate_topology(new, errors);
    if spec.ports.is_none_or(<[_]>::is_empty) && !is_headless(spec) && kind(spec) != "ExternalName" {
        errors.push(FieldError::required(&path.child("ports"), ""));
    }
    match kind(spec) {
        kind @ ("LoadBalancer" | "NodePort") if is_headless(spec) => {
            let detail = format!("may not be set to 'None' for {kind} services");
            let list = path.child("clusterIPs");
            errors.push(FieldError::invalid(&list.index(0), "None", detail));
        }
        "ExternalName" => validate_external_name(spec, &path, errors),
        _ => {}
    }
    validate_ports(spec, &path.child("ports"), errors);
    validate_labels(spec.selector.as_ref(), &path.child("selector"), errors);
    validate_session_affinity(spec, &path, errors);
    validate_addresses(spec, stored, request.addresses(), errors);
    validate_external_ips(spec, stored, request.addresses(), &path.child("externalIPs"), errors);
    if kind(spec).is_empty() {
        errors.push(FieldError::required(&path.child("type"), ""));
    } else if !TYPES.contains(&kind(spec)) {
        errors.push(not_supported(&path.child("type"), kind(spec), &TYPES));
    }
    validate_node_ports(spec, &path.child("ports"), errors);
    validate_source_ranges(new, old, request.addresses(), errors);
    validate_node_port_allocation(spec, &path, errors);
    validate_class(spec, &path.child("loadBalancerClass"), errors);
    validate_external_policy(spec, &path, errors);
    validate_internal_policy(spec, &path.child("internalTrafficPolicy"), errors);
    validate_distribution(spec, &path.child("trafficDistribution"), errors);
}

/// Two names of one annotation agree.
fn validate_topology(service: &Service, errors: &mut ErrorList) {
    let value = |key| service.metadata.annotations.as_ref().and_then(|annotations| annotations.get(key));
    if let (Some(mode), Some(hints)) = (value(TOPOLOGY_MODE), value(TOPOLOGY_HINTS))
        && mode != hints
    {
        let meta = Path::ROOT.child("metadata");
        let annotations = meta.child("annotations");
        let detail = format!("must match annotations[{TOPOLOGY_HINTS}] when both are specified");
        errors.push(FieldError::invalid(&annotations.key(TOPOLOGY_MODE), *mode, detail));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use takeover_harness::case::Options;
    use takeover_harness::object::Node;
    use takeover_harness::oracle::Objects;
    use takeover_harness::release::Release;
    use takeover_harness::schema::{Kind, Schema};

    /// What is said of a service as it is, without defaults.
    fn said(spec: &serde_json::Value) -> Vec<String> {
        let service: Service<'_> = crate::types::read_json(&json!({"metadata": {}, "spec": spec}));
        let options = Options::new();
        let mut schema = Schema::new();
        let root = schema.add("object", Kind::Any);
        let objects = Objects { schema: &schema, root, new: Node::Unset, old: None, sent: None };
        let request = Request { subresource: "", options: &options, release: Release::V1_36, objects, renamed: &[] };
        let mut errors = ErrorList::new();
        validate(&service, None, &request, &mut errors);
        errors.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn what_defaults_fill_in_is_required() {
        let required = |fields: &[&str]| -> Vec<String> {
            fields.iter().map(|field| format!("{field}: Required value")).collect()
        };
        let ports = json!([{"port": 1, "targetPort": 1}]);
        assert_eq!(
            said(&json!({"ports": ports})),
            required(&["spec.ports[0].protocol", "spec.sessionAffinity", "spec.type"])
        );
        assert_eq!(
            said(
                &json!({"ports": [{"port": 1, "targetPort": 1, "protocol": "TCP"}], "type": "LoadBalancer", "sessionAffinity": "None"})
            ),
            required(&["allocateLoadBalancerNodePorts", "spec.externalTrafficPolicy", "spec.internalTrafficPolicy"])
        );
    }

    #[test]
    fn affinity_and_its_settings_come_together() {
        let said = |affinity: &str, config: serde_json::Value| {
            let spec = json!({"type": "ExternalName", "externalName": "a", "sessionAffinity": affinity, "sessionAffinityConfig": config});
            said(&spec).join("; ")
        };
        let missing = "Required value: when session affinity type is ClientIP";
        for (affinity, config, expected) in [
            ("ClientIP", json!(null), format!("spec.sessionAffinityConfig: {missing}")),
            ("ClientIP", json!({}), format!("spec.sessionAffinityConfig.clientIP: {missing}")),
            (
                "ClientIP",
                json!({"clientIP": {}}),
                format!("spec.sessionAffinityConfig.clientIP.timeoutSeconds: {missing}"),
            ),
            ("ClientIP", json!({"clientIP": {"timeoutSeconds": 1}}), String::new()),
            ("None", json!(null), String::new()),
            (
                "None",
                json!({}),
                "spec.sessionAffinityConfig: Forbidden: must not be set when session affinity is None".to_owned(),
            ),
        ] {
            assert_eq!(said(affinity, config.clone()), expected, "{affinity} {config}");
        }
    }
}
