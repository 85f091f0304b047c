//! What an update of a service may change.

use super::load_balancer::validate_class;
use super::spec::{cluster_ips, families, is_headless, kind, list_form, needs_health_check};
use crate::report::IMMUTABLE;
use crate::types::core::v1::ServiceSpec;
use std::cmp::Ordering;
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::path::Path;

const FIXED: &str = "may not change once set";

/// Checks the change of `old` to `new`. A service may gain and give back its second address, and all of them only on its way
/// from or to a name outside of the cluster.
pub(super) fn validate_changes(new: &ServiceSpec, old: &ServiceSpec, errors: &mut ErrorList) {
    let path = Path::ROOT.child("spec");
    if kind(new) != "ExternalName" && kind(old) != "ExternalName" {
        let (headless, was) = (is_headless(new), is_headless(old));
        if !(headless && was) {
            validate_address_changes(new, old, &path, errors);
        }
        if !headless && !was {
            validate_family_changes(new, old, &path, errors);
        }
    }
    let at = path.child("loadBalancerClass");
    let balanced = kind(new) == "LoadBalancer" && kind(old) == "LoadBalancer";
    if balanced && new.load_balancer_class != old.load_balancer_class {
        errors.push(FieldError::invalid(&at, new.load_balancer_class, FIXED));
    }
    validate_class(new, &at, errors);
    let port = |spec: &ServiceSpec| spec.health_check_node_port.unwrap_or(0);
    if needs_health_check(new) && needs_health_check(old) && port(new) != port(old) {
        errors.push(FieldError::forbidden(&path.child("healthCheckNodePort"), IMMUTABLE));
    }
}

fn validate_address_changes(new: &ServiceSpec, old: &ServiceSpec, path: &Path<'_>, errors: &mut ErrorList) {
    let list = path.child("clusterIPs");
    let (now, before) = (cluster_ips(new), cluster_ips(old));
    let at = |index, detail| FieldError::invalid(&list.index(index), list_form(new.cluster_ips), detail);
    let moved = matches!((now.first(), before.first()), (Some(now), Some(before)) if now != before);
    match now.len().cmp(&before.len()) {
        Ordering::Equal => {
            for (index, _) in now.iter().zip(before).enumerate().filter(|(_, (now, before))| now != before) {
                errors.push(at(index, FIXED));
            }
        }
        Ordering::Less => {
            if now.is_empty() {
                errors.push(at(0, "primary clusterIP can not be unset"));
            }
            if moved {
                errors.push(at(0, FIXED));
            }
            if now.len() == 1 {
                validate_release(new, "clusterIP", path, errors);
            }
        }
        Ordering::Greater => {
            if moved {
                errors.push(at(0, FIXED));
            }
        }
    }
}

/// As [`validate_address_changes`], but some errors show the addresses and not the families, and one asks for addresses where
/// it means families: so does Kubernetes.
fn validate_family_changes(new: &ServiceSpec, old: &ServiceSpec, path: &Path<'_>, errors: &mut ErrorList) {
    let list = path.child("ipFamilies");
    let first = list.index(0);
    let (now, before) = (families(new), families(old));
    let moved = matches!((now.first(), before.first()), (Some(now), Some(before)) if now != before);
    let shown = || list_form(new.ip_families);
    match now.len().cmp(&before.len()) {
        Ordering::Equal => {
            for _ in now.iter().zip(before).filter(|(now, before)| now != before) {
                errors.push(FieldError::invalid(&first, shown(), FIXED));
            }
            return;
        }
        Ordering::Less if cluster_ips(new).is_empty() => {
            errors.push(FieldError::invalid(&first, shown(), "primary ipFamily can not be unset"));
        }
        _ => {}
    }
    if moved {
        errors.push(FieldError::invalid(&first, list_form(new.cluster_ips), FIXED));
    }
    if now.len() == 1 && before.len() > 1 {
        validate_release(new, "ipFamily", path, errors);
    }
}

/// Who gives the second address back has to say that one is enough.
fn validate_release(spec: &ServiceSpec, released: &str, path: &Path<'_>, errors: &mut ErrorList) {
    if spec.ip_family_policy != Some("SingleStack") {
        let detail = format!("must be set to 'SingleStack' when releasing the secondary {released}");
        let value = spec.ip_family_policy;
        errors.push(FieldError::invalid(&path.child("ipFamilyPolicy"), value, detail));
    }
}
