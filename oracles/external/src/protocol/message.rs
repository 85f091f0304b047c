//! Messages of an oracle, read from their lines.

use super::answer::RawAnswer;
use super::hello::other_version;
use super::misfit::misfit;
use super::{Answer, Hello, LineError};
use serde::Deserialize as _;
use serde_json::Value;

/// A message of an oracle.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// Its hello.
    Hello(Box<Hello>),
    /// Answers.
    Answers(Vec<Answer>),
}

/// Reads the message of a line, which may have its end or not. Members that the protocol does not know are ignored.
///
/// # Errors
/// Returns an error when the line is not JSON or no message of an oracle, or a hello that makes no sense or has another version.
pub fn read_message(line: &[u8]) -> Result<Message, LineError> {
    let mut answers = Vec::new();
    match read_answers(line, &mut answers)? {
        Some(hello) => Ok(Message::Hello(Box::new(hello))),
        None => Ok(Message::Answers(answers)),
    }
}

/// Adds the answers of a line to `answers`; returns the hello of a line that is one.
fn read_answers(line: &[u8], answers: &mut Vec<Answer>) -> Result<Option<Hello>, LineError> {
    let fault = |what: &str| Err(LineError::new(what, line));
    match line.trim_ascii_start().first() {
        None => return fault("is empty"),
        // A list would pass for the members in their order.
        Some(b'[') => return fault("is not a JSON object"),
        Some(_) => {}
    }
    // The usual case in one pass; whatever it does not take is looked at closely.
    let Ok(raw) = serde_json::from_slice::<RawAnswer>(line) else { return read_closely(line, answers) };
    match raw {
        RawAnswer { hello: Some(_), .. } | RawAnswer { id: Some(0) | None, answers: None, .. } => {
            read_closely(line, answers)
        }
        RawAnswer { id: Some(_), answers: Some(_), .. } => fault("has both an `id` and `answers`"),
        RawAnswer { answers: Some(several), .. } => {
            for raw in several {
                match raw.id {
                    Some(id) if id > 0 && raw.is_answer() => answers.push(raw.into_answer(id)),
                    Some(0) => return fault("has an answer with the id 0, which is not a positive integer"),
                    Some(_) => return fault("has `answers` or `hello` inside an answer"),
                    None => return fault("has an answer without `id`"),
                }
            }
            Ok(None)
        }
        RawAnswer { id: Some(id), .. } => {
            answers.push(raw.into_answer(id));
            Ok(None)
        }
    }
}

/// Reads a line that is no answer, or an answer that is wrong somewhere.
fn read_closely(line: &[u8], answers: &mut Vec<Answer>) -> Result<Option<Hello>, LineError> {
    let error = |fault: String| LineError::new(fault, line);
    let value: Value = serde_json::from_slice(line).map_err(|wrong| error(format!("is not JSON ({wrong})")))?;
    if let Some(hello) = value.get("hello") {
        return read_hello(hello).map(Some).map_err(error);
    }
    match value.get("answers").map(Value::as_array) {
        Some(Some(several)) if value.get("id").is_none() => {
            for value in several {
                answers
                    .push(RawAnswer::from_value(value).map_err(|fault| error(format!("has an answer that {fault}")))?);
            }
        }
        Some(None) => return Err(error("has `answers` that are not a list".to_owned())),
        _ => answers.push(RawAnswer::from_value(&value).map_err(error)?),
    }
    Ok(None)
}

/// The hello; a fault reads after "a line that".
fn read_hello(hello: &Value) -> Result<Hello, String> {
    // What follows the version may look different in another one.
    match hello.get("protocol").map(Value::as_u64) {
        Some(Some(super::VERSION)) => {}
        Some(Some(version)) => return Err(format!("is a hello for another version ({})", other_version(version))),
        Some(None) => return Err("is a hello whose `protocol` is not a positive integer".to_owned()),
        None => return Err("is a hello without `protocol`".to_owned()),
    }
    let hello = Hello::deserialize(hello)
        .map_err(|error| misfit(hello).unwrap_or_else(|| format!("is a hello that cannot be read ({error})")))?;
    match hello.fault() {
        Some(fault) => Err(format!("is an invalid hello ({fault})")),
        None => Ok(hello),
    }
}

#[cfg(test)]
mod tests {
    use super::{Message, read_message};
    use crate::protocol::Said;
    use takeover_harness::error::{ErrorType, Stability};
    use takeover_harness::oracle::{Decision, Detail};

    fn answers(line: &str) -> Vec<crate::protocol::Answer> {
        match read_message(line.as_bytes()).unwrap() {
            Message::Answers(answers) => answers,
            Message::Hello(hello) => panic!("{hello:?}"),
        }
    }

    #[test]
    fn each_kind_of_answer_reads_as_what_it_says() {
        let line = r#"{"answers":[{"id":1,"errors":[]},{"id":2,"allowed":false,"reason":"no","warnings":["old"]},
            {"id":3,"object":{"a":1}},{"id":4,"failure":"f"},{"id":5,"panic":"p","extra":true}]}"#;
        let read = answers(line);
        assert_eq!(read.iter().map(|answer| answer.id).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
        assert_eq!(read[1].warnings, ["old"]);
        let said: Vec<_> = read.into_iter().map(|answer| answer.said.unwrap()).collect();
        assert_eq!(said[0], Said::Judged { errors: Some(Vec::new()), decision: None });
        assert_eq!(said[1], Said::Judged { errors: None, decision: Some(Decision::Reject("no".into())) });
        assert_eq!(said[2], Said::Object(serde_json::json!({"a": 1})));
        assert_eq!(said[3], Said::Failure("f".into()));
        assert_eq!(said[4], Said::Panic("p".into()));
    }

    #[test]
    fn field_errors_come_with_their_marks_and_a_name_for_the_object_itself() {
        let line = r#"{"id":1,"errors":[{"type":"FieldValueInvalid","field":"a[0]","badValue":-1,"detail":"d","origin":"minimum",
            "coveredByDeclarative":true,"stability":"beta"},{"type":"FieldValueRequired","field":""}]}"#;
        let answer = answers(line).remove(0).into_harness(Detail::Errors).unwrap();
        let [one, two] = answer.errors.as_slice() else { panic!("{answer:?}") };
        assert_eq!((one.error_type, one.stability), (ErrorType::Invalid, Some(Stability::Beta)));
        assert!(one.covered_by_declarative && one.origin == "minimum");
        assert_eq!(one.to_string(), "a[0]: Invalid value: -1: d");
        let silent = answers(r#"{"id":1,"errors":[{"type":"FieldValueInvalid","field":"a","detail":"d"}]}"#).remove(0);
        let silent = silent.into_harness(Detail::Errors).unwrap().errors.into_vec().remove(0);
        assert_eq!(silent.to_string(), "a: Invalid value: d", "what is left out is not null");
        assert_eq!((two.error_type, two.field.as_str()), (ErrorType::Required, "<nil>"));
    }

    #[test]
    fn lines_that_are_no_messages_say_what_is_wrong() {
        for (line, says) in [
            ("", "the oracle wrote a line that is empty: ``"),
            ("ready!", "is not JSON (expected value at line 1 column 1): `ready!`"),
            (r#"{"id":1,"errors":["#, "is not JSON (EOF while parsing a list at line 1 column 18): `{\"id\":1"),
            ("[1]", "is not a JSON object: `[1]`"),
            ("{}", "is neither an answer with an `id` nor `answers`"),
            (r#"{"id":-1,"errors":[]}"#, "has the id -1, which is not a positive integer"),
            (r#"{"id":0,"errors":[]}"#, "has the id 0, which is not a positive integer"),
            (r#"{"id":"1","errors":[]}"#, "has the id \"1\""),
            (r#"{"answers":1}"#, "has `answers` that are not a list"),
            (r#"{"answers":[{"errors":[]}]}"#, "has an answer without `id`"),
            (r#"{"answers":[{"id":1,"answers":[]}]}"#, "inside an answer"),
            (r#"{"id":1,"answers":[]}"#, "both an `id` and `answers`"),
            (
                r#"{"hello":{"protocol":2}}"#,
                "the oracle speaks version 2 of the oracle protocol; this Takeover speaks version 1",
            ),
            (r#"{"hello":{"name":"w"}}"#, "a hello without `protocol`"),
            (r#"{"hello":{"protocol":1}}"#, "is a hello without `name`, which must be a text"),
            (
                r#"{"hello":{"protocol":1,"name":"w","batch":0}}"#,
                "is a hello whose `batch` is 0: it must be a whole number of at least 1",
            ),
            (r#"{"hello":{"protocol":1,"name":""}}"#, "is an invalid hello (the hello has an empty `name`)"),
        ] {
            let error = read_message(line.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(says), "{line}: {error}");
        }
    }

    #[test]
    fn answers_that_cannot_be_used_still_belong_to_their_question() {
        for (line, detail, says) in [
            (r#"{"id":7}"#, Detail::Errors, "question 7 has none of `errors`, `allowed`"),
            (r#"{"id":7,"errors":null}"#, Detail::Errors, "has none of"),
            (
                r#"{"id":7,"errors":[],"failure":"f"}"#,
                Detail::Errors,
                "contradicts itself: it has `errors` and `failure`",
            ),
            (r#"{"id":7,"object":{},"panic":"f"}"#, Detail::Object, "it has `object` and `panic`"),
            (r#"{"id":7,"errors":[{"type":"Bad","field":"a"}]}"#, Detail::Errors, "unknown variant `Bad`"),
            (r#"{"answers":[{"id":7,"errors":[{"field":"a"}]}]}"#, Detail::Errors, "missing field `type`"),
            (r#"{"id":7,"allowed":true}"#, Detail::Errors, "has no `errors`, which the hello promised"),
            (r#"{"id":7,"object":{}}"#, Detail::Decision, "has no `allowed` or `errors`"),
            (r#"{"id":7,"errors":[]}"#, Detail::Object, "has no `object`"),
        ] {
            let failure = answers(line).remove(0).into_harness(detail).unwrap_err();
            assert!(failure.to_string().contains(says), "{line}: {failure}");
            assert_eq!(failure.panic_place(), None);
        }
        let panic =
            answers(r#"{"id":7,"panic":"index out of range"}"#).remove(0).into_harness(Detail::Errors).unwrap_err();
        assert!(panic.panic_place().is_some());
    }

    #[test]
    fn errors_may_stand_for_a_decision_and_beside_one() {
        let error = r#"[{"type":"FieldValueRequired","field":"a"}]"#;
        let decided =
            answers(&format!(r#"{{"id":1,"errors":{error}}}"#)).remove(0).into_harness(Detail::Decision).unwrap();
        assert!(decided.rejects());
        let both = answers(&format!(r#"{{"id":1,"errors":{error},"allowed":true}}"#)).remove(0);
        assert!(!both.into_harness(Detail::Errors).unwrap().rejects());
        let rejected = answers(r#"{"id":1,"allowed":false}"#).remove(0).into_harness(Detail::Object).unwrap();
        assert!(rejected.rejects());
    }
}
