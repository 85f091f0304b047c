//! The answer to a review.

use super::{API_VERSION, Envelope, KIND};
use serde::Serialize;
use takeover_harness::error::FieldError;

/// Longest warning, in characters: clients cut longer ones.
const LONGEST_WARNING: usize = 256;

/// Most warnings of an answer.
const MOST_WARNINGS: usize = 16;

/// Most causes of a refusal.
const MOST_CAUSES: usize = 64;

/// What the user is told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Why the request is refused; none allows it.
    pub refusal: Option<Refusal>,
    /// Warnings.
    pub warnings: Vec<String>,
}

/// Why a request is refused, as an API server says it of invalid objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// In a sentence.
    message: String,
    causes: Vec<Cause>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Cause {
    reason: &'static str,
    message: String,
    field: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Review<'a> {
    api_version: &'a str,
    kind: &'a str,
    response: Response<'a>,
}

#[derive(Serialize)]
struct Response<'a> {
    uid: &'a str,
    allowed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<Status<'a>>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    warnings: &'a [String],
}

#[derive(Serialize)]
struct Status<'a> {
    status: &'static str,
    code: u16,
    reason: &'static str,
    message: &'a str,
    details: Details<'a>,
}

#[derive(Serialize)]
struct Details<'a> {
    causes: &'a [Cause],
}

impl Refusal {
    /// The refusal of an object named `name` for `errors`; none without errors.
    pub fn of<'e>(kind: &str, name: &str, errors: impl Iterator<Item = &'e FieldError>) -> Option<Self> {
        let mut causes: Vec<Cause> = Vec::new();
        let mut number = 0;
        for error in errors {
            number += 1;
            if causes.len() < MOST_CAUSES {
                let field = if error.field.is_empty() { "<nil>".to_owned() } else { error.field.clone() };
                let message = error.to_string();
                causes.push(Cause { reason: error.error_type.api_name(), message, field });
            }
        }
        let texts: Vec<&str> = causes.iter().map(|cause| cause.message.as_str()).collect();
        let listed = match (texts.as_slice(), number - texts.len()) {
            ([], _) => return None,
            ([one], 0) => (*one).to_owned(),
            (_, 0) => format!("[{}]", texts.join(", ")),
            (_, more) => format!("[{}, and {more} more]", texts.join(", ")),
        };
        Some(Self { message: format!("{kind} \"{name}\" is invalid: {listed}"), causes })
    }
}

impl Answer {
    /// Allows and says nothing.
    pub const ALLOWED: Self = Self { refusal: None, warnings: Vec::new() };

    /// Allows, and warns of `errors`.
    pub fn warning<'e>(errors: impl Iterator<Item = &'e FieldError>) -> Self {
        let warnings = errors.take(MOST_WARNINGS).map(|error| {
            let text = format!("declarative validation would reject this: {error}");
            takeover_reports::printable(&takeover_reports::shortened(&text, LONGEST_WARNING)).into_owned()
        });
        Self { refusal: None, warnings: warnings.collect() }
    }

    /// The body of the answer to the review with `uid`: version and kind as in the review.
    #[must_use]
    pub fn body(&self, envelope: &Envelope, uid: &str) -> Vec<u8> {
        let status = self.refusal.as_ref().map(|refusal| Status {
            status: "Failure",
            code: 422,
            reason: "Invalid",
            message: &refusal.message,
            details: Details { causes: &refusal.causes },
        });
        let review = Review {
            api_version: envelope.api_version.as_deref().unwrap_or(API_VERSION),
            kind: envelope.kind.as_deref().unwrap_or(KIND),
            response: Response { uid, allowed: self.refusal.is_none(), status, warnings: &self.warnings },
        };
        // Structs of text always print.
        serde_json::to_vec(&review).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::{Answer, Refusal};
    use crate::admission::Envelope;
    use serde_json::{Value, json};
    use takeover_harness::error::FieldError;
    use takeover_harness::path::Path;

    fn body(answer: &Answer, envelope: &Envelope) -> Value {
        serde_json::from_slice(&answer.body(envelope, "u-1")).unwrap()
    }

    #[test]
    fn an_answer_has_version_and_kind_of_the_review() {
        let envelope = Envelope { api_version: Some("admission.k8s.io/v1beta1".to_owned()), ..Envelope::default() };
        assert_eq!(
            body(&Answer::ALLOWED, &envelope),
            json!({"apiVersion": "admission.k8s.io/v1beta1", "kind": "AdmissionReview", "response": {"uid": "u-1", "allowed": true}})
        );
    }

    #[test]
    fn a_refusal_reads_as_an_api_server_writes_it() {
        let error =
            FieldError::invalid(&Path::ROOT.child("spec").child("replicas"), -1, "must be greater than or equal to 0");
        let refusal = Refusal::of("ReplicationController", "web", [&error].into_iter());
        let message = "spec.replicas: Invalid value: -1: must be greater than or equal to 0";
        assert_eq!(
            body(&Answer { refusal, warnings: Vec::new() }, &Envelope::default())["response"],
            json!({"uid": "u-1", "allowed": false, "status": {
                "status": "Failure", "code": 422, "reason": "Invalid",
                "message": format!("ReplicationController \"web\" is invalid: {message}"),
                "details": {"causes": [{"reason": "FieldValueInvalid", "message": message, "field": "spec.replicas"}]},
            }})
        );
        assert_eq!(Refusal::of("Pod", "web", [].into_iter()), None);
    }

    #[test]
    fn many_errors_are_cut_and_counted() {
        let errors: Vec<FieldError> = (0..100).map(|n| FieldError::invalid(&Path::ROOT.child("a"), n, "no")).collect();
        let refusal = Refusal::of("Pod", "web", errors.iter()).unwrap();
        assert!(refusal.message.ends_with(", and 36 more]") && refusal.causes.len() == 64, "{}", refusal.message);
        assert_eq!(Answer::warning(errors.iter()).warnings.len(), 16);
    }
}
