//! `resource.Quantity`: a decimal number with an SI suffix.

use std::fmt;

/// A parsed quantity. Kubernetes keeps at most nanos and caps at ±(2^63 − 1).
#[derive(Clone, Copy, Debug)]
pub struct Quantity<'a> {
    text: &'a str,
    nanos: i128,
    pointer: bool,
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

const NANOS: i128 = 1_000_000_000;
/// The largest value Kubernetes keeps, in nanos.
const CAP: i128 = (i64::MAX as i128) * NANOS;

impl<'a> Quantity<'a> {
    /// Parses a quantity as `resource.ParseQuantity` does.
    ///
    /// # Errors
    /// When the text is no quantity.
    pub fn parse(text: &'a str, pointer: bool) -> Result<Self, QuantityError> {
        Ok(Self { text, nanos: parse_nanos(text)?, pointer })
    }

    /// The zero quantity.
    #[must_use]
    pub fn zero(pointer: bool) -> Self {
        Self { text: "0", nanos: 0, pointer }
    }

    /// The value in billionths, rounded away from zero, as Kubernetes keeps it.
    #[must_use]
    pub fn nanos(&self) -> i128 {
        self.nanos
    }

    /// The text as it was written.
    #[must_use]
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Whether the position is a pointer to a quantity.
    #[must_use]
    pub fn behind_pointer(&self) -> bool {
        self.pointer
    }
}

impl fmt::Display for Quantity<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text)
    }
}

fn parse_nanos(text: &str) -> Result<i128, QuantityError> {
    let (negative, unsigned) = match text.as_bytes().first() {
        Some(b'-') => (true, text.get(1..).unwrap_or_default()),
        Some(b'+') => (false, text.get(1..).unwrap_or_default()),
        Some(_) => (false, text),
        None => return Err(QuantityError::Format),
    };
    let number_len = unsigned.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
    let (number, suffix) = unsigned.split_at_checked(number_len).ok_or(QuantityError::Format)?;
    if number.bytes().filter(|byte| *byte == b'.').count() > 1 {
        return Err(QuantityError::Format);
    }
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if !has_suffix_shape(suffix) {
        return Err(QuantityError::Format);
    }
    if whole.is_empty() && fraction.is_empty() {
        return Err(QuantityError::Format);
    }
    let scale = parse_suffix(suffix)?;
    let value = scaled(whole, fraction, scale);
    Ok(if negative { -value } else { value })
}

/// `[eEinumkKMGTP]*[-+]?[0-9]*`
fn has_suffix_shape(suffix: &str) -> bool {
    let letters = suffix.trim_start_matches(|c: char| "eEinumkKMGTP".contains(c));
    let digits = letters.strip_prefix(['-', '+']).unwrap_or(letters);
    digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// What a suffix multiplies by.
#[derive(Clone, Copy)]
enum Scale {
    /// Power of ten.
    Ten(i32),
    /// Power of two.
    Two(u32),
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
            // Beyond this every non-zero number is capped or rounded to the last nano anyway.
            Scale::Ten(i32::try_from(parsed.clamp(-10_000, 10_000)).map_err(|_| QuantityError::Suffix)?)
        }
    })
}

/// `whole.fraction × scale` in nanos, rounded up in magnitude, capped.
fn scaled(whole: &str, fraction: &str, scale: Scale) -> i128 {
    let digits = || whole.bytes().chain(fraction.bytes()).map(|byte| i128::from(byte - b'0'));
    if digits().all(|digit| digit == 0) {
        return 0;
    }
    let (binary, exponent) = match scale {
        Scale::Ten(power) => (0, i64::from(power)),
        Scale::Two(power) => (power, 0),
    };
    // value = digits × 10^(exponent − |fraction|) × 2^binary; in nanos another 10^9.
    let exponent = exponent - i64::try_from(fraction.len()).unwrap_or(i64::MAX) + 9;
    // Take digits until the number is surely above the cap or surely complete.
    let mut mantissa: i128 = 0;
    let mut dropped = 0_i64;
    let mut inexact = false;
    for digit in digits() {
        if mantissa > CAP {
            dropped += 1;
            inexact |= digit != 0;
        } else {
            mantissa = mantissa * 10 + digit;
        }
    }
    let mut exponent = exponent + dropped;
    // Binary factors before dividing keeps exactness; mantissa ≤ 2^96, so 2^60 may overflow: then it is above the cap
    // unless the exponent brings it down again, which 10^9 per step does first.
    let mut binary_left = binary;
    while binary_left > 0 {
        match mantissa.checked_mul(2) {
            Some(doubled) => {
                mantissa = doubled;
                binary_left -= 1;
            }
            None => {
                inexact |= mantissa % 10 != 0;
                mantissa /= 10;
                exponent += 1;
            }
        }
    }
    while exponent > 0 {
        if mantissa > CAP {
            return CAP;
        }
        mantissa *= 10;
        exponent -= 1;
    }
    while exponent < 0 && mantissa > 0 {
        inexact |= mantissa % 10 != 0;
        mantissa /= 10;
        exponent += 1;
    }
    (mantissa + i128::from(inexact)).min(CAP)
}

#[cfg(test)]
mod tests {
    use super::{CAP, Quantity, QuantityError};

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
            ("16E", CAP),
            ("1e400", CAP),
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
            (".", QuantityError::Format),
            ("1 ", QuantityError::Format),
            ("1Kii", QuantityError::Suffix),
            ("1K", QuantityError::Suffix),
            ("1ee3", QuantityError::Suffix),
            ("1e", QuantityError::Suffix),
        ] {
            assert_eq!(Quantity::parse(text, false).map(|q| q.nanos()), Err(error), "{text}");
        }
    }
}
