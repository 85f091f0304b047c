//! Values that are a number or a share of all.

use super::report::{Covered, non_negative};
use super::strconv::atoi;
use crate::types::IntOrString;
use takeover_harness::error::{BadValue, ErrorList, FieldError};
use takeover_harness::path::Path;

const PERCENT_SHAPE: &str = "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for \
     validation is '[0-9]+%')";

/// Checks that a value is a number from zero on, or a percentage.
pub fn validate_int_or_percent(value: &IntOrString, path: &Path<'_>, errors: &mut ErrorList) {
    match value {
        IntOrString::Int(number) => non_negative((*number).into(), path, Covered::No, errors),
        IntOrString::String(_) if percentage(value).is_some() => {}
        IntOrString::String(text) => errors.push(FieldError::invalid(path, *text, PERCENT_SHAPE)),
    }
}

/// Checks that a percentage is at most everything; says nothing of other values.
pub fn validate_at_most_all(value: &IntOrString, path: &Path<'_>, errors: &mut ErrorList) {
    if percentage(value).is_some_and(|percent| percent > 100) {
        errors.push(FieldError::invalid(path, shown(value), "must not be greater than 100%"));
    }
}

/// The number before the sign of a percentage, the greatest one when it is even greater; none for what is no percentage.
#[must_use]
pub fn percentage(value: &IntOrString) -> Option<i64> {
    let IntOrString::String(text) = value else { return None };
    let digits = text.strip_suffix('%')?;
    let number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    number.then(|| atoi(digits))
}

/// The number or percentage; that of a text which is neither is zero.
#[must_use]
pub fn number(value: &IntOrString) -> i64 {
    match value {
        IntOrString::Int(number) => (*number).into(),
        IntOrString::String(text) => percentage(value).unwrap_or_else(|| atoi(text)),
    }
}

/// The value as errors show it.
#[must_use]
pub fn shown(value: &IntOrString) -> BadValue {
    match value {
        IntOrString::Int(number) => (*number).into(),
        IntOrString::String(text) => (*text).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_values_are_read_leniently() {
        for (text, expected) in
            [("7%", 7), ("7", 7), ("-7", -7), ("-7%", 0), ("x", 0), ("99999999999999999999%", i64::MAX)]
        {
            assert_eq!(number(&IntOrString::String(text)), expected, "{text}");
        }
        assert_eq!(number(&IntOrString::Int(-1)), -1);
    }

    #[test]
    fn values_are_numbers_from_zero_or_percentages_up_to_all() {
        let text = IntOrString::String;
        for (value, expected) in [
            (IntOrString::Int(0), ""),
            (IntOrString::Int(101), ""),
            (IntOrString::Int(-1), "x: Invalid value: -1: must be greater than or equal to 0"),
            (text("0%"), ""),
            (text("100%"), ""),
            (text("0100%"), ""),
            (text("101%"), "x: Invalid value: \"101%\": must not be greater than 100%"),
            (
                text("99999999999999999999%"),
                "x: Invalid value: \"99999999999999999999%\": must not be greater than 100%",
            ),
            (
                text(""),
                "x: Invalid value: \"\": a valid percent string must be a numeric string followed by an ending '%'",
            ),
            (text("%"), "x: Invalid value: \"%\": a valid percent string"),
            (text("1"), "x: Invalid value: \"1\": a valid percent string"),
            (text("-1%"), "x: Invalid value: \"-1%\": a valid percent string"),
            (text("+1%"), "x: Invalid value: \"+1%\": a valid percent string"),
            (text("1%%"), "x: Invalid value: \"1%%\": a valid percent string"),
        ] {
            let mut errors = ErrorList::new();
            let path = Path::ROOT.child("x");
            validate_int_or_percent(&value, &path, &mut errors);
            validate_at_most_all(&value, &path, &mut errors);
            let found: Vec<String> = errors.iter().map(ToString::to_string).collect();
            assert_eq!(found.len(), usize::from(!expected.is_empty()), "{value:?}: {found:?}");
            assert!(found.iter().all(|line| line.starts_with(expected)), "{value:?}: {found:?}");
        }
    }
}
