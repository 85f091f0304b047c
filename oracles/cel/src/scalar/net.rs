//! IP addresses and ranges, read as Go's `netip` does.

use super::text::quoted;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A range of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cidr {
    /// The address as written.
    pub address: IpAddr,
    /// Length of the prefix, in bits.
    pub bits: u8,
}

impl fmt::Display for Cidr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.bits)
    }
}

impl Cidr {
    /// The range with all bits behind the prefix zero.
    #[must_use]
    pub fn masked(self) -> Self {
        Self { address: masked(self.address, self.bits), bits: self.bits }
    }

    /// Whether an address is in it.
    #[must_use]
    pub fn contains(self, address: IpAddr) -> bool {
        self.address.is_ipv4() == address.is_ipv4() && masked(self.address, self.bits) == masked(address, self.bits)
    }

    /// Whether a whole range is in it.
    #[must_use]
    pub fn contains_range(self, other: Self) -> bool {
        self.bits <= other.bits && self.contains(other.address)
    }
}

fn masked(address: IpAddr, bits: u8) -> IpAddr {
    match address {
        IpAddr::V4(address) => {
            let mask = u32::MAX.checked_shl(32 - u32::from(bits.min(32))).unwrap_or(0);
            Ipv4Addr::from(u32::from(address) & mask).into()
        }
        IpAddr::V6(address) => {
            let mask = u128::MAX.checked_shl(128 - u32::from(bits.min(128))).unwrap_or(0);
            Ipv6Addr::from(u128::from(address) & mask).into()
        }
    }
}

/// Reads an address as `ip()` does.
///
/// # Errors
/// Returns the text of the error.
pub fn parse_ip(text: &str) -> Result<IpAddr, String> {
    let (address, zone) = parse_address(text)
        .map_err(|error| format!("IP Address {} parse error during conversion from string: {error}", quoted(text)))?;
    if zone {
        return Err(format!("IP address {} with zone value is not allowed", quoted(text)));
    }
    if is_mapped(address) {
        return Err(format!("IPv4-mapped IPv6 address {} is not allowed", quoted(text)));
    }
    Ok(address)
}

fn is_mapped(address: IpAddr) -> bool {
    matches!(address, IpAddr::V6(address) if address.to_ipv4_mapped().is_some())
}

/// Reads a range as `cidr()` does.
///
/// # Errors
/// Returns the text of the error.
pub fn parse_cidr(text: &str) -> Result<Cidr, String> {
    let cidr = parse_prefix(text).map_err(|error| {
        format!(
            "network address parse error during conversion from string: netip.ParsePrefix({}): {error}",
            quoted(text)
        )
    })?;
    if is_mapped(cidr.address) {
        return Err(format!("IPv4-mapped IPv6 address {} is not allowed", quoted(text)));
    }
    Ok(cidr)
}

fn parse_prefix(text: &str) -> Result<Cidr, String> {
    let (address, bits) = text.rsplit_once('/').ok_or("no '/'")?;
    let (address, zone) = parse_address(address)?;
    if zone {
        return Err("IPv6 zones cannot be present in a prefix".to_owned());
    }
    let bad = || format!("bad bits after slash: {}", quoted(bits));
    if bits.len() > 1 && !matches!(bits.as_bytes().first(), Some(b'1'..=b'9')) {
        return Err(bad());
    }
    if bits.is_empty() || !bits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(bad());
    }
    let longest = if address.is_ipv4() { 32 } else { 128 };
    match bits.parse::<i64>() {
        Err(_) => Err(bad()),
        Ok(bits) => match u8::try_from(bits) {
            Ok(bits) if bits <= longest => Ok(Cidr { address, bits }),
            _ => Err("prefix length out of range".to_owned()),
        },
    }
}

/// The address, and whether it has a zone.
fn parse_address(text: &str) -> Result<(IpAddr, bool), String> {
    let failed = |(message, at): (&str, &str)| match at {
        "" => format!("ParseAddr({}): {message}", quoted(text)),
        at => format!("ParseAddr({}): {message} (at {})", quoted(text), quoted(at)),
    };
    match text.bytes().find(|byte| matches!(byte, b'.' | b':' | b'%')) {
        Some(b'.') => Ok((Ipv4Addr::from(four(text).map_err(failed)?).into(), false)),
        Some(b':') => six(text).map_err(failed),
        Some(_) => Err(failed(("missing IPv6 address", ""))),
        None => Err(failed(("unable to parse IP", ""))),
    }
}

type Failure<'t> = (&'static str, &'t str);

fn four(text: &str) -> Result<[u8; 4], Failure<'_>> {
    let mut fields = [0u8; 4];
    let (mut value, mut digits, mut field) = (0u32, 0, 0);
    let bytes = text.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        let rest = || text.get(at..).unwrap_or_default();
        match byte {
            b'0'..=b'9' => {
                if digits == 1 && value == 0 {
                    return Err(("IPv4 field has octet with leading zero", ""));
                }
                value = value * 10 + u32::from(byte - b'0');
                digits += 1;
                if value > 255 {
                    return Err(("IPv4 field has value >255", ""));
                }
            }
            b'.' => {
                if at == 0 || at + 1 == bytes.len() || bytes.get(at - 1) == Some(&b'.') {
                    return Err(("IPv4 field must have at least one digit", rest()));
                }
                if field == 3 {
                    return Err(("IPv4 address too long", ""));
                }
                if let Some(place) = fields.get_mut(field) {
                    *place = u8::try_from(value).unwrap_or(u8::MAX);
                }
                field += 1;
                (value, digits) = (0, 0);
            }
            _ => return Err(("unexpected character", rest())),
        }
    }
    if field < 3 {
        return Err(("IPv4 address too short", ""));
    }
    if let Some(place) = fields.get_mut(3) {
        *place = u8::try_from(value).unwrap_or(u8::MAX);
    }
    Ok(fields)
}

fn six(text: &str) -> Result<(IpAddr, bool), Failure<'_>> {
    let (mut rest, zone) = match text.split_once('%') {
        Some((_, "")) => return Err(("zone must be a non-empty string", "")),
        Some((address, _)) => (address, true),
        None => (text, false),
    };
    let mut bytes: Vec<u8> = Vec::with_capacity(16);
    let mut ellipsis = None;
    if let Some(after) = rest.strip_prefix("::") {
        ellipsis = Some(0);
        rest = after;
        if rest.is_empty() {
            return Ok((Ipv6Addr::UNSPECIFIED.into(), zone));
        }
    }
    while bytes.len() < 16 {
        let digits = rest.bytes().take_while(u8::is_ascii_hexdigit).count();
        if digits > 4 {
            return Err(("each group must have 4 or less digits", rest));
        }
        if digits == 0 {
            return Err(("each colon-separated field must have at least one digit", rest));
        }
        let (group, after) = rest.split_at(digits);
        if after.starts_with('.') {
            if ellipsis.is_none() && bytes.len() != 12 {
                return Err(("embedded IPv4 address must replace the final 2 fields of the address", rest));
            }
            if bytes.len() + 4 > 16 {
                return Err(("too many hex fields to fit an embedded IPv4 at the end of the address", rest));
            }
            bytes.extend(four(rest)?);
            rest = "";
            break;
        }
        bytes.extend(u16::from_str_radix(group, 16).unwrap_or_default().to_be_bytes());
        rest = after;
        if rest.is_empty() {
            break;
        }
        let Some(after) = rest.strip_prefix(':') else { return Err(("unexpected character, want colon", rest)) };
        if after.is_empty() {
            return Err(("colon must be followed by more characters", rest));
        }
        rest = after;
        if let Some(after) = rest.strip_prefix(':') {
            if ellipsis.is_some() {
                return Err(("multiple :: in address", rest));
            }
            ellipsis = Some(bytes.len());
            rest = after;
            if rest.is_empty() {
                break;
            }
        }
    }
    if !rest.is_empty() {
        return Err(("trailing garbage after address", rest));
    }
    match ellipsis {
        None if bytes.len() < 16 => return Err(("address string too short", "")),
        Some(_) if bytes.len() == 16 => return Err(("the :: must expand to at least one field of zeros", "")),
        Some(at) => {
            let zeros = 16 - bytes.len();
            bytes.splice(at..at, std::iter::repeat_n(0, zeros));
        }
        None => {}
    }
    let bytes: [u8; 16] = bytes.try_into().unwrap_or_default();
    Ok((Ipv6Addr::from(bytes).into(), zone))
}

/// Within this host's link.
pub(crate) fn is_link_local_unicast(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.is_link_local(),
        IpAddr::V6(address) => address.is_unicast_link_local(),
    }
}

/// To all hosts of the link.
pub(crate) fn is_link_local_multicast(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => matches!(address.octets(), [224, 0, 0, _]),
        IpAddr::V6(address) => address.segments().first().is_some_and(|first| first & 0xff0f == 0xff02),
    }
}

/// As Go's `IsGlobalUnicast`, which takes private addresses in.
pub(crate) fn is_global_unicast(address: IpAddr) -> bool {
    let broadcast = matches!(address, IpAddr::V4(address) if address.is_broadcast());
    !broadcast
        && !address.is_unspecified()
        && !address.is_loopback()
        && !address.is_multicast()
        && !is_link_local_unicast(address)
}
