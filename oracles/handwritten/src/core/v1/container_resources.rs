//! Resources that containers, and pods as a whole, ask for and may have.

use super::pod::Pod;
use super::resources::{HUGE_PAGES, Pages, is_native, is_standard, validate_amount, validate_resource_name};
use crate::names::{dns_label, label_key};
use crate::quantity::{bad_value, canonical, canonical_text, of_text, sum};
use crate::report::{not_supported, text};
use crate::types::Map;
use crate::types::Quantity;
use crate::types::core::v1::{Container, ContainerResizePolicy, PodSpec, ResourceClaim, ResourceRequirements};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::path::Path;

/// Amounts by resource.
type Amounts<'a> = Map<'a, Quantity<'a>>;
/// Sums by resource, as texts.
type Sums<'a> = BTreeMap<&'a str, Cow<'a, str>>;
/// A check of the name of a resource.
type NameCheck = fn(&str, &Path<'_>, &mut ErrorList);

/// Checks what a container asks for.
pub(super) fn validate_requirements(
    required: &ResourceRequirements,
    pod: &Pod<'_>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    validate_required(required, |name, path, errors| validate_resource_name(name, "", path, errors), pod, path, errors);
}

/// Checks what the pod as a whole asks for.
pub(super) fn validate_pod_resources(pod: &Pod<'_>, path: &Path<'_>, errors: &mut ErrorList) {
    let Some(required) = pod.spec.resources else { return };
    if pod.spec.os.is_some_and(|os| os.name == "windows") {
        errors.push(FieldError::forbidden(path, "may not be set for a windows pod"));
        return;
    }
    if required.claims.is_some() {
        let detail = "claims may not be set for Resources at pod-level";
        errors.push(FieldError::forbidden(&path.child("claims"), detail));
    }
    validate_required(required, validate_pod_resource_name, pod, path, errors);
    let at = path.child("requests");
    for (name, containers) in together(pod.spec, |required| required.requests) {
        if let Some(whole) = required.requests.and_then(|requests| requests.get(name))
            && of_text(&containers).nanos() > whole.nanos()
        {
            let containers = canonical_text(&containers);
            let detail = format!("must be greater than or equal to aggregate container requests of {containers}");
            errors.push(FieldError::invalid(&at.key(name), bad_value(whole), detail));
        }
    }
    if let Some(limits) = required.limits {
        validate_pod_limits(limits, pod.spec, path, errors);
    }
}

/// The pod has at least the huge pages of its containers together, and no main container may have more than the pod.
fn validate_pod_limits(limits: Amounts, spec: &PodSpec, path: &Path<'_>, errors: &mut ErrorList) {
    let at = path.child("limits");
    for (name, containers) in together(spec, |required| required.limits) {
        if name.starts_with(HUGE_PAGES)
            && let Some(whole) = limits.get(name).filter(|whole| of_text(&containers).nanos() > whole.nanos())
        {
            let containers = canonical_text(&containers);
            let detail = format!("must be greater than or equal to aggregate container limits of {containers}");
            errors.push(FieldError::invalid(&at.key(name), bad_value(whole), detail));
        }
    }
    let at = path.child("containers");
    for (index, container) in spec.containers.iter().enumerate() {
        let own = container.resources.and_then(|required| required.limits);
        for (name, limit) in own.into_iter().flatten() {
            if let Some(whole) = limits.get(name).filter(|whole| limit.nanos() > whole.nanos()) {
                let detail = format!("must be less than or equal to pod limits of {}", canonical(whole));
                // Kubernetes starts the path at the resources of the pod.
                let place = at.index(index);
                errors.push(FieldError::invalid(&place.key(name).child("limits"), bad_value(limit), detail));
            }
        }
    }
}

/// Pods as a whole ask for less than containers may.
fn validate_pod_resource_name(name: &str, path: &Path<'_>, errors: &mut ErrorList) {
    let problems = label_key(name);
    if !problems.is_empty() {
        for problem in problems {
            errors.push(FieldError::invalid(path, name, problem));
        }
    } else if !name.contains('/') && !is_standard(name) {
        errors.push(FieldError::invalid(path, name, "must be a standard resource type or fully qualified"));
    } else if !matches!(name, "cpu" | "memory") && !name.starts_with(HUGE_PAGES) {
        errors.push(not_supported(path, name, &["cpu", HUGE_PAGES, "memory"]));
    }
}

/// What all containers together ask for, or may have: the main ones and sidecars at the same time, or before that an init
/// container beside the sidecars that have started.
fn together<'a>(spec: &PodSpec<'a>, amounts: for<'r> fn(&ResourceRequirements<'r>) -> Option<Amounts<'r>>) -> Sums<'a> {
    let (mut running, mut sidecars, mut starting) = (Sums::new(), Sums::new(), Sums::new());
    for container in spec.containers {
        add(&mut running, container, amounts);
    }
    for container in spec.init_containers.into_iter().flatten() {
        let mut together = sidecars.clone();
        add(&mut together, container, amounts);
        if text(container.restart_policy) == "Always" {
            add(&mut running, container, amounts);
            sidecars.clone_from(&together);
        }
        raise(&mut starting, together);
    }
    raise(&mut running, starting);
    running
}

fn add<'a>(
    total: &mut Sums<'a>,
    container: &Container<'a>,
    amounts: for<'r> fn(&ResourceRequirements<'r>) -> Option<Amounts<'r>>,
) {
    let own = container.resources.and_then(|required| amounts(required));
    for (name, amount) in own.into_iter().flatten() {
        let added = match total.get(name) {
            None => Cow::Borrowed(amount.text()),
            Some(before) => Cow::Owned(sum(&of_text(before), amount)),
        };
        total.insert(name, added);
    }
}

fn raise<'a>(total: &mut Sums<'a>, other: Sums<'a>) {
    for (name, amount) in other {
        if total.get(name).is_none_or(|before| of_text(before).nanos() < of_text(&amount).nanos()) {
            total.insert(name, amount);
        }
    }
}

fn validate_required(
    required: &ResourceRequirements,
    check_name: NameCheck,
    pod: &Pod<'_>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let limits = required.limits.unwrap_or_default();
    let requests = required.requests.unwrap_or_default();
    let (limits_at, requests_at) = (path.child("limits"), path.child("requests"));
    validate_amounts(limits, check_name, pod.pages, &limits_at, errors);
    validate_amounts(requests, check_name, pod.pages, &requests_at, errors);
    for (name, request) in requests {
        let overcommitted = is_native(name) && !name.starts_with(HUGE_PAGES);
        let Some(limit) = limits.get(name) else {
            if !overcommitted {
                errors.push(FieldError::required(&limits_at, "Limit must be set for non overcommitable resources"));
            }
            continue;
        };
        let (asked, most) = (request.nanos(), limit.nanos());
        let relation = if !overcommitted && asked != most {
            "equal to"
        } else if asked > most {
            "less than or equal to"
        } else {
            continue;
        };
        let detail = format!("must be {relation} {name} limit of {}", canonical(limit));
        errors.push(FieldError::invalid(&requests_at, bad_value(request), detail));
    }
    let has = |wanted: fn(&str) -> bool| limits.keys().chain(requests.keys()).any(wanted);
    if has(|name| name.starts_with(HUGE_PAGES)) && !has(|name| matches!(name, "cpu" | "memory")) {
        errors.push(FieldError::forbidden(path, "HugePages require cpu or memory"));
    }
    let claims = required.claims.unwrap_or_default();
    validate_claims(claims, pod.spec, &path.child("claims"), errors);
}

fn validate_amounts(amounts: Amounts, check_name: NameCheck, pages: Pages, path: &Path<'_>, errors: &mut ErrorList) {
    for (name, amount) in amounts {
        let at = path.key(name);
        check_name(name, &at, errors);
        validate_amount(name, amount, pages, &at, errors);
    }
}

/// Each entry names a claim of the pod, or one request of it, that no other entry names.
fn validate_claims(claims: &[ResourceClaim], spec: &PodSpec, path: &Path<'_>, errors: &mut ErrorList) {
    if claims.is_empty() {
        return;
    }
    let known: BTreeSet<&str> =
        spec.resource_claims.into_iter().flatten().map(|claim| claim.name).filter(|name| !name.is_empty()).collect();
    for (index, claim) in claims.iter().enumerate() {
        let at = path.index(index);
        let (name, request) = (claim.name, text(claim.request));
        if name.is_empty() {
            errors.push(FieldError::required(&at, ""));
            continue;
        }
        let mut same = claims.iter().take(index).filter(|earlier| earlier.name == name);
        let whole = same.clone().any(|earlier| text(earlier.request).is_empty());
        if !whole && !request.is_empty() {
            for problem in dns_label(request) {
                let error = FieldError::invalid(&at.child("request"), request, problem);
                errors.push(error.with_origin("format=k8s-short-name"));
            }
        }
        if whole {
            errors.push(FieldError::duplicate(&at, name));
        } else if request.is_empty() {
            // The claim as a whole takes in every request of it that stands before.
            let requests: BTreeSet<&str> = same.map(|earlier| text(earlier.request)).collect();
            for _ in requests {
                errors.push(FieldError::duplicate(&at, name));
            }
        } else if same.any(|earlier| text(earlier.request) == request) {
            errors.push(FieldError::duplicate(&at, format!("{name}/{request}")));
        }
        if !known.contains(name) {
            let mut error = FieldError::not_found(&at, name);
            let names: Vec<&str> = known.iter().copied().collect();
            let which = if names.is_empty() { " which is empty".to_owned() } else { format!(": {}", names.join(", ")) };
            error.detail = format!("must be one of the names in pod.spec.resourceClaims{which}").into();
            errors.push(error);
        }
    }
}

/// Checks how a container takes new amounts of a resource. Errors stand at the list itself, but for duplicates.
pub(super) fn validate_resize_policy(
    policies: &[ContainerResizePolicy],
    spec: &PodSpec,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    for (index, policy) in policies.iter().enumerate() {
        let (resource, restart) = (policy.resource_name, policy.restart_policy);
        if policies.iter().take(index).any(|earlier| earlier.resource_name == resource) {
            errors.push(FieldError::duplicate(&path.index(index), resource));
        }
        for (value, supported) in [(resource, ["cpu", "memory"]), (restart, ["NotRequired", "RestartContainer"])] {
            if value.is_empty() {
                errors.push(FieldError::required(path, ""));
            } else if !supported.contains(&value) {
                errors.push(not_supported(path, value, &supported));
            }
        }
        if text(spec.restart_policy) == "Never" && restart != "NotRequired" {
            let detail = "must be 'NotRequired' when pod `restartPolicy` is 'Never'";
            errors.push(FieldError::invalid(path, restart, detail));
        }
    }
}
