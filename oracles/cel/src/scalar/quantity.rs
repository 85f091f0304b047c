//! Quantities of Kubernetes.

use std::cmp::Ordering;
use std::fmt;
use takeover_harness::object::{Amount, Quantity as Parsed};

const ONE: i128 = 1_000_000_000;
const DECIMAL: [&str; 10] = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
const BINARY: [&str; 7] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/// A quantity.
#[derive(Clone, Debug)]
pub struct Quantity {
    /// Billionths.
    nanos: i128,
    /// Digits and power of ten, of what Kubernetes keeps in 64 bits.
    small: Option<(i64, i32)>,
    family: Family,
    /// The text, if it is printed as it was written.
    written: Option<Box<str>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    Decimal,
    Binary,
    Exponent,
}

impl Quantity {
    /// Reads a quantity.
    ///
    /// # Errors
    /// Returns the text of the error.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Err(takeover_harness::object::QuantityError::Format.to_string());
        }
        if text.starts_with(char::is_whitespace) || text.ends_with(char::is_whitespace) {
            return Err(takeover_harness::object::QuantityError::Format.to_string());
        }
        let parsed = Parsed::parse(text, false).map_err(|error| error.to_string())?;
        let suffix = text.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '+' | '-'));
        let mut family = match suffix.as_bytes() {
            [.., b'i'] => Family::Binary,
            [b'e' | b'E', _, ..] => Family::Exponent,
            _ => Family::Decimal,
        };
        let nanos = parsed.nanos();
        let small = match parsed.amount() {
            Amount::Small { value, scale } => Some((value, scale)),
            Amount::Large { .. } => None,
        };
        if family == Family::Binary && small.is_none() && nanos.abs() < ONE && nanos != 0 {
            family = Family::Decimal;
        }
        let written = parsed.is_printed_as_written().then(|| text.into());
        Ok(Self { nanos, small, family, written })
    }

    /// A whole number, written with exponents.
    #[must_use]
    pub fn whole(value: i64) -> Self {
        Self { nanos: i128::from(value) * ONE, small: Some((value, 0)), family: Family::Exponent, written: None }
    }

    /// −1, 0 or 1.
    #[must_use]
    pub fn sign(&self) -> i64 {
        i64::try_from(self.nanos.signum()).unwrap_or_default()
    }

    /// The order of the numbers.
    #[must_use]
    pub fn order(&self, other: &Self) -> Ordering {
        self.nanos.cmp(&other.nanos)
    }

    /// Whether both are the same number.
    #[must_use]
    pub fn same(&self, other: &Self) -> bool {
        self.nanos == other.nanos
    }

    /// The number, if Kubernetes takes it for an integer.
    #[must_use]
    pub fn integer(&self) -> Option<i64> {
        let (value, scale) = self.small?;
        10i64.checked_pow(u32::try_from(scale).ok()?)?.checked_mul(value)
    }

    /// The nearest double, as Kubernetes computes it.
    #[must_use]
    pub fn float(&self) -> f64 {
        match self.small {
            Some((value, scale)) => {
                if scale == 0 {
                    value as f64
                } else {
                    value as f64 * 10f64.powi(scale)
                }
            }
            None => {
                let (whole, rest) = (self.nanos / ONE, self.nanos % ONE);
                if rest == 0 { whole as f64 } else { self.nanos as f64 * 10f64.powi(-9) }
            }
        }
    }

    /// `self + other`, or `self - other`.
    #[must_use]
    pub fn sum(&self, other: &Self, subtract: bool) -> Self {
        let nanos =
            if subtract { self.nanos.saturating_sub(other.nanos) } else { self.nanos.saturating_add(other.nanos) };
        let family = if self.nanos == 0 { other.family } else { self.family };
        let small = match (self.small, other.small) {
            (Some(a), Some(b)) => Self::small_sum(a, b, subtract),
            _ => None,
        };
        Self { nanos, small, family, written: None }
    }

    /// The sum in 64 bits, at the smaller of both powers of ten.
    fn small_sum(a: (i64, i32), b: (i64, i32), subtract: bool) -> Option<(i64, i32)> {
        let (value, scale) = b;
        let b = (if subtract { value.checked_neg()? } else { value }, scale);
        if b.0 == 0 {
            return Some(a);
        }
        if a.0 == 0 {
            return Some(b);
        }
        let scale = a.1.min(b.1);
        let at = |(value, own): (i64, i32)| 10i64.checked_pow(u32::try_from(own - scale).ok()?)?.checked_mul(value);
        at(a)?.checked_add(at(b)?).map(|sum| (sum, scale))
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(written) = &self.written {
            return f.write_str(written);
        }
        if self.nanos == 0 {
            return f.write_str("0");
        }
        if self.family == Family::Binary && self.nanos % ONE == 0 && (self.nanos / ONE).abs() >= 1024 {
            let (mut number, mut power) = (self.nanos / ONE, 0);
            while number % 1024 == 0 && power + 1 < BINARY.len() {
                number /= 1024;
                power += 1;
            }
            return write!(f, "{number}{}", BINARY.get(power).unwrap_or(&""));
        }
        let (mut number, mut power) = (self.nanos, 0);
        while number % 1000 == 0 && power + 1 < DECIMAL.len() {
            number /= 1000;
            power += 1;
        }
        match (self.family, i32::try_from(power).unwrap_or_default() * 3 - 9) {
            (Family::Exponent, 0) => write!(f, "{number}"),
            (Family::Exponent, exponent) => write!(f, "{number}e{exponent}"),
            _ => write!(f, "{number}{}", DECIMAL.get(power).unwrap_or(&"")),
        }
    }
}
