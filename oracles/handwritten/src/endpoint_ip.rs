//! Addresses at which something answers: those of endpoints, and the external ones of services.

use super::net::parse_ip_sloppy;
use std::net::IpAddr;
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::path::Path;

/// Checks an address at which something answers. What it says of a text that is no address comes beside what the field
/// itself says.
pub fn validate_endpoint_ip(value: &str, path: &Path<'_>, errors: &mut ErrorList) {
    match parse_ip_sloppy(value) {
        Some(ip) => validate_reachable(ip.to_canonical(), value, path, errors),
        None => {
            let error = FieldError::invalid(path, value, "must be a valid IP address");
            errors.push(error.with_origin("format=ip-sloppy"));
        }
    }
}

/// Reports addresses of ranges that no endpoint can have. The address is written as `value`.
pub fn validate_reachable(ip: IpAddr, value: &str, path: &Path<'_>, errors: &mut ErrorList) {
    let (loopback, link, multicast) = match ip {
        IpAddr::V4(ip) => (ip.is_loopback(), ip.is_link_local(), matches!(ip.octets(), [224, 0, 0, _])),
        IpAddr::V6(ip) => {
            (ip.is_loopback(), ip.is_unicast_link_local(), matches!(ip.octets(), [0xff, scope, ..] if scope & 0xf == 2))
        }
    };
    let mut special = |detail: String| {
        errors.push(FieldError::invalid(path, value, detail).with_origin("format=endpoint-ip"));
    };
    if ip.is_unspecified() {
        special(format!("may not be unspecified ({value})"));
    }
    if loopback {
        special("may not be in the loopback range (127.0.0.0/8, ::1/128)".to_owned());
    }
    if link {
        special("may not be in the link-local range (169.254.0.0/16, fe80::/10)".to_owned());
    }
    if multicast {
        special("may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)".to_owned());
    }
}
