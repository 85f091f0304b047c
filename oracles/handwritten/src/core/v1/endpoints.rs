//! `v1` Endpoints.

use crate::endpoint_ip::validate_endpoint_ip;
use crate::kind::{Checks, Gate, Request, STRICT_ADDRESSES, Served};
use crate::meta::{self, NameRule, Scope};
use crate::names::{dns_label, dns_subdomain_start, label_key, subdomain_name};
use crate::net::{Addresses, validate_ip};
use crate::ports::{PROTOCOLS, port_number};
use crate::report::{not_supported, text};
use crate::types::core::v1::{EndpointAddress, EndpointPort, EndpointSubset, Endpoints};
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::object::Edit;
use takeover_harness::path::Path;

/// How endpoints are named.
const NAME: NameRule = NameRule::Plain { name: subdomain_name, start: dns_subdomain_start };

/// Judges Endpoints as a Kubernetes 1.36 server does.
#[derive(Clone, Copy, Debug)]
pub struct EndpointLists;

impl Served for EndpointLists {
    type Kind = Self;

    const DEFAULTS: Option<fn(&mut Edit<'_>)> = Some(|endpoints| {
        endpoints.edit_each("subsets", |subset| {
            subset.edit_each("ports", |port| port.set_default_text("protocol", "TCP"));
        });
    });
}

impl Checks for EndpointLists {
    type Object<'a> = Endpoints<'a>;

    const SCOPE: Scope = Scope::Namespaced;
    const GATES: &'static [Gate] = &[STRICT_ADDRESSES];

    fn create(new: &Endpoints, request: &Request<'_>, errors: &mut ErrorList) {
        validate(new, None, request, errors);
    }

    fn update(new: &Endpoints, old: &Endpoints, request: &Request<'_>, errors: &mut ErrorList) {
        meta::validate_update(&new.metadata, &old.metadata, &Path::ROOT.child("metadata"), errors);
        validate(new, Some(old), request, errors);
    }
}

/// Addresses that an update leaves alone are not looked at again.
fn validate(new: &Endpoints, old: Option<&Endpoints>, request: &Request<'_>, errors: &mut ErrorList) {
    meta::validate_create(&new.metadata, EndpointLists::SCOPE, NAME, &Path::ROOT.child("metadata"), errors);
    if !old.is_some_and(|old| are_equal(subsets(new), subsets(old))) {
        let list = Path::ROOT.child("subsets");
        for (index, subset) in subsets(new).iter().enumerate() {
            validate_subset(subset, request.addresses(), &list.index(index), errors);
        }
    }
}

fn subsets<'a>(endpoints: &Endpoints<'a>) -> &'a [EndpointSubset<'a>] {
    endpoints.subsets.unwrap_or_default()
}

/// Whether two lists are the same, an empty one inside as good as none.
fn are_equal(some: &[EndpointSubset], others: &[EndpointSubset]) -> bool {
    let same = |(one, other): (&EndpointSubset, &EndpointSubset)| {
        one.addresses.unwrap_or_default() == other.addresses.unwrap_or_default()
            && one.not_ready_addresses.unwrap_or_default() == other.not_ready_addresses.unwrap_or_default()
            && one.ports.unwrap_or_default() == other.ports.unwrap_or_default()
    };
    some.len() == others.len() && some.iter().zip(others).all(same)
}

fn validate_subset(subset: &EndpointSubset, addresses: Addresses, path: &Path<'_>, errors: &mut ErrorList) {
    let lists = [
        (subset.addresses.unwrap_or_default(), path.child("addresses")),
        (subset.not_ready_addresses.unwrap_or_default(), path.child("notReadyAddresses")),
    ];
    if lists.iter().all(|(list, _)| list.is_empty()) {
        errors.push(FieldError::required(path, "must specify `addresses` or `notReadyAddresses`"));
    }
    for (list, at) in &lists {
        for (index, address) in list.iter().enumerate() {
            validate_address(address, addresses, &at.index(index), errors);
        }
    }
    let (ports, at) = (subset.ports.unwrap_or_default(), path.child("ports"));
    for (index, port) in ports.iter().enumerate() {
        validate_port(port, ports.len() > 1, &at.index(index), errors);
    }
}

fn validate_address(address: &EndpointAddress, addresses: Addresses, path: &Path<'_>, errors: &mut ErrorList) {
    let at = path.child("ip");
    validate_ip(address.ip, addresses, &at, errors);
    validate_label(text(address.hostname), &path.child("hostname"), errors);
    if let Some(node) = address.node_name {
        for problem in subdomain_name(node) {
            let error = FieldError::invalid(&path.child("nodeName"), node, problem);
            errors.push(error.with_origin("format=dns-label"));
        }
    }
    validate_endpoint_ip(address.ip, &at, errors);
}

/// One of several ports needs a name, though two may have the same.
fn validate_port(port: &EndpointPort, named: bool, path: &Path<'_>, errors: &mut ErrorList) {
    let (name, at) = (text(port.name), path.child("name"));
    if named && name.is_empty() {
        errors.push(FieldError::required(&at, ""));
    }
    validate_label(name, &at, errors);
    if let Some(problem) = port_number(port.port) {
        errors.push(FieldError::invalid(&path.child("port"), port.port, problem).with_origin("portNum"));
    }
    let (protocol, at) = (text(port.protocol), path.child("protocol"));
    if protocol.is_empty() {
        errors.push(FieldError::required(&at, ""));
    } else if !PROTOCOLS.contains(&protocol) {
        errors.push(not_supported(&at, protocol, &PROTOCOLS));
    }
    if let Some(protocol) = port.app_protocol {
        for problem in label_key(protocol) {
            let error = FieldError::invalid(&path.child("appProtocol"), protocol, problem);
            errors.push(error.with_origin("format=qualified-name"));
        }
    }
}

/// A name that may be left out.
fn validate_label(label: &str, path: &Path<'_>, errors: &mut ErrorList) {
    if !label.is_empty() {
        for problem in dns_label(label) {
            errors.push(FieldError::invalid(path, label, problem).with_origin("format=k8s-short-name"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_needs_a_protocol_that_defaults_fill_in() {
        let mut errors = ErrorList::new();
        validate_port(&EndpointPort { port: 1, ..EndpointPort::default() }, false, &Path::ROOT.child("x"), &mut errors);
        let found: Vec<String> = errors.iter().map(ToString::to_string).collect();
        assert_eq!(found, ["x.protocol: Required value"]);
    }
}
