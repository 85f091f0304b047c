//! Quantities as Kubernetes compares, rounds and prints them.

use std::borrow::Cow;
use std::cmp::Ordering;
use takeover_harness::error::BadValue;
use takeover_harness::object::{Amount, Quantity};

/// Billionths of one thousandth, of one, and of 10^18.
const MILLI: i128 = 1_000_000;
const ONE: i128 = 1_000_000_000;
const EXA: i128 = ONE * 1_000_000_000_000_000_000;
/// Suffixes of powers of a thousand, from billionths on.
const DECIMAL: [&str; 10] = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
/// Suffixes of powers of 1024, from one on.
const BINARY: [&str; 7] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/// Reads a quantity; a text that is not a quantity is zero.
#[must_use]
pub fn of_text(text: &str) -> Quantity<'_> {
    Quantity::parse(text, false).unwrap_or_default()
}

/// How the quantity compares with zero.
#[must_use]
pub fn sign(quantity: &Quantity) -> Ordering {
    quantity.nanos().cmp(&0)
}

/// The quantity as an error shows it: in Kubernetes' own notation, unless the user's looks like it.
#[must_use]
pub fn bad_value(quantity: &Quantity) -> BadValue {
    BadValue::from(canonical(quantity))
}

/// The value as the integer that Kubernetes makes of it: rounded away from zero, and senseless beyond 64 bits.
#[must_use]
pub fn whole(quantity: &Quantity) -> i64 {
    counted(quantity.amount(), 0)
}

/// The value in thousandths, as [`whole`] has it in ones.
#[must_use]
pub fn millis(quantity: &Quantity) -> i64 {
    counted(quantity.amount(), 3)
}

/// Whether this is a whole number to Kubernetes, which asks for the thousandths in 64 bits.
#[must_use]
pub fn is_integer(quantity: &Quantity) -> bool {
    millis(quantity) % 1000 == 0
}

/// The text that Kubernetes writes: the user's if it looks canonical, otherwise the largest suffix of the user's family of
/// suffixes that leaves an integer.
#[must_use]
pub fn canonical(quantity: &Quantity) -> String {
    if quantity.is_printed_as_written() {
        return quantity.text().to_owned();
    }
    let (number, suffix) = print(quantity.amount(), quantity.nanos(), Family::of(quantity.text()));
    // What is more than a thousand of the largest decimal unit has no suffix, and Kubernetes prints none.
    format!("{number}{}", suffix.unwrap_or_default())
}

/// As [`canonical`], of a text that is a quantity.
#[must_use]
pub fn canonical_text(text: &str) -> String {
    canonical(&of_text(text))
}

/// The text of a sum, in the family of the first quantity that is not zero.
#[must_use]
pub fn sum(first: &Quantity, second: &Quantity) -> String {
    let family = Family::of(if first.nanos() == 0 { second.text() } else { first.text() });
    let total = first.nanos().saturating_add(second.nanos());
    match print(Amount::Large { unscaled: total, scale: 9 }, total, family) {
        (number, Some(suffix)) => format!("{number}{suffix}"),
        (_, None) => format!("{}E", total / EXA),
    }
}

/// The quantity rounded up to thousandths, away from zero, if it has more digits than that.
#[must_use]
pub fn rounded_to_millis(quantity: &Quantity) -> Option<String> {
    if has_whole_millis(quantity.amount()) {
        return None;
    }
    let (millis, rest) = (quantity.nanos() / MILLI, quantity.nanos() % MILLI);
    let unit = if Family::of(quantity.text()) == Family::Exponent { "e-3" } else { "m" };
    // What is too large for billionths has no such digits.
    (rest != 0 && quantity.nanos().abs() < i128::MAX).then(|| format!("{}{unit}", millis + rest.signum()))
}

/// Whether a number has no digits after thousandths. Most have none, and a division of 128 bits takes long.
fn has_whole_millis(amount: Amount) -> bool {
    const UNIT: u64 = 1_000_000;
    match amount {
        Amount::Small { scale, .. } => scale >= -3,
        Amount::Large { scale: 0, .. } => true,
        Amount::Large { unscaled, .. } => {
            let number = unscaled.unsigned_abs();
            let half = |bits: u128| u64::try_from(bits & u128::from(u64::MAX)).unwrap_or_default() % UNIT;
            let (high, low, carried) = (half(number >> 64), half(number), u64::MAX % UNIT + 1);
            (high * carried + low).is_multiple_of(UNIT)
        }
    }
}

/// `amount` in units of 10^−`digits`, in the arithmetic of Kubernetes, which goes wrong beyond 64 bits in a way of its own each time.
fn counted(amount: Amount, digits: i32) -> i64 {
    match amount {
        Amount::Small { value, scale } if scale + digits >= 0 => multiplied(value, scale + digits),
        Amount::Small { value, scale } => {
            let unit = 10_i64.saturating_pow((scale + digits).unsigned_abs());
            value / unit + (value % unit).signum()
        }
        Amount::Large { unscaled, scale: 0 } => low(unscaled).wrapping_mul(10_i64.pow(digits.unsigned_abs())),
        Amount::Large { unscaled, scale } => {
            let unit = 10_i64.pow(scale.saturating_sub(digits.unsigned_abs()));
            if unscaled < i64::MAX.into() {
                let low = low(unscaled);
                return low / unit + i64::from(low % unit != 0);
            }
            let rest = unscaled % i128::from(unit);
            low(unscaled / i128::from(unit)).wrapping_add(i64::from(rest != 0))
        }
    }
}

/// `value × 10^power`. An overflow gives zero, but for the powers that Kubernetes multiplies by at once.
fn multiplied(value: i64, power: i32) -> i64 {
    match power {
        0..=3 | 6 | 9 => value.wrapping_mul(10_i64.pow(power.unsigned_abs())),
        _ => 10_i64.checked_pow(power.unsigned_abs()).and_then(|factor| value.checked_mul(factor)).unwrap_or(0),
    }
}

/// The magnitude's low 64 bits, with the sign.
fn low(number: i128) -> i64 {
    let magnitude = u64::try_from(number.unsigned_abs() & u128::from(u64::MAX)).unwrap_or(0);
    let bits = magnitude.cast_signed();
    if number < 0 { bits.wrapping_neg() } else { bits }
}

/// Suffixes that belong together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Family {
    Decimal,
    Binary,
    Exponent,
}

impl Family {
    fn of(text: &str) -> Self {
        let unsigned = text.trim_start_matches(['-', '+']);
        let suffix = unsigned.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        match suffix {
            "E" => Self::Decimal,
            _ if suffix.ends_with('i') => Self::Binary,
            _ if suffix.starts_with(['e', 'E']) => Self::Exponent,
            _ => Self::Decimal,
        }
    }
}

/// Number and suffix of an amount of so many billionths; no suffix where there is none.
fn print(amount: Amount, nanos: i128, family: Family) -> (i128, Option<Cow<'static, str>>) {
    // Binary suffixes are for integers of at least 1024 alone.
    if family == Family::Binary && nanos % ONE == 0 && nanos.abs() >= 1024 * ONE {
        let (mut number, mut suffixes) = (nanos / ONE, BINARY.iter());
        let mut suffix = suffixes.next();
        while number % 1024 == 0 {
            number /= 1024;
            suffix = suffixes.next();
        }
        return (number, suffix.map(|suffix| Cow::Borrowed(*suffix)));
    }
    let (mut number, mut exponent) = match amount {
        Amount::Small { value, scale } => (i128::from(value), scale),
        Amount::Large { unscaled, scale } => (unscaled, -i32::try_from(scale).unwrap_or(0)),
    };
    if number == 0 {
        return (0, Some(Cow::Borrowed("")));
    }
    while number % 10 == 0 {
        number /= 10;
        exponent += 1;
    }
    while exponent % 3 != 0 {
        number = number.saturating_mul(10);
        exponent -= 1;
    }
    let suffix = match family {
        Family::Exponent if exponent == 0 => Some(Cow::Borrowed("")),
        Family::Exponent => Some(Cow::Owned(format!("e{exponent}"))),
        _ => {
            let place = usize::try_from(exponent / 3 + 3).ok();
            place.and_then(|place| DECIMAL.get(place)).map(|suffix| Cow::Borrowed(*suffix))
        }
    };
    (number, suffix)
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
            ("+5", "+5"),
            ("5.", "5."),
            ("00.5", "500m"),
            ("0.50", "500m"),
            ("1.500", "1.500"),
            ("1E+3", "1E+3"),
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
            ("1000e0", "1e3"),
            ("100e1", "1e3"),
            ("1e19", "10e18"),
            ("1e1000000", "10e999999"),
            ("1024Ei", "9223372036854775807"),
            ("1000E", "1"),
            ("5e-1", "500e-3"),
            ("2E", "2E"),
            ("10n", "10n"),
        ] {
            assert_eq!(canonical(&of_text(text)), expected, "{text}");
        }
    }

    #[test]
    fn integers_are_rounded_away_from_zero_and_sums_keep_their_suffixes() {
        for (text, expected) in
            [("1500m", 2), ("-1500m", -2), ("1n", 1), ("3", 3), ("1Ki", 1024), ("9E", 9_000_000_000_000_000_000)]
        {
            assert_eq!(whole(&of_text(text)), expected, "{text}");
        }
        for (first, second, expected) in
            [("1Gi", "1Gi", "2Gi"), ("0", "1Gi", "1Gi"), ("1e3", "1Ki", "2024"), ("500E", "500E", "1000E")]
        {
            assert_eq!(sum(&of_text(first), &of_text(second)), expected);
        }
    }

    #[test]
    fn quantities_have_a_sign() {
        for (text, expected) in [("-1m", Ordering::Less), ("0e5", Ordering::Equal), ("1n", Ordering::Greater)] {
            assert_eq!(sign(&of_text(text)), expected, "{text}");
        }
    }

    #[test]
    fn numbers_beyond_64_bits_are_integers_or_not_by_chance() {
        for (text, value, integer) in [
            ("9223372036854775", 9_223_372_036_854_775, true),
            ("9223372036854776", 9_223_372_036_854_776, false),
            ("9223372036854775.5", 9_223_372_036_854_776, false),
            ("1Ei", 1 << 60, false),
            ("8Pi", 1 << 53, true),
            ("9Pi", 9 << 50, false),
            ("1E", 1_000_000_000_000_000_000, true),
            ("10E", 0, true),
            ("8Ei", i64::MAX, true),
            ("-8Ei", -i64::MAX, true),
            ("-1Ei", 0, true),
            ("1e30", 0, true),
        ] {
            let quantity = of_text(text);
            assert_eq!((whole(&quantity), is_integer(&quantity)), (value, integer), "{text}");
        }
    }

    #[test]
    fn amounts_are_rounded_to_thousandths() {
        for (text, expected) in [
            ("1m", None),
            ("1n", Some("1m")),
            ("-1500500u", Some("-1501m")),
            ("1e-9", Some("1e-3")),
            ("1e99", None),
            ("20Gi", None),
            ("1.0001Ki", Some("1024103m")),
            ("-20Gi", None),
            ("0.001000", None),
        ] {
            let quantity = of_text(text);
            assert_eq!(rounded_to_millis(&quantity).as_deref(), expected, "{text}");
        }
    }
}
