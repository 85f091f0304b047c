//! What the registry refuses before validation, while it allots addresses and ports.

use super::addresses::validate_addresses;
use super::families::keeps_preference;
use super::spec::{cluster_ips, families, kind};
use crate::net::Addresses;
use crate::report::{internal, text};
use crate::types::core::v1::ServiceSpec;
use std::collections::{BTreeMap, BTreeSet};
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

/// How many families a service wants has to fit how many it names, and giving one back has to be said.
fn refuse_families(new: &ServiceSpec, old: Option<&ServiceSpec>, errors: &mut ErrorList) {
    let spec = Path::ROOT.child("spec");
    let at = spec.child("ipFamilyPolicy");
    let single = new.ip_family_policy == Some("SingleStack");
    for (list, one, many) in [
        (cluster_ips as for<'a> fn(&ServiceSpec<'a>) -> &'a [&'a str], "cluster IP", "cluster IPs"),
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
        errors.push(FieldError::invalid(&at, new.ip_family_policy, detail));
    }
}

/// Reports the first port that no node has or that is asked for twice. Ports of one number share the node port of the first of
/// them in a new service; every other is allotted by itself. In an update only one port of a protocol has a node port, and the
/// server fails where two do. The range is that of a server that was told none.
fn refuse_node_ports(new: &ServiceSpec, old: Option<&ServiceSpec>, errors: &mut ErrorList) {
    let spec = Path::ROOT.child("spec");
    let list = spec.child("ports");
    let known: Vec<i32> =
        old.into_iter().flat_map(|old| old.ports.into_iter().flatten()).filter_map(|port| port.node_port).collect();
    let (mut shared, mut taken, mut seen) = (BTreeMap::new(), BTreeSet::new(), BTreeSet::new());
    for (index, port) in new.ports.into_iter().flatten().enumerate() {
        let number = port.node_port.unwrap_or(0);
        if number == 0 {
            continue;
        }
        let first = shared.insert(port.port, *shared.get(&port.port).unwrap_or(&number));
        let allotted = if old.is_some() { known.contains(&number) } else { first == Some(number) };
        let invalid = |detail| FieldError::invalid(&list.index(index).child("nodePort"), number, detail);
        if !allotted && !(1..=65_535).contains(&number) {
            errors.push(invalid("provided port is not in the valid range. The range of valid ports is 30000-32767"));
            return;
        }
        let protocol = text(port.protocol);
        if old.is_some() {
            if !seen.insert((protocol, number)) {
                errors.push(internal(&Path::ROOT, format!("duplicate nodePort: {{{protocol} {number}}}")));
                return;
            }
        } else if !allotted && !taken.insert(number) {
            errors.push(invalid("provided port is already allocated"));
            return;
        }
    }
}
