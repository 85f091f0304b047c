//! Ranges of sizes and costs, with arithmetic that stops at the largest number.

/// A size or cost that is at least `min` and at most `max`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// Lower bound.
    pub min: u64,
    /// Upper bound.
    pub max: u64,
}

impl Range {
    /// Nothing is known.
    pub const UNKNOWN: Self = Self { min: 0, max: u64::MAX };
    /// Nothing at all.
    pub const ZERO: Self = Self::fixed(0);

    /// A range of one number.
    #[must_use]
    pub const fn fixed(number: u64) -> Self {
        Self { min: number, max: number }
    }

    /// The sum of both.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self { min: self.min.saturating_add(other.min), max: self.max.saturating_add(other.max) }
    }

    /// The product of both.
    #[must_use]
    pub fn times(self, other: Self) -> Self {
        Self { min: self.min.saturating_mul(other.min), max: self.max.saturating_mul(other.max) }
    }

    /// The product with a factor, rounded up.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        Self { min: scale(self.min, factor), max: scale(self.max, factor) }
    }

    /// The range of both.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }
}

#[expect(clippy::cast_precision_loss, reason = "API servers multiply as float64")]
fn scale(number: u64, factor: f64) -> u64 {
    let product = (number as f64 * factor).ceil();
    // Casts stop at the bounds.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates as API servers do")]
    let scaled = product as u64;
    scaled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_stop_at_the_largest_number() {
        assert_eq!(Range::UNKNOWN.plus(Range::fixed(1)), Range { min: 1, max: u64::MAX });
        assert_eq!(Range::UNKNOWN.times(Range::fixed(3)).max, u64::MAX);
        assert_eq!(Range::UNKNOWN.scaled(0.1).max, 1_844_674_407_370_955_264);
        assert_eq!(Range::UNKNOWN.scaled(2.0).max, u64::MAX);
        assert_eq!(Range::fixed(11).scaled(0.1).max, 2);
    }
}
