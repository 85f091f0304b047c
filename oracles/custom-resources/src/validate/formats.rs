//! Formats of texts and numbers, as kube-openapi knows them.

use super::mail;
use crate::structural::{SchemaType, Structural};
use regex::Regex;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::LazyLock;

/// The formats of texts, without dashes.
pub(crate) const TEXTS: [&str; 26] = [
    "bsonobjectid",
    "uri",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "cidr",
    "mac",
    "uuid",
    "uuid3",
    "uuid4",
    "uuid5",
    "isbn",
    "isbn10",
    "isbn13",
    "creditcard",
    "ssn",
    "hexcolor",
    "rgbcolor",
    "byte",
    "password",
    "date",
    "duration",
    "datetime",
    "k8sshortname",
    "k8slongname",
];

/// The format of a schema, if servers know it for its type.
pub(crate) fn kept(node: &Structural) -> Option<&str> {
    let format = node.checks.format.as_deref()?;
    let known = match node.ty {
        _ if node.int_or_string => is_of_texts(format),
        Some(SchemaType::String) | None => is_of_texts(format),
        Some(SchemaType::Integer) => matches!(format, "int32" | "int64"),
        Some(SchemaType::Number) => matches!(format, "float" | "double"),
        Some(SchemaType::Array | SchemaType::Boolean | SchemaType::Object) => false,
    };
    known.then_some(format)
}

/// Whether it is a format of texts.
pub(super) fn is_of_texts(format: &str) -> bool {
    match format.contains('-') {
        true => TEXTS.contains(&format.replace('-', "").as_str()),
        false => TEXTS.contains(&format),
    }
}

/// A pattern of this file; none, which matches nothing, only if it were wrong.
type Known = LazyLock<Option<Regex>>;

macro_rules! known {
    ($name:ident = $pattern:expr) => {
        static $name: Known = LazyLock::new(|| Regex::new($pattern).ok());
    };
}

known!(OBJECT_ID = "^[0-9a-fA-F]{24}$");
known!(UUID = "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$");
known!(UUID3 = "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$");
known!(UUID4 = "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$");
known!(UUID5 = "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$");
known!(ISBN10 = "^(?:[0-9]{9}X|[0-9]{10})$");
known!(ISBN13 = "^(?:[0-9]{13})$");
known!(SSN = r"^[0-9]{3}[- ]?[0-9]{2}[- ]?[0-9]{4}$");
known!(HEX_COLOR = "^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$");
known!(
    RGB_COLOR = r"^rgb\([\t\n\f\r ]*(0|[1-9][0-9]?|1[0-9][0-9]?|2[0-4][0-9]|25[0-5])[\t\n\f\r ]*,[\t\n\f\r ]*(0|[1-9][0-9]?|1[0-9][0-9]?|2[0-4][0-9]|25[0-5])[\t\n\f\r ]*,[\t\n\f\r ]*(0|[1-9][0-9]?|1[0-9][0-9]?|2[0-4][0-9]|25[0-5])[\t\n\f\r ]*\)$"
);
known!(
    CREDIT_CARD = "^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35[0-9]{3})[0-9]{11})$"
);
known!(
    HOSTNAME = "^([a-zA-Z0-9\\p{S}\\p{L}]((-?[a-zA-Z0-9\\p{S}\\p{L}]{0,62})?)|([a-zA-Z0-9\\p{S}\\p{L}](([a-zA-Z0-9-\\p{S}\\p{L}]{0,61}[a-zA-Z0-9\\p{S}\\p{L}])?)(\\.)){1,}([a-zA-Z\\p{L}]){2,63})$"
);
known!(DATE_TIME = r"(?i)^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$");
known!(LABEL = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$");
known!(
    DURATION = "[0-9]+[\\t\\n\\f\\r ]*(?:nanoseconds?|nano[a-z]*|ns|microseconds?|micro[a-z]*|us|\u{b5}s|milliseconds?|milli[a-z]*|ms|seconds?|sec[a-z]*|s|minutes?|min[a-z]*|m|hours?|hour[a-z]*|hrs?|h|days?|day[a-z]*|d|weeks?|week[a-z]*|wk|w)"
);

fn matches(pattern: &Known, text: &str) -> bool {
    pattern.as_ref().is_some_and(|pattern| pattern.is_match(text))
}

/// Whether a text is of a format. Formats that are not known accept everything.
pub(super) fn accepts(format: &str, text: &str) -> bool {
    match format.replace('-', "").as_str() {
        "bsonobjectid" => matches(&OBJECT_ID, text),
        "uri" => is_request_uri(text),
        "email" => mail::is_address(text),
        "hostname" => matches(&HOSTNAME, text) && text.len() <= 255 && text.split('.').all(|label| label.len() <= 63),
        "ipv4" => parse_ip(text).is_some() && text.contains('.'),
        "ipv6" => parse_ip(text).is_some() && text.contains(':'),
        "cidr" => is_cidr(text),
        "mac" => is_mac(text),
        "uuid" => matches(&UUID, text),
        "uuid3" => matches(&UUID3, text),
        "uuid4" => matches(&UUID4, text),
        "uuid5" => matches(&UUID5, text),
        "isbn" => is_isbn10(text) || is_isbn13(text),
        "isbn10" => is_isbn10(text),
        "isbn13" => is_isbn13(text),
        "creditcard" => is_credit_card(text),
        "ssn" => matches(&SSN, text),
        "hexcolor" => matches(&HEX_COLOR, text),
        "rgbcolor" => matches(&RGB_COLOR, text),
        "byte" => is_base64(text),
        "date" => is_date(text),
        "datetime" => is_date_time(text),
        "duration" => is_duration(text),
        "k8sshortname" => text.len() <= 63 && matches(&LABEL, text),
        "k8slongname" => text.len() <= 253 && text.split('.').all(|label| matches(&LABEL, label)),
        _ => true,
    }
}

fn is_base64(text: &str) -> bool {
    let text: Vec<u8> = text.bytes().filter(|byte| !matches!(byte, b'\r' | b'\n')).collect();
    let padding = text.iter().rev().take_while(|byte| **byte == b'=').count();
    let digits = text.len().saturating_sub(padding);
    !text.is_empty()
        && text.len().is_multiple_of(4)
        && padding <= 2
        && text.iter().take(digits).all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'))
}

/// Decimal digits only, so many of them.
fn digits<T: std::str::FromStr>(text: &str, count: usize) -> Option<T> {
    (text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
}

fn is_date(text: &str) -> bool {
    let mut parts = text.splitn(3, '-');
    let (year, month, day) = (parts.next(), parts.next(), parts.next());
    let number = |text: Option<&str>, count| text.and_then(|text| digits::<u32>(text, count));
    let (Some(year), Some(month), Some(day)) = (number(year, 4), number(month, 2), number(day, 2)) else {
        return false;
    };
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        1..=12 => 31,
        _ => return false,
    };
    (1..=days).contains(&day)
}

fn is_date_time(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let Some((date, time)) = lower.split_once('t').filter(|(_, time)| !time.contains('t')) else { return false };
    if !is_date(date) {
        return false;
    }
    let Some(parts) = DATE_TIME.as_ref().and_then(|pattern| pattern.captures(time)) else { return false };
    let below = |group: usize, limit: u32| {
        parts.get(group).and_then(|part| part.as_str().parse::<u32>().ok()).is_some_and(|value| value < limit)
    };
    below(1, 24) && below(2, 60) && below(3, 60)
}

fn is_duration(text: &str) -> bool {
    is_go_duration(text) || matches(&DURATION, text)
}

/// As Go's `time.ParseDuration`; sizes beyond its range are not told apart, as they are durations of the other form.
fn is_go_duration(text: &str) -> bool {
    let rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    if rest == "0" {
        return true;
    }
    let mut rest = rest;
    while !rest.is_empty() {
        let number = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (amount, after) = rest.split_at(number);
        let unit = after.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(after.len());
        let (unit, after) = after.split_at(unit);
        let amount_is_number = amount.bytes().any(|byte| byte.is_ascii_digit()) && amount.matches('.').count() <= 1;
        if !amount_is_number || !matches!(unit, "ns" | "us" | "\u{b5}s" | "\u{3bc}s" | "ms" | "s" | "m" | "h") {
            return false;
        }
        rest = after;
    }
    !text.is_empty() && text.bytes().any(|byte| byte.is_ascii_digit())
}

/// An address, whose numbers may have leading zeros.
fn parse_ip(text: &str) -> Option<usize> {
    if text.contains(':') {
        let text = match text.rsplit_once(':') {
            // The last part may be an address of version 4.
            Some((before, last)) if last.contains('.') => format!("{before}:{}", without_zeros(last)?),
            _ => text.to_owned(),
        };
        return text.parse::<Ipv6Addr>().is_ok().then_some(128);
    }
    without_zeros(text)?.parse::<Ipv4Addr>().is_ok().then_some(32)
}

fn without_zeros(text: &str) -> Option<String> {
    let parts = text.split('.').map(|part| {
        let digits = !part.is_empty() && part.len() <= 16 && part.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| part.parse::<u64>().ok().map(|number| number.to_string()))?
    });
    Some(parts.collect::<Option<Vec<_>>>()?.join("."))
}

fn is_cidr(text: &str) -> bool {
    let Some((address, length)) = text.split_once('/') else { return false };
    let Some(bits) = parse_ip(address) else { return false };
    !length.is_empty()
        && length.bytes().all(|byte| byte.is_ascii_digit())
        && length.parse::<usize>().is_ok_and(|length| length <= bits)
}

/// As Go's `net.ParseMAC`: 6, 8 or 20 bytes as `00:00`, `00-00` or `0000.0000`.
fn is_mac(text: &str) -> bool {
    let hex = |part: &str, length| part.len() == length && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    [(':', 2), ('-', 2), ('.', 4)].iter().any(|(separator, length)| {
        let parts: Vec<&str> = text.split(*separator).collect();
        [6, 8, 20].contains(&(parts.len() * length / 2)) && parts.iter().all(|part| hex(part, *length))
    })
}

fn is_isbn10(text: &str) -> bool {
    let text = text.replace(['-', ' '], "");
    if !matches(&ISBN10, &text) {
        return false;
    }
    let sum: u32 = (1..).zip(text.chars()).map(|(weight, c)| weight * c.to_digit(10).unwrap_or(10)).sum();
    sum.is_multiple_of(11)
}

fn is_isbn13(text: &str) -> bool {
    let text = text.replace(['-', ' '], "");
    if !matches(&ISBN13, &text) {
        return false;
    }
    let sum: u32 =
        [1, 3].iter().cycle().zip(text.chars()).map(|(weight, c)| weight * c.to_digit(10).unwrap_or_default()).sum();
    sum.is_multiple_of(10)
}

fn is_credit_card(text: &str) -> bool {
    let text: String = text.chars().filter(char::is_ascii_digit).collect();
    if !matches(&CREDIT_CARD, &text) {
        return false;
    }
    let sum: u32 = text
        .chars()
        .rev()
        .enumerate()
        .map(|(index, c)| {
            let digit = c.to_digit(10).unwrap_or_default();
            if index % 2 == 0 { digit } else { digit * 2 / 10 + digit * 2 % 10 }
        })
        .sum();
    sum.is_multiple_of(10)
}

/// As Go's `url.ParseRequestURI`: an absolute URI or a rooted path, without escapes that are none.
fn is_request_uri(text: &str) -> bool {
    if text.is_empty() || text.bytes().any(|byte| byte < 0x20 || byte == 0x7f) {
        return false;
    }
    if text == "*" {
        return true;
    }
    let (scheme, rest) = match scheme(text) {
        Some(split) => split,
        None => return false,
    };
    let rest = rest.split_once('?').map_or(rest, |(before, _)| before);
    if !rest.starts_with('/') {
        // Opaque, with a scheme only.
        return !scheme.is_empty();
    }
    let (authority, path) = match rest.strip_prefix("//") {
        Some(after) if !scheme.is_empty() || !rest.starts_with("///") => {
            let end = after.find('/').unwrap_or(after.len());
            let (authority, path) = after.split_at(end);
            (authority, path)
        }
        _ => ("", rest),
    };
    // A fragment is part of the path: requests have none.
    is_authority(authority) && escapes_are_whole(path)
}

/// Splits a scheme off; an empty one if there is none, and none at all if the text begins with a colon.
fn scheme(text: &str) -> Option<(&str, &str)> {
    for (index, c) in text.char_indices() {
        match c {
            'a'..='z' | 'A'..='Z' => {}
            '0'..='9' | '+' | '-' | '.' if index > 0 => {}
            ':' if index == 0 => return None,
            ':' => return text.split_once(':'),
            _ => break,
        }
    }
    Some(("", text))
}

fn is_authority(authority: &str) -> bool {
    let (user, host) = authority.rsplit_once('@').unwrap_or(("", authority));
    let in_user = |c: char| c.is_ascii_alphanumeric() || "-._:~!$&'()*+,;=%@".contains(c);
    if !user.chars().all(in_user) || !escapes_are_whole(user) {
        return false;
    }
    let (name, port) = match host.strip_prefix('[') {
        Some(rest) => match rest.rsplit_once(']') {
            Some((name, port)) => (name, port),
            None => return false,
        },
        None => match host.rfind(':') {
            Some(at) => host.split_at(at),
            None => (host, ""),
        },
    };
    let port_is_number = match port.strip_prefix(':') {
        Some(digits) => digits.bytes().all(|byte| byte.is_ascii_digit()),
        None => port.is_empty(),
    };
    let in_host = |c: char| !c.is_ascii() || c.is_ascii_alphanumeric() || "-._~!$&'()*+,;=:[]<>\"%".contains(c);
    port_is_number && name.chars().all(in_host) && escapes_are_whole(name)
}

fn escapes_are_whole(text: &str) -> bool {
    let mut parts = text.split('%');
    parts.next();
    parts.all(|part| part.as_bytes().first_chunk::<2>().is_some_and(|pair| pair.iter().all(u8::is_ascii_hexdigit)))
}

#[cfg(test)]
mod tests {
    use super::accepts;

    #[test]
    fn formats_accept_what_kube_openapi_accepts() {
        for (format, text, accepted) in [
            ("date-time", "2024-02-29T10:00:00Z", true),
            ("date-time", "2024-02-29t10:00:00.123+01:00", true),
            ("date-time", "2023-02-29T10:00:00Z", false),
            ("date-time", "2024-01-01T24:00:00Z", false),
            ("date-time", "2024-01-01 10:00:00Z", false),
            ("datetime", "2024-01-01T10:00:00Z", true),
            ("date", "2024-13-01", false),
            ("duration", "1h30m", true),
            ("duration", "3 days", true),
            ("duration", "soon", false),
            ("byte", "", false),
            ("byte", "AAAA", true),
            ("byte", "AA", false),
            ("ipv4", "10.0.0.01", true),
            ("ipv4", "::ffff:1.2.3.4", true),
            ("ipv4", "10.0.0", false),
            ("ipv6", "::1", true),
            ("cidr", "10.0.0.0/8", true),
            ("cidr", "10.0.0.0/33", false),
            ("mac", "00:00:5e:00:53:01", true),
            ("mac", "0000.5e00.5301", true),
            ("mac", "00:00", false),
            ("uri", "https://example.com/a?b", true),
            ("uri", "/a/b", true),
            ("uri", "example.com", false),
            ("uri", "http://[::1]:8080/", true),
            ("uri", "http://a b/", false),
            ("uri", "http://a:b/", false),
            ("uri", "/%zz", false),
            ("email", "a@b.c", true),
            ("email", "Name <a@b>", true),
            ("email", "a", false),
            ("hostname", "a.example.com", true),
            ("hostname", "-a", false),
            ("uuid", "123e4567e89b12d3a456426614174000", true),
            ("k8s-short-name", "a-b", true),
            ("k8s-short-name", "a.b", false),
            ("k8s-long-name", "a.b", true),
            ("password", "", true),
        ] {
            assert_eq!(accepts(format, text), accepted, "{format} {text:?}");
        }
    }
}
