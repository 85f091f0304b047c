//! The spec of a claim, which templates embed.

use super::configuration::{Age, validate_configuration};
use super::lists::within;
use super::names::validate_fully_qualified_name;
use super::request::{validate_references, validate_requests};
use super::selector;
use crate::report::Covered;
use crate::types::resource::v1::{DeviceClaim, DeviceConstraint, DeviceRequest, ResourceClaimSpec};
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::pair::Delegated;
use takeover_harness::path::Path;

/// Most constraints of a claim.
const CONSTRAINT_LIMIT: usize = 32;
/// Most configurations of a claim.
pub const CONFIGURATION_LIMIT: usize = 32;

/// Checks the spec of a new claim.
pub fn validate_claim_spec(spec: &ResourceClaimSpec, path: &Path<'_>, errors: &mut ErrorList) {
    let devices = &spec.devices;
    let path = path.child("devices");
    let requests = devices.requests;
    validate_requests(requests, &path.child("requests"), errors);
    validate_constraints(devices, requests, &path.child("constraints"), errors);
    let at = path.child("config");
    let config = devices.config.unwrap_or_default();
    if within(config.len(), CONFIGURATION_LIMIT, Covered::Yes, &at, errors) {
        for (index, configuration) in config.iter().enumerate() {
            let at = at.index(index);
            validate_references(configuration.requests, requests, &at.child("requests"), errors);
            validate_configuration(configuration.opaque, Age::New, &at, errors);
        }
    }
}

fn validate_constraints(devices: &DeviceClaim, requests: &[DeviceRequest], path: &Path<'_>, errors: &mut ErrorList) {
    let constraints = devices.constraints.unwrap_or_default();
    if !within(constraints.len(), CONSTRAINT_LIMIT, Covered::Yes, path, errors) {
        return;
    }
    for (index, constraint) in constraints.iter().enumerate() {
        validate_constraint(constraint, requests, &path.index(index), errors);
    }
}

/// Where both attributes are set, only the first is looked at, as in Kubernetes; its message for none is about several.
fn validate_constraint(
    constraint: &DeviceConstraint,
    requests: &[DeviceRequest],
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    validate_references(constraint.requests, requests, &path.child("requests"), errors);
    match (constraint.match_attribute, constraint.distinct_attribute) {
        (Some(name), _) => validate_fully_qualified_name(name, Covered::Yes, &path.child("matchAttribute"), errors),
        (None, Some(name)) => {
            validate_fully_qualified_name(name, Covered::No, &path.child("distinctAttribute"), errors);
        }
        (None, None) => {
            let detail =
                "exactly one of \"matchAttribute\" or \"distinctAttribute\" is required, but multiple fields are set";
            errors.push(FieldError::required(path, detail));
        }
    }
}

/// Admin access to a device, which is not judged.
#[must_use]
pub fn admin_access(device: &str) -> Delegated {
    Delegated {
        path: format!("{device}.adminAccess"),
        reason: "a label of the namespace allows admin access".to_owned(),
    }
}

/// What [`validate_claim_spec`] leaves out of the spec at the path pattern `spec`.
#[must_use]
pub fn delegated(spec: &str) -> Vec<Delegated> {
    let request = format!("{spec}.devices.requests[*]");
    vec![
        selector::delegated(&format!("{request}.exactly.selectors")),
        selector::delegated(&format!("{request}.firstAvailable[*].selectors")),
        // Kubernetes reports it there for templates too.
        admin_access("spec.devices.requests[*]"),
    ]
}
