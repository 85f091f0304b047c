//! Requests for devices: what a claim asks for.

use super::lists::{no_duplicates, within};
use super::names::validate_short_name;
use super::selector::validate_selectors;
use super::toleration::validate_tolerations;
use crate::names::subdomain_name;
use crate::report::{Covered, not_supported, text};
use crate::types::resource::v1::{DeviceRequest, DeviceSubRequest, ExactDeviceRequest};
use takeover_harness::error::{BadValue, ErrorList, FieldError};
use takeover_harness::path::Path;

/// Most requests of a claim, and most references to them in one place.
pub const REQUEST_LIMIT: usize = 32;
/// Most alternatives of a request.
const ALTERNATIVE_LIMIT: usize = 8;
const NO_REQUEST: &str =
    "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";

/// Checks the requests of a claim.
pub fn validate_requests(requests: &[DeviceRequest], path: &Path<'_>, errors: &mut ErrorList) {
    if !within(requests.len(), REQUEST_LIMIT, Covered::Yes, path, errors) {
        return;
    }
    for (index, request) in requests.iter().enumerate() {
        validate_request(request, &path.index(index), errors);
    }
    no_duplicates(requests.iter().map(|request| request.name), BadValue::from, Covered::Yes, path, errors);
}

fn validate_request(request: &DeviceRequest, path: &Path<'_>, errors: &mut ErrorList) {
    validate_short_name(request.name, &path.child("name"), errors);
    match (request.exactly, request.first_available.unwrap_or_default()) {
        (None, []) => {
            errors.push(FieldError::required(path, "exactly one of `exactly` or `firstAvailable` is required"));
        }
        (Some(_), [_, ..]) => {
            let detail = "exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set";
            errors.push(FieldError::invalid(path, BadValue::Null, detail));
        }
        (Some(exactly), []) => validate_exactly(exactly, &path.child("exactly"), errors),
        (None, alternatives) => {
            let at = path.child("firstAvailable");
            if !within(alternatives.len(), ALTERNATIVE_LIMIT, Covered::Yes, &at, errors) {
                return;
            }
            for (index, alternative) in alternatives.iter().enumerate() {
                validate_alternative(alternative, &at.index(index), errors);
            }
            let names = alternatives.iter().map(|alternative| alternative.name);
            no_duplicates(names, BadValue::from, Covered::Yes, &at, errors);
        }
    }
}

fn validate_exactly(request: &ExactDeviceRequest, path: &Path<'_>, errors: &mut ErrorList) {
    validate_class_name(request.device_class_name, Covered::No, &path.child("deviceClassName"), errors);
    validate_selectors(request.selectors.unwrap_or_default(), &path.child("selectors"), errors);
    validate_mode(text(request.allocation_mode), request.count.unwrap_or(0), path, errors);
    validate_tolerations(request.tolerations.unwrap_or_default(), &path.child("tolerations"), errors);
}

fn validate_alternative(request: &DeviceSubRequest, path: &Path<'_>, errors: &mut ErrorList) {
    validate_short_name(request.name, &path.child("name"), errors);
    validate_class_name(request.device_class_name, Covered::Yes, &path.child("deviceClassName"), errors);
    validate_selectors(request.selectors.unwrap_or_default(), &path.child("selectors"), errors);
    validate_mode(text(request.allocation_mode), request.count.unwrap_or(0), path, errors);
    validate_tolerations(request.tolerations.unwrap_or_default(), &path.child("tolerations"), errors);
}

fn validate_class_name(name: &str, covered: Covered, path: &Path<'_>, errors: &mut ErrorList) {
    let mut push = |error: FieldError| errors.push(if covered == Covered::Yes { error.covered() } else { error });
    if name.is_empty() {
        push(FieldError::required(path, ""));
        return;
    }
    for problem in subdomain_name(name) {
        push(FieldError::invalid(path, name, problem).with_origin("format=k8s-long-name"));
    }
}

/// How many devices a request is for.
fn validate_mode(mode: &str, count: i64, path: &Path<'_>, errors: &mut ErrorList) {
    let at = path.child("count");
    match mode {
        "All" if count != 0 => {
            errors.push(FieldError::invalid(&at, count, "must not be specified when allocationMode is 'All'"));
        }
        "ExactCount" if count <= 0 => errors.push(FieldError::invalid(&at, count, "must be greater than zero")),
        "All" | "ExactCount" => {}
        _ => errors.push(not_supported(&path.child("allocationMode"), mode, &["All", "ExactCount"]).covered()),
    }
}

/// Checks a list of references to requests of a claim.
pub fn validate_references(
    references: Option<&[&str]>,
    requests: &[DeviceRequest],
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let references = references.unwrap_or_default();
    if !within(references.len(), REQUEST_LIMIT, Covered::Yes, path, errors) {
        return;
    }
    for (index, reference) in references.iter().enumerate() {
        validate_reference(reference, requests, &path.index(index), errors);
    }
    no_duplicates(references.iter().copied(), BadValue::from, Covered::Yes, path, errors);
}

/// Checks a reference to a request, or to one of its alternatives after a slash.
pub fn validate_reference(reference: &str, requests: &[DeviceRequest], path: &Path<'_>, errors: &mut ErrorList) {
    let (name, alternative) = match reference.split_once('/') {
        None => (reference, None),
        Some((_, alternative)) if alternative.contains('/') => {
            errors.push(FieldError::invalid(path, reference, NO_REQUEST));
            return;
        }
        Some((name, alternative)) => (name, Some(alternative)),
    };
    validate_short_name(name, path, errors);
    if let Some(alternative) = alternative {
        validate_short_name(alternative, path, errors);
    }
    // Of requests with the same name the last one counts.
    let found = requests.iter().rfind(|request| request.name == name).is_some_and(|request| match alternative {
        None => true,
        Some(alternative) => request.first_available.into_iter().flatten().any(|known| known.name == alternative),
    });
    if !found {
        errors.push(FieldError::invalid(path, reference, NO_REQUEST));
    }
}
