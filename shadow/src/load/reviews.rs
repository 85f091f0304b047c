//! Reviews to send, each with a uid of its own, and what a right answer to them is.

use crate::admission::{API_VERSION, KIND};
use crate::client::Answered;
use crate::selftest::review;
use hyper::body::Bytes;
use serde::Deserialize;
use std::borrow::Cow;
use takeover_harness::case::Case;
use takeover_harness::subject::SubjectId;

/// Reviews of a number of cases, in turn.
#[derive(Clone, Debug)]
pub struct Reviews {
    run: u32,
    /// What is between the places of the uid.
    texts: Vec<Vec<String>>,
}

impl Reviews {
    /// Reviews of these cases; those of another `run` have other uids. None without cases.
    #[must_use]
    pub fn of(cases: &[(SubjectId, Case<'static>)], run: u32) -> Option<Self> {
        let mark = uid(run, u64::MAX);
        let split = |(id, case): &(SubjectId, Case<'static>)| {
            review(id, case, &mark).split(&mark).map(str::to_owned).collect::<Vec<_>>()
        };
        let texts: Vec<_> = cases.iter().map(split).collect();
        (!texts.is_empty()).then_some(Self { run, texts })
    }

    /// The uid of the review with this number.
    #[must_use]
    pub fn uid(&self, number: u64) -> String {
        uid(self.run, number)
    }

    /// The review with this number.
    #[must_use]
    pub fn body(&self, number: u64) -> Bytes {
        let at = usize::try_from(number).unwrap_or_default() % self.texts.len().max(1);
        let Some(parts) = self.texts.get(at) else { return Bytes::new() };
        parts.join(&self.uid(number)).into()
    }

    /// Mean length, in bytes.
    #[must_use]
    pub fn mean_bytes(&self) -> usize {
        let uid = self.uid(0).len();
        let length =
            |parts: &Vec<String>| parts.iter().map(String::len).sum::<usize>() + uid * parts.len().saturating_sub(1);
        let all: usize = self.texts.iter().map(length).sum();
        all / self.texts.len().max(1)
    }
}

/// Of the length and form that an API server makes.
fn uid(run: u32, number: u64) -> String {
    format!("{run:08x}-0000-4000-8000-{:012x}", number & 0xffff_ffff_ffff)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Said<'a> {
    #[serde(borrow)]
    api_version: Cow<'a, str>,
    #[serde(borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    response: Response<'a>,
}

#[derive(Deserialize)]
struct Response<'a> {
    #[serde(borrow)]
    uid: Cow<'a, str>,
    allowed: bool,
}

/// Holds an answer to the review with `uid`: HTTP 200, its uid, its version and kind, and that it allows.
///
/// # Errors
/// What is wrong with it.
pub(super) fn check(answered: &Answered, uid: &str) -> Result<(), String> {
    if answered.code != 200 {
        return Err(format!("HTTP {}", answered.code));
    }
    let said: Said<'_> = serde_json::from_slice(&answered.body).map_err(|_| "not an answer to a review".to_owned())?;
    if (&*said.api_version, &*said.kind) != (API_VERSION, KIND) {
        Err("another version or kind than the review's".to_owned())
    } else if said.response.uid != uid {
        Err("the uid of another review".to_owned())
    } else if said.response.allowed {
        Ok(())
    } else {
        Err("not allowed".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::{Reviews, check};
    use crate::admission::Envelope;
    use crate::client::Answered;
    use serde_json::{Value, json};
    use takeover_harness::case::{Case, Operation, Options, Provenance};
    use takeover_harness::subject::SubjectId;

    fn case(name: &str) -> (SubjectId, Case<'static>) {
        let provenance = Provenance::File { path: "-".to_owned(), document: 0, line: 0 };
        let object = json!({"kind": "Pod", "metadata": {"name": name}}).into();
        (
            SubjectId::new("v1", "Pod"),
            Case { operation: Operation::Create, object, old: None, options: Options::new(), provenance },
        )
    }

    #[test]
    fn reviews_take_turns_and_have_uids_of_their_own() {
        let reviews = Reviews::of(&[case("a"), case("bcd")], 7).unwrap();
        let bodies: Vec<_> = (0..3).map(|number| reviews.body(number)).collect();
        for ((body, number), name) in bodies.iter().zip(0..).zip(["a", "bcd", "a"]) {
            let uid = reviews.uid(number);
            assert_eq!(Envelope::read(body).uid.as_ref(), Some(&uid));
            let object = serde_json::from_slice::<Value>(body).unwrap()["request"]["object"].clone();
            assert_eq!(object, json!({"kind": "Pod", "metadata": {"name": name, "uid": uid}}), "no two are the same");
        }
        assert_ne!(reviews.uid(0), reviews.uid(2));
        assert_eq!(reviews.mean_bytes(), usize::midpoint(bodies[0].len(), bodies[1].len()));
        assert!(Reviews::of(&[], 7).is_none());
    }

    #[test]
    fn every_fault_of_an_answer_is_seen() {
        let answer = |change: &dyn Fn(&mut Value)| {
            let mut body = json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
                "response": {"uid": "u-1", "allowed": true, "warnings": ["a"]}});
            change(&mut body);
            check(&Answered { code: 200, body: body.to_string().into_bytes() }, "u-1")
        };
        assert_eq!(answer(&|_| {}), Ok(()));
        for (place, value, fault) in [
            ("/apiVersion", json!("v1"), "another version or kind"),
            ("/kind", json!("Pod"), "another version or kind"),
            ("/response/uid", json!("u-2"), "the uid of another review"),
            ("/response/allowed", json!(false), "not allowed"),
            ("/response", json!(null), "not an answer"),
        ] {
            let said = answer(&|body| *body.pointer_mut(place).unwrap() = value.clone()).unwrap_err();
            assert!(said.starts_with(fault), "{place}: {said}");
        }
        assert_eq!(check(&Answered { code: 503, body: Vec::new() }, "u-1"), Err("HTTP 503".to_owned()));
    }
}
