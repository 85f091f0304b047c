//! Ports of services.

use super::spec::kind;
use crate::distinct::Distinct;
use crate::names::{dns_label, label_key};
use crate::ports::{PROTOCOLS, port_name, port_number};
use crate::report::{not_supported, text};
use crate::types::IntOrString;
use crate::types::core::v1::{ServicePort, ServiceSpec};
use std::collections::BTreeSet;
use takeover_harness::error::{BadValue, ErrorList, FieldError};
use takeover_harness::path::Path;

/// Checks every port. One of several needs a name.
pub(super) fn validate_ports(spec: &ServiceSpec, path: &Path<'_>, errors: &mut ErrorList) {
    let ports = spec.ports.unwrap_or_default();
    let mut names = Distinct::default();
    for (index, port) in ports.iter().enumerate() {
        validate_port(port, ports.len() > 1, &mut names, &path.index(index), errors);
    }
}

fn validate_port<'s>(
    port: &'s ServicePort,
    named: bool,
    names: &mut Distinct<'s>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let (name, at) = (text(port.name), path.child("name"));
    if !name.is_empty() {
        for problem in dns_label(name) {
            errors.push(FieldError::invalid(&at, name, problem).with_origin("format=k8s-short-name"));
        }
        if !names.insert(name) {
            errors.push(FieldError::duplicate(&at, name));
        }
    } else if named {
        errors.push(FieldError::required(&at, ""));
    }
    if let Some(problem) = port_number(port.port) {
        errors.push(FieldError::invalid(&path.child("port"), port.port, problem));
    }
    let (protocol, at) = (text(port.protocol), path.child("protocol"));
    if protocol.is_empty() {
        errors.push(FieldError::required(&at, ""));
    } else if !PROTOCOLS.contains(&protocol) {
        errors.push(not_supported(&at, protocol, &PROTOCOLS));
    }
    let at = path.child("targetPort");
    match &port.target_port {
        Some(IntOrString::String(name)) => {
            for problem in port_name(name) {
                errors.push(FieldError::invalid(&at, *name, problem));
            }
        }
        number => {
            let number = if let Some(IntOrString::Int(number)) = number { *number } else { 0 };
            if let Some(problem) = port_number(number) {
                errors.push(FieldError::invalid(&at, number, problem));
            }
        }
    }
    if let Some(protocol) = port.app_protocol {
        for problem in label_key(protocol) {
            let error = FieldError::invalid(&path.child("appProtocol"), protocol, problem);
            errors.push(error.with_origin("format=qualified-name"));
        }
    }
}

/// Checks that only services with ports on the nodes ask for some, and that no port is there twice.
pub(super) fn validate_node_ports(spec: &ServiceSpec, path: &Path<'_>, errors: &mut ErrorList) {
    let ports = || spec.ports.into_iter().flatten().enumerate();
    let on_nodes =
        || ports().filter_map(|(index, port)| Some((index, port, port.node_port.filter(|port| *port != 0)?)));
    if kind(spec) == "ClusterIP" {
        for (index, _, _) in on_nodes() {
            let detail = "may not be used when `type` is 'ClusterIP'";
            errors.push(FieldError::forbidden(&path.index(index).child("nodePort"), detail));
        }
    }
    let mut seen = BTreeSet::new();
    for (index, port, number) in on_nodes() {
        if !seen.insert((text(port.protocol), number)) {
            errors.push(FieldError::duplicate(&path.index(index).child("nodePort"), number));
        }
    }
    seen.clear();
    for (index, port) in ports() {
        if !seen.insert((text(port.protocol), port.port)) {
            errors.push(FieldError::duplicate(&path.index(index), key_form(port)));
        }
    }
}

/// What makes a port the same as another, as errors show it: the server's struct of a port with all else unset.
fn key_form(port: &ServicePort) -> BadValue {
    BadValue::Struct(vec![
        ("Name", "".into()),
        ("Protocol", text(port.protocol).into()),
        ("AppProtocol", BadValue::Null),
        ("Port", port.port.into()),
        ("TargetPort", 0.into()),
        ("NodePort", 0.into()),
    ])
}
