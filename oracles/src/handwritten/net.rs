//! Addresses of the Internet protocol, as loosely as Kubernetes has always read them.

use std::borrow::Cow;
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::path::Path;

/// What Kubernetes says of a text that is no address.
const NO_ADDRESS: &str = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";

/// Checks an address in a field that was there before Kubernetes read addresses strictly: leading zeros in IPv4 octets and
/// IPv4-mapped IPv6 addresses pass.
pub fn validate_ip_sloppy(value: &str, path: &Path<'_>, errors: &mut ErrorList) {
    if !is_ip_sloppy(value) {
        errors.push(FieldError::invalid(path, value, Cow::Borrowed(NO_ADDRESS)).with_origin("format=ip-sloppy"));
    }
}

/// Whether `value` is an IPv4 or IPv6 address without zone.
#[must_use]
pub fn is_ip_sloppy(value: &str) -> bool {
    match value.find(['.', ':']) {
        Some(at) if value.as_bytes().get(at) == Some(&b'.') => is_ipv4(value),
        Some(_) => is_ipv6(value),
        None => false,
    }
}

fn is_ipv4(value: &str) -> bool {
    value.split('.').count() == 4
        && value.split('.').all(|octet| {
            !octet.is_empty()
                && octet.bytes().all(|byte| byte.is_ascii_digit())
                && octet.trim_start_matches('0').len() <= 3
                && octet.trim_start_matches('0').parse::<u16>().unwrap_or(0) <= 255
        })
}

fn is_ipv6(value: &str) -> bool {
    let (head, tail) = match value.split_once("::") {
        Some((head, tail)) => (head, Some(tail)),
        None => (value, None),
    };
    // A second gap, or `:::`, leaves an empty group behind.
    let groups = |part: &str, last: bool| -> Option<usize> {
        if part.is_empty() {
            return Some(0);
        }
        let mut count = 0;
        let mut parts = part.split(':').peekable();
        while let Some(group) = parts.next() {
            if last && parts.peek().is_none() && group.contains('.') {
                return is_ipv4(group).then_some(count + 2);
            }
            let digits = group.trim_start_matches('0');
            if group.is_empty() || digits.len() > 4 || !group.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                return None;
            }
            count += 1;
        }
        Some(count)
    };
    match tail {
        None => groups(head, true) == Some(8),
        Some(tail) => match (groups(head, false), groups(tail, true)) {
            (Some(before), Some(after)) => before + after < 8,
            _ => false,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::is_ip_sloppy;

    #[test]
    fn addresses_are_read_loosely() {
        for value in [
            "1.2.3.4",
            "01.002.0.255",
            "::",
            "::1",
            "1::",
            "2001:db8::ffff",
            "::ffff:1.2.3.4",
            "1:2:3:4:5:6:7:8",
            "1:2:3:4:5:6:7::",
            "1:2:3:4:5:6:1.2.3.4",
            "ABCD::",
        ] {
            assert!(is_ip_sloppy(value), "{value}");
        }
        for value in [
            "",
            "x",
            "1.2.3",
            "1.2.3.4.5",
            "1.2.3.256",
            "1.2.3.",
            "1.2.3.-4",
            ":",
            ":::",
            "1:::2",
            "1::2::3",
            "12345::",
            "1:2:3:4:5:6:7",
            "1:2:3:4:5:6:7:8:9",
            "1:2:3:4:5:6:7:8::",
            "fe80::1%eth0",
            "1.2.3.4::",
            "::1.2.3.4:1",
            " ::1",
            "1",
        ] {
            assert!(!is_ip_sloppy(value), "{value}");
        }
    }
}
