//! What only services with a load balancer say.

use super::spec::kind;
use crate::names::{label_key, subdomain_name};
use crate::net::{Addresses, is_ip_sloppy, validate_cidr, validate_ip};
use crate::report::{not_supported, text};
use crate::types::core::v1::{LoadBalancerIngress, Service, ServiceSpec, ServiceStatus};
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::path::Path;

const BALANCERS_ONLY: &str = "may only be used when `type` is 'LoadBalancer'";
/// The annotation that listed the ranges of clients before there was a member for them.
const SOURCE_RANGES: &str = "service.beta.kubernetes.io/load-balancer-source-ranges";
/// To whom a load balancer delivers, as errors list it.
const IP_MODES: [&str; 2] = ["Proxy", "VIP"];

/// Checks the ranges of clients, which may have spaces around them, and without any the annotation.
pub(super) fn validate_source_ranges(
    new: &Service,
    old: Option<&Service>,
    addresses: Addresses,
    errors: &mut ErrorList,
) {
    let ranges = source_ranges(new);
    if ranges.is_empty() {
        validate_annotation(new, old, addresses, errors);
        return;
    }
    // The path is made from the name in Go.
    let spec = Path::ROOT.child("spec");
    let list = spec.child("LoadBalancerSourceRanges");
    if !is_balanced(new) {
        errors.push(FieldError::forbidden(&list, BALANCERS_ONLY));
    }
    let tolerated: Vec<&str> = old.into_iter().flat_map(source_ranges).map(|range| range.trim()).collect();
    for (index, range) in ranges.iter().enumerate() {
        validate_cidr(range.trim(), addresses, &tolerated, &list.index(index), errors);
    }
}

/// The annotation that the stored service has too is not looked at again.
fn validate_annotation(new: &Service, old: Option<&Service>, addresses: Addresses, errors: &mut ErrorList) {
    let Some(ranges) = annotated_ranges(new) else { return };
    let meta = Path::ROOT.child("metadata");
    let annotations = meta.child("annotations");
    let path = annotations.key(SOURCE_RANGES);
    if !is_balanced(new) {
        errors.push(FieldError::forbidden(&path, BALANCERS_ONLY));
    }
    if ranges.trim().is_empty() || old.and_then(annotated_ranges) == Some(ranges) {
        return;
    }
    for range in ranges.trim().split(',') {
        validate_cidr(range.trim(), addresses, &[], &path, errors);
    }
}

fn is_balanced(service: &Service) -> bool {
    service.spec.is_some_and(|spec| kind(spec) == "LoadBalancer")
}

fn source_ranges<'a>(service: &Service<'a>) -> &'a [&'a str] {
    service.spec.and_then(|spec| spec.load_balancer_source_ranges).unwrap_or_default()
}

fn annotated_ranges<'a>(service: &Service<'a>) -> Option<&'a str> {
    service.metadata.annotations?.get(SOURCE_RANGES).copied()
}

/// Only a load balancer may go without ports on the nodes, and it has to say so.
pub(super) fn validate_node_port_allocation(spec: &ServiceSpec, path: &Path<'_>, errors: &mut ErrorList) {
    let member = "allocateLoadBalancerNodePorts";
    match (kind(spec) == "LoadBalancer", spec.allocate_load_balancer_node_ports) {
        (false, Some(_)) => errors.push(FieldError::forbidden(&path.child(member), BALANCERS_ONLY)),
        // The path lacks `spec`, as in Kubernetes.
        (true, None) => errors.push(FieldError::required(&Path::ROOT.child(member), "")),
        _ => {}
    }
}

/// Checks the class of the load balancer.
pub(super) fn validate_class(spec: &ServiceSpec, path: &Path<'_>, errors: &mut ErrorList) {
    let Some(class) = spec.load_balancer_class else { return };
    if kind(spec) != "LoadBalancer" {
        errors.push(FieldError::forbidden(path, BALANCERS_ONLY));
        return;
    }
    for problem in label_key(class) {
        errors.push(FieldError::invalid(path, class, problem).with_origin("format=qualified-name"));
    }
}

/// Checks where the load balancer takes traffic. Stored addresses pass whatever they are.
pub(super) fn validate_status(
    status: &ServiceStatus,
    old: Option<&ServiceStatus>,
    spec: &ServiceSpec,
    addresses: Addresses,
    errors: &mut ErrorList,
) {
    let path = Path::ROOT.child("status");
    let balancer = path.child("loadBalancer");
    let list = balancer.child("ingress");
    if kind(spec) != "LoadBalancer" {
        if !ingress(status).is_empty() {
            let detail = "may only be used when `spec.type` is 'LoadBalancer'";
            errors.push(FieldError::forbidden(&list, detail));
        }
        return;
    }
    let tolerated: Vec<&str> = old.into_iter().flat_map(ingress).filter_map(|point| point.ip).collect();
    for (index, point) in ingress(status).iter().enumerate() {
        validate_ingress(point, &tolerated, addresses, &list.index(index), errors);
    }
}

fn ingress<'a>(status: &ServiceStatus<'a>) -> &'a [LoadBalancerIngress<'a>] {
    status.load_balancer.and_then(|balancer| balancer.ingress).unwrap_or_default()
}

fn validate_ingress(
    point: &LoadBalancerIngress,
    tolerated: &[&str],
    addresses: Addresses,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let ip = text(point.ip);
    if !ip.is_empty() && !tolerated.contains(&ip) {
        validate_ip(ip, addresses, &path.child("ip"), errors);
    }
    let at = path.child("ipMode");
    match point.ip_mode {
        None if !ip.is_empty() => errors.push(FieldError::required(&at, "must be specified when `ip` is set")),
        Some(_) if ip.is_empty() => {
            errors.push(FieldError::forbidden(&at, "may not be specified when `ip` is not set"))
        }
        Some(mode) if !IP_MODES.contains(&mode) => errors.push(not_supported(&at, mode, &IP_MODES)),
        _ => {}
    }
    let (name, at) = (text(point.hostname), path.child("hostname"));
    if name.is_empty() {
        return;
    }
    for problem in subdomain_name(name) {
        errors.push(FieldError::invalid(&at, name, problem));
    }
    if is_ip_sloppy(name) {
        errors.push(FieldError::invalid(&at, name, "must be a DNS name, not an IP address"));
    }
}
