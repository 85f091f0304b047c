//! EndpointSlice, in `v1` and `v1beta1`.

use crate::endpoint_ip::validate_reachable;
use crate::kind::{Checks, Prepare, Request, Served};
use crate::labels::validate_labels;
use crate::meta::{self, NameRule, Scope};
use crate::names::{Problems, dns_label, dns_subdomain_start, label_key, label_value, subdomain_name};
use crate::net::{canonical_ip_problem, ip_problem, parse_ip_sloppy};
use crate::ports::PROTOCOLS;
use crate::prepare;
use crate::report::{IMMUTABLE, internal, not_supported, text, too_many};
use crate::types::discovery::v1::{Endpoint, EndpointHints, EndpointPort, EndpointSlice};
use std::collections::BTreeSet;
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::object::{Edit, Node, equal};
use takeover_harness::path::Path;

/// Kinds of addresses, as errors list them.
const ADDRESS_TYPES: [&str; 3] = ["FQDN", "IPv4", "IPv6"];
/// Most endpoints of a slice.
const ENDPOINT_LIMIT: usize = 1000;
/// Most addresses of an endpoint.
const ADDRESS_LIMIT: usize = 100;
/// Most ports of a slice.
const PORT_LIMIT: usize = 20_000;
/// Most topology labels of an endpoint.
const TOPOLOGY_LIMIT: usize = 16;
/// Most zones, and most nodes, of a hint.
const HINT_LIMIT: usize = 8;
/// The topology label that has a member of its own.
pub(super) const ZONE_LABEL: &str = "topology.kubernetes.io/zone";
/// The topology label that holds the name of a node.
pub(super) const HOSTNAME_LABEL: &str = "kubernetes.io/hostname";
/// How slices are named.
const NAME: NameRule = NameRule::Plain { name: subdomain_name, start: dns_subdomain_start };

/// Judges EndpointSlices as a Kubernetes 1.36 server does.
#[derive(Clone, Copy, Debug)]
pub struct EndpointSlices;

impl Served for EndpointSlices {
    type Kind = Self;

    const DEFAULTS: Option<fn(&mut Edit<'_>)> = Some(default_slice);
    const PREPARE: Option<Prepare> = Some(prepare_slice);
}

/// Defaults of every version.
pub(super) fn default_slice(slice: &mut Edit<'_>) {
    slice.edit_each("ports", |port| {
        port.set_default("name", Node::Text(""));
        port.set_default_text("protocol", "TCP");
    });
}

/// Counts changes, and takes the topology of `v1beta1` away from endpoints that a `v1` request changes. The node that an
/// endpoint has in there survives as `nodeName` where the stored slice knew it.
fn prepare_slice<'a>(slice: &mut Edit<'a>, old: Option<&Edit<'a>>, subresource: &str) {
    prepare_v1beta1(slice, old, subresource);
    if old.is_some_and(|old| equal(&slice.get("endpoints"), &old.get("endpoints"))) {
        return;
    }
    let known: Vec<&str> = old.into_iter().flat_map(|old| old.elements("endpoints")).filter_map(|e| node(&e)).collect();
    slice.edit_each("endpoints", |endpoint| {
        if let (Node::Unset, Some(node)) = (endpoint.get("nodeName"), node(endpoint))
            && known.contains(&node)
            && subdomain_name(node).is_empty()
        {
            endpoint.set("nodeName", Node::Text(node));
        }
        endpoint.clear("deprecatedTopology");
    });
}

/// The node that the topology of an endpoint names.
fn node<'a>(endpoint: &Edit<'a>) -> Option<&'a str> {
    endpoint.get("deprecatedTopology").entry(HOSTNAME_LABEL).map(|node| node.text())
}

/// Counts changes of anything but the metadata, of which only labels count.
pub(super) fn prepare_v1beta1<'a>(slice: &mut Edit<'a>, old: Option<&Edit<'a>>, _: &str) {
    let labels = |slice: &Edit<'a>| slice.inside("metadata").map_or(Node::Unset, |meta| meta.get("labels"));
    let changed = |old: &Edit<'a>| {
        ["addressType", "endpoints", "ports"].into_iter().any(|name| !equal(&slice.get(name), &old.get(name)))
            || !equal(&labels(slice), &labels(old))
    };
    let changed = old.is_some_and(changed);
    prepare::count(slice, old, changed);
}

impl Checks for EndpointSlices {
    type Object<'a> = EndpointSlice<'a>;

    const SCOPE: Scope = Scope::Namespaced;

    fn create(new: &EndpointSlice, request: &Request<'_>, errors: &mut ErrorList) {
        validate_slice(new, None, request, errors);
    }

    /// The metadata are checked as those of a new slice only.
    fn update(new: &EndpointSlice, old: &EndpointSlice, request: &Request<'_>, errors: &mut ErrorList) {
        validate_slice(new, Some(old), request, errors);
        if new.address_type != old.address_type {
            let error = FieldError::invalid(&Path::ROOT.child("addressType"), new.address_type, IMMUTABLE);
            errors.push(error.with_origin("immutable").covered());
        }
    }
}

fn validate_slice(new: &EndpointSlice, old: Option<&EndpointSlice>, request: &Request<'_>, errors: &mut ErrorList) {
    meta::validate_create(&new.metadata, EndpointSlices::SCOPE, NAME, &Path::ROOT.child("metadata"), errors);
    let path = Path::ROOT.child("addressType");
    if new.address_type.is_empty() {
        errors.push(FieldError::required(&path, "").covered());
    } else if !ADDRESS_TYPES.contains(&new.address_type) {
        errors.push(not_supported(&path, new.address_type, &ADDRESS_TYPES).covered());
    }
    let path = Path::ROOT.child("endpoints");
    // Endpoints that an update leaves alone are not looked at again.
    let same = old.is_some_and(|old| new.endpoints == old.endpoints);
    if !same && !request.keeps(&path) {
        validate_endpoints(new.endpoints, new.address_type, &path, errors);
    }
    validate_ports(new.ports, &Path::ROOT.child("ports"), errors);
}

fn validate_endpoints(endpoints: &[Endpoint], address_type: &str, path: &Path<'_>, errors: &mut ErrorList) {
    if endpoints.len() > ENDPOINT_LIMIT {
        errors.push(too_many(path, endpoints.len(), ENDPOINT_LIMIT));
        return;
    }
    for (index, endpoint) in endpoints.iter().enumerate() {
        validate_endpoint(endpoint, address_type, &path.index(index), errors);
    }
}

fn validate_endpoint(endpoint: &Endpoint, address_type: &str, path: &Path<'_>, errors: &mut ErrorList) {
    let at = path.child("addresses");
    match endpoint.addresses.len() {
        0 => errors.push(FieldError::required(&at, "must contain at least 1 address").covered()),
        count if count > ADDRESS_LIMIT => {
            errors.push(too_many(&at, count, ADDRESS_LIMIT).with_origin("maxItems").covered());
        }
        _ => {}
    }
    for (index, address) in endpoint.addresses.iter().enumerate() {
        match address_type {
            "IPv4" | "IPv6" => validate_address(address, address_type == "IPv4", &at, index, errors),
            "FQDN" => validate_domain(address, &at.index(index), errors),
            _ => {}
        }
    }
    if let Some(node) = endpoint.node_name {
        for problem in subdomain_name(node) {
            errors.push(FieldError::invalid(&path.child("nodeName"), node, problem));
        }
    }
    let at = path.child("deprecatedTopology");
    if let Some(topology) = endpoint.deprecated_topology {
        if topology.len() > TOPOLOGY_LIMIT {
            errors.push(too_many(&at, topology.len(), TOPOLOGY_LIMIT));
        }
        validate_labels(Some(&topology), &at, errors);
        if topology.contains_key(ZONE_LABEL) {
            errors.push(internal(&at.key(ZONE_LABEL), "reserved key was not removed in conversion".to_owned()));
        }
    }
    if let Some(hostname) = endpoint.hostname {
        validate_label(hostname, &path.child("hostname"), errors);
    }
    if let Some(hints) = endpoint.hints {
        validate_hints(hints, &path.child("hints"), errors);
    }
}

/// An IPv4 address may be written as loosely as ever, an IPv6 address must be canonical. That an address is of the other
/// family is reported at the list.
fn validate_address(address: &str, v4: bool, list: &Path<'_>, index: usize, errors: &mut ErrorList) {
    let at = list.index(index);
    let (problem, origin) = if v4 {
        (ip_problem(address).map(Into::into), "format=ip-sloppy")
    } else {
        (canonical_ip_problem(address), "format=ip-strict")
    };
    if let Some(problem) = problem {
        errors.push(FieldError::invalid(&at, address, problem).with_origin(origin));
        return;
    }
    let Some(ip) = parse_ip_sloppy(address).map(|ip| ip.to_canonical()) else { return };
    if ip.is_ipv4() != v4 {
        let detail = if v4 { "must be an IPv4 address" } else { "must be an IPv6 address" };
        errors.push(FieldError::invalid(list, address, detail));
    }
    validate_reachable(ip, address, &at, errors);
}

/// A fully qualified domain name: a DNS subdomain of several labels, with or without the last dot. Only its first fault is
/// reported.
fn validate_domain(name: &str, path: &Path<'_>, errors: &mut ErrorList) {
    if name.is_empty() {
        errors.push(FieldError::required(path, ""));
        return;
    }
    let name = name.strip_suffix('.').unwrap_or(name);
    let problems = subdomain_name(name);
    if !problems.is_empty() {
        errors.push(FieldError::invalid(path, name, problems.join(",")));
    } else if !name.contains('.') {
        let detail = "should be a domain with at least two segments separated by dots";
        errors.push(FieldError::invalid(path, name, detail));
    } else if let Some((label, problems)) =
        name.split('.').map(|label| (label, dns_label(label))).find(|(_, problems)| !problems.is_empty())
    {
        errors.push(FieldError::invalid(path, label, problems.join(",")));
    }
}

fn validate_label(label: &str, path: &Path<'_>, errors: &mut ErrorList) {
    for problem in dns_label(label) {
        errors.push(FieldError::invalid(path, label, problem).with_origin("format=k8s-short-name"));
    }
}

/// Too many zones, or nodes, end the check.
fn validate_hints(hints: &EndpointHints, path: &Path<'_>, errors: &mut ErrorList) {
    let at = path.child("forZones");
    let zones = hints.for_zones.unwrap_or_default();
    if zones.len() > HINT_LIMIT {
        errors.push(too_many(&at, zones.len(), HINT_LIMIT));
        return;
    }
    validate_hint_names(zones.iter().map(|zone| zone.name), label_value, &at, errors);
    let at = path.child("forNodes");
    let nodes = hints.for_nodes.unwrap_or_default();
    if nodes.len() > HINT_LIMIT {
        errors.push(too_many(&at, nodes.len(), HINT_LIMIT));
        return;
    }
    validate_hint_names(nodes.iter().map(|node| node.name), subdomain_name, &at, errors);
}

fn validate_hint_names<'n>(
    names: impl Iterator<Item = &'n str>,
    check: fn(&str) -> Problems,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let mut seen = BTreeSet::new();
    for (index, name) in names.enumerate() {
        let item = path.index(index);
        let at = item.child("name");
        if !seen.insert(name) {
            errors.push(FieldError::duplicate(&at, name));
        }
        for problem in check(name) {
            errors.push(FieldError::invalid(&at, name, problem));
        }
    }
}

fn validate_ports(ports: &[EndpointPort], path: &Path<'_>, errors: &mut ErrorList) {
    if ports.len() > PORT_LIMIT {
        errors.push(too_many(path, ports.len(), PORT_LIMIT));
        return;
    }
    let mut names = BTreeSet::new();
    for (index, port) in ports.iter().enumerate() {
        let at = path.index(index);
        let name = text(port.name);
        if !name.is_empty() {
            validate_label(name, &at.child("name"), errors);
        }
        if !names.insert(name) {
            errors.push(FieldError::duplicate(&at.child("name"), name));
        }
        match port.protocol {
            None => errors.push(FieldError::required(&at.child("protocol"), "")),
            Some(protocol) if !PROTOCOLS.contains(&protocol) => {
                errors.push(not_supported(&at.child("protocol"), protocol, &PROTOCOLS));
            }
            Some(_) => {}
        }
        if let Some(protocol) = port.app_protocol {
            for problem in label_key(protocol) {
                let error = FieldError::invalid(&at.child("appProtocol"), protocol, problem);
                errors.push(error.with_origin("format=qualified-name"));
            }
        }
    }
}
