//! `resource.Quantity`: a decimal number with a suffix.

use serde::{Serialize, Serializer};
use std::fmt;

/// A parsed quantity. Two are equal if they are alike in every respect, not only the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quantity<'a> {
    text: &'a str,
    amount: Amount,
    printed_as_written: bool,
    pointer: bool,
}

/// A number as Kubernetes keeps it, which decides what conversions to integers make of large ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// `value × 10^scale`, of at most 18 digits: Go's `int64Amount`.
    Small {
        /// The digits.
        value: i64,
        /// Power of ten, at least −9.
        scale: i32,
    },
    /// `unscaled × 10^−scale`: Go's `inf.Dec`, rounded away from zero to billionths. Binary ones are at most 2^63 − 1.
    Large {
        /// The digits, or the nearest number that fits if there are more than 38.
        unscaled: i128,
        /// Digits after the point: 9, or 0 of a capped number.
        scale: u32,
    },
}

/// Why a text is no quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum QuantityError {
    /// Not of the form number, then suffix.
    #[error("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'")]
    Format,
    /// The suffix is none of the known ones.
    #[error("unable to parse quantity's suffix")]
    Suffix,
    /// The digits do not make a number.
    #[error("unable to parse numeric part of quantity")]
    Number,
}

/// Digits after the point that are kept.
const NANO: i32 = 9;
/// The largest value of binary quantities, in nanos.
const CAP: i128 = (i64::MAX as i128) * 1_000_000_000;
/// Digits that surely fit an `i64`.
const SMALL_DIGITS: usize = 18;

impl<'a> Quantity<'a> {
    /// Parses a quantity as `resource.Quantity` does when it is decoded: blanks around it are left out.
    ///
    /// # Errors
    /// Returns an error when the text is no quantity.
    pub fn parse(text: &'a str, pointer: bool) -> Result<Self, QuantityError> {
        // Go trims the text as it stands in JSON, where control characters are escaped.
        let text = text.trim_matches(|c: char| c.is_whitespace() && !c.is_ascii_control());
        let parts = Parts::of(text)?;
        let (amount, printed_as_written) = parts.amount()?;
        Ok(Self { text, amount, printed_as_written, pointer })
    }

    /// The zero quantity.
    #[must_use]
    pub fn zero(pointer: bool) -> Self {
        Self { text: "0", amount: Amount::Small { value: 0, scale: 0 }, printed_as_written: true, pointer }
    }

    /// The number as Kubernetes keeps it.
    #[must_use]
    pub fn amount(&self) -> Amount {
        self.amount
    }

    /// Returns the value in billionths, rounded away from zero; the nearest number that fits if it has more than 29 digits
    /// before the point.
    #[must_use]
    pub fn nanos(&self) -> i128 {
        match self.amount {
            Amount::Small { value, scale } => times_ten(value.into(), scale.saturating_add(NANO)),
            Amount::Large { unscaled, scale: 0 } => times_ten(unscaled, NANO),
            Amount::Large { unscaled, .. } => unscaled,
        }
    }

    /// Whether both are the same number, however it is written.
    #[must_use]
    pub fn is_same_number(&self, other: &Quantity<'_>) -> bool {
        // Equal amounts need no arithmetic.
        self.amount == other.amount || self.nanos() == other.nanos()
    }

    /// The text as it was written.
    #[must_use]
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Whether Kubernetes prints the text as it was written, as it looks canonical: `1500m`, but also `+5` and `5.`.
    #[must_use]
    pub fn is_printed_as_written(&self) -> bool {
        self.printed_as_written
    }

    /// Whether the position is a pointer to a quantity.
    #[must_use]
    pub fn behind_pointer(&self) -> bool {
        self.pointer
    }
}

impl Default for Quantity<'_> {
    fn default() -> Self {
        Self::zero(false)
    }
}

impl Serialize for Quantity<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.text.serialize(serializer)
    }
}

impl fmt::Display for Quantity<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text)
    }
}

/// The parts of a text.
struct Parts<'t> {
    negative: bool,
    /// Digits before the point, from the first that is not zero on; `0` when there are none.
    whole: &'t str,
    /// Whether a digit stands before or after the point.
    has_digits: bool,
    /// Digits after the point.
    fraction: &'t str,
    scale: Scale,
}

/// What a suffix multiplies by.
#[derive(Clone, Copy)]
enum Scale {
    /// Power of ten.
    Ten(i32),
    /// Power of two.
    Two(u32),
}

impl<'t> Parts<'t> {
    fn of(text: &'t str) -> Result<Self, QuantityError> {
        if text.is_empty() {
            return Err(QuantityError::Format);
        }
        let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
        let number_len = unsigned.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
        let (number, suffix) = unsigned.split_at_checked(number_len).ok_or(QuantityError::Format)?;
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if fraction.contains('.') || !has_suffix_shape(suffix) {
            return Err(QuantityError::Format);
        }
        let significant = whole.trim_start_matches('0');
        Ok(Self {
            negative: text.starts_with('-'),
            whole: if significant.is_empty() { "0" } else { significant },
            has_digits: !whole.is_empty() || !fraction.is_empty(),
            fraction,
            scale: parse_suffix(suffix)?,
        })
    }

    /// The number, and whether Kubernetes prints it as it was written.
    fn amount(&self) -> Result<(Amount, bool), QuantityError> {
        if let Some(small) = self.small() {
            return Ok(small);
        }
        if !self.has_digits {
            return Err(QuantityError::Number);
        }
        let nanos = scaled(self.whole, self.fraction, self.scale);
        let amount = match self.scale {
            Scale::Two(_) if nanos > CAP => Amount::Large { unscaled: i64::MAX.into(), scale: 0 },
            _ => Amount::Large { unscaled: nanos, scale: NANO.unsigned_abs() },
        };
        Ok((if self.negative { negated(amount) } else { amount }, false))
    }

    /// The number, if Kubernetes is sure that its digits fit 64 bits. It counts digits rather than trying.
    fn small(&self) -> Option<(Amount, bool)> {
        let (exponent, factor) = match self.scale {
            Scale::Ten(exponent) if self.whole.len() + self.fraction.len() <= SMALL_DIGITS => (exponent, 1),
            // 2^20 has about six digits.
            Scale::Two(power) if self.fraction.is_empty() && self.whole.len() + (power * 3 / 10) as usize <= 14 => {
                (0, 1_i64 << power)
            }
            _ => return None,
        };
        let scale = exponent.wrapping_sub(i32::try_from(self.fraction.len()).ok()?);
        if scale < -NANO {
            return None;
        }
        let digits = || self.whole.bytes().chain(self.fraction.bytes());
        let value = digits().fold(0_i64, |value, digit| value * 10 + i64::from(digit - b'0'));
        let signed = value.checked_mul(factor)? * if self.negative { -1 } else { 1 };
        let printed_as_written = match self.scale {
            Scale::Two(_) => value & 7 != 0,
            Scale::Ten(_) => scale % 3 == 0 && value % 1000 != 0 && !self.whole.starts_with('0'),
        };
        Some((Amount::Small { value: signed, scale }, printed_as_written))
    }
}

fn negated(amount: Amount) -> Amount {
    match amount {
        Amount::Small { value, scale } => Amount::Small { value: -value, scale },
        Amount::Large { unscaled, scale } => Amount::Large { unscaled: -unscaled, scale },
    }
}

/// `[eEinumkKMGTP]*[-+]?[0-9]*`
fn has_suffix_shape(suffix: &str) -> bool {
    let letters = suffix.trim_start_matches(|c: char| "eEinumkKMGTP".contains(c));
    let digits = letters.strip_prefix(['-', '+']).unwrap_or(letters);
    digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn parse_suffix(suffix: &str) -> Result<Scale, QuantityError> {
    Ok(match suffix {
        "" => Scale::Ten(0),
        "n" => Scale::Ten(-9),
        "u" => Scale::Ten(-6),
        "m" => Scale::Ten(-3),
        "k" => Scale::Ten(3),
        "M" => Scale::Ten(6),
        "G" => Scale::Ten(9),
        "T" => Scale::Ten(12),
        "P" => Scale::Ten(15),
        "E" => Scale::Ten(18),
        "Ki" => Scale::Two(10),
        "Mi" => Scale::Two(20),
        "Gi" => Scale::Two(30),
        "Ti" => Scale::Two(40),
        "Pi" => Scale::Two(50),
        "Ei" => Scale::Two(60),
        _ => {
            let exponent = suffix.strip_prefix(['e', 'E']).ok_or(QuantityError::Suffix)?;
            let parsed: i64 = exponent.parse().map_err(|_| QuantityError::Suffix)?;
            Scale::Ten(wrapped(parsed))
        }
    })
}

/// The low 32 bits, which are what Go takes.
#[expect(clippy::cast_possible_truncation, clippy::as_conversions, reason = "Go cuts exponents off")]
fn wrapped(exponent: i64) -> i32 {
    exponent as i32
}

/// `whole.fraction × scale` in nanos, rounded up in magnitude.
fn scaled(whole: &str, fraction: &str, scale: Scale) -> i128 {
    let digits = || whole.bytes().chain(fraction.bytes()).map(|byte| i128::from(byte - b'0'));
    let (mut binary, power) = match scale {
        Scale::Ten(power) => (0, i64::from(power)),
        Scale::Two(power) => (power, 0),
    };
    // value = digits × 10^(power − |fraction|) × 2^binary; in nanos another 10^9.
    let mut exponent = power - i64::try_from(fraction.len()).unwrap_or(i64::MAX) + i64::from(NANO);
    let mut mantissa: i128 = 0;
    let mut inexact = false;
    for digit in digits() {
        match mantissa.checked_mul(10).and_then(|tens| tens.checked_add(digit)) {
            Some(more) if exponent >= 0 || more < i128::MAX >> 64 => mantissa = more,
            // A digit that does not fit counts by its place alone, and for rounding.
            _ => {
                exponent += 1;
                inexact |= digit != 0;
            }
        }
    }
    // Binary factors before dividing keep exactness.
    while binary > 0 {
        match mantissa.checked_mul(2) {
            Some(doubled) => {
                mantissa = doubled;
                binary -= 1;
            }
            None => {
                inexact |= mantissa % 10 != 0;
                mantissa /= 10;
                exponent += 1;
            }
        }
    }
    while exponent < 0 && mantissa > 0 {
        inexact |= mantissa % 10 != 0;
        mantissa /= 10;
        exponent += 1;
    }
    let exponent = i32::try_from(exponent.max(0)).unwrap_or(i32::MAX);
    times_ten(mantissa.saturating_add(i128::from(inexact)), exponent)
}

/// Returns `number × 10^power`, or the nearest number that fits.
fn times_ten(number: i128, power: i32) -> i128 {
    let power = u32::try_from(power).unwrap_or(0);
    if number == 0 { 0 } else { number.saturating_mul(10_i128.saturating_pow(power)) }
}

#[cfg(test)]
mod tests {
    use super::{Amount, CAP, Quantity, QuantityError};

    #[test]
    fn quantities_have_their_value_in_nanos() {
        for (text, nanos) in [
            ("0", 0),
            ("1", 1_000_000_000),
            ("100m", 100_000_000),
            ("1.5", 1_500_000_000),
            (".5", 500_000_000),
            ("5.", 5_000_000_000),
            ("+1k", 1_000_000_000_000),
            ("-1Ki", -1_024_000_000_000),
            ("1n", 1),
            ("0.1n", 1),
            ("1e3", 1_000_000_000_000),
            ("1E-3", 1_000_000),
            ("1e-30", 1),
            ("64Mi", 67_108_864_000_000_000),
            ("0.5Gi", 536_870_912_000_000_000),
            ("9E", 9_000_000_000_000_000_000_000_000_000),
            ("16E", 16_000_000_000_000_000_000_000_000_000),
            ("1e19", 10_000_000_000_000_000_000_000_000_000),
            ("8Ei", CAP),
            ("9223372036854775808", CAP + 1_000_000_000),
            ("0.00000000000000000000001", 1),
            ("1.00000000000000000000001Ki", 1_024_000_000_001),
            ("1e400", i128::MAX),
            ("-1e400", -i128::MAX),
            ("1e4294967296", 1_000_000_000),
            ("1 ", 1_000_000_000),
            ("\u{a0}1\u{2003}", 1_000_000_000),
            (".", 0),
            ("-", 0),
            ("k", 0),
            ("Ti", 0),
        ] {
            assert_eq!(Quantity::parse(text, false).map(|q| q.nanos()), Ok(nanos), "{text}");
        }
    }

    #[test]
    fn bad_quantities_are_refused() {
        for (text, error) in [
            ("", QuantityError::Format),
            ("abc", QuantityError::Format),
            ("1.2.3", QuantityError::Format),
            (" ", QuantityError::Format),
            ("1\t", QuantityError::Format),
            ("1 000", QuantityError::Format),
            ("--1", QuantityError::Suffix),
            ("Ei", QuantityError::Number),
            (".Pi", QuantityError::Number),
            ("1Kii", QuantityError::Suffix),
            ("1K", QuantityError::Suffix),
            ("1ee3", QuantityError::Suffix),
            ("1e", QuantityError::Suffix),
        ] {
            assert_eq!(Quantity::parse(text, false).map(|q| q.nanos()), Err(error), "{text}");
        }
    }

    #[test]
    fn numbers_are_kept_as_kubernetes_keeps_them() {
        let small = |value, scale| Amount::Small { value, scale };
        let large = |unscaled, scale| Amount::Large { unscaled, scale };
        for (text, amount, as_written) in [
            ("1500m", small(1500, -3), true),
            ("+5", small(5, 0), true),
            ("5.", small(5, 0), true),
            ("1.500", small(1500, -3), true),
            ("1000", small(1000, 0), false),
            ("0.5", small(5, -1), false),
            ("-1Ki", small(-1024, 0), true),
            ("8Ki", small(8192, 0), false),
            ("10E", small(10, 18), true),
            ("1e1000000", small(1, 1_000_000), false),
            ("999999999999999999", small(999_999_999_999_999_999, 0), true),
            ("1000000000000000000", large(1_000_000_000_000_000_000_000_000_000, 9), false),
            ("1e-10", large(1, 9), false),
            ("1Pi", large((1 << 50) * 1_000_000_000, 9), false),
            ("-9Ei", large(-i128::from(i64::MAX), 0), false),
        ] {
            let parsed = Quantity::parse(text, false).unwrap();
            assert_eq!((parsed.amount(), parsed.is_printed_as_written()), (amount, as_written), "{text}");
        }
    }
}
