//! Quantities as the API types hold them: texts that the decoder has found well-formed.

use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use std::cmp::Ordering;
use takeover_harness::error::BadValue;
use takeover_harness::object;

/// Billionths of one.
const ONE: i128 = 1_000_000_000;
/// Suffixes of powers of a thousand, from billionths on.
const DECIMAL: [&str; 10] = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
/// Suffixes of powers of 1024, from one on.
const BINARY: [&str; 7] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/// The value in billionths; zero for what is no quantity.
#[must_use]
pub fn nanos(quantity: &Quantity) -> i128 {
    object::Quantity::parse(&quantity.0, false).map_or(0, |parsed| parsed.nanos())
}

/// How the quantity compares with zero.
#[must_use]
pub fn sign(quantity: &Quantity) -> Ordering {
    nanos(quantity).cmp(&0)
}

/// The quantity as an error shows it: in Kubernetes' own notation, whatever the user wrote.
#[must_use]
pub fn bad_value(quantity: &Quantity) -> BadValue {
    BadValue::from(canonical(quantity))
}

/// The value as an integer, rounded away from zero.
#[must_use]
pub fn whole(quantity: &Quantity) -> i64 {
    rounded(quantity, ONE)
}

/// The value in thousandths, rounded away from zero.
#[must_use]
pub fn millis(quantity: &Quantity) -> i64 {
    rounded(quantity, ONE / 1000)
}

fn rounded(quantity: &Quantity, unit: i128) -> i64 {
    let nanos = nanos(quantity);
    let rest = if nanos % unit == 0 { 0 } else { nanos.signum() };
    i64::try_from(nanos / unit + rest).unwrap_or(i64::MAX)
}

/// The text that Kubernetes writes: the largest suffix of the user's family of suffixes that leaves an integer.
#[must_use]
pub fn canonical(quantity: &Quantity) -> String {
    print(nanos(quantity), Family::of(quantity))
}

/// The text of a sum, in the family of the first quantity that is not zero.
#[must_use]
pub fn sum(first: &Quantity, second: &Quantity) -> String {
    let family = Family::of(if nanos(first) == 0 { second } else { first });
    print(nanos(first) + nanos(second), family)
}

/// Suffixes that belong together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Family {
    Decimal,
    Binary,
    Exponent,
}

impl Family {
    fn of(quantity: &Quantity) -> Self {
        let unsigned = quantity.0.trim_start_matches(['-', '+']);
        let suffix = unsigned.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        match suffix {
            "E" => Self::Decimal,
            _ if suffix.ends_with('i') => Self::Binary,
            _ if suffix.starts_with(['e', 'E']) => Self::Exponent,
            _ => Self::Decimal,
        }
    }
}

fn print(value: i128, family: Family) -> String {
    match family {
        // Binary suffixes are for integers of at least 1024 alone.
        Family::Binary if value % ONE == 0 && value.abs() >= 1024 * ONE => with_suffix(value / ONE, 1024, &BINARY),
        Family::Exponent => with_exponent(value),
        _ => with_suffix(value, 1000, &DECIMAL),
    }
}

/// `value`, counted in units of the first suffix.
fn with_suffix(value: i128, base: i128, suffixes: &[&str]) -> String {
    if value == 0 {
        return "0".to_owned();
    }
    let (mut value, mut at) = (value, 0);
    while value % base == 0 && at + 1 < suffixes.len() {
        value /= base;
        at += 1;
    }
    format!("{value}{}", suffixes.get(at).copied().unwrap_or_default())
}

/// Billionths with a power of a thousand as `e3`.
fn with_exponent(value: i128) -> String {
    if value == 0 {
        return "0".to_owned();
    }
    let (mut value, mut exponent) = (value, -9);
    while value % 1000 == 0 {
        value /= 1000;
        exponent += 3;
    }
    if exponent == 0 { value.to_string() } else { format!("{value}e{exponent}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_shown_with_the_largest_suffix() {
        for (text, expected) in [
            ("0", "0"),
            ("0Ki", "0"),
            ("-1", "-1"),
            ("+5", "5"),
            ("0.5", "500m"),
            ("-0.5", "-500m"),
            ("1000", "1k"),
            ("1500", "1500"),
            ("1024Ki", "1Mi"),
            ("1.5Gi", "1536Mi"),
            ("0.5Ki", "512"),
            ("-2048Ki", "-2Mi"),
            ("1.0001Ki", "1024102400u"),
            ("1e3", "1e3"),
            ("100e1", "1e3"),
            ("5e-1", "500e-3"),
            ("2E", "2E"),
            ("10n", "10n"),
        ] {
            assert_eq!(canonical(&Quantity(text.to_owned())), expected, "{text}");
        }
    }

    #[test]
    fn integers_are_rounded_away_from_zero_and_sums_keep_their_suffixes() {
        for (text, expected) in [("1500m", 2), ("-1500m", -2), ("1n", 1), ("3", 3), ("1Ki", 1024)] {
            assert_eq!(whole(&Quantity(text.to_owned())), expected, "{text}");
        }
        for (first, second, expected) in [("1Gi", "1Gi", "2Gi"), ("0", "1Gi", "1Gi"), ("1e3", "1Ki", "2024")] {
            assert_eq!(sum(&Quantity(first.to_owned()), &Quantity(second.to_owned())), expected);
        }
    }

    #[test]
    fn quantities_have_a_sign() {
        for (text, expected) in [("-1m", Ordering::Less), ("0e5", Ordering::Equal), ("1n", Ordering::Greater)] {
            assert_eq!(sign(&Quantity(text.to_owned())), expected, "{text}");
        }
    }
}
