//! Addresses in brackets: what Go's address parser says of those that are none.

use super::text::{cut, quoted};
use std::fmt::Write as _;

/// Why a text is no address, and where the parser was.
struct Fault<'a> {
    why: &'static str,
    at: &'a [u8],
}

type Checked<'a> = Result<(), Fault<'a>>;

fn fault<'a>(why: &'static str) -> Checked<'a> {
    fault_at(why, b"")
}

fn fault_at<'a>(why: &'static str, at: &'a [u8]) -> Checked<'a> {
    Err(Fault { why, at })
}

/// Checks that `address` may stand in brackets: an IPv6 address, maybe with a zone.
///
/// # Errors
/// What is wrong with it.
pub(super) fn check_literal(address: &[u8]) -> Result<(), String> {
    let telling = address.iter().find(|byte| matches!(byte, b'.' | b':' | b'%'));
    let checked = match telling {
        Some(b'.') => check_v4(address),
        Some(b':') => check_v6(address),
        Some(_) => fault("missing IPv6 address"),
        None => fault("unable to parse IP"),
    };
    match checked {
        Ok(()) if telling == Some(&b'.') => Err("invalid IP-literal".to_owned()),
        Ok(()) => Ok(()),
        Err(Fault { why, at }) => {
            let mut text = format!("invalid host: ParseAddr({}): {why}", quoted(address));
            if !at.is_empty() {
                let _ = write!(text, " (at {})", quoted(at));
            }
            Err(text)
        }
    }
}

fn check_v4(address: &[u8]) -> Checked<'_> {
    let (mut fields, mut value, mut digits) = (1, 0_u32, 0);
    for (index, byte) in address.iter().enumerate() {
        let rest = address.get(index..).unwrap_or_default();
        match byte {
            b'0'..=b'9' => {
                if digits == 1 && value == 0 {
                    return fault("IPv4 field has octet with leading zero");
                }
                value = value * 10 + u32::from(byte - b'0');
                digits += 1;
                if value > 255 {
                    return fault("IPv4 field has value >255");
                }
            }
            b'.' if digits == 0 || rest.len() == 1 => {
                return fault_at("IPv4 field must have at least one digit", rest);
            }
            b'.' if fields == 4 => return fault("IPv4 address too long"),
            b'.' => (fields, value, digits) = (fields + 1, 0, 0),
            _ => return fault_at("unexpected character", rest),
        }
    }
    if fields < 4 { fault("IPv4 address too short") } else { Ok(()) }
}

fn check_v6(address: &[u8]) -> Checked<'_> {
    let (mut rest, zone) = cut(address, b'%');
    if zone == Some(b"") {
        return fault("zone must be a non-empty string");
    }
    let (mut fields, mut gap) = (0, false);
    if let Some(after) = rest.strip_prefix(b"::") {
        if after.is_empty() {
            return Ok(());
        }
        (rest, gap) = (after, true);
    }
    while fields < 8 && !rest.is_empty() {
        let digits = rest.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
        match (digits, rest.get(digits..).unwrap_or_default()) {
            (5.., _) => return fault_at("each group must have 4 or less digits", rest),
            (0, _) => return fault_at("each colon-separated field must have at least one digit", rest),
            (_, [b'.', ..]) if !gap && fields != 6 => {
                return fault_at("embedded IPv4 address must replace the final 2 fields of the address", rest);
            }
            (_, [b'.', ..]) if fields > 6 => {
                return fault_at("too many hex fields to fit an embedded IPv4 at the end of the address", rest);
            }
            (_, [b'.', ..]) => {
                check_v4(rest)?;
                (fields, rest) = (fields + 2, b"");
            }
            (_, after) => {
                fields += 1;
                match after {
                    [] | [b':', _, ..] => rest = after.get(1..).unwrap_or_default(),
                    [b':'] => return fault_at("colon must be followed by more characters", after),
                    _ => return fault_at("unexpected character, want colon", after),
                }
                if let [b':', after @ ..] = rest {
                    if gap {
                        return fault_at("multiple :: in address", rest);
                    }
                    (rest, gap) = (after, true);
                }
            }
        }
    }
    match (rest, fields) {
        ([_, ..], _) => fault_at("trailing garbage after address", rest),
        (_, ..8) if !gap => fault("address string too short"),
        (_, 8..) if gap => fault("the :: must expand to at least one field of zeros"),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::check_literal;

    #[test]
    fn only_addresses_of_version_six_stand_in_brackets() {
        for address in [
            "::",
            "::1",
            "1::",
            "fe80::1%en0",
            "1:2:3:4:5:6:7:8",
            "1:2:3:4:5:6:7::",
            "::ffff:1.2.3.4",
            "1:2:3:4:5:6:1.2.3.4",
        ] {
            assert_eq!(check_literal(address.as_bytes()), Ok(()), "{address}");
        }
        for (address, problem) in [
            ("1.2.3.4", "invalid IP-literal"),
            ("", "unable to parse IP"),
            ("abc", "unable to parse IP"),
            ("%eth0", "missing IPv6 address"),
            ("::1%", "zone must be a non-empty string"),
            ("1:2", "address string too short"),
            ("::12345", "each group must have 4 or less digits (at \"12345\")"),
            (":1", "each colon-separated field must have at least one digit (at \":1\")"),
            (":::1", "each colon-separated field must have at least one digit (at \":1\")"),
            ("1:g::", "each colon-separated field must have at least one digit (at \"g::\")"),
            ("1g::", "unexpected character, want colon (at \"g::\")"),
            ("::1:", "colon must be followed by more characters (at \":\")"),
            ("1::2::3", "multiple :: in address (at \":3\")"),
            ("1:2:3:4:5:6:7:8:9", "trailing garbage after address (at \"9\")"),
            ("1::2:3:4:5:6:7:8", "the :: must expand to at least one field of zeros"),
            ("1:1.2.3.4", "embedded IPv4 address must replace the final 2 fields of the address (at \"1.2.3.4\")"),
            (
                "::1:2:3:4:5:6:7:1.2.3.4",
                "too many hex fields to fit an embedded IPv4 at the end of the address (at \"1.2.3.4\")",
            ),
            ("::1.2.3", "IPv4 address too short"),
            ("1.2.3.4.5", "IPv4 address too long"),
            ("1.2.3.256", "IPv4 field has value >255"),
            ("1.2.3.04", "IPv4 field has octet with leading zero"),
            ("1..3.4", "IPv4 field must have at least one digit (at \".3.4\")"),
            ("1.2.3.", "IPv4 field must have at least one digit (at \".\")"),
            (".1.2.3", "IPv4 field must have at least one digit (at \".1.2.3\")"),
            ("1.2.x.4", "unexpected character (at \"x.4\")"),
        ] {
            let expected = if problem == "invalid IP-literal" {
                problem.to_owned()
            } else {
                format!("invalid host: ParseAddr(\"{address}\"): {problem}")
            };
            assert_eq!(check_literal(address.as_bytes()), Err(expected), "{address}");
        }
        let bytes = check_literal(b"::\xff").expect_err("no address");
        assert!(bytes.starts_with("invalid host: ParseAddr(\"::\\xff\"): "), "{bytes}");
    }
}
