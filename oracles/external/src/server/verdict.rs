//! What the answer of an API server says of an object.

use crate::http::{Reply, Status, beginning};
use takeover_harness::oracle::{Answer, OracleFailure};

/// Why a server looks at no object: the request meets another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turned {
    /// The name is taken.
    Taken,
    /// What is stored is not what the request is based on.
    Changed,
}

/// Why the answer is a conflict; none if it is none.
pub(super) fn turned_away(reply: &Reply) -> Option<Turned> {
    if reply.code != 409 {
        return None;
    }
    let status: Status = serde_json::from_slice(&reply.body).unwrap_or_default();
    Some(if status.reason.as_deref() == Some("AlreadyExists") { Turned::Taken } else { Turned::Changed })
}

/// The answer to a dry run.
///
/// # Errors
/// Returns an error when the answer says nothing of the object. The table in the module above says which.
pub(super) fn verdict(reply: &Reply) -> Result<Answer, OracleFailure> {
    if (200..300).contains(&reply.code) {
        return Ok(Answer::new());
    }
    let failure = || Err(OracleFailure::new(refused(reply)));
    if !(400..500).contains(&reply.code) {
        return failure();
    }
    let Ok(status) = serde_json::from_slice::<Status>(&reply.body) else { return failure() };
    let message = status.message.as_deref().unwrap_or_default();
    match turned_away(reply) {
        Some(Turned::Taken) => return Err(OracleFailure::declined("the name is taken", refused(reply))),
        Some(Turned::Changed) => {
            return Err(OracleFailure::declined("the object is based on another one than is stored", refused(reply)));
        }
        None => {}
    }
    match reply.code {
        401 | 404 | 405 | 406 | 415 => failure(),
        403 if unauthorized(message) => failure(),
        400 if message.contains("does not support dry run") => failure(),
        422 => Ok(status.refusal()),
        _ => Ok(status.decision()),
    }
}

/// Whether the user may not do this to any object: `User "u" cannot create resource "widgets" in API group …`; or whether the
/// scratch namespace is going.
pub(super) fn unauthorized(message: &str) -> bool {
    let denies = |what: &str| message.contains(&format!("\" cannot {what} "));
    let verbs = ["create resource", "update resource", "delete resource", "get resource", "get path"];
    let rights = message.contains("User \"") && verbs.into_iter().any(denies);
    rights || message.contains("because it is being terminated")
}

/// That the server rejected, in the words that it used.
pub(super) fn refused(reply: &Reply) -> String {
    let said = match serde_json::from_slice::<Status>(&reply.body) {
        Ok(status) if status.message.is_some() || status.reason.is_some() => status.why(),
        _ => beginning(&reply.body),
    };
    format!("the server answered with HTTP status {}: {said}", reply.code)
}

#[cfg(test)]
mod tests {
    use super::verdict;
    use crate::http::Reply;
    use serde_json::{Value, json};

    fn says(code: u16, body: &Value) -> String {
        match verdict(&Reply { code, retry_after: None, body: body.to_string().into_bytes() }) {
            Ok(answer) => format!("{} {}", if answer.rejects() { "rejects" } else { "accepts" }, answer.reason()),
            Err(failure) => format!("fails: {failure}"),
        }
    }

    #[test]
    fn every_answer_has_its_meaning() {
        let causes = json!({"message": "bad", "details": {"causes": [
            {"reason": "FieldValueInvalid", "field": "spec.size", "message": "Invalid value: -1: no"},
        ]}});
        let message = |text: &str| json!({"message": text});
        for (code, body, meaning) in [
            (201, json!({}), "accepts "),
            (200, json!({}), "accepts "),
            (422, causes.clone(), "rejects spec.size: Invalid value: -1: no"),
            (422, message("bad"), "rejects bad"),
            // Causes that are not about the validity of a field.
            (400, causes, "rejects bad"),
            (403, message("exceeded quota"), "rejects exceeded quota"),
            (413, message("too large"), "rejects too large"),
            (
                403,
                message("widgets is forbidden: User \"me\" cannot create resource \"widgets\" in API group \"\""),
                "fails: the server answered with HTTP status 403: widgets is forbidden",
            ),
            (403, message("unable to create new content because it is being terminated"), "fails: "),
            (400, message("admission webhook \"x\" does not support dry run"), "fails: "),
            (401, message("Unauthorized"), "fails: the server answered with HTTP status 401: Unauthorized"),
            (404, message("no"), "fails: "),
            (409, message("already exists"), "fails: "),
            (500, message("down"), "fails: the server answered with HTTP status 500: down"),
            (302, json!("x"), "fails: "),
            (418, json!(1), "fails: the server answered with HTTP status 418: `1`"),
        ] {
            let said = says(code, &body);
            assert!(
                said == meaning || meaning.starts_with("fails") && said.starts_with(meaning),
                "{code} {body}: {said}"
            );
        }
    }
}
