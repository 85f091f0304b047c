//! A `Status`, in which API servers and webhooks say why they refuse.

use serde::Deserialize;
use serde_json::Value;
use std::borrow::Cow;
use takeover_harness::error::{BadValue, ErrorType, FieldError};
use takeover_harness::oracle::{Answer, Decision};
use takeover_harness::path::Path;

/// A `metav1.Status`.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Status {
    /// In a sentence.
    #[serde(default)]
    pub(crate) message: Option<String>,
    /// In a word, such as `Invalid`.
    #[serde(default)]
    pub(crate) reason: Option<String>,
    #[serde(default)]
    details: Option<Details>,
}

#[derive(Clone, Debug, Default, Deserialize)]
struct Details {
    #[serde(default)]
    causes: Option<Vec<Cause>>,
}

#[derive(Clone, Debug, Default, Deserialize)]
struct Cause {
    #[serde(default)]
    reason: Option<String>,
    #[serde(default)]
    message: Option<String>,
    #[serde(default)]
    field: Option<String>,
}

impl Status {
    /// Why something was refused, for people.
    pub(crate) fn why(&self) -> String {
        let texts = [self.message.as_deref(), self.reason.as_deref()];
        let given = texts.into_iter().flatten().find(|text| !text.is_empty());
        given.unwrap_or("denied without a message").to_owned()
    }

    /// The refusal as a decision alone.
    pub(crate) fn decision(&self) -> Answer {
        Answer { decision: Some(Decision::Reject(self.why().into())), ..Answer::default() }
    }

    /// The refusal as field errors; as a decision when it names none, or one whose type Kubernetes does not have: a part of the
    /// errors would pass for all of them.
    pub(crate) fn refusal(&self) -> Answer {
        let causes = self.details.as_ref().and_then(|details| details.causes.as_deref()).unwrap_or_default();
        match causes.iter().map(Cause::error).collect::<Option<Vec<_>>>() {
            Some(errors) if !errors.is_empty() => Answer { errors: errors.into(), ..Answer::default() },
            _ => self.decision(),
        }
    }
}

impl Cause {
    /// The field error; none when its type is not one of Kubernetes.
    ///
    /// API servers print `Invalid value: -1: must be positive`; some webhooks put the field before it. Type and value are taken
    /// off where it is certain what they are. Otherwise they stay in the detail, and the value is hidden, so that the error
    /// prints as it came.
    fn error(&self) -> Option<FieldError> {
        let reason = self.reason.as_deref().unwrap_or_default();
        let error_type = ErrorType::ALL.into_iter().find(|known| known.api_name() == reason)?;
        let field = self.field.clone().unwrap_or_default();
        let message = self.message.as_deref().unwrap_or_default();
        let (bad_value, detail) = body(error_type, &field, message);
        let error = FieldError::new(error_type, &Path::ROOT, bad_value, detail.to_owned());
        // For the object itself a path prints `<nil>`.
        Some(if field.is_empty() { error } else { FieldError { field, ..error } })
    }
}

/// Bad value and detail of a message.
fn body<'m>(error_type: ErrorType, field: &str, message: &'m str) -> (BadValue, &'m str) {
    let prefix = if field.is_empty() { "<nil>" } else { field };
    let message = message.strip_prefix(prefix).and_then(|rest| rest.strip_prefix(": ")).unwrap_or(message);
    let silent = match error_type {
        ErrorType::TooLong | ErrorType::TooShort => BadValue::OMITTED,
        ErrorType::Required | ErrorType::Forbidden => BadValue::EMPTY,
        _ => BadValue::Hidden,
    };
    let rest = match message.strip_prefix(error_type.printed()) {
        Some("") => return (silent, ""),
        Some(rest) => match rest.strip_prefix(": ") {
            Some(rest) => rest,
            None => return (BadValue::Hidden, message),
        },
        None => return (BadValue::Hidden, message),
    };
    if !error_type.shows_bad_value() {
        return (silent, rest);
    }
    printed_value(rest).unwrap_or((BadValue::Hidden, rest))
}

/// The value that a text begins with, and the detail behind it; none when it is not certain where the value ends.
fn printed_value(text: &str) -> Option<(BadValue, &str)> {
    let (value, end) = match text.strip_prefix('"') {
        Some(inner) => {
            let (value, length) = unquoted(inner)?;
            (BadValue::Text(Cow::Owned(value)), length + 1)
        }
        None => {
            let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
            let value = BadValue::from(values.next()?.ok()?);
            (value, values.byte_offset())
        }
    };
    let rest = text.get(end..)?;
    if rest.is_empty() { Some((value, "")) } else { Some((value, rest.strip_prefix(": ")?)) }
}

/// Reads a text that Go printed with `%q`, from behind its first quote; also returns the length with the last quote.
fn unquoted(text: &str) -> Option<(String, usize)> {
    let mut value = String::new();
    let mut rest = text.char_indices();
    while let Some((at, c)) = rest.next() {
        match c {
            '"' => return Some((value, at + 1)),
            '\\' => {
                let (_, escape) = rest.next()?;
                let digits = match escape {
                    'x' => 2,
                    'u' => 4,
                    'U' => 8,
                    _ => 0,
                };
                value.push(match escape {
                    'a' => '\x07',
                    'b' => '\x08',
                    'f' => '\x0c',
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    'v' => '\x0b',
                    '"' | '\\' => escape,
                    'x' | 'u' | 'U' => {
                        let code = rest.by_ref().take(digits).try_fold(0_u32, |code, (_, digit)| {
                            code.checked_mul(16)?.checked_add(digit.to_digit(16)?)
                        })?;
                        // Others are bytes that are no UTF-8.
                        char::from_u32(code).filter(|_| escape != 'x' || code < 0x80)?
                    }
                    _ => return None,
                });
            }
            c => value.push(c),
        }
    }
    None
}

/// Most characters of a body that a message repeats.
const SHOWN: usize = 200;

/// The beginning of a body on one line, for messages.
pub(crate) fn beginning(body: &[u8]) -> String {
    let head = body.get(..SHOWN * 4).unwrap_or(body);
    let text = String::from_utf8_lossy(head);
    let mut shown: String = text.trim().chars().take(SHOWN).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.trim().chars().count() > SHOWN || head.len() < body.len() {
        shown.push('…');
    }
    if shown.is_empty() { "an empty body".to_owned() } else { format!("`{shown}`") }
}

#[cfg(test)]
mod tests {
    use super::{Status, beginning};
    use serde_json::json;
    use takeover_harness::error::{BadValue, ErrorType, FieldError};
    use takeover_harness::oracle::Decision;
    use takeover_harness::path::Path;

    fn refusal(causes: &serde_json::Value) -> takeover_harness::oracle::Answer {
        let status: Status =
            serde_json::from_value(json!({"message": "no", "reason": "Invalid", "details": {"causes": causes}}))
                .unwrap();
        status.refusal()
    }

    #[test]
    fn messages_of_causes_are_taken_apart_where_that_is_certain() {
        let text = |text: &str| BadValue::Text(text.to_owned().into());
        for (reason, message, bad_value, detail) in [
            ("FieldValueInvalid", "Invalid value: -1: must be >= 0", BadValue::Int(-1), "must be >= 0"),
            ("FieldValueInvalid", "Invalid value: \"a: b\": no", text("a: b"), "no"),
            ("FieldValueInvalid", r#"Invalid value: "a\n\"\u00e9": no"#, text("a\n\"é"), "no"),
            ("FieldValueInvalid", "spec.x: Invalid value: true: no", BadValue::Bool(true), "no"),
            (
                "FieldValueInvalid",
                r#"Invalid value: {"a":[1,"x: y"]}: no"#,
                BadValue::json(json!({"a": [1, "x: y"]})),
                "no",
            ),
            ("FieldValueInvalid", "Invalid value: null: no", BadValue::Null, "no"),
            (
                "FieldValueNotSupported",
                r#"Unsupported value: "x": supported values: "A", "B""#,
                text("x"),
                r#"supported values: "A", "B""#,
            ),
            ("FieldValueDuplicate", r#"Duplicate value: "x""#, text("x"), ""),
            ("FieldValueRequired", "Required value", BadValue::EMPTY, ""),
            ("FieldValueRequired", "Required value: a name", BadValue::EMPTY, "a name"),
            ("FieldValueForbidden", "Forbidden: field is immutable", BadValue::EMPTY, "field is immutable"),
            (
                "FieldValueTooLong",
                "Too long: may not be more than 5 bytes",
                BadValue::OMITTED,
                "may not be more than 5 bytes",
            ),
            (
                "FieldValueTooMany",
                "Too many: 5: must have at most 3 items",
                BadValue::Int(5),
                "must have at most 3 items",
            ),
            // Where the value ends is not certain.
            ("FieldValueInvalid", "Invalid value: 100m: no", BadValue::Hidden, "100m: no"),
            ("FieldValueInvalid", "Invalid value: v1.Foo{A:1}: no", BadValue::Hidden, "v1.Foo{A:1}: no"),
            ("FieldValueInvalid", r#"Invalid value: "a" or "b": no"#, BadValue::Hidden, r#""a" or "b": no"#),
            ("FieldValueInvalid", r#"Invalid value: "a\xff": no"#, BadValue::Hidden, r#""a\xff": no"#),
            ("FieldValueInvalid", "must be small", BadValue::Hidden, "must be small"),
            ("FieldValueInvalid", "Invalid values are bad", BadValue::Hidden, "Invalid values are bad"),
        ] {
            let answer = refusal(&json!([{"reason": reason, "message": message, "field": "spec.x"}]));
            let errors = answer.errors.into_vec();
            let [error] = errors.as_slice() else { panic!("{message}: {errors:?}") };
            assert_eq!((&error.bad_value, error.detail.as_ref()), (&bad_value, detail), "{message}");
            assert_eq!((error.field.as_str(), error.error_type.api_name()), ("spec.x", reason));
            if matches!(error.bad_value, BadValue::Hidden) {
                assert!(error.to_string().ends_with(message.trim_start_matches("Invalid value: ")), "{error}");
            }
        }
    }

    #[test]
    fn what_the_harness_prints_reads_back() {
        let texts = ["", "a", "a\"b\\", "a: b", "\n\t\u{7f}\u{1}", "é€😀", "\": \"", "\u{2028}", "{", "1"];
        let texts = texts.into_iter().map(|text| BadValue::Text(text.to_owned().into()));
        let values =
            [json!(-1), json!(1.5), json!(null), json!(true), json!([1, "<a>: b"]), json!({"a": {"b": "]: "}})];
        for bad_value in texts.chain(values.into_iter().map(BadValue::from)) {
            for detail in ["", "must be: \"x\""] {
                let error = FieldError::invalid(&Path::ROOT.child("a"), bad_value.clone(), detail.to_owned());
                let cause = json!([{"reason": "FieldValueInvalid", "field": "a", "message": error.to_string()}]);
                assert_eq!(refusal(&cause).errors.into_vec(), [error]);
            }
        }
    }

    #[test]
    fn a_cause_without_field_is_about_the_object_itself() {
        let answer = refusal(&json!([{"reason": "FieldValueInvalid", "message": "<nil>: Invalid value: 1: no"}]));
        let errors = answer.errors.into_vec();
        assert_eq!(errors[0].to_string(), "<nil>: Invalid value: 1: no");
        assert_eq!(errors[0].error_type, ErrorType::Invalid);
    }

    #[test]
    fn without_causes_or_with_one_of_an_unknown_type_there_is_a_decision_alone() {
        let known = json!({"reason": "FieldValueInvalid", "message": "x", "field": "a"});
        for causes in [json!(null), json!([]), json!([known, {"reason": "UnexpectedServerResponse", "message": "x"}])] {
            let answer = refusal(&causes);
            assert!(answer.errors.is_empty(), "{causes}");
            assert_eq!(answer.decision, Some(Decision::Reject("no".into())));
        }
        assert_eq!(Status::default().why(), "denied without a message");
    }

    #[test]
    fn the_beginning_of_a_body_fits_on_a_line() {
        assert_eq!(beginning(b" <html>\r\n404 "), "`<html>  404`");
        assert_eq!(beginning(b""), "an empty body");
        assert_eq!(beginning(&[b'a'; 2000]).chars().count(), 203);
    }
}
