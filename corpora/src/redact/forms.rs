//! Texts that have to keep their form: moments in time, addresses, quantities. They are judged by what they say, and another
//! one of the same length and classes is often none.

use std::net::IpAddr;
use std::ops::Range;

/// Suffixes of quantities.
const UNITS: [&str; 15] = ["n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/// The form of a text.
pub(super) enum Form {
    /// One that stays whatever stands in it.
    Kept,
    /// A number of so many bytes.
    Number(usize),
    None,
}

impl Form {
    pub(super) fn of(text: &str) -> Self {
        if is_time(text) || is_address(text) || is_quantity(text) {
            Self::Kept
        } else if is_number(text) {
            Self::Number(text.len())
        } else {
            Self::None
        }
    }

    /// Whether an original that stands at `span` is part of such a form and stays. A number may be replaced as a whole, for digits become
    /// digits, but not in part.
    pub(super) fn keeps(&self, span: &Range<usize>) -> bool {
        match self {
            Self::Kept => true,
            Self::Number(length) => *span != (0..*length),
            Self::None => false,
        }
    }
}

/// Whether a text begins as times of RFC 3339 do. They say when, not who, and fields of times must hold one.
pub(super) fn is_time(text: &str) -> bool {
    let form = b"0000-00-00T00:00:00";
    let fits = |(byte, form): (u8, &u8)| if *form == b'0' { byte.is_ascii_digit() } else { byte == *form };
    text.len() >= form.len() && text.len() <= 35 && text.bytes().zip(form).all(fits)
}

/// Whether a text is an IP address, or a range of them such as `10.0.0.0/8`. Leading zeros are left to whoever judges it.
fn is_address(text: &str) -> bool {
    let (address, bits) = text.split_once('/').unwrap_or((text, "0"));
    let octets = || address.split('.').all(|octet| octet.len() <= 3 && is_digits(octet));
    is_digits(bits) && (address.parse::<IpAddr>().is_ok() || (address.split('.').count() == 4 && octets()))
}

fn is_quantity(text: &str) -> bool {
    let unit = text.trim_start_matches(|c: char| !c.is_ascii_alphabetic());
    UNITS.contains(&unit) && text.strip_suffix(unit).is_some_and(is_number)
}

fn is_number(text: &str) -> bool {
    let text = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    is_digits(whole) && is_digits(fraction)
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::Form;

    #[test]
    fn times_addresses_and_quantities_stay_and_numbers_stay_in_part() {
        for (text, part, whole) in [
            ("2025-12-10T17:26:03Z", true, true),
            ("2025-12-10T17:26:03.123456+02:00", true, true),
            ("2025-12-10", false, false),
            ("2025-12-10T17:26:03Z and a text that is longer than a time", false, false),
            ("192.168.0.0/16", true, true),
            ("192.168.000.001", true, true),
            ("fd00::1234:5678/64", true, true),
            ("192.168.0.0/x", false, false),
            ("192.168.0.0.0", false, false),
            ("192.168.0.1:8080", false, false),
            ("2048000Mi", true, true),
            ("-1.500000k", true, true),
            ("2048000MiB", false, false),
            ("12345678", true, false),
            ("0.12345678", true, false),
            ("1.28.0", false, false),
            ("", false, false),
            ("Mi", false, false),
        ] {
            let form = Form::of(text);
            assert_eq!((form.keeps(&(0..1)), form.keeps(&(0..text.len()))), (part, whole), "{text}");
        }
    }
}
