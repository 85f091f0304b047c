//! Mismatches as Kubernetes records them: structured, or as the text of its log line.

use serde_json::Value;
use takeover_harness::compare::Direction;
use takeover_harness::error::{ErrorType, FieldError};

/// One mismatch: what both releases' records have in common.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Mismatch {
    /// Reported by the declarative side only (`extra`), or by the handwritten side only (`unmatched`).
    pub extra: bool,
    /// Printed name of the error's type.
    pub printed_type: String,
    /// Path.
    pub field: String,
    /// Origin.
    pub origin: String,
}

impl Mismatch {
    /// The mismatch that `error` makes.
    #[must_use]
    pub(super) fn of(error: &FieldError, direction: Direction) -> Self {
        Self {
            extra: direction == Direction::Extra,
            printed_type: error.error_type.printed().to_owned(),
            field: error.field.clone(),
            origin: error.origin.as_ref().to_owned(),
        }
    }

    /// Reads a recorded mismatch; none when it has neither of the known forms.
    #[must_use]
    pub(super) fn recorded(value: &Value) -> Option<Self> {
        match value {
            Value::String(text) => Self::from_text(text),
            Value::Object(members) => {
                let text = |name: &str| members.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
                let error_type: ErrorType = serde_json::from_value(members.get("type")?.clone()).ok()?;
                Some(Self {
                    extra: text("kind") == "extra",
                    printed_type: error_type.printed().to_owned(),
                    field: text("field"),
                    origin: text("origin"),
                })
            }
            _ => None,
        }
    }

    /// `… unmatched error(s) found {Type="Invalid value", Field="spec.replicas", Origin="minimum"} …`, or the same after
    /// the word `extra` or `unmatched` alone.
    fn from_text(text: &str) -> Option<Self> {
        let (before, rest) = text.split_once("{Type=")?;
        let (printed_type, rest) = go_quoted(rest)?;
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
        Some(Self { extra: before.contains("extra"), printed_type, field, origin })
    }
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
    use super::Mismatch;
    use serde_json::json;

    #[test]
    fn both_recorded_forms_read_alike() {
        let expected = Mismatch {
            extra: false,
            printed_type: "Invalid value".into(),
            field: "metadata.labels[a\"b]".into(),
            origin: "minimum".into(),
        };
        for value in [
            json!({"kind": "unmatched", "type": "FieldValueInvalid", "field": "metadata.labels[a\"b]", "origin": "minimum"}),
            json!(
                "Unexpected difference, unmatched error(s) found {Type=\"Invalid value\", Field=\"metadata.labels[a\\\"b]\", Origin=\"minimum\"}. More text."
            ),
        ] {
            assert_eq!(Mismatch::recorded(&value).as_ref(), Some(&expected), "{value}");
        }
        let renamed = json!("extra {Type=\"Forbidden\", Field=\"a.b\" (aka \"a.c.b\"), Origin=\"x\"} y");
        let renamed = Mismatch::recorded(&renamed).unwrap();
        assert_eq!((renamed.field.as_str(), renamed.origin.as_str()), ("a.c.b", "x"));
        assert!(Mismatch::recorded(&json!("extra {Type=\"Forbidden\", Field=\"a\", Origin=\"\"} x")).unwrap().extra);
        assert_eq!(Mismatch::recorded(&json!(3)), None);
    }
}
