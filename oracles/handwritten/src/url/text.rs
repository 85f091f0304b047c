//! Parts of URLs: what stands in them escaped or not, and how Go shows it.

use std::fmt::Write as _;
use takeover_harness::error::BadValue;

/// A part of a URL, each with its own rules for what must be escaped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// The host.
    Host,
    /// The zone of an IPv6 address.
    Zone,
    /// User or password.
    User,
    /// Path or fragment, which hold any escape.
    Free,
}

/// `text` with its escapes resolved.
///
/// # Errors
/// What is wrong with the first bad escape, or with the first byte that must be escaped.
pub(super) fn unescape(text: &[u8], part: Part) -> Result<Vec<u8>, String> {
    let bad = |escape: &[u8]| format!("invalid URL escape {}", quoted(escape));
    let mut plain = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((first, after)) = rest.split_first() {
        if *first != b'%' {
            if matches!(part, Part::Host | Part::Zone) && first.is_ascii() && !stands_in_host(*first) {
                return Err(format!("invalid character {} in host name", quoted(&[*first])));
            }
            plain.push(*first);
            rest = after;
            continue;
        }
        let escape = rest.get(..3).unwrap_or(rest);
        let Some(byte) = hex(escape) else { return Err(bad(escape)) };
        let refused = match part {
            // A host escapes bytes outside of ASCII alone, a zone what it could also hold as it is; the sign itself is fine.
            Part::Host => byte.is_ascii() && escape != b"%25",
            Part::Zone => escape != b"%25" && byte != b' ' && !stands_in_host(byte),
            Part::User | Part::Free => false,
        };
        if refused {
            return Err(bad(escape));
        }
        plain.push(byte);
        rest = rest.get(3..).unwrap_or_default();
    }
    Ok(plain)
}

fn hex(escape: &[u8]) -> Option<u8> {
    let &[b'%', high, low] = escape else { return None };
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    Some(digit(high)? << 4 | digit(low)?)
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte)
}

fn stands_in_host(byte: u8) -> bool {
    is_unreserved(byte) || b"!$&'()*+,;=:[]<>\"".contains(&byte)
}

/// User or password, with everything escaped that could be taken for something else.
pub(super) fn escape_user(text: &[u8]) -> String {
    text.iter().fold(String::new(), |mut out, byte| {
        if is_unreserved(*byte) || b"$&+,;=".contains(byte) {
            out.push(char::from(*byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
        out
    })
}

/// Bytes as Go quotes a text.
pub(super) fn quoted(bytes: &[u8]) -> String {
    let mut out = String::from("\"");
    for chunk in bytes.utf8_chunks() {
        let text = BadValue::from(chunk.valid()).to_string();
        out.push_str(text.get(1..text.len().saturating_sub(1)).unwrap_or_default());
        for byte in chunk.invalid() {
            let _ = write!(out, "\\x{byte:02x}");
        }
    }
    out.push('"');
    out
}

/// What stands before and after the first `at`; without one, everything and nothing.
pub(super) fn cut(text: &[u8], at: u8) -> (&[u8], Option<&[u8]>) {
    let mut parts = text.splitn(2, |byte| *byte == at);
    (parts.next().unwrap_or_default(), parts.next())
}
