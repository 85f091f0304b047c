//! Numbers and names in texts for people.

/// A number with separators between thousands: `1,234,567`.
#[must_use]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 case`, `2 cases`.
#[must_use]
pub fn plural(number: u64, word: &str) -> String {
    format!("{} {word}{}", grouped(number), if number == 1 { "" } else { "s" })
}

/// A part in per cent of the whole; none of it when there is nothing.
#[must_use]
pub fn percent_of(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

/// Names longer than this are compared as far as it.
const LONGEST_NAME: usize = 64;

/// The known name that was probably meant: the one that differs in the fewest letters, upper and lower case being the same; none where
/// more than a third of the letters differ, or more than four.
#[must_use]
pub fn nearest<'k>(asked: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let letters = |name: &str| name.chars().take(LONGEST_NAME).collect::<String>().to_lowercase();
    let asked = letters(asked);
    let most = (asked.chars().count() / 3).clamp(1, 4);
    let apart = known.into_iter().map(|name| (strsim::osa_distance(&asked, &letters(name)), name));
    apart.filter(|(apart, _)| *apart <= most).min_by_key(|(apart, _)| *apart).map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::{nearest, percent_of, plural};

    #[test]
    fn the_name_that_was_meant_is_near() {
        let known = ["ReplicationController", "ResourceClaim", "Scale"];
        for (asked, meant) in [
            ("replicationcontroler", Some("ReplicationController")),
            ("ReplicaController", Some("ReplicationController")),
            ("Scael", Some("Scale")),
            ("Pod", None),
            ("", None),
        ] {
            assert_eq!(nearest(asked, known), meant, "{asked}");
        }
        assert_eq!(nearest(&"x".repeat(1 << 20), known), None);
    }

    #[test]
    fn numbers_read_well() {
        assert_eq!([plural(0, "case"), plural(1, "case"), plural(1000, "case")], ["0 cases", "1 case", "1,000 cases"]);
        assert_eq!([percent_of(0, 0), percent_of(1, 4), percent_of(3, 3)], [0.0, 25.0, 100.0]);
    }
}
