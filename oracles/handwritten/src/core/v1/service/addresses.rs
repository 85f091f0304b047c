//! Addresses of services and the families that they belong to.

use super::spec::{HEADLESS, cluster_ips, families, is_headless, kind, list_form};
use crate::net::{Addresses, parse_ip_sloppy, validate_ip};
use crate::report::{internal, not_supported, text};
use crate::types::core::v1::ServiceSpec;
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::path::Path;

/// Families of addresses, as errors list them.
const FAMILIES: [&str; 2] = ["IPv4", "IPv6"];
/// How many families a service may want, as errors list it.
const POLICIES: [&str; 3] = ["PreferDualStack", "RequireDualStack", "SingleStack"];
/// Most addresses of a service.
const LIMIT: usize = 2;

/// Checks the addresses of a service that has some, what they say of each other, and what families they have. Addresses of
/// `old` pass whatever they are.
pub(super) fn validate_addresses(
    spec: &ServiceSpec,
    old: Option<&ServiceSpec>,
    addresses: Addresses,
    errors: &mut ErrorList,
) {
    if kind(spec) == "ExternalName" {
        return;
    }
    let path = Path::ROOT.child("spec");
    let list = path.child("clusterIPs");
    let (first, ips) = (text(spec.cluster_ip), cluster_ips(spec));
    let whole = |detail| FieldError::invalid(&list, list_form(spec.cluster_ips), detail);
    match ips.first() {
        None if !first.is_empty() => errors.push(FieldError::required(&list, "")),
        Some(_) if first.is_empty() => errors.push(whole("must be empty when `clusterIP` is not specified")),
        Some(ip) if *ip != first => errors.push(whole("first value must match `clusterIP`")),
        _ => {}
    }
    validate_families(spec, &path, errors);
    let tolerated = old.map(cluster_ips).unwrap_or_default();
    let fine = validate_syntax(spec, tolerated, addresses, &list, errors);
    if ips.len() > LIMIT {
        errors.push(whole("may only hold up to 2 values"));
    }
    if !fine {
        return;
    }
    if ips.len() > 1 && !are_of_both_families(ips, &list, errors) {
        errors.push(whole("may specify no more than one IP for each IP family"));
    }
    if !is_headless(spec) {
        validate_agreement(ips, families(spec), &list, errors);
    }
}

fn validate_families(spec: &ServiceSpec, path: &Path<'_>, errors: &mut ErrorList) {
    let list = path.child("ipFamilies");
    let families = families(spec);
    for (index, family) in families.iter().enumerate() {
        let at = list.index(index);
        if !FAMILIES.contains(family) {
            errors.push(not_supported(&at, *family, &FAMILIES));
        }
        if families.iter().take(index).any(|before| before == family) {
            errors.push(FieldError::duplicate(&at, *family));
        }
    }
    if let Some(policy) = spec.ip_family_policy.filter(|policy| !POLICIES.contains(policy)) {
        errors.push(not_supported(&path.child("ipFamilyPolicy"), policy, &POLICIES));
    }
}

/// Whether every address is one; a service without address says so once.
fn validate_syntax(
    spec: &ServiceSpec,
    tolerated: &[&str],
    addresses: Addresses,
    list: &Path<'_>,
    errors: &mut ErrorList,
) -> bool {
    let (mut fine, ips) = (true, cluster_ips(spec));
    for (index, ip) in ips.iter().enumerate() {
        if index == 0 && *ip == HEADLESS {
            if ips.len() > 1 {
                fine = false;
                let detail = "'None' must be the first and only value";
                errors.push(FieldError::invalid(list, list_form(spec.cluster_ips), detail));
            }
        } else if !tolerated.contains(ip) {
            let before = errors.len();
            validate_ip(ip, addresses, &list.index(index), errors);
            fine &= errors.len() == before;
        }
    }
    fine
}

/// Whether the addresses are of both families. A stored text that is no address is of none.
fn are_of_both_families(ips: &[&str], list: &Path<'_>, errors: &mut ErrorList) -> bool {
    let (mut old, mut new) = (false, false);
    for (index, ip) in ips.iter().enumerate() {
        match parse_ip_sloppy(ip).map(|ip| ip.to_canonical().is_ipv4()) {
            Some(true) => old = true,
            Some(false) => new = true,
            None => {
                let detail = format!("failed to check for dual stack with error:invalid IP[{index}]: {ip}");
                errors.push(internal(list, detail));
                return false;
            }
        }
    }
    old && new
}

/// Every address is of the family that stands in the same place.
fn validate_agreement(ips: &[&str], families: &[&str], list: &Path<'_>, errors: &mut ErrorList) {
    for (index, (ip, family)) in ips.iter().zip(families).enumerate() {
        let is_new = parse_ip_sloppy(ip).is_some_and(|ip| ip.to_canonical().is_ipv6());
        if matches!((*family, is_new), ("IPv4", true) | ("IPv6", false)) {
            let detail = format!("expected an {family} value as indicated by `ipFamilies[{index}]`");
            errors.push(FieldError::invalid(&list.index(index), *ip, detail));
        }
    }
}
