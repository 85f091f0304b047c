//! Which devices a claim got.

use super::binding::validate_binding;
use super::claim_spec::CONFIGURATION_LIMIT;
use super::configuration::{Age, validate_configuration};
use super::lists::within;
use super::names::{validate_pool_name, validate_share_id, validate_short_name};
use super::request::{validate_reference, validate_references};
use crate::core::v1::scheduling::validate_node_selector;
use crate::driver::validate_driver_name;
use crate::report::{Covered, not_supported};
use crate::selector::SelectorValues;
use crate::types::resource::v1::{
    AllocationResult, DeviceAllocationConfiguration, DeviceRequest, DeviceRequestAllocationResult,
};
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::path::Path;

/// Most devices of an allocation.
const RESULT_LIMIT: usize = 32;

/// Checks a new allocation for `requests`.
pub fn validate_allocation(
    allocation: &AllocationResult,
    requests: &[DeviceRequest],
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    if let Some(devices) = allocation.devices {
        let path = path.child("devices");
        let (results, at) = (devices.results.unwrap_or_default(), path.child("results"));
        if within(results.len(), RESULT_LIMIT, Covered::Yes, &at, errors) {
            for (index, result) in results.iter().enumerate() {
                validate_result(result, requests, &at.index(index), errors);
            }
        }
        // A class may bring as many configurations as a claim.
        let (config, at) = (devices.config.unwrap_or_default(), path.child("config"));
        if within(config.len(), 2 * CONFIGURATION_LIMIT, Covered::Yes, &at, errors) {
            for (index, configuration) in config.iter().enumerate() {
                validate_source(configuration, requests, &at.index(index), errors);
            }
        }
    }
    if let Some(selector) = allocation.node_selector {
        validate_node_selector(selector, SelectorValues::Checked, &path.child("nodeSelector"), errors);
    }
}

fn validate_result(
    result: &DeviceRequestAllocationResult,
    requests: &[DeviceRequest],
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    validate_reference(result.request, requests, &path.child("request"), errors);
    validate_driver_name(result.driver, Covered::Yes, &path.child("driver"), errors);
    validate_pool_name(result.pool, Covered::Yes, &path.child("pool"), errors);
    validate_short_name(result.device, &path.child("device"), errors);
    validate_binding(result.binding_conditions, result.binding_failure_conditions, path, errors);
    if let Some(id) = result.share_id {
        validate_share_id(id, &path.child("shareID"), errors);
    }
}

fn validate_source(
    configuration: &DeviceAllocationConfiguration,
    requests: &[DeviceRequest],
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let at = path.child("source");
    match configuration.source {
        "" => errors.push(FieldError::required(&at, "").covered()),
        "FromClass" | "FromClaim" => {}
        source => errors.push(not_supported(&at, source, &["FromClaim", "FromClass"]).covered()),
    }
    validate_references(configuration.requests, requests, &path.child("requests"), errors);
    validate_configuration(configuration.opaque, Age::New, path, errors);
}
