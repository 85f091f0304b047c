//! Keywords on numbers, with Go's ways between integers and floats.

use super::checker::Checker;
use super::name::Name;
use crate::structural::{SchemaType, Structural};
use crate::text::float;
use serde_json::{Number, Value};
use takeover_harness::error::{BadValue, ErrorType, FieldError};

/// Up to here floats hold every integer.
const EXACT: f64 = 9_007_199_254_740_991.0;

/// Whether a value is an integer, or a float that is near enough to one.
pub(super) fn is_integer(value: &Value) -> bool {
    value.is_i64() || value.as_f64().is_some_and(is_whole)
}

/// As go-openapi decides it.
fn is_whole(value: f64) -> bool {
    if !value.is_finite() || value.abs() > EXACT {
        return false;
    }
    let whole = value.trunc();
    let difference = (value - whole).abs();
    value == whole || (whole != 0.0 && difference / (value.abs() + whole.abs()) < 1e-9)
}

/// Whether a float, without its fraction, is in the range of 64-bit integers.
fn fits_integer(value: f64) -> bool {
    let limit = 2_f64.powi(63);
    value.trunc() >= -limit && value < limit
}

/// A float as Go makes an integer of it: without its fraction, and the least of all where it does not fit.
#[expect(clippy::cast_possible_truncation, reason = "in range")]
fn truncated(value: f64) -> i64 {
    if fits_integer(value) { value as i64 } else { i64::MIN }
}

/// Why a number is out of the range of its type.
fn out_of_range(node: &Structural, number: &Number, what: &str, name: &Name<'_>) -> Option<String> {
    let ty = match node.ty {
        _ if node.int_or_string => return None,
        Some(SchemaType::Integer) => "integer",
        Some(SchemaType::Number) => "number",
        _ => return None,
    };
    let format = super::formats::kept(node).unwrap_or_default();
    let value = || number.as_f64().unwrap_or_default();
    let fits = if ty == "integer" {
        let of_float = || Some(value()).filter(|value| value.fract() == 0.0 && fits_integer(*value)).map(truncated);
        let whole = number.as_i64().or_else(of_float);
        whole.is_some_and(|whole| format != "int32" || i32::try_from(whole).is_ok())
    } else {
        format != "float" || value().abs() <= f64::from(f32::MAX)
    };
    if fits {
        return None;
    }
    let format = if format.is_empty() { "(default format)".to_owned() } else { format!("with format {format}") };
    Some(format!("{what} value must be of type {ty} {format} in {name}"))
}

/// A value and its bound as integers, where Go compares them as such.
type Integers = Option<(i64, i64)>;
/// The text of an error, and what it is about if that is not the value.
type Refusal = Option<(String, Option<BadValue>)>;

/// The errors of all keywords.
pub(super) fn check(checker: &Checker<'_>, node: &Structural, number: &Number, name: &Name<'_>) -> Vec<FieldError> {
    let checks = &node.checks;
    let mut errors = Vec::new();
    errors.extend(out_of_range(node, number, "Checked", name).map(|detail| checker.vague("type", name, detail)));
    let value = number.as_f64().unwrap_or_default();
    let bad = || BadValue::from(Value::Number(number.clone()));
    // An integer is compared with integers, if the bound is of the type.
    let mut bound = |keyword: &str, bound: f64, what: &str, check: &dyn Fn(Integers) -> Refusal| {
        let limit = Number::from_f64(bound).and_then(|bound| out_of_range(node, &bound, what, name));
        let integers = number.as_i64().filter(|_| limit.is_none()).map(|value| (value, truncated(bound)));
        errors.extend(limit.map(|detail| checker.vague(keyword, name, detail)));
        if let Some((detail, at_fault)) = check(integers) {
            errors.push(checker.error(keyword, ErrorType::Invalid, name, at_fault.unwrap_or_else(bad), detail));
        }
    };
    if let Some(factor) = checks.multiple_of {
        bound("multipleOf", factor, "MultipleOf", &|integers| {
            let (positive, multiple, shown, factor) = match integers {
                Some((value, factor)) => {
                    (factor > 0, value.checked_rem(factor) == Some(0), factor.to_string(), BadValue::Int(factor))
                }
                None => {
                    let quotient = if factor < 1.0 { value * (1.0 / factor) } else { value / factor };
                    (factor > 0.0, is_whole(quotient), float(factor), BadValue::Float(factor))
                }
            };
            match (positive, multiple) {
                (true, true) => None,
                (true, false) => Some((format!("{name} in body should be a multiple of {shown}"), None)),
                _ => Some((format!("factor MultipleOf declared for {name} must be positive: {shown}"), Some(factor))),
            }
        });
    }
    if let Some(maximum) = checks.maximum {
        let keyword = if checks.exclusive_maximum { "exclusiveMaximum" } else { "maximum" };
        bound(keyword, maximum, "Maximum boundary", &|integers| {
            let (beyond, on, shown) = match integers {
                Some((value, maximum)) => (value > maximum, value == maximum, maximum.to_string()),
                None => (value > maximum, value == maximum, float(maximum)),
            };
            let than = if checks.exclusive_maximum { "less than" } else { "less than or equal to" };
            (beyond || on && checks.exclusive_maximum)
                .then(|| (format!("{name} in body should be {than} {shown}"), None))
        });
    }
    if let Some(minimum) = checks.minimum {
        let keyword = if checks.exclusive_minimum { "exclusiveMinimum" } else { "minimum" };
        bound(keyword, minimum, "Minimum boundary", &|integers| {
            let (beyond, on, shown) = match integers {
                Some((value, minimum)) => (value < minimum, value == minimum, minimum.to_string()),
                None => (value < minimum, value == minimum, float(minimum)),
            };
            let than = if checks.exclusive_minimum { "greater than" } else { "greater than or equal to" };
            (beyond || on && checks.exclusive_minimum)
                .then(|| (format!("{name} in body should be {than} {shown}"), None))
        });
    }
    errors
}

#[cfg(test)]
mod tests {
    use crate::structural::{Checks, SchemaType, Structural};
    use crate::validate::validate;
    use serde_json::{Value, json};

    fn errors(ty: SchemaType, checks: Checks, value: Value) -> Vec<String> {
        let schema = Structural { ty: Some(ty), checks, ..Structural::default() };
        validate(&schema, &value).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn integers_are_compared_with_bounds_without_fractions() {
        let minimum = |minimum| Checks { minimum: Some(minimum), ..Checks::default() };
        let maximum = |maximum| Checks { maximum: Some(maximum), ..Checks::default() };
        let number = SchemaType::Number;
        for (checks, value, expected) in [
            (minimum(1.5), json!(1), None),
            (
                minimum(1.5),
                json!(1.2),
                Some("<nil>: Invalid value: 1.2:  in body should be greater than or equal to 1.5"),
            ),
            (maximum(5.5), json!(6), Some("<nil>: Invalid value: 6:  in body should be less than or equal to 5")),
            (
                maximum(1e6),
                json!(1e7),
                Some("<nil>: Invalid value: 10000000:  in body should be less than or equal to 1e+06"),
            ),
            (
                maximum(1e300),
                json!(1),
                Some("<nil>: Invalid value: 1:  in body should be less than or equal to -9223372036854775808"),
            ),
        ] {
            assert_eq!(errors(number, checks, value.clone()), Vec::from_iter(expected), "{value}");
        }
    }

    #[test]
    fn a_fraction_is_neither_of_the_type_nor_in_its_range() {
        let found = errors(SchemaType::Integer, Checks::default(), json!(1.5));
        assert_eq!(
            found,
            [
                "<nil>: Invalid value: \"number\":  in body must be of type integer: \"number\"",
                "<nil>: Invalid value: \"\": Checked value must be of type integer (default format) in ",
            ]
        );
        assert_eq!(errors(SchemaType::Integer, Checks::default(), json!(2.0)), [""; 0]);
    }

    #[test]
    fn factors_that_are_no_integers_are_none_to_integers() {
        let half = || Checks { multiple_of: Some(0.5), ..Checks::default() };
        assert_eq!(
            errors(SchemaType::Number, half(), json!(1)),
            ["<nil>: Invalid value: 0: factor MultipleOf declared for  must be positive: 0"]
        );
        assert_eq!(errors(SchemaType::Number, half(), json!(1.5)), [""; 0]);
        assert_eq!(
            errors(SchemaType::Number, half(), json!(1.25)),
            ["<nil>: Invalid value: 1.25:  in body should be a multiple of 0.5"]
        );
    }
}
