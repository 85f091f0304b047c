//! What the registry does to a service before validation.

use super::defaults::is_reached_from_outside;
use super::families::{read_families, settle_families};
use takeover_harness::object::{Edit, Node, equal};

/// Stands for the port of a node that a server picks for health checks, so that the same case always gives the same object.
const HEALTH_CHECK_PORT: i64 = 32_767;

/// A question about the specification.
type Asks = fn(&Edit<'_>) -> bool;

/// Fills in what is known of what a server allots, keeps what it did allot, and drops what an update to another type left behind.
pub(super) fn prepare_service<'a>(service: &mut Edit<'a>, old: Option<&Edit<'a>>, subresource: &str) {
    if let Some(old) = old.filter(|_| subresource == "status") {
        service.copy("spec", old);
        return;
    }
    let stored = old.and_then(|old| old.inside("spec"));
    let mut balanced = false;
    service.edit("spec", |spec| {
        match &stored {
            Some(stored) => {
                keep_allotted(spec, stored);
                follow_address(spec, stored);
            }
            None => {
                list_address(spec);
                share_node_ports(spec);
            }
        }
        settle_families(spec, stored.as_ref());
        allot_health_check(spec);
        if let Some(stored) = &stored {
            drop_by_type(spec, stored);
        }
        balanced = spec.text("type") == "LoadBalancer";
    });
    match old {
        None => service.clear("status"),
        Some(old) => {
            service.copy("status", old);
            if !balanced {
                service.edit_if_set("status", |status| status.clear("loadBalancer"));
            }
        }
    }
}

/// Fills in what a service that is read from storage always has.
pub(super) fn settle_stored(service: &mut Edit<'_>) {
    service.edit("spec", |spec| {
        list_address(spec);
        read_families(spec);
        allot_health_check(spec);
        if spec.text("type") == "ExternalName" {
            spec.clear("internalTrafficPolicy");
        }
    });
}

/// Old clients know one address only.
fn list_address(spec: &mut Edit<'_>) {
    let address = spec.get("clusterIP");
    if !address.is_unset() && spec.get("clusterIPs").items().is_empty() {
        spec.set("clusterIPs", Node::List(spec.arena().alloc_slice_copy(&[address])));
    }
}

/// Whoever changes or takes away the one address, and leaves the list as it was, means the list too.
fn follow_address<'a>(spec: &mut Edit<'a>, old: &Edit<'a>) {
    let (now, before) = (spec.get("clusterIP"), old.get("clusterIP"));
    let (list, known) = (spec.get("clusterIPs"), old.get("clusterIPs"));
    if equal(&now, &before) {
        if list.items().is_empty() && !known.items().is_empty() {
            spec.set("clusterIPs", known);
        }
    } else if equal(&list, &known) {
        if now.is_unset() {
            spec.clear("clusterIPs");
        } else {
            spec.set("clusterIPs", Node::List(spec.arena().alloc_slice_copy(&[now])));
        }
    }
}

/// Clients send a manifest again without what the server allotted.
fn keep_allotted<'a>(spec: &mut Edit<'a>, old: &Edit<'a>) {
    let both = |spec: &Edit<'a>, needs: Asks| needs(spec) && needs(old);
    if both(spec, has_address) {
        spec.set_default("clusterIP", old.get("clusterIP"));
        if spec.get("clusterIPs").items().is_empty() && !old.get("clusterIPs").items().is_empty() {
            spec.copy("clusterIPs", old);
        }
    }
    if both(spec, gets_node_ports) {
        keep_node_ports(spec, old);
    }
    if both(spec, needs_health_check) {
        spec.set_default("healthCheckNodePort", old.get("healthCheckNodePort"));
    }
}

/// A port without node port gets that of the stored port with its name, unless another port asks for it.
fn keep_node_ports<'a>(spec: &mut Edit<'a>, old: &Edit<'a>) {
    let known: Vec<(&str, Node<'a>)> =
        old.elements("ports").map(|port| (port.text("name"), port.get("nodePort"))).collect();
    let asked = node_ports(spec);
    spec.edit_each("ports", |port| {
        let name = port.text("name");
        if let Some((_, number)) = known.iter().rfind(|(known, _)| *known == name)
            && !asked.contains(&number.int())
        {
            port.set_default("nodePort", *number);
        }
    });
}

/// Ports of one number, say for two protocols, share the node port that one of them asks for.
fn share_node_ports(spec: &mut Edit<'_>) {
    if !gets_node_ports(spec) {
        return;
    }
    let asked: Vec<(i64, Node<'_>)> = spec
        .elements("ports")
        .filter(|port| !port.get("nodePort").is_unset())
        .map(|port| (port.get("port").int(), port.get("nodePort")))
        .collect();
    spec.edit_each("ports", |port| {
        let number = port.get("port").int();
        if let Some((_, asked)) = asked.iter().find(|(asking, _)| *asking == number) {
            port.set_default("nodePort", *asked);
        }
    });
}

fn allot_health_check(spec: &mut Edit<'_>) {
    if needs_health_check(spec) {
        spec.set_default("healthCheckNodePort", Node::Int(HEALTH_CHECK_PORT));
    }
}

/// What the new type has no use for goes, if the update changes nothing of it.
fn drop_by_type<'a>(spec: &mut Edit<'a>, old: &Edit<'a>) {
    let same = |spec: &Edit<'a>, member: &str| equal(&spec.get(member), &old.get(member));
    let lost = |spec: &Edit<'a>, needs: Asks| needs(old) && !needs(spec);
    if lost(spec, has_address) {
        if same(spec, "clusterIP") && same(spec, "clusterIPs") {
            spec.clear("clusterIP");
            spec.clear("clusterIPs");
        }
        for member in ["ipFamilies", "ipFamilyPolicy"] {
            if same(spec, member) {
                spec.clear(member);
            }
        }
    }
    if lost(spec, is_on_nodes) {
        let known = node_ports(old);
        if node_ports(spec).iter().all(|port| known.contains(port)) {
            spec.edit_each("ports", |port| port.clear("nodePort"));
        }
    }
    let rest: [(Asks, &str); 4] = [
        (needs_health_check, "healthCheckNodePort"),
        (is_balanced, "allocateLoadBalancerNodePorts"),
        (is_balanced, "loadBalancerClass"),
        (is_reached_from_outside, "externalTrafficPolicy"),
    ];
    for (needs, member) in rest {
        if lost(spec, needs) && same(spec, member) {
            spec.clear(member);
        }
    }
}

/// The ports on the nodes that a service has or asks for.
fn node_ports(spec: &Edit<'_>) -> Vec<i64> {
    spec.elements("ports").map(|port| port.get("nodePort").int()).filter(|port| *port != 0).collect()
}

fn has_address(spec: &Edit<'_>) -> bool {
    spec.text("type") != "ExternalName"
}

fn is_balanced(spec: &Edit<'_>) -> bool {
    spec.text("type") == "LoadBalancer"
}

fn is_on_nodes(spec: &Edit<'_>) -> bool {
    matches!(spec.text("type"), "LoadBalancer" | "NodePort")
}

/// Whether a server picks ports on the nodes for those that ask for none.
fn gets_node_ports(spec: &Edit<'_>) -> bool {
    is_on_nodes(spec) && !(is_balanced(spec) && matches!(spec.get("allocateLoadBalancerNodePorts"), Node::Bool(false)))
}

fn needs_health_check(spec: &Edit<'_>) -> bool {
    is_balanced(spec) && spec.text("externalTrafficPolicy") == "Local"
}
