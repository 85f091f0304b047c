//! The answer of a webhook.

use super::patch;
use super::request::{API_VERSION, KIND};
use super::settings::Answers;
use crate::http::{Reply, Status, beginning};
use serde::Deserialize;
use serde_json::Value;
use takeover_harness::oracle::{Answer, Decision, OracleFailure};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Review {
    #[serde(default)]
    api_version: Option<String>,
    #[serde(default)]
    kind: Option<String>,
    #[serde(default)]
    response: Option<Response>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Response {
    #[serde(default)]
    uid: String,
    allowed: bool,
    #[serde(default)]
    status: Option<Status>,
    #[serde(default)]
    patch: Option<String>,
    #[serde(default)]
    patch_type: Option<String>,
}

/// What the webhook at `url` says of the request with this uid; `object` is what it was sent, if its change is asked for.
pub(super) fn read(
    reply: &Reply,
    url: &str,
    uid: &str,
    answers: Answers,
    object: Option<Value>,
) -> Result<Answer, OracleFailure> {
    let failure = |why: String| Err(OracleFailure::new(format!("`{url}` {why}")));
    if reply.code != 200 {
        return failure(format!("answered with HTTP status {}: {}", reply.code, beginning(&reply.body)));
    }
    let review: Review = match serde_json::from_slice(&reply.body) {
        Ok(review) => review,
        Err(error) => {
            return failure(format!("did not answer with an AdmissionReview ({error}): {}", beginning(&reply.body)));
        }
    };
    for (member, found, expected) in [("apiVersion", &review.api_version, API_VERSION), ("kind", &review.kind, KIND)] {
        if found.as_deref() != Some(expected) {
            let found = found.as_deref().unwrap_or_default();
            return failure(format!("answered with {member} `{found}`, not `{expected}`"));
        }
    }
    let Some(response) = review.response else {
        return failure("answered with an AdmissionReview that has no `response`".to_owned());
    };
    if response.uid != uid {
        return failure(format!("answered with uid `{}`, not that of the request, `{uid}`", response.uid));
    }
    if !response.allowed {
        let status = response.status.unwrap_or_default();
        return Ok(if answers == Answers::Errors { status.refusal() } else { status.decision() });
    }
    let mut answer = Answer::new();
    if answers != Answers::Errors {
        answer.decision = Some(Decision::Accept);
    }
    if let (Answers::Object, Some(mut object)) = (answers, object) {
        if let Some(text) = response.patch.filter(|patch| !patch.is_empty()) {
            match response.patch_type.as_deref() {
                Some("JSONPatch") => patch::apply(&mut object, &text)?,
                other => {
                    let other = other.unwrap_or_default();
                    return failure(format!("answered with a patch of type `{other}`, not `JSONPatch`"));
                }
            }
        }
        answer.object = Some(object);
    }
    Ok(answer)
}
