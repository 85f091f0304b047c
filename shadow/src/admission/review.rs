//! From a review to a case.

use super::{API_VERSION, KIND};
use crate::settings::operation;
use serde::Deserialize;
use serde_json::Value;
use takeover_harness::case::{Case, Operation, Options, Payload, Provenance};
use takeover_harness::subject::SubjectId;

/// Why no case comes of a review.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoCase {
    /// It is no JSON, or not of the shape of a review.
    #[error("unreadable review: {0}")]
    Broken(String),
    /// Another version or kind.
    #[error("`{0}` is no review of version v1")]
    OtherVersion(String),
    /// A deletion or a connection.
    #[error("`{0}` makes no object")]
    Operation(String),
    /// No object where there should be one.
    #[error("there is no {0}")]
    Missing(&'static str),
}

impl NoCase {
    /// What it is counted under.
    #[must_use]
    pub fn reason(&self) -> &'static str {
        match self {
            Self::Broken(_) => "unreadable review",
            Self::OtherVersion(_) => "an event or review of another version than v1",
            Self::Operation(_) => "neither create nor update",
            Self::Missing(_) => "a review without its object",
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Review {
    #[serde(default)]
    api_version: String,
    #[serde(default)]
    kind: String,
    request: Request,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request {
    uid: String,
    kind: super::envelope::Kind,
    #[serde(default)]
    sub_resource: Option<String>,
    operation: String,
    object: Option<Value>,
    old_object: Option<Value>,
}

/// The case of a review, and the subject that it is of.
///
/// # Errors
/// Why there is none.
pub fn case_of(body: &[u8]) -> Result<(SubjectId, Case), NoCase> {
    let Review { api_version, kind, request } =
        serde_json::from_slice(body).map_err(|error| NoCase::Broken(error.to_string()))?;
    if (api_version.as_str(), kind.as_str()) != (API_VERSION, KIND) {
        return Err(NoCase::OtherVersion(format!("{api_version} {kind}")));
    }
    let operation = operation(&request.operation).ok_or(NoCase::Operation(request.operation))?;
    let object = request.object.ok_or(NoCase::Missing("object"))?;
    let old = match operation {
        Operation::Create => None,
        Operation::Update => Some(request.old_object.ok_or(NoCase::Missing("oldObject"))?),
    };
    let subject = SubjectId::new(request.kind.api_version(), request.kind.kind())
        .with_subresource(request.sub_resource.unwrap_or_default());
    let case = Case {
        operation,
        object: object.into(),
        old: old.map(Payload::from),
        options: Options::new(),
        provenance: Provenance::File { path: format!("admission review {}", request.uid), document: 0, line: 0 },
    };
    Ok((subject, case))
}

#[cfg(test)]
mod tests {
    use super::{NoCase, case_of};
    use serde_json::{Value, json};
    use takeover_harness::case::Operation;

    fn review() -> Value {
        json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
            "uid": "u-1", "kind": {"group": "", "version": "v1", "kind": "Pod"}, "operation": "UPDATE",
            "object": {"kind": "Pod"}, "oldObject": {"kind": "Pod", "spec": {}},
        }})
    }

    #[test]
    fn an_update_has_both_objects() {
        let (subject, case) = case_of(review().to_string().as_bytes()).unwrap();
        assert_eq!((subject.to_string().as_str(), case.operation), ("v1 Pod", Operation::Update));
        assert_eq!(case.old.unwrap().to_value().unwrap(), json!({"kind": "Pod", "spec": {}}));
        assert_eq!(case.provenance.to_string(), "admission review u-1");
    }

    #[test]
    fn what_makes_no_case_says_why() {
        let broken: [(&str, Value, &str); 5] = [
            ("/request/operation", json!("DELETE"), "neither create nor update"),
            ("/request/object", Value::Null, "a review without its object"),
            ("/request/oldObject", Value::Null, "a review without its object"),
            ("/apiVersion", json!("admission.k8s.io/v1beta1"), "an event or review of another version than v1"),
            ("/request/kind", json!("Pod"), "unreadable review"),
        ];
        for (place, value, reason) in broken {
            let mut review = review();
            *review.pointer_mut(place).unwrap() = value;
            assert_eq!(case_of(review.to_string().as_bytes()).unwrap_err().reason(), reason, "{place}");
        }
        assert!(matches!(case_of(b"{"), Err(NoCase::Broken(_))));
    }
}
