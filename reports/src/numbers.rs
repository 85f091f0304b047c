//! Numbers as people read them, written the same way everywhere.

pub use takeover_harness::text::grouped;

/// `1 rule`, `2 rules`; of several words, the first is counted: `2 rules out of reach`. An adjective may come before: `2 ready rules`.
#[must_use]
pub fn counted(number: u64, words: &str) -> String {
    if number == 1 {
        return format!("1 {words}");
    }
    // What is counted is the last word before a preposition.
    let (counted, rest) = [" out of ", " short of "]
        .iter()
        .find_map(|joint| words.split_once(joint).map(|(counted, rest)| (counted, format!("{joint}{rest}"))))
        .unwrap_or((words, String::new()));
    format!("{} {counted}s{rest}", grouped(number))
}

/// A share as people read it; one that is not quite all or nothing is not rounded to it.
#[must_use]
pub fn percent(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "–".to_owned();
    }
    let tenths = u128::from(part) * 1000 / u128::from(whole);
    match (tenths, part) {
        (0, 1..) => "< 0.1 %".to_owned(),
        _ if tenths.is_multiple_of(10) => format!("{} %", tenths / 10),
        _ => format!("{}.{} %", tenths / 10, tenths % 10),
    }
}

#[cfg(test)]
mod tests {
    use super::{counted, grouped, percent};

    #[test]
    fn numbers_read_well() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_000), "1,000");
        assert_eq!(grouped(u64::MAX), "18,446,744,073,709,551,615");
        for (number, words, text) in [
            (1, "rule", "1 rule"),
            (1200, "ready rule", "1,200 ready rules"),
            (1, "rule out of reach", "1 rule out of reach"),
            (0, "rule short of evidence", "0 rules short of evidence"),
        ] {
            assert_eq!(counted(number, words), text);
        }
    }

    #[test]
    fn a_share_is_never_rounded_to_all_or_nothing() {
        for (part, whole, text) in [
            (0, 0, "–"),
            (0, 7, "0 %"),
            (1, 10_000, "< 0.1 %"),
            (1, 3, "33.3 %"),
            (9_999, 10_000, "99.9 %"),
            (7, 7, "100 %"),
        ] {
            assert_eq!(percent(part, whole), text);
        }
    }
}
