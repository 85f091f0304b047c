//! Mismatches as Kubernetes records them, structured or as the text of a log line; read as errors, so that two lists of them are
//! compared like any errors.

use serde_json::Value;
use takeover_harness::compare::Direction;
use takeover_harness::error::{BadValue, ErrorType, FieldError};
use takeover_harness::path::Path;

/// A mismatch over `error` as an error, which has no more of it than every release records: the type as it is printed, the field
/// and the origin. `words` is what else is compared.
pub(super) fn as_error(error: &FieldError, words: String) -> FieldError {
    // Two types print alike; the first stands for both.
    let printed = error.error_type.printed();
    let error_type = of_printed(printed).unwrap_or(error.error_type);
    let mismatch = FieldError::new(error_type, &Path::ROOT, BadValue::Hidden, words);
    FieldError { field: error.field.clone(), origin: error.origin.clone(), ..mismatch }
}

/// Reads a recorded mismatch, with its direction as words; none when it has neither of the known forms.
pub(super) fn recorded(value: &Value) -> Option<FieldError> {
    match value {
        Value::String(text) => from_text(text).map(|(direction, error)| as_error(&error, direction.to_string())),
        Value::Object(members) => {
            let error: FieldError = serde_json::from_value(value.clone()).ok()?;
            let extra = members.get("kind").and_then(Value::as_str) == Some("extra");
            Some(as_error(&error, direction(extra).to_string()))
        }
        _ => None,
    }
}

/// Reads a recorded mismatch, with its whole text as words; none when it has not the known form.
pub(super) fn recorded_in_full(text: &str) -> Option<FieldError> {
    from_text(text).map(|(_, error)| as_error(&error, text.to_owned()))
}

fn direction(extra: bool) -> Direction {
    if extra { Direction::Extra } else { Direction::Missing }
}

fn of_printed(printed: &str) -> Option<ErrorType> {
    ErrorType::ALL.into_iter().find(|known| known.printed() == printed)
}

/// `… unmatched error(s) found {Type="Invalid value", Field="spec.replicas", Origin="minimum"} …`, or the same after the word
/// `extra` or `unmatched` alone.
fn from_text(text: &str) -> Option<(Direction, FieldError)> {
    let (before, rest) = text.split_once("{Type=")?;
    let (printed, rest) = go_quoted(rest)?;
    let (field, rest) = go_quoted(rest.strip_prefix(", Field=")?)?;
    // A normalised path is followed by the one that the error has.
    let (field, rest) = match rest.strip_prefix(" (aka ") {
        Some(rest) => {
            let (field, rest) = go_quoted(rest)?;
            (field, rest.strip_prefix(')')?)
        }
        None => (field, rest),
    };
    let origin = match rest.strip_prefix(", Origin=") {
        Some(rest) => go_quoted(rest)?.0,
        None => String::new(),
    };
    let error = FieldError::new(of_printed(&printed)?, &Path::ROOT, BadValue::Hidden, "").with_origin(origin);
    Some((direction(before.contains("extra")), FieldError { field, ..error }))
}

/// A Go-quoted string at the start of `text`, and what follows it.
fn go_quoted(text: &str) -> Option<(String, &str)> {
    let inner = text.strip_prefix('"')?;
    let mut escaped = false;
    for (at, c) in inner.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => {
                let quoted = text.get(..at + 2)?;
                // Go's quoting differs from JSON's in `\x..`, `\a` and `\v` only.
                let json = quoted.replace("\\x", "\\u00").replace("\\a", "\\u0007").replace("\\v", "\\u000b");
                return Some((serde_json::from_str(&json).ok()?, inner.get(at + 1..)?));
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{as_error, recorded, recorded_in_full};
    use serde_json::json;
    use takeover_harness::error::{BadValue, ErrorType, FieldError};
    use takeover_harness::path::Path;

    #[test]
    fn both_recorded_forms_read_alike() {
        let expected = FieldError {
            field: "metadata.labels[a\"b]".into(),
            ..FieldError::new(ErrorType::Invalid, &Path::ROOT, BadValue::Hidden, "missing").with_origin("minimum")
        };
        for value in [
            json!({"kind": "unmatched", "type": "FieldValueInvalid", "field": "metadata.labels[a\"b]", "origin": "minimum"}),
            json!(
                "Unexpected difference, unmatched error(s) found {Type=\"Invalid value\", Field=\"metadata.labels[a\\\"b]\", Origin=\"minimum\"}. More text."
            ),
        ] {
            assert_eq!(recorded(&value).as_ref(), Some(&expected), "{value}");
        }
        let renamed = "extra {Type=\"Forbidden\", Field=\"a.b\" (aka \"a.c.b\"), Origin=\"x\"} y";
        let read = recorded(&json!(renamed)).unwrap();
        assert_eq!((read.field.as_str(), read.origin.as_ref(), read.detail.as_ref()), ("a.c.b", "x", "extra"));
        assert_eq!(recorded_in_full(renamed), Some(FieldError { detail: renamed.into(), ..read }));
        for unknown in [json!(3), json!("extra {Type=\"Odd\", Field=\"a\", Origin=\"\"}"), json!({"kind": "extra"})] {
            assert_eq!(recorded(&unknown), None, "{unknown}");
        }
    }

    #[test]
    fn types_that_print_alike_are_one() {
        let of = |error_type| as_error(&FieldError::new(error_type, &Path::ROOT, 1, "x"), "extra".to_owned());
        assert_eq!(of(ErrorType::TypeInvalid), of(ErrorType::Invalid));
        assert_ne!(of(ErrorType::TooLong), of(ErrorType::Invalid));
    }
}
