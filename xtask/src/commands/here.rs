//! What differs from call to call: a seed, and the day.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};

/// A seed that hardly any earlier run had, short enough to be typed again, and for a folder whose commands fit in 80 columns.
pub(super) fn new_seed() -> u64 {
    // The standard library seeds its hash maps from the system's randomness.
    RandomState::new().build_hasher().finish() % 1_000_000
}

/// The day it is, in UTC.
pub(super) fn today() -> Date {
    jiff::Timestamp::now().to_zoned(TimeZone::UTC).date()
}
