//! Numbers in texts for people.

/// `1 case`, `2 cases`.
#[must_use]
pub fn plural(number: u64, word: &str) -> String {
    format!("{number} {word}{}", if number == 1 { "" } else { "s" })
}

/// A part in per cent of the whole; none of it when there is nothing.
#[must_use]
pub fn percent_of(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::{percent_of, plural};

    #[test]
    fn numbers_read_well() {
        assert_eq!([plural(0, "case"), plural(1, "case"), plural(1000, "case")], ["0 cases", "1 case", "1000 cases"]);
        assert_eq!([percent_of(0, 0), percent_of(1, 4), percent_of(3, 3)], [0.0, 25.0, 100.0]);
    }
}
