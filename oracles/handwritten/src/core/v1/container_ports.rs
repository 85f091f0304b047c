//! Ports of containers, and of the host where containers ask for them.

use crate::distinct::Distinct;
use crate::ports::{PROTOCOLS, port_name, port_number};
use crate::report::{not_supported, text};
use crate::types::core::v1::{Container, ContainerPort};
use std::collections::BTreeSet;
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::path::Path;

/// Checks the ports of one container.
pub(super) fn validate_ports(ports: &[ContainerPort], path: &Path<'_>, errors: &mut ErrorList) {
    let mut names = Distinct::default();
    for (index, port) in ports.iter().enumerate() {
        let at = path.index(index);
        let name = text(port.name);
        if !name.is_empty() {
            let problems = port_name(name);
            if problems.is_empty() && !names.insert(name) {
                errors.push(FieldError::duplicate(&at.child("name"), name));
            }
            for problem in problems {
                errors.push(FieldError::invalid(&at.child("name"), name, problem));
            }
        }
        if port.container_port == 0 {
            errors.push(FieldError::required(&at.child("containerPort"), ""));
        } else {
            validate_number(port.container_port, &at.child("containerPort"), errors);
        }
        if host_port(port) != 0 {
            validate_number(host_port(port), &at.child("hostPort"), errors);
        }
        match text(port.protocol) {
            "" => errors.push(FieldError::required(&at.child("protocol"), "")),
            protocol if PROTOCOLS.contains(&protocol) => {}
            other => errors.push(not_supported(&at.child("protocol"), other, &PROTOCOLS)),
        }
    }
}

/// Reports ports of the host that several of the containers ask for; `path` is that of their list.
pub(super) fn validate_host_ports(containers: &[Container], path: &Path<'_>, errors: &mut ErrorList) {
    let mut taken = BTreeSet::new();
    for (index, container) in containers.iter().enumerate() {
        let at = path.index(index);
        let at = at.child("ports");
        for (index, port) in container.ports.into_iter().flatten().enumerate().filter(|(_, port)| host_port(port) != 0)
        {
            let key = (text(port.protocol), text(port.host_ip), host_port(port));
            if !taken.insert(key) {
                let (protocol, address, number) = key;
                let at = at.index(index);
                errors.push(FieldError::duplicate(&at.child("hostPort"), format!("{protocol}/{address}/{number}")));
            }
        }
    }
}

/// On the host's network, ports of containers are ports of the host.
pub(super) fn validate_ports_on_host(containers: &[Container], path: &Path<'_>, errors: &mut ErrorList) {
    for (index, container) in containers.iter().enumerate() {
        let at = path.index(index);
        let at = at.child("ports");
        for (index, port) in container.ports.into_iter().flatten().enumerate() {
            let number = host_port(port);
            if number != 0 && number != port.container_port {
                let detail = "must match `containerPort` when `hostNetwork` is true";
                errors.push(FieldError::invalid(&at.index(index).child("hostPort"), number, detail));
            }
        }
    }
}

/// The port of the host; zero for none.
fn host_port(port: &ContainerPort) -> i32 {
    port.host_port.unwrap_or(0)
}

fn validate_number(number: i32, path: &Path<'_>, errors: &mut ErrorList) {
    if let Some(problem) = port_number(number) {
        errors.push(FieldError::invalid(path, number, problem));
    }
}
