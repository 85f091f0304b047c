//! Which families of addresses the registry gives to a service.

use super::addresses::validate_addresses;
use super::spec::{HEADLESS, cluster_ips, families, kind};
use crate::net::{Addresses, parse_ip_sloppy};
use crate::types::core::v1::ServiceSpec;
use takeover_harness::error::ErrorList;
use takeover_harness::object::{Edit, Node, equal};

const BOTH: [&str; 2] = ["IPv4", "IPv6"];
const SINGLE: &str = "SingleStack";
const PREFER: &str = "PreferDualStack";
const REQUIRE: &str = "RequireDualStack";

/// Completes how many families a service wants and which, from its addresses and what is stored, else as on a cluster with
/// IPv4 alone. What [`super::refusals::refuse`] refuses is left as it is.
pub(super) fn settle_families<'a>(spec: &mut Edit<'a>, old: Option<&Edit<'a>>) {
    let (asked, known) = (addressing(spec), old.map(addressing));
    if kind(&asked) == "ExternalName" || known.as_ref().is_some_and(|known| keeps_preference(&asked, known)) {
        return;
    }
    let mut errors = ErrorList::new();
    // What is read strictly only changes nothing here: what goes is as it is stored.
    validate_addresses(&asked, known.as_ref(), Addresses::Sloppy, &mut errors);
    if !errors.is_empty() {
        return;
    }
    let stored = old.map_or(Node::Unset, |old| old.get("ipFamilyPolicy"));
    spec.set_default("ipFamilyPolicy", stored);
    spec.set_default("ipFamilyPolicy", Node::Text(if is_open(spec) { REQUIRE } else { SINGLE }));
    let single = spec.text("ipFamilyPolicy") == SINGLE;
    for member in ["clusterIPs", "ipFamilies"] {
        let now = spec.get(member).items();
        match old.map(|old| old.get(member)) {
            Some(before) if single && now.len() > 1 && equal(&before, &Node::List(now)) => {
                spec.set(member, Node::List(now.get(..1).unwrap_or_default()));
            }
            Some(before) if !single && !now.is_empty() && now.len() < before.items().len() => return,
            _ => {}
        }
    }
    let addresses = spec.get("clusterIPs").items();
    let mut families: Vec<Node<'a>> = spec.get("ipFamilies").items().to_vec();
    if single && (addresses.len() > 1 || families.len() > 1) {
        return;
    }
    for address in addresses.iter().skip(families.len()).filter(|address| address.text() != HEADLESS) {
        let family = family_of(address.text()).map(Node::Text);
        let Some(family) = family.filter(|family| !families.iter().any(|known| equal(known, family))) else { return };
        families.push(family);
    }
    if families.is_empty() {
        families.push(Node::Text(BOTH[0]));
    }
    // Only a cluster with both families takes a service that requires both, or has stored one.
    let had_both = old.is_some_and(|old| old.get("ipFamilies").items().len() > 1);
    if !single && families.len() == 1 && (is_open(spec) || had_both || spec.text("ipFamilyPolicy") == REQUIRE) {
        let other = BOTH.into_iter().find(|family| families.first().is_none_or(|first| first.text() != *family));
        families.extend(other.map(Node::Text));
    }
    if families.len() != spec.get("ipFamilies").items().len() {
        spec.set("ipFamilies", Node::List(spec.arena().alloc_slice_copy(&families)));
    }
}

/// Completes the families of a stored service that was written before services had families.
pub(super) fn read_families(spec: &mut Edit<'_>) {
    if spec.text("type") == "ExternalName" || !spec.get("ipFamilies").items().is_empty() {
        return;
    }
    let families: Vec<Node<'_>> = if spec.text("clusterIP") == HEADLESS {
        BOTH.into_iter().take(if is_open(spec) { 2 } else { 1 }).map(Node::Text).collect()
    } else {
        let addresses = spec.get("clusterIPs").items();
        addresses.iter().map(|address| Node::Text(family_of(address.text()).unwrap_or(BOTH[0]))).collect()
    };
    match families.len() {
        0 => return,
        1 => spec.set("ipFamilyPolicy", Node::Text(SINGLE)),
        2 => spec.set("ipFamilyPolicy", Node::Text(REQUIRE)),
        _ => {}
    }
    spec.set("ipFamilies", Node::List(spec.arena().alloc_slice_copy(&families)));
}

/// Whether a service has neither an address nor pods: who knows what families its endpoints have.
fn is_open(spec: &Edit<'_>) -> bool {
    spec.text("clusterIP") == HEADLESS && spec.get("selector").entries().is_empty()
}

/// Whether a service still prefers both families and leaves open nothing that it had: a cluster that gained or lost a family
/// does not change it.
pub(super) fn keeps_preference(new: &ServiceSpec, old: &ServiceSpec) -> bool {
    let policy = |spec: &ServiceSpec| spec.ip_family_policy.map(|policy| policy == PREFER);
    matches!(kind(new), "ClusterIP" | "NodePort" | "LoadBalancer")
        && kind(new) == kind(old)
        && policy(new) == Some(true)
        && policy(old) != Some(false)
        && cluster_ips(new) == cluster_ips(old)
        && families(new) == families(old)
}

/// What a service says of its addresses.
fn addressing<'a>(spec: &Edit<'a>) -> ServiceSpec<'a> {
    let text = |member| Some(spec.text(member)).filter(|_| !spec.get(member).is_unset());
    let list = |member| {
        let texts = spec.get(member).items().iter().map(Node::text);
        Some(&*spec.arena().alloc_slice_fill_iter(texts))
    };
    ServiceSpec {
        type_: text("type"),
        cluster_ip: text("clusterIP"),
        cluster_ips: list("clusterIPs"),
        ip_families: list("ipFamilies"),
        ip_family_policy: text("ipFamilyPolicy"),
        ..ServiceSpec::default()
    }
}

fn family_of(address: &str) -> Option<&'static str> {
    let [old, new] = BOTH;
    parse_ip_sloppy(address).map(|ip| if ip.to_canonical().is_ipv4() { old } else { new })
}
