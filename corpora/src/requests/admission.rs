//! AdmissionReviews (`admission.k8s.io/v1`): reviews in, requests out.
//!
//! A review holds both objects. The server calls webhooks after validation, so each pair was judged and found valid. But it may
//! call them more than once for one request: each webhook by itself, and all of them again when the stored object turned out to be
//! another than its cache said. Reviews with the same content are read once; an update that begins from an object from which
//! another one has begun before has a doubt, for one of them may have been thrown away, and so has one that begins from an object
//! that was replaced before. Who sent the request is not read.

use super::{Doubt, LONGEST_NAME, Old, Request, Skip, Skipped, Unread};
use lru::LruCache;
use serde_json::{Map, Value};
use std::hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher};
use std::num::NonZeroUsize;
use takeover_harness::case::{Operation, Provenance};

/// `apiVersion` of the reviews that are read.
pub const API_VERSION: &str = "admission.k8s.io/v1";

/// Reviews, and stored objects that updates began from, that are remembered.
const MOST: NonZeroUsize = NonZeroUsize::new(1 << 14).unwrap();

/// Reads reviews in the order in which a webhook got them.
#[derive(Debug)]
pub struct Reviews {
    /// Hashes of what was read.
    seen: LruCache<u64, ()>,
    /// Hashes of uid and resource version of stored objects that updates began from, with the hash of the first of them.
    begun: LruCache<u64, u64>,
    /// By hash of the uid of a stored object, the latest resource version that an update began from.
    latest: LruCache<u64, u64>,
}

impl Default for Reviews {
    fn default() -> Self {
        Self { seen: LruCache::new(MOST), begun: LruCache::new(MOST), latest: LruCache::new(MOST) }
    }
}

/// What one review says by itself.
#[derive(Clone, Debug)]
pub struct Review {
    request: Request,
    /// Whether the objects are of another kind than the one that was sent.
    converted: bool,
    /// Hash of what gives the case.
    content: u64,
    /// Whether it is an update that is to be stored and changes something.
    changes: bool,
}

impl Review {
    /// Reads a review, which stands at `provenance`.
    ///
    /// # Errors
    /// Returns an error when no case can be made from it, which says why, or when it is malformed.
    pub fn read(mut review: Value, provenance: &Provenance) -> Result<Self, Unread> {
        let broken = |fault: &str| Unread::Broken(format!("not an AdmissionReview with a request: {fault}"));
        let Some(Value::Object(mut request)) = review.get_mut("request").map(Value::take) else {
            return Err(broken("it has no map `request`"));
        };
        let sent = Sent::read(&request).map_err(|fault| broken(&fault))?;
        let skip = |skip| {
            let request = format!("{} of {}", sent.operation, sent.place());
            Unread::Skipped(Skipped { request, skip, provenance: provenance.clone() })
        };
        let operation = match sent.operation.as_str() {
            "CREATE" => Operation::Create,
            "UPDATE" => Operation::Update,
            "DELETE" => return Err(skip(Skip::Delete)),
            "CONNECT" => return Err(skip(Skip::Connect)),
            other => return Err(broken(&format!("`operation` is `{}`", crate::shortened::shortened(other)))),
        };
        // API servers write what an object is into it; requests that were written by hand often leave that to `kind`.
        let mut object = |name: &str| match request.remove(name) {
            Some(Value::Object(mut object)) => {
                for (member, said) in [("apiVersion", &sent.api_version), ("kind", &sent.kind)] {
                    object.entry(member).or_insert_with(|| said.as_str().into());
                }
                Some(Value::Object(object))
            }
            _ => None,
        };
        let (new, old) = (object("object"), object("oldObject"));
        let new = new.ok_or_else(|| broken("it has no map `object`"))?;
        let old = old.filter(|_| operation == Operation::Update);
        if operation == Operation::Update && old.is_none() {
            return Err(broken("an update has no map `oldObject`"));
        }
        let content = hash(&(
            &sent.api_version,
            &sent.kind,
            &sent.subresource,
            sent.dry_run,
            new.to_string(),
            text_of(old.as_ref()),
        ));
        // Here, and not where reviews wait for each other.
        let changes = !sent.dry_run && old.as_ref().is_some_and(|old| !same_content(&new, old));
        let request = Request {
            place: sent.place(),
            id: sent.uid,
            api_version: sent.api_version,
            kind: sent.kind,
            subresource: sent.subresource,
            operation,
            dry_run: sent.dry_run,
            object: Ok(new),
            old: old.map(|object| Ok(Old { object, doubt: None })),
            provenance: provenance.clone(),
        };
        Ok(Self { request, converted: sent.converted, content, changes })
    }

    /// The request, whatever else was sent.
    #[must_use]
    pub fn request(self) -> Request {
        self.request
    }

    /// The stored object.
    fn old(&self) -> Option<&Value> {
        self.request.old.as_ref()?.as_ref().ok().map(|old| &old.object)
    }
}

impl Reviews {
    /// The request of a review, which stands at `provenance`.
    ///
    /// # Errors
    /// Returns an error when no case can be made from it, which says why, or when it is malformed.
    pub fn review(&mut self, review: Value, provenance: &Provenance) -> Result<Request, Unread> {
        self.take(Review::read(review, provenance)?).map_err(Unread::Skipped)
    }

    /// The request of a review, with the doubt that follows from those before.
    ///
    /// # Errors
    /// Returns an error when it repeats one of them.
    pub fn take(&mut self, review: Review) -> Result<Request, Skipped> {
        // The same content gives the same case, whichever request it is of.
        if self.seen.put(review.content, ()).is_some() {
            let Request { operation, place, provenance, .. } = review.request;
            let request = format!("{} of {place}", operation.to_string().to_uppercase());
            return Err(Skipped { request, skip: Skip::Repeated, provenance });
        }
        let doubt = self.doubt(&review);
        let mut request = review.request;
        if let Some(Ok(old)) = &mut request.old {
            old.doubt = doubt;
        }
        Ok(request)
    }

    fn doubt(&mut self, review: &Review) -> Option<Doubt> {
        let old = review.old()?;
        if review.converted {
            return Some(Doubt::Converted);
        }
        let (uid, version) = (text(old, "/metadata/uid"), text(old, "/metadata/resourceVersion"));
        if version.is_empty() {
            return None;
        }
        let start = hash(&(uid, version));
        let again = self.begun.get(&start).is_some_and(|first| *first != review.content);
        // What changes nothing leaves the object in place for the next.
        if !again && review.changes {
            self.begun.put(start, review.content);
        }
        let replaced = self.is_replaced(uid, version);
        if again { Some(Doubt::SameStart) } else { replaced.then_some(Doubt::Replaced) }
    }

    /// Whether an update has begun from a later version of the object before.
    fn is_replaced(&mut self, uid: &str, version: &str) -> bool {
        // Versions of one object are numbers that grow. Others say nothing.
        let Ok(version) = version.parse::<u64>() else { return false };
        if uid.is_empty() {
            return false;
        }
        let latest = self.latest.get_or_insert_mut(hash(&uid), || version);
        let replaced = version < *latest;
        *latest = version.max(*latest);
        replaced
    }
}

/// Whether both are the same to their users. Who set which field, and when, is not told.
fn same_content(one: &Value, other: &Value) -> bool {
    let plain = |object: &Value| {
        let mut object = object.clone();
        if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.remove("managedFields");
        }
        object
    };
    plain(one) == plain(other)
}

/// What a review says beside the objects.
struct Sent {
    uid: String,
    operation: String,
    api_version: String,
    kind: String,
    subresource: String,
    resource: String,
    namespace: String,
    name: String,
    dry_run: bool,
    /// Whether the objects are of another kind than the one that was sent.
    converted: bool,
}

impl Sent {
    fn read(request: &Map<String, Value>) -> Result<Self, String> {
        let word = |name: &str| request.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let kind = request.get("kind").filter(|kind| kind.is_object()).ok_or("it has no map `kind`")?;
        let (group, version) = (text(kind, "/group"), text(kind, "/version"));
        let api_version = if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") };
        for name in ["uid", "operation", "subResource", "namespace", "name"] {
            if word(name).len() > LONGEST_NAME {
                return Err(format!("`{name}` is longer than {LONGEST_NAME} bytes"));
            }
        }
        let sent_kind = request.get("requestKind").filter(|sent| sent.is_object());
        Ok(Self {
            uid: word("uid"),
            operation: word("operation"),
            api_version,
            kind: text(kind, "/kind").to_owned(),
            subresource: word("subResource"),
            resource: request
                .get("resource")
                .map(|resource| text(resource, "/resource"))
                .unwrap_or_default()
                .to_owned(),
            namespace: word("namespace"),
            name: word("name"),
            dry_run: request.get("dryRun").and_then(Value::as_bool).unwrap_or_default(),
            converted: sent_kind.is_some_and(|sent| sent != kind),
        })
    }

    /// For people.
    fn place(&self) -> String {
        let slash = |text: &str| if text.is_empty() { String::new() } else { format!("/{text}") };
        let namespace = if self.namespace.is_empty() { String::new() } else { format!("{}/", self.namespace) };
        format!("{} {}{} {namespace}{}", self.api_version, self.resource, slash(&self.subresource), self.name)
    }
}

fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

fn text_of(value: Option<&Value>) -> String {
    value.map(ToString::to_string).unwrap_or_default()
}

fn hash(content: &impl std::hash::Hash) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(content)
}

#[cfg(test)]
mod tests {
    use super::Reviews;
    use crate::requests::{Doubt, Request, Skip, Unread};
    use serde_json::{Value, json};
    use takeover_harness::case::{Operation, Provenance};

    fn object(version: &str, replicas: u32) -> Value {
        json!({"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"replicas": replicas},
            "metadata": {"name": "web", "uid": "u", "resourceVersion": version, "managedFields": [{"time": replicas}]}})
    }

    fn review(operation: &str, more: Value) -> Value {
        let kind = json!({"group": "apps", "version": "v1", "kind": "Deployment"});
        let mut request = json!({"uid": "r", "operation": operation, "kind": kind, "requestKind": kind, "name": "web",
            "namespace": "a", "resource": {"group": "apps", "version": "v1", "resource": "deployments"}, "dryRun": false});
        for (name, value) in more.as_object().unwrap() {
            request[name] = value.clone();
        }
        json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request})
    }

    fn update(version: &str, from: u32, to: u32) -> Value {
        review("UPDATE", json!({"object": object(version, to), "oldObject": object(version, from)}))
    }

    fn read(reviews: &mut Reviews, review: Value) -> Result<Request, Unread> {
        reviews.review(review, &Provenance::File { path: "reviews.jsonl".into(), document: 1, line: 1 })
    }

    fn skip(read: Result<Request, Unread>) -> Skip {
        let Err(Unread::Skipped(skipped)) = read else { panic!("{read:?}") };
        skipped.skip
    }

    #[test]
    fn a_review_has_both_objects_and_what_is_to_be_done() {
        let more =
            json!({"subResource": "status", "dryRun": true, "object": object("1", 2), "oldObject": object("1", 1)});
        let request = read(&mut Reviews::default(), review("UPDATE", more)).unwrap();
        assert_eq!(
            (request.operation, request.dry_run, request.subresource.as_str()),
            (Operation::Update, true, "status")
        );
        assert_eq!((request.api_version.as_str(), request.kind.as_str()), ("apps/v1", "Deployment"));
        assert_eq!(request.place, "apps/v1 deployments/status a/web");
        let case = request.into_case(false).unwrap().case;
        assert_eq!(case.object.to_value().unwrap(), object("1", 2));
        assert_eq!(case.old.unwrap().to_value().unwrap(), object("1", 1));
        let create =
            read(&mut Reviews::default(), review("CREATE", json!({"object": object("", 1), "oldObject": null})));
        assert_eq!(create.unwrap().old, None);
    }

    #[test]
    fn an_object_that_does_not_say_what_it_is_is_what_the_request_says() {
        let mut bare = object("1", 2);
        bare.as_object_mut().unwrap().retain(|member, _| !["apiVersion", "kind"].contains(&member.as_str()));
        let request = read(&mut Reviews::default(), review("CREATE", json!({"object": bare}))).unwrap();
        assert_eq!(request.object.unwrap(), object("1", 2));
    }

    #[test]
    fn reviews_that_no_case_comes_of_are_told_by_their_reason() {
        let mut reviews = Reviews::default();
        assert_eq!(skip(read(&mut reviews, review("DELETE", json!({"oldObject": object("1", 1)})))), Skip::Delete);
        assert_eq!(skip(read(&mut reviews, review("CONNECT", json!({"object": {}})))), Skip::Connect);
        assert!(read(&mut reviews, update("1", 1, 2)).is_ok());
        let mut again = update("1", 1, 2);
        again["request"]["uid"] = "another webhook".into();
        assert_eq!(skip(read(&mut reviews, again)), Skip::Repeated);
    }

    #[test]
    fn a_second_update_of_the_same_stored_object_is_doubtful_unless_the_first_stored_nothing() {
        let doubt = |first: Value| {
            let mut reviews = Reviews::default();
            read(&mut reviews, first).unwrap();
            let second = read(&mut reviews, update("1", 1, 3)).unwrap();
            second.old.unwrap().unwrap().doubt
        };
        assert_eq!(doubt(update("1", 1, 2)), Some(Doubt::SameStart));
        let mut dry = update("1", 1, 2);
        dry["request"]["dryRun"] = true.into();
        assert_eq!(doubt(dry), None);
        assert_eq!(doubt(update("0", 1, 2)), None);
        let mut nothing = update("1", 1, 1);
        nothing["request"]["object"]["metadata"]["managedFields"] = json!([]);
        assert_eq!(doubt(nothing), None);
    }

    #[test]
    fn an_update_of_a_version_that_was_replaced_before_is_doubtful() {
        let mut reviews = Reviews::default();
        let mut doubt = |version: &str, to: u32, uid: &str| {
            let mut update = update(version, 1, to);
            update["request"]["oldObject"]["metadata"]["uid"] = uid.into();
            read(&mut reviews, update).unwrap().old.unwrap().unwrap().doubt
        };
        // The review that made version 10 of 9 went elsewhere.
        assert_eq!(doubt("10", 2, "u"), None);
        assert_eq!(doubt("9", 3, "u"), Some(Doubt::Replaced));
        assert_eq!(doubt("9", 4, "another object"), None);
        assert_eq!(doubt("11", 5, "u"), None);
        assert_eq!(doubt("no number", 6, "u"), None);
    }

    #[test]
    fn objects_that_were_converted_for_the_webhook_are_doubtful() {
        let sent = json!({"group": "apps", "version": "v1beta1", "kind": "Deployment"});
        let more = json!({"requestKind": sent, "object": object("1", 2), "oldObject": object("1", 1)});
        let request = read(&mut Reviews::default(), review("UPDATE", more)).unwrap();
        let skipped = request.clone().into_case(false).unwrap_err();
        assert_eq!(skipped.skip, Skip::Doubtful(Doubt::Converted));
        let provenance = request.into_case(true).unwrap().case.provenance.to_string();
        assert_eq!(provenance, "reviews.jsonl:1 (request r; doubtful old object: converted for the webhook)");
    }

    #[test]
    fn what_is_no_review_of_a_request_is_refused_with_what_is_wrong() {
        for (review, fault) in [
            (json!({"response": {}}), "no map `request`"),
            (json!({"request": {"operation": "CREATE"}}), "no map `kind`"),
            (review("CREATE", json!({"object": null})), "no map `object`"),
            (review("UPDATE", json!({"object": {}})), "no map `oldObject`"),
            (review("PATCH", json!({"object": {}})), "`operation` is `PATCH`"),
            (review("CREATE", json!({"object": {}, "name": "n".repeat(1000)})), "`name` is longer than 512 bytes"),
        ] {
            let Err(Unread::Broken(message)) = read(&mut Reviews::default(), review) else { panic!("taken") };
            assert!(message.contains(fault), "{message}");
        }
    }
}
