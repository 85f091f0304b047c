//! Bounds and values, read from what a validator says.

use takeover_harness::compare::perhaps_alternatives;
use takeover_harness::error::ErrorType;

/// What stands before a bound, and how far the last good number is from it.
const BOUNDS: &[(&str, i64)] = &[
    ("must be greater than or equal to ", 0),
    ("must be less than or equal to ", 0),
    ("must be greater than ", 1),
    ("must be less than ", -1),
    ("must be no more than ", 0),
    ("may not be more than ", 0),
    ("may not be longer than ", 0),
    ("must have at most ", 0),
    ("must have at least ", 0),
    ("must not have more than ", 0),
    ("may not specify a duration less than ", 0),
];

/// Returns the bounds and values that a message names: one pair each, and one of neither where it names none.
pub fn bounds(error_type: ErrorType, detail: &str) -> Vec<(Option<i64>, Vec<String>)> {
    if error_type == ErrorType::NotSupported {
        return vec![(None, perhaps_alternatives(detail))];
    }
    if let Some((first, last)) = between(detail) {
        return vec![(Some(first), Vec::new()), (Some(last), Vec::new())];
    }
    vec![(limit(detail), Vec::new())]
}

/// Most numbers and values of a message that are tried.
const MOST_WORTH_TRYING: usize = 8;

/// Returns the bounds and values that a message of any validator may name: those of [`bounds`], or else every whole number in it,
/// every quoted text, every value of a list in words, and what stands behind `such as`.
pub fn worth_trying(error_type: ErrorType, detail: &str) -> Vec<(Option<i64>, Vec<String>)> {
    let named = bounds(error_type, detail);
    if named.iter().any(|(limit, values)| limit.is_some() || !values.is_empty()) {
        return named;
    }
    let mut values: Vec<String> = detail.split('"').skip(1).step_by(2).map(str::to_owned).collect();
    let examples = detail.split("such as ").skip(1).filter_map(|rest| rest.split([' ', ';']).next());
    values.extend(examples.map(|word| word.trim_matches(['"', '\'', '`', ',', '.', ')', ':']).to_owned()));
    let measured = detail.split([' ', ',', ';', '(', ')']).flat_map(measured);
    for value in perhaps_alternatives(detail).into_iter().chain(measured) {
        if !values.contains(&value) {
            values.push(value);
        }
    }
    values.retain(|value| !value.is_empty());
    values.truncate(MOST_WORTH_TRYING);
    let words =
        detail.split(|char: char| char.is_whitespace() || matches!(char, ',' | '(' | ')' | ';' | '[' | ']' | ':'));
    let numbers = words.filter_map(|word| word.trim_end_matches('.').parse::<i64>().ok());
    let mut found: Vec<(Option<i64>, Vec<String>)> =
        numbers.take(MOST_WORTH_TRYING).map(|number| (Some(number), Vec::new())).collect();
    if !values.is_empty() || found.is_empty() {
        found.push((None, values));
    }
    found
}

/// A word that is a number with a unit, and those next to it: `64Gi` with `63Gi` and `65Gi`.
fn measured(word: &str) -> Vec<String> {
    let word = word.trim_end_matches('.');
    let (number, unit) = word.split_at(word.find(|char: char| !char.is_ascii_digit()).unwrap_or(word.len()));
    let is_unit = matches!(unit.len(), 1..=2) && unit.chars().all(|char| char.is_ascii_alphabetic() || char == '%');
    let Some(number) = number.parse::<u64>().ok().filter(|_| is_unit) else { return Vec::new() };
    let near = [Some(number), number.checked_sub(1), number.checked_add(1)];
    near.into_iter().flatten().map(|near| format!("{near}{unit}")).collect()
}

/// The bounds of `must be between 1 and 65535, inclusive` and `must be greater than 0 and less than 86400`.
fn between(detail: &str) -> Option<(i64, i64)> {
    if let Some((first, last)) =
        detail.strip_prefix("must be greater than ").and_then(|range| range.split_once(" and less than "))
    {
        return Some((number(first)?.checked_add(1)?, number(last)?.checked_sub(1)?));
    }
    let (_, range) = detail.split_once("must be between ")?;
    let (first, last) = range.split_once(" and ")?;
    Some((number(first)?, number(last.strip_suffix(", inclusive")?)?))
}

fn limit(detail: &str) -> Option<i64> {
    BOUNDS.iter().find_map(|(before, distance)| {
        let (_, rest) = detail.split_once(before)?;
        number(rest)?.checked_add(*distance)
    })
}

/// The whole number that a text starts with; none if it goes on as another sort of text, such as `1Gi` or `1.5`, or says in brackets
/// what of the object the number is, as in `3 (the number of specified completions)`.
fn number(text: &str) -> Option<i64> {
    let end = text.find(|char: char| !char.is_ascii_digit() && char != '-').unwrap_or(text.len());
    let (number, rest) = text.split_at_checked(end)?;
    let ends = rest.is_empty() || rest.starts_with([' ', ',']);
    (ends && !rest.starts_with(" (")).then(|| number.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::{bounds, worth_trying};
    use takeover_harness::error::ErrorType;

    #[test]
    fn messages_name_the_last_good_number() {
        for (detail, limits) in [
            ("must be greater than or equal to 0", &[0][..]),
            ("must be less than or equal to -1000", &[-1000]),
            ("must be greater than 0", &[1]),
            ("must be less than 10", &[9]),
            ("must be between 1 and 65535, inclusive", &[1, 65535]),
            ("must be greater than 0 and less than 86401", &[1, 86400]),
            ("may not be more than 63 bytes", &[63]),
            ("name part must be no more than 63 bytes", &[63]),
            ("must have at most 256 items", &[256]),
            ("may not specify a duration less than 600 seconds (10 minutes)", &[600]),
        ] {
            let found: Vec<i64> =
                bounds(ErrorType::Invalid, detail).into_iter().filter_map(|(limit, _)| limit).collect();
            assert_eq!(found, limits, "{detail}");
        }
    }

    #[test]
    fn messages_without_bound_name_none() {
        for detail in [
            "",
            "must be greater than or equal to `x`",
            "must be less than or equal to 1Gi",
            "must be `0`",
            "must be less than or equal to 3 (the number of specified completions)",
        ] {
            assert_eq!(bounds(ErrorType::Invalid, detail), [(None, Vec::new())], "{detail}");
        }
    }

    #[test]
    fn numbers_and_examples_of_any_message_are_worth_trying() {
        let found = |detail| worth_trying(ErrorType::Invalid, detail);
        assert_eq!(found("must be at most 1000"), [(Some(1000), Vec::new())]);
        assert_eq!(found("must be in [1, 64]."), [(Some(1), Vec::new()), (Some(64), Vec::new())]);
        let zone = vec!["Europe/Berlin".to_owned()];
        assert_eq!(found("must be a time zone such as Europe/Berlin"), [(None, zone)]);
        assert_eq!(found("one of \"a\" or \"b\""), [(None, vec!["a".to_owned(), "b".to_owned()])]);
        let modes = ["Auto", "Manual"].map(str::to_owned).to_vec();
        assert_eq!(found("must be Auto or Manual"), [(None, modes)]);
        assert_eq!(found("field is immutable"), [(None, Vec::new())]);
    }

    #[test]
    fn supported_values_are_read_as_they_are_quoted() {
        let found = bounds(ErrorType::NotSupported, r#"supported values: "", "A\"b", "C""#);
        assert_eq!(found, [(None, vec![String::new(), "A\"b".to_owned(), "C".to_owned()])]);
        assert_eq!(bounds(ErrorType::NotSupported, "no list"), [(None, Vec::new())]);
    }
}
