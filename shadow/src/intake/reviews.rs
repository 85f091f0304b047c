//! Reviews: bodies in, cases out, in the order in which they were queued.

use super::read::{Nothing, limits as bounds, unreadable};
use super::turns::Turn;
use crate::settings::Limits;
use takeover_corpora::load::{LoadErrorKind, LoadedCase, line};
use takeover_corpora::requests::admission::{API_VERSION, Review};
use takeover_corpora::requests::{Request, Unread};
use takeover_harness::case::Provenance;

/// Where reviews stand, for people.
pub(crate) const PLACE: &str = "admission review";

/// What came of a review.
pub(crate) enum Reviewed {
    /// A case.
    Case(Box<LoadedCase>),
    /// One that an answer depends on, but that is no evidence, and why it is none.
    Asked(Box<LoadedCase>, Nothing),
    /// None, and why.
    Nothing(Nothing),
}

/// Reads the body of a review as a replay of recorded ones does. Waits for its `turn` when all is done that can be done before; `asked` is
/// whether somebody waits for an answer, whatever is to be counted.
pub(crate) fn read(body: &[u8], limits: &Limits, turn: Turn<'_>, asked: bool) -> Reviewed {
    let review = match parsed(body, limits) {
        Ok(review) => review,
        Err(why) => return Reviewed::Nothing(why),
    };
    let asked = asked.then(|| review.clone().request());
    match (turn.take(review).and_then(|request| case(request, false)), asked.map(|request| case(request, true))) {
        (Ok(loaded), _) => Reviewed::Case(Box::new(loaded)),
        (Err(skipped), Some(Ok(loaded))) => Reviewed::Asked(Box::new(loaded), skipped.into()),
        (Err(skipped), _) => Reviewed::Nothing(skipped.into()),
    }
}

fn case(request: Request, doubtful: bool) -> Result<LoadedCase, takeover_corpora::requests::Skipped> {
    let path = format!("{PLACE} {}", request.id);
    let mut loaded = request.into_case(doubtful)?;
    loaded.case.provenance = Provenance::File { path, document: 0, line: 0 };
    Ok(loaded)
}

fn parsed(body: &[u8], limits: &Limits) -> Result<Review, Nothing> {
    let mut documents = line(body, PLACE, 1, bounds(limits.body_bytes)).into_iter();
    let document = match (documents.next(), documents.next()) {
        (Some(Ok(document)), None) => document,
        (Some(Err(error)), _) | (_, Some(Err(error))) => return Err((&error).into()),
        (_, _) => return Err(unreadable(LoadErrorKind::NotAnObject, "a review is one object".to_owned())),
    };
    if (document.api_version.as_str(), document.kind.as_str()) != (API_VERSION, crate::admission::KIND) {
        return Err(Nothing::of_version(&document.api_version, &document.kind));
    }
    Review::read(document.value, &document.provenance).map_err(|unread| match unread {
        Unread::Skipped(skipped) => skipped.into(),
        Unread::Broken(fault) => unreadable(LoadErrorKind::BadCase, fault),
    })
}

#[cfg(test)]
mod tests {
    use super::super::turns::Turns;
    use super::{Reviewed, read};
    use crate::settings::Limits;
    use serde_json::{Value, json};
    use takeover_harness::case::Operation;

    fn review() -> Value {
        let kind = json!({"group": "", "version": "v1", "kind": "Pod"});
        let old =
            json!({"apiVersion": "v1", "kind": "Pod", "spec": {}, "metadata": {"uid": "o", "resourceVersion": "1"}});
        json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
            "uid": "u-1", "kind": kind, "requestKind": kind, "operation": "UPDATE",
            "object": {"apiVersion": "v1", "kind": "Pod"}, "oldObject": old,
        }})
    }

    /// What comes of reviews one after the other.
    #[derive(Default)]
    struct Read(Turns, u64);

    impl Read {
        fn next(&mut self, body: &[u8], asked: bool) -> Reviewed {
            self.1 += 1;
            read(body, &Limits::default(), self.0.of(self.1 - 1), asked)
        }

        fn review(&mut self, review: &Value, asked: bool) -> Reviewed {
            self.next(review.to_string().as_bytes(), asked)
        }
    }

    fn reason(read: &Reviewed) -> (&'static str, &str) {
        match read {
            Reviewed::Case(_) => panic!("a case"),
            Reviewed::Asked(_, why) | Reviewed::Nothing(why) => (why.label, &why.reason),
        }
    }

    #[test]
    fn an_update_has_both_objects() {
        let Reviewed::Case(loaded) = Read::default().review(&review(), false) else { panic!("no case") };
        assert_eq!((loaded.kind.as_str(), loaded.case.operation), ("Pod", Operation::Update));
        assert_eq!(loaded.case.old.unwrap().to_value().unwrap(), review()["request"]["oldObject"]);
        assert_eq!(loaded.case.provenance.to_string(), "admission review u-1");
    }

    #[test]
    fn what_makes_no_case_says_why() {
        let broken: [(&str, Value, &str); 5] = [
            ("/request/operation", json!("DELETE"), "delete"),
            ("/request/object", Value::Null, "unreadable: bad case"),
            ("/request/oldObject", Value::Null, "unreadable: bad case"),
            ("/apiVersion", json!("admission.k8s.io/v1beta1"), "an event or review of another version than v1"),
            ("/request/kind", json!("Pod"), "unreadable: bad case"),
        ];
        for (place, value, why) in broken {
            let mut review = review();
            *review.pointer_mut(place).unwrap() = value;
            assert_eq!(reason(&Read::default().review(&review, false)).1, why, "{place}");
        }
        let mut many = review();
        many["request"]["object"]["many"] = vec![0; 1_000_000].into();
        assert_eq!(reason(&Read::default().review(&many, true)).1, "unreadable: too many values");
        let raw = |text: &str| Read::default().next(text.as_bytes(), true);
        assert_eq!(reason(&raw("{")), ("unreadable", "unreadable: broken syntax"));
        let two = format!("{0} {0}", review());
        assert_eq!(reason(&raw(&two)), ("unreadable", "unreadable: not an object"));
    }

    #[test]
    fn repeated_and_doubtful_reviews_are_no_evidence_but_may_be_asked_about() {
        let mut reviews = Read::default();
        assert!(matches!(reviews.review(&review(), true), Reviewed::Case(_)));
        let again = reviews.review(&review(), true);
        assert!(matches!(again, Reviewed::Asked(..)));
        assert_eq!(reason(&again), ("repeated", "repeated review of one request"));
        let mut stale = review();
        stale["request"]["object"]["spec"] = json!({"nodeName": "a"});
        let stale = reviews.review(&stale, false);
        assert!(matches!(stale, Reviewed::Nothing(_)));
        assert_eq!(reason(&stale).0, "doubtful");
    }
}
