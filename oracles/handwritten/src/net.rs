//! Addresses of the Internet protocol and ranges of them, as loosely as Kubernetes has always read them and as strictly as
//! it does today.

use std::borrow::Cow;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::path::Path;

/// What Kubernetes says of a text that is no address.
const NO_ADDRESS: &str = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
/// What Kubernetes says of a text that is no range of addresses.
const NO_CIDR: &str = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";

/// How addresses are read in fields that are older than strict reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addresses {
    /// Without leading zeros in IPv4 octets and without IPv4-mapped IPv6 addresses: since Kubernetes 1.36.
    Strict,
    /// As loosely as ever: before that, and without its feature gate `StrictIPCIDRValidation`.
    Sloppy,
}

/// Checks an address in a field that is older than strict reading. The origin is that of loose reading either way.
pub fn validate_ip(value: &str, addresses: Addresses, path: &Path<'_>, errors: &mut ErrorList) {
    let problem = match addresses {
        Addresses::Strict => ip_problem(value),
        Addresses::Sloppy => (!is_ip_sloppy(value)).then_some(NO_ADDRESS),
    };
    if let Some(problem) = problem {
        errors.push(FieldError::invalid(path, value, Cow::Borrowed(problem)).with_origin("format=ip-sloppy"));
    }
}

/// Whether `value` is an IPv4 or IPv6 address without zone.
#[must_use]
pub fn is_ip_sloppy(value: &str) -> bool {
    parse_ip_sloppy(value).is_some()
}

/// The address that `value` is, leading zeros in its numbers allowed. One that is mapped into IPv6 stays an IPv6 address;
/// [`IpAddr::to_canonical`] tells which family Kubernetes takes it for.
#[must_use]
pub fn parse_ip_sloppy(value: &str) -> Option<IpAddr> {
    value.parse().ok().or_else(|| {
        let mut plain = String::with_capacity(value.len());
        let mut rest = value;
        // A number keeps its digits from the first that is not zero on, or its last zero.
        while !rest.is_empty() {
            let end = rest.find(['.', ':']).unwrap_or(rest.len());
            let (number, more) = rest.split_at(end);
            let digits = number.trim_start_matches('0');
            plain.push_str(if digits.is_empty() && !number.is_empty() { "0" } else { digits });
            let mut separators = more.chars();
            plain.extend(separators.next());
            rest = separators.as_str();
        }
        plain.parse().ok()
    })
}

/// What is wrong with an address that must be one in today's sense, though not in canonical form. `None` when nothing is.
#[must_use]
pub fn ip_problem(value: &str) -> Option<&'static str> {
    match (parse_ip_sloppy(value), value.parse::<IpAddr>()) {
        (None, _) => Some(NO_ADDRESS),
        (Some(_), Err(_)) => Some("must not have leading 0s"),
        (Some(_), Ok(IpAddr::V6(ip))) if ip.to_ipv4_mapped().is_some() => {
            Some("must not be an IPv4-mapped IPv6 address")
        }
        _ => None,
    }
}

/// What is wrong with an address that must be a canonical one.
#[must_use]
pub fn canonical_ip_problem(value: &str) -> Option<Cow<'static, str>> {
    if let Some(problem) = ip_problem(value) {
        return Some(problem.into());
    }
    let canonical = parse_ip_sloppy(value)?.to_canonical().to_string();
    (canonical != value).then(|| format!("must be in canonical form (\"{canonical}\")").into())
}

/// A range of addresses: an address and how many of its leading bits count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cidr {
    address: IpAddr,
    bits: u8,
}

impl Cidr {
    /// Reads a range as loosely as ever: leading zeros in all numbers, and bits beyond the prefix, are fine.
    #[must_use]
    pub fn parse_sloppy(value: &str) -> Option<Self> {
        let (address, bits) = value.split_once('/')?;
        let address = parse_ip_sloppy(address)?;
        if bits.is_empty() || !bits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let digits = bits.trim_start_matches('0');
        let bits = if digits.is_empty() { 0 } else { digits.parse().ok()? };
        (bits <= width(address)).then_some(Self { address, bits })
    }

    /// Whether `inner` is part of this range and smaller, by the addresses' families and the written prefixes.
    #[must_use]
    pub fn strictly_contains(&self, inner: &Self) -> bool {
        let inside = match (self.address.to_canonical(), inner.address.to_canonical()) {
            (IpAddr::V4(outer), IpAddr::V4(address)) => {
                let bits = if self.address.is_ipv6() { self.bits.saturating_sub(96) } else { self.bits };
                let kept = if inner.address.is_ipv6() { inner.bits.saturating_sub(96) } else { inner.bits };
                mask_v4(outer, bits) == mask_v4(address, bits.min(kept))
            }
            (IpAddr::V6(outer), IpAddr::V6(address)) => {
                mask_v6(outer, self.bits) == mask_v6(address, self.bits.min(inner.bits))
            }
            _ => false,
        };
        inside && self.bits < inner.bits
    }

    fn has_more_bits(&self) -> bool {
        match self.address {
            IpAddr::V4(address) => mask_v4(address, self.bits) != u32::from(address),
            IpAddr::V6(address) => mask_v6(address, self.bits) != u128::from(address),
        }
    }
}

/// Checks a range in a field that was there before Kubernetes read ranges strictly. Values of `tolerated`, those of the
/// stored object, pass whatever they are.
pub fn validate_cidr(value: &str, addresses: Addresses, tolerated: &[&str], path: &Path<'_>, errors: &mut ErrorList) {
    if tolerated.contains(&value) {
        return;
    }
    let problem = match addresses {
        Addresses::Strict => cidr_problem(value),
        Addresses::Sloppy => Cidr::parse_sloppy(value).is_none().then_some(NO_CIDR),
    };
    if let Some(problem) = problem {
        errors.push(FieldError::invalid(path, value, problem));
    }
}

fn cidr_problem(value: &str) -> Option<&'static str> {
    let Some(cidr) = Cidr::parse_sloppy(value) else { return Some(NO_CIDR) };
    let (address, bits) = value.split_once('/')?;
    if address.parse::<IpAddr>().is_err() || (bits.len() > 1 && bits.starts_with('0')) {
        return Some("must not have leading 0s in IP or prefix length");
    }
    match cidr.address {
        IpAddr::V6(ip) if ip.to_ipv4_mapped().is_some() => Some("must not have an IPv4-mapped IPv6 address"),
        _ if cidr.has_more_bits() => Some("must not have bits set beyond the prefix length"),
        _ => None,
    }
}

fn width(address: IpAddr) -> u8 {
    if address.is_ipv4() { 32 } else { 128 }
}

fn mask_v4(address: Ipv4Addr, bits: u8) -> u32 {
    u32::from(address) & u32::MAX.checked_shl(32 - u32::from(bits)).unwrap_or(0)
}

fn mask_v6(address: Ipv6Addr, bits: u8) -> u128 {
    u128::from(address) & u128::MAX.checked_shl(128 - u32::from(bits)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_loosely() {
        for value in [
            "1.2.3.4",
            "01.002.0.255",
            "000.0.0.0001",
            "::",
            "::1",
            "1::",
            "2001:db8::ffff",
            "0002001:db8::00000",
            "::ffff:1.2.3.4",
            "::ffff:01.2.3.4",
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
            "01.2..4",
            "1.2.3.-4",
            ":",
            ":::",
            "0:::0",
            "1:::2",
            "1::2::3",
            "12345::",
            "1:2:3:4:5:6:7",
            "1:2:3:4:5:6:7:8:9",
            "1:2:3:4:5:6:7:8::",
            "fe80::1%eth0",
            "fe80::01%eth0",
            "1.2.3.4::",
            "::1.2.3.4:1",
            " ::1",
            "1",
            "01.2.3.é",
        ] {
            assert!(!is_ip_sloppy(value), "{value}");
        }
    }

    #[test]
    fn old_fields_read_addresses_strictly_unless_told_otherwise() {
        for (value, strict, sloppy) in [
            ("10.0.0.1", "", ""),
            ("2001:DB8:0::1", "", ""),
            ("010.0.0.1", "must not have leading 0s", ""),
            ("::ffff:10.0.0.1", "must not be an IPv4-mapped IPv6 address", ""),
            ("10.0.0", NO_ADDRESS, NO_ADDRESS),
            ("", NO_ADDRESS, NO_ADDRESS),
        ] {
            for (addresses, problem) in [(Addresses::Strict, strict), (Addresses::Sloppy, sloppy)] {
                let mut errors = ErrorList::new();
                validate_ip(value, addresses, &Path::ROOT.child("ip"), &mut errors);
                let found: Vec<_> = errors.iter().map(|error| (error.detail.as_ref(), error.origin.as_ref())).collect();
                let expected: Vec<_> =
                    (!problem.is_empty()).then_some((problem, "format=ip-sloppy")).into_iter().collect();
                assert_eq!(found, expected, "{value} {addresses:?}");
            }
        }
    }

    #[test]
    fn canonical_addresses_are_written_in_one_way() {
        for (value, problem) in [
            ("10.9.8.7", ""),
            ("2001:db8::1", ""),
            ("010.9.8.7", "must not have leading 0s"),
            ("::ffff:1.2.3.4", "must not be an IPv4-mapped IPv6 address"),
            ("2001:DB8::1", "must be in canonical form (\"2001:db8::1\")"),
            ("2001:db8:0:0:0:0:0:1", "must be in canonical form (\"2001:db8::1\")"),
            ("1:0:0:2:0:0:0:3", "must be in canonical form (\"1:0:0:2::3\")"),
            ("x", NO_ADDRESS),
        ] {
            assert_eq!(canonical_ip_problem(value).unwrap_or_default(), problem, "{value}");
        }
    }

    #[test]
    fn ranges_must_be_written_plainly() {
        for (value, problem) in [
            ("10.0.0.0/8", ""),
            ("0.0.0.0/0", ""),
            ("2001:db8::/32", ""),
            ("::1/128", ""),
            ("10.0.0.0", NO_CIDR),
            ("10.0.0.0/", NO_CIDR),
            ("10.0.0.0/33", NO_CIDR),
            ("10.0.0.0/+8", NO_CIDR),
            ("10.0.0.0/8/8", NO_CIDR),
            ("/8", NO_CIDR),
            ("10.0.0.0/08", "must not have leading 0s in IP or prefix length"),
            ("010.0.0.0/8", "must not have leading 0s in IP or prefix length"),
            ("::ffff:10.0.0.0/104", "must not have an IPv4-mapped IPv6 address"),
            ("10.0.0.1/8", "must not have bits set beyond the prefix length"),
            ("2001:db8::1/64", "must not have bits set beyond the prefix length"),
        ] {
            assert_eq!(cidr_problem(value).unwrap_or_default(), problem, "{value}");
        }
    }

    #[test]
    fn ranges_contain_smaller_ones_of_their_family() {
        for (outer, inner, expected) in [
            ("10.0.0.0/8", "10.1.0.0/16", true),
            ("10.0.0.0/8", "10.0.0.0/8", false),
            ("10.0.0.0/8", "0.0.0.0/0", false),
            ("10.0.0.0/8", "11.0.0.0/16", false),
            ("0.0.0.0/0", "10.0.0.0/8", true),
            ("10.0.0.7/8", "10.1.2.3/9", true),
            ("2001:db8::/32", "2001:db8:1::/48", true),
            ("2001:db8::/32", "2001:db9::/48", false),
            ("::/0", "10.0.0.0/8", false),
            ("10.0.0.0/8", "::ffff:10.1.0.0/112", true),
            ("::ffff:10.0.0.0/104", "10.1.0.0/16", false),
        ] {
            let parse = |value| Cidr::parse_sloppy(value).ok_or(value);
            assert_eq!(
                parse(outer).and_then(|outer| Ok(outer.strictly_contains(&parse(inner)?))),
                Ok(expected),
                "{outer} {inner}"
            );
        }
    }
}
