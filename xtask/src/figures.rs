//! Figures for people.

use takeover_reports::grouped;

/// Nanoseconds or microseconds.
pub fn time(ns: f64) -> String {
    if ns < 1_000.0 { format!("{ns:.0} ns") } else { format!("{:.2} µs", ns / 1_000.0) }
}

/// A rate without its fraction.
pub fn thousands(value: f64) -> String {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rate for people")]
    grouped(value.max(0.0) as u64)
}

#[cfg(test)]
mod tests {
    use super::{thousands, time};

    #[test]
    fn figures_are_printed_for_people() {
        assert_eq!((time(312.4).as_str(), time(1_234.0).as_str()), ("312 ns", "1.23 µs"));
        assert_eq!((thousands(999.9).as_str(), thousands(1_234_567.0).as_str()), ("999", "1,234,567"));
    }
}
