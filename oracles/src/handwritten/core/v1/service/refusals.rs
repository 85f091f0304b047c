//! What the registry refuses before validation, while it allots addresses and ports.

use super::addresses::validate_addresses;
use super::spec::{cluster_ips, families, kind, text_form};
use crate::handwritten::net::Addresses;
use k8s_openapi::api::core::v1::ServiceSpec;
use std::collections::BTreeMap;
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::path::Path;

/// Reports what cannot be allotted on any cluster: the first sort of problem only.
pub(super) fn refuse(new: &ServiceSpec, old: Option<&ServiceSpec>, addresses: Addresses, errors: &mut ErrorList) {
    let before = errors.len();
    if kind(new) != "ExternalName" && !old.is_some_and(|old| keeps_preference(new, old)) {
        validate_addresses(new, old, addresses, errors);
        if errors.len() == before {
            refuse_families(new, old, errors);
        }
    }
    if errors.len() == before && matches!(kind(new), "NodePort" | "LoadBalancer") {
        refuse_node_ports(new, old, errors);
    }
}

/// As [`super::families`] has it.
fn keeps_preference(new: &ServiceSpec, old: &ServiceSpec) -> bool {
    let policy =
        |spec: &ServiceSpec| spec.ip_family_policy.as_deref().is_some_and(|policy| policy == "PreferDualStack");
    matches!(kind(new), "ClusterIP" | "NodePort" | "LoadBalancer")
        && kind(new) == kind(old)
        && policy(new)
        && (policy(old) || old.ip_family_policy.is_none())
        && cluster_ips(new) == cluster_ips(old)
        && families(new) == families(old)
}

/// How many families a service wants has to fit how many it names, and giving one back has to be said.
fn refuse_families(new: &ServiceSpec, old: Option<&ServiceSpec>, errors: &mut ErrorList) {
    let spec = Path::ROOT.child("spec");
    let at = spec.child("ipFamilyPolicy");
    let single = new.ip_family_policy.as_deref() == Some("SingleStack");
    for (list, one, many) in [
        (cluster_ips as fn(&ServiceSpec) -> &[String], "cluster IP", "cluster IPs"),
        (families, "IP family", "IP families"),
    ] {
        let (count, before) = (list(new).len(), old.map_or(0, |old| list(old).len()));
        let detail = match single {
            true if count == 2 => {
                format!("must be 'RequireDualStack' or 'PreferDualStack' when multiple {many} are specified")
            }
            false if (1..before).contains(&count) => format!("must be 'SingleStack' to release the secondary {one}"),
            _ => continue,
        };
        errors.push(FieldError::invalid(&at, text_form(new.ip_family_policy.as_ref()), detail));
    }
}

/// Reports the first port that no node has, and in a new service the first that it asks for again: only ports of one number
/// may share theirs. The range is that of a server that was told none.
fn refuse_node_ports(new: &ServiceSpec, old: Option<&ServiceSpec>, errors: &mut ErrorList) {
    let spec = Path::ROOT.child("spec");
    let list = spec.child("ports");
    let known: Vec<i32> =
        old.into_iter().flat_map(|old| old.ports.iter().flatten()).filter_map(|port| port.node_port).collect();
    let mut taken = BTreeMap::new();
    for (index, port) in new.ports.iter().flatten().enumerate() {
        let number = port.node_port.unwrap_or(0);
        if number == 0 || known.contains(&number) {
            continue;
        }
        let detail = if !(1..=65_535).contains(&number) {
            "provided port is not in the valid range. The range of valid ports is 30000-32767"
        } else if old.is_none() && *taken.entry(number).or_insert(port.port) != port.port {
            "provided port is already allocated"
        } else {
            continue;
        };
        errors.push(FieldError::invalid(&list.index(index).child("nodePort"), number, detail));
        return;
    }
}
