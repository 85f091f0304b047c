//! Defaults of Services.

use takeover_harness::object::{Edit, Node};

/// How long a client stays with a pod, in seconds.
const AFFINITY_SECONDS: i64 = 10_800;

/// Sets what a service leaves open.
pub(super) fn default_service(service: &mut Edit<'_>) {
    let mut balanced = false;
    service.edit("spec", |spec| {
        default_affinity(spec);
        spec.set_default_text("type", "ClusterIP");
        spec.edit_each("ports", |port| {
            port.set_default_text("protocol", "TCP");
            if matches!(port.get("targetPort"), Node::Unset | Node::Int(0) | Node::Text("")) {
                port.set("targetPort", port.get("port"));
            }
        });
        let kind = spec.text("type");
        balanced = kind == "LoadBalancer";
        if is_reached_from_outside(spec) {
            spec.set_default_text("externalTrafficPolicy", "Cluster");
        }
        if matches!(kind, "ClusterIP" | "NodePort" | "LoadBalancer") {
            spec.set_default("internalTrafficPolicy", Node::Text("Cluster"));
        }
        if balanced {
            spec.set_default("allocateLoadBalancerNodePorts", Node::Bool(true));
        }
    });
    if balanced {
        service.edit("status", |status| {
            status.edit("loadBalancer", |balancer| balancer.edit_each("ingress", default_ingress));
        });
    }
}

/// Whether anything outside of the cluster reaches the service.
pub(super) fn is_reached_from_outside(spec: &Edit<'_>) -> bool {
    match spec.text("type") {
        "LoadBalancer" | "NodePort" => true,
        "ClusterIP" => !spec.get("externalIPs").items().is_empty(),
        _ => false,
    }
}

/// Affinity needs a time, and no affinity needs none.
fn default_affinity(spec: &mut Edit<'_>) {
    spec.set_default_text("sessionAffinity", "None");
    match spec.text("sessionAffinity") {
        "None" => spec.clear("sessionAffinityConfig"),
        "ClientIP" => {
            spec.edit("sessionAffinityConfig", |config| {
                config.edit("clientIP", |client| client.set_default("timeoutSeconds", Node::Int(AFFINITY_SECONDS)));
            });
        }
        _ => {}
    }
}

/// Traffic to an address goes on with that address, unless said otherwise.
fn default_ingress(ingress: &mut Edit<'_>) {
    if !ingress.text("ip").is_empty() {
        ingress.set_default("ipMode", Node::Text("VIP"));
    }
}
