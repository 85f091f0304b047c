//! What drivers say about allocated devices.

use super::configuration::{Age, validate_raw};
use super::lists::{no_duplicates, within};
use super::names::{validate_pool_name, validate_share_id, validate_short_name};
use crate::conditions::validate_conditions;
use crate::driver::validate_driver_name;
use crate::net::parse_ip_sloppy;
use crate::report::{Covered, text, too_long};
use crate::types::resource::v1::{AllocatedDeviceStatus, AllocationResult, NetworkDeviceData};
use serde_json::json;
use std::net::IpAddr;
use takeover_harness::error::{BadValue, ErrorList, ErrorType, FieldError};
use takeover_harness::object::Json;
use takeover_harness::path::Path;

/// Most conditions of a device.
const CONDITION_LIMIT: usize = 8;
/// Longest data of a driver, in bytes of JSON.
const DATA_LIMIT: usize = 10 * 1024;
/// Most addresses of a network device.
const ADDRESS_LIMIT: usize = 16;
/// Longest name of a network interface, in bytes.
const INTERFACE_LIMIT: usize = 256;
/// Longest hardware address, in bytes.
const HARDWARE_LIMIT: usize = 128;
/// Bits by which an IPv4 address is shorter than its IPv6 form.
const MAPPED_BITS: u8 = 96;

/// Driver, pool, device and share: what tells devices apart. No share and an empty one are the same.
type DeviceId<'a> = (&'a str, &'a str, &'a str, &'a str);

/// Checks the statuses of devices, which must be of `allocation`.
pub fn validate_device_statuses(
    statuses: &[AllocatedDeviceStatus],
    allocation: Option<&AllocationResult>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let results = allocation.and_then(|allocation| allocation.devices).and_then(|devices| devices.results);
    let allocated: Vec<DeviceId<'_>> = results
        .into_iter()
        .flatten()
        .map(|result| (result.driver, result.pool, result.device, text(result.share_id)))
        .collect();
    for (index, status) in statuses.iter().enumerate() {
        let at = path.index(index);
        if !allocated.contains(&id(status)) {
            let detail = "must be an allocated device in the claim";
            errors.push(FieldError::invalid(&at, printed(id(status)), detail));
        }
        validate_device_status(status, &at, errors);
    }
    no_duplicates(statuses.iter().map(id), printed, Covered::Yes, path, errors);
}

fn id<'a>(status: &AllocatedDeviceStatus<'a>) -> DeviceId<'a> {
    (status.driver, status.pool, status.device, text(status.share_id))
}

fn printed((driver, pool, device, share): DeviceId<'_>) -> BadValue {
    BadValue::json(json!({"Driver": driver, "Pool": pool, "Device": device, "ShareID": share}))
}

fn validate_device_status(status: &AllocatedDeviceStatus, path: &Path<'_>, errors: &mut ErrorList) {
    validate_driver_name(status.driver, Covered::No, &path.child("driver"), errors);
    validate_pool_name(status.pool, Covered::No, &path.child("pool"), errors);
    validate_short_name(status.device, &path.child("device"), errors);
    if let Some(id) = status.share_id {
        validate_share_id(id, &path.child("shareID"), errors);
    }
    let (conditions, at) = (status.conditions, path.child("conditions"));
    if conditions.len() > CONDITION_LIMIT {
        let detail = format!("must have at most {CONDITION_LIMIT} items");
        errors.push(FieldError::new(ErrorType::TooMany, &at, conditions.len(), detail));
    }
    validate_conditions(conditions, &at, errors);
    if let Some(data) = status.data.filter(|data| **data != Json::Null) {
        validate_raw(data, DATA_LIMIT, Age::New, &path.child("data"), errors);
    }
    if let Some(network) = status.network_data {
        validate_network(network, &path.child("networkData"), errors);
    }
}

fn validate_network(network: &NetworkDeviceData, path: &Path<'_>, errors: &mut ErrorList) {
    let texts = [
        ("interfaceName", network.interface_name, INTERFACE_LIMIT),
        ("hardwareAddress", network.hardware_address, HARDWARE_LIMIT),
    ];
    for (member, value, limit) in texts {
        if text(value).len() > limit {
            errors.push(too_long(&path.child(member), limit).with_origin("maxBytes").covered());
        }
    }
    let (addresses, at) = (network.ips.unwrap_or_default(), path.child("ips"));
    if within(addresses.len(), ADDRESS_LIMIT, Covered::Yes, &at, errors) {
        for (index, address) in addresses.iter().enumerate() {
            validate_interface_address(address, &at.index(index), errors);
        }
        no_duplicates(addresses.iter().copied(), BadValue::from, Covered::Yes, &at, errors);
    }
}

/// Checks an address of an interface with the length of its network's prefix, in canonical form.
fn validate_interface_address(value: &str, path: &Path<'_>, errors: &mut ErrorList) {
    let detail = match canonical(value) {
        Some(canonical) if canonical == value => return,
        Some(canonical) => format!("must be in canonical form ({})", BadValue::from(canonical)),
        None => "must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)".to_owned(),
    };
    errors.push(FieldError::invalid(path, value, detail));
}

/// The canonical form of an address with the length of a prefix; an IPv4 address mapped into IPv6 becomes a plain one.
fn canonical(value: &str) -> Option<String> {
    let (address, length) = value.split_once('/')?;
    let address = parse_ip_sloppy(address)?;
    if length.is_empty() || !length.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let digits = length.trim_start_matches('0');
    let length: u8 = if digits.is_empty() { 0 } else { digits.parse().ok()? };
    let (width, plain) = (if address.is_ipv4() { 32 } else { 128 }, address.to_canonical());
    if length > width {
        return None;
    }
    let shortened = matches!(plain, IpAddr::V4(_)) && length > 32;
    let length = if shortened { length.saturating_sub(MAPPED_BITS) } else { length };
    Some(format!("{plain}/{length}"))
}

#[cfg(test)]
mod tests {
    use super::canonical;

    #[test]
    fn addresses_of_interfaces_have_a_canonical_form() {
        for (value, expected) in [
            ("192.168.1.5/24", Some("192.168.1.5/24")),
            ("192.168.001.5/024", Some("192.168.1.5/24")),
            ("2001:DB8::0:1/64", Some("2001:db8::1/64")),
            ("::ffff:192.168.0.1/120", Some("192.168.0.1/24")),
            ("::ffff:192.168.0.1/24", Some("192.168.0.1/24")),
            ("10.0.0.1/33", None),
            ("10.0.0.1", None),
            ("10.0.0.1/", None),
            ("10.0.0.1/+1", None),
            ("x/1", None),
        ] {
            assert_eq!(canonical(value).as_deref(), expected, "{value}");
        }
    }
}
