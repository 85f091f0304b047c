//! What is known of an object, and how certain, event by event.

use super::replay::Replay;
use crate::requests::{Doubt, Request, Skip, Unread};
use serde_json::{Value, json};
use takeover_harness::case::{Operation, Provenance};

/// A log that is written as it is read.
struct Log {
    replay: Replay,
    /// Milliseconds since its beginning.
    now: u64,
    count: u64,
}

/// A request that has begun.
struct Begun {
    event: Value,
    received: u64,
}

fn at(millis: u64) -> String {
    let (seconds, minutes) = (millis / 1000 % 60, millis / 60_000);
    format!("2026-01-01T{:02}:{:02}:{seconds:02}.{:03}000Z", 1 + minutes / 60, minutes % 60, millis % 1000)
}

fn service(version: &str, color: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Service",
        "metadata": {"name": "web", "namespace": "a", "uid": "u", "resourceVersion": version, "labels": {"color": color}},
    })
}

/// What a client sends: the object, without what the server sets unless `version` is named.
fn sent(version: &str, color: &str) -> Value {
    let mut object = service(version, color);
    if let Some(metadata) = object["metadata"].as_object_mut() {
        metadata.remove("uid");
        if version.is_empty() {
            metadata.remove("resourceVersion");
        }
    }
    object
}

fn label(color: &str) -> Value {
    json!({"metadata": {"labels": {"color": color}}})
}

fn causes() -> Value {
    json!({"kind": "Status", "details": {"causes": [{"field": "spec"}]}})
}

impl Log {
    fn new() -> Self {
        Self { replay: Replay::new(Replay::MEMORY), now: 0, count: 0 }
    }

    fn read(&mut self, event: Value) -> Vec<Result<Request, Unread>> {
        self.replay.event(event, &Provenance::File { path: "audit.log".into(), document: 1, line: self.count })
    }

    /// Begins a request on the Service `a/web`; what `more` names replaces what it would have.
    fn begin(&mut self, verb: &str, more: Value) -> Begun {
        self.now += 10;
        self.count += 1;
        let mut event = json!({
            "kind": "Event", "apiVersion": "audit.k8s.io/v1", "level": "RequestResponse",
            "auditID": self.count.to_string(), "stage": "RequestReceived", "verb": verb,
            "requestURI": "/api/v1/namespaces/a/services/web",
            "objectRef": {"resource": "services", "namespace": "a", "name": "web", "apiVersion": "v1"},
            "requestReceivedTimestamp": at(self.now), "stageTimestamp": at(self.now),
        });
        for (name, value) in more.as_object().unwrap() {
            event[name] = value.clone();
        }
        assert_eq!(self.read(event.clone()), [], "a beginning tells nothing");
        Begun { event, received: self.now }
    }

    /// Ends a request.
    fn end(&mut self, begun: Begun, code: u16, request: Value, response: Value) -> Vec<Result<Request, Unread>> {
        self.now += 10;
        let mut event = begun.event;
        event["stage"] = "ResponseComplete".into();
        event["stageTimestamp"] = at(self.now).into();
        event["responseStatus"] = response.clone();
        event["responseStatus"]["code"] = code.into();
        event["requestObject"] = request;
        event["responseObject"] = response;
        assert!(begun.received < self.now);
        self.read(event)
    }

    fn whole(
        &mut self,
        verb: &str,
        more: Value,
        code: u16,
        request: Value,
        response: Value,
    ) -> Vec<Result<Request, Unread>> {
        let begun = self.begin(verb, more);
        self.end(begun, code, request, response)
    }

    /// The Service is created with version 1.
    fn created() -> Self {
        let mut log = Self::new();
        let read = log.whole("create", json!({}), 201, sent("", "red"), service("1", "red"));
        assert!(matches!(read.as_slice(), [Ok(Request { operation: Operation::Create, old: None, .. })]));
        log
    }

    /// What is known of the old object when the server rejects a patch: its color, and the doubt.
    fn known(&mut self) -> Result<(String, Option<Doubt>), Skip> {
        let read = self.whole("patch", json!({}), 422, label("blue"), causes());
        known(read)
    }
}

fn known(mut read: Vec<Result<Request, Unread>>) -> Result<(String, Option<Doubt>), Skip> {
    let old = read.pop().unwrap().unwrap().old.unwrap()?;
    Ok((old.object["metadata"]["labels"]["color"].as_str().unwrap().to_owned(), old.doubt))
}

fn skips(read: Vec<Result<Request, Unread>>, doubtful: bool) -> Vec<Skip> {
    let case = |read: Result<Request, Unread>| match read.map(|request| request.into_case(doubtful)) {
        Ok(Err(skipped)) | Err(Unread::Skipped(skipped)) => Some(skipped.skip),
        Ok(Ok(_)) => None,
        Err(Unread::Broken(fault)) => panic!("{fault}"),
    };
    read.into_iter().filter_map(case).collect()
}

fn certain(color: &str) -> Result<(String, Option<Doubt>), Skip> {
    Ok((color.to_owned(), None))
}

fn doubtful(color: &str, doubt: Doubt) -> Result<(String, Option<Doubt>), Skip> {
    Ok((color.to_owned(), Some(doubt)))
}

/// Verb, what it has otherwise, code, request and answer.
type Exchange = (&'static str, Value, u16, Value, Value);

#[test]
fn each_answer_that_shows_the_object_tells_the_next_request_what_it_replaces() {
    let list = |kind: &str, item: Value| json!({"apiVersion": "v1", "kind": kind, "metadata": {}, "items": [item]});
    let mut item = service("2", "green");
    for of_list in ["apiVersion", "kind"] {
        item.as_object_mut().unwrap().remove(of_list);
    }
    let status = json!({"objectRef": {"resource": "services", "namespace": "a", "name": "web", "apiVersion": "v1", "subresource": "status"}});
    let all = json!({"objectRef": {"resource": "services", "apiVersion": "v1"}, "requestURI": "/api/v1/services"});
    let dry = json!({"requestURI": "/api/v1/namespaces/a/services/web?fieldManager=x&dryRun=All"});
    let table = json!({"apiVersion": "meta.k8s.io/v1", "kind": "Table", "rows": []});
    let rows: [(&str, Value, u16, Value, Value, &str); 10] = [
        ("update", json!({}), 200, sent("1", "green"), service("2", "green"), "green"),
        ("patch", json!({}), 200, label("green"), service("2", "green"), "green"),
        ("patch", json!({}), 409, label("green"), json!({"kind": "Status"}), "red"),
        ("patch", status.clone(), 200, label("green"), service("2", "green"), "green"),
        ("update", dry, 200, sent("1", "green"), service("1", "green"), "red"),
        ("get", json!({}), 200, json!(null), service("2", "green"), "green"),
        ("get", json!({}), 200, json!(null), table, "red"),
        ("list", all.clone(), 200, json!(null), list("ServiceList", item), "green"),
        ("list", all, 200, json!(null), list("List", service("2", "green")), "green"),
        ("delete", json!({}), 200, json!(null), service("2", "green"), "green"),
    ];
    for (verb, more, code, request, response, expected) in rows {
        let mut log = Log::created();
        let row = format!("{verb} {more} {code}");
        log.whole(verb, more, code, request, response);
        let doubt = (matches!(verb, "get" | "list") && expected == "green").then_some(Doubt::ChangedUnseen);
        assert_eq!(log.known(), Ok((expected.to_owned(), doubt)), "{row}");
    }
}

#[test]
fn what_changes_the_object_without_showing_it_leaves_nothing_known() {
    let body = |subresource: &str| json!({"objectRef": {"resource": "services", "namespace": "a", "name": "web", "apiVersion": "v1", "subresource": subresource}});
    let scale = json!({"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "web", "uid": "u", "resourceVersion": "2"}});
    let truncated = json!({"annotations": {"audit.k8s.io/truncated": "true"}});
    let every = json!({"objectRef": {"resource": "services", "namespace": "a", "apiVersion": "v1"}});
    let gone = json!({"apiVersion": "v1", "kind": "ServiceList", "items": [service("1", "red")]});
    let rows: [(Exchange, Skip); 10] = [
        (("update", body("scale"), 200, scale.clone(), scale), Skip::OwnBody),
        (("create", body("binding"), 201, json!({}), json!({"kind": "Status"})), Skip::OwnBody),
        (("patch", truncated, 200, json!(null), json!(null)), Skip::Truncated),
        (("patch", json!({"level": "Metadata"}), 200, json!(null), json!(null)), Skip::NotLogged),
        (("update", json!({}), 504, sent("1", "green"), json!({"kind": "Status"})), Skip::NotJudged(504)),
        (("update", json!({}), 60_000, sent("1", "green"), json!({"kind": "Status"})), Skip::NotJudged(599)),
        (("delete", json!({}), 200, json!(null), json!({"kind": "Status", "apiVersion": "v1"})), Skip::Delete),
        (("deletecollection", every.clone(), 200, json!(null), gone), Skip::Delete),
        (("deletecollection", every, 200, json!(null), json!(null)), Skip::Delete),
        (("connect", body("proxy"), 200, json!(null), json!(null)), Skip::Connect),
    ];
    for ((verb, more, code, request, response), expected) in rows {
        let mut log = Log::created();
        let row = format!("{verb} {more} {code}");
        assert_eq!(skips(log.whole(verb, more, code, request, response), false), [expected], "{row}");
        let known = if verb == "connect" { certain("red") } else { Err(Skip::OldUnknown) };
        assert_eq!(log.known(), known, "{row}");
    }
    let mut log = Log::created();
    let mut panic = log.begin("update", json!({})).event;
    panic["stage"] = "Panic".into();
    assert_eq!(skips(log.read(panic), false), [Skip::Panicked]);
    assert_eq!(log.known(), Err(Skip::OldUnknown));
}

#[test]
fn an_old_object_is_in_doubt_where_the_log_may_not_show_the_latest_change() {
    // Another write begins before the request and ends after it.
    let mut log = Log::created();
    let other = log.begin("patch", json!({}));
    assert_eq!(log.known(), doubtful("red", Doubt::Concurrent));
    log.end(other, 200, label("green"), service("2", "green"));
    assert_eq!(log.known(), certain("green"));

    // The request begins before another write ends.
    let begun = log.begin("patch", json!({}));
    log.whole("patch", json!({}), 200, label("white"), service("3", "white"));
    let read = log.end(begun, 422, label("blue"), causes());
    assert_eq!(known(read), doubtful("white", Doubt::Concurrent));

    // All objects of the namespace are being deleted.
    let every = json!({"objectRef": {"resource": "services", "namespace": "a", "apiVersion": "v1"}});
    log.begin("deletecollection", every);
    assert_eq!(log.known(), doubtful("white", Doubt::Concurrent));

    // The end of a write never comes. What is shown long after it is certain again.
    let mut log = Log::created();
    log.begin("patch", json!({}));
    log.now += 130_000;
    let event = log.begin_only("get");
    let read = log.read(event);
    assert_eq!(skips(read, false), [Skip::Lost]);
    assert_eq!(log.known(), doubtful("red", Doubt::LostRequest));
    log.whole("get", json!({}), 200, json!(null), service("1", "red"));
    assert_eq!(log.known(), certain("red"));

    // The beginning of the request is not there.
    let mut log = Log::created();
    let mut event = log.begin_only("patch");
    event["stage"] = "ResponseComplete".into();
    event["responseStatus"] = json!({"code": 422, "details": {"causes": [{}]}});
    event["requestObject"] = label("blue");
    assert_eq!(known(log.read(event)), doubtful("red", Doubt::NoBeginning));

    // A cache may have answered.
    let mut log = Log::new();
    let cached = json!({"requestURI": "/api/v1/namespaces/a/services/web?resourceVersion=0"});
    log.whole("get", cached.clone(), 200, json!(null), service("1", "red"));
    assert_eq!(log.known(), doubtful("red", Doubt::MaybeStale));
    log.whole("get", json!({}), 200, json!(null), service("1", "red"));
    assert_eq!(log.known(), certain("red"));
    log.whole("get", cached, 200, json!(null), service("0", "old"));
    assert_eq!(log.known(), certain("red"));
}

impl Log {
    /// The beginning of a request, not read.
    fn begin_only(&mut self, verb: &str) -> Value {
        self.now += 10;
        self.count += 1;
        json!({
            "kind": "Event", "apiVersion": "audit.k8s.io/v1", "auditID": self.count.to_string(), "stage": "RequestReceived",
            "verb": verb, "requestURI": "/", "requestReceivedTimestamp": at(self.now), "stageTimestamp": at(self.now),
            "objectRef": {"resource": "services", "namespace": "a", "name": "web", "apiVersion": "v1"},
        })
    }
}

#[test]
fn a_request_that_names_the_version_seen_or_leaves_it_in_place_has_a_certain_old_object() {
    let disturbed = || {
        let mut log = Log::created();
        log.begin("patch", json!({}));
        log
    };
    let mut log = disturbed();
    let read = log.whole("update", json!({}), 422, sent("1", "blue"), causes());
    assert_eq!(known(read), certain("red"));
    let mut log = disturbed();
    let mut patch = label("blue");
    patch["metadata"]["resourceVersion"] = "1".into();
    let read = log.whole("patch", json!({}), 422, patch, causes());
    assert_eq!(known(read), certain("red"));
    let mut log = disturbed();
    let read = log.whole("patch", json!({}), 200, label("red"), service("1", "red"));
    assert_eq!(known(read), certain("red"));

    // Another version was stored: the object changed unseen, and may do so again.
    let mut log = Log::created();
    let read = log.whole("update", json!({}), 422, sent("5", "blue"), causes());
    assert_eq!(known(read), doubtful("red", Doubt::OtherResourceVersion));
    assert_eq!(log.known(), doubtful("red", Doubt::ChangedUnseen));
    // A conflict says nothing of the kind.
    let mut log = Log::created();
    log.whole("update", json!({}), 409, sent("5", "blue"), json!({"kind": "Status"}));
    assert_eq!(log.known(), certain("red"));
}

#[test]
fn an_object_of_another_version_or_another_life_is_not_taken_for_the_old_one() {
    let mut log = Log::created();
    let beta = json!({"objectRef": {"resource": "services", "namespace": "a", "name": "web", "apiVersion": "v2"}});
    let read = log.whole("patch", beta.clone(), 422, label("blue"), causes());
    assert_eq!(skips(read, true), [Skip::OldInOtherVersion]);
    let mut same = service("1", "beta");
    same["apiVersion"] = "v2".into();
    log.whole("get", beta.clone(), 200, json!(null), same);
    assert_eq!(known(log.whole("patch", beta, 422, label("blue"), causes())), certain("beta"));
    assert_eq!(log.known(), certain("red"), "both are of the same resource version");

    let mut again = service("9", "new");
    again["metadata"]["uid"] = "v".into();
    log.whole("delete", json!({}), 200, json!(null), json!({"kind": "Status", "apiVersion": "v1"}));
    log.whole("create", json!({}), 201, sent("", "new"), again);
    assert_eq!(log.known(), certain("new"));
}

#[test]
fn the_new_object_is_the_one_that_was_judged() {
    let object = |mut read: Vec<Result<Request, Unread>>| read.pop().unwrap().unwrap().object;
    let mut log = Log::new();
    // What the server adds to what is sent.
    let generated = json!({"objectRef": {"resource": "services", "namespace": "a", "apiVersion": "v1"}});
    let body = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"generateName": "we"}});
    let read = object(log.whole("create", generated, 201, body, service("1", "red"))).unwrap();
    assert_eq!(read["metadata"], json!({"generateName": "we", "name": "web", "namespace": "a"}));
    assert_eq!(log.known(), certain("red"), "the answer gave the name");
    // An accepted patch shows what came of it; the version is given only when that is stored.
    let read = object(log.whole("patch", json!({}), 200, label("green"), service("2", "green")));
    assert_eq!(read, Ok(service("1", "green")));
    // A refused one is applied.
    let read =
        object(log.whole("patch", json!({}), 422, json!([{"op": "remove", "path": "/metadata/labels"}]), causes()));
    assert_eq!(read.unwrap().pointer("/metadata/labels"), None);
    let read = object(log.whole("patch", json!({}), 422, json!({"spec": {"ports": []}}), causes()));
    assert_eq!(read, Err(Skip::PatchType));
    // Without errors of validation, it was refused before.
    let read = object(log.whole("patch", json!({}), 422, label("blue"), json!({"kind": "Status"})));
    assert_eq!(read, Err(Skip::NotJudged(422)));
    // An apply of what is not there is a create.
    let mut log = Log::new();
    let read = log.whole("patch", json!({}), 201, sent("", "red"), service("1", "red")).pop().unwrap().unwrap();
    let mut created = service("1", "red");
    created["metadata"].as_object_mut().unwrap().remove("resourceVersion");
    assert_eq!((read.operation, read.old, read.object), (Operation::Create, None, Ok(created)));
}

#[test]
fn objects_beyond_the_memory_are_let_go_and_requests_on_them_say_so() {
    let mut log = Log { replay: Replay::new(10_000), ..Log::new() };
    let of = |n: u32| json!({"objectRef": {"resource": "services", "namespace": "a", "name": n.to_string(), "apiVersion": "v1"}});
    for n in 0..200 {
        log.whole("create", of(n), 201, sent("", "red"), service("1", "red"));
    }
    assert!((150..200).contains(&log.replay.evicted()), "{}", log.replay.evicted());
    let mut old = |n| known(log.whole("patch", of(n), 422, label("blue"), causes()));
    assert_eq!(old(0), Err(Skip::OldForgotten));
    assert_eq!(old(199), certain("red"));
    assert_eq!(old(200), Err(Skip::OldUnknown));
}

#[test]
fn requests_of_one_id_are_told_apart_and_those_without_end_are_told_at_the_end() {
    let mut log = Log::created();
    let one = log.begin("patch", json!({"auditID": "mine"}));
    let other = log.begin("patch", json!({"auditID": "mine"}));
    log.end(one, 200, label("green"), service("2", "green"));
    assert_eq!(log.known(), doubtful("green", Doubt::Concurrent));
    log.end(other, 200, label("white"), service("3", "white"));
    assert_eq!(log.known(), certain("white"));
    log.begin("create", json!({}));
    let lost: Vec<(String, Skip)> = log.replay.finish().into_iter().map(|lost| (lost.request, lost.skip)).collect();
    assert_eq!(lost, [("create of v1 services a/web".to_owned(), Skip::Lost)]);
}

#[test]
fn a_log_that_goes_back_in_time_is_another_log() {
    let mut log = Log::created();
    log.now += 600_000;
    log.whole("patch", json!({}), 200, label("green"), service("2", "green"));
    log.now -= 300_000;
    assert_eq!(log.known(), Err(Skip::OldUnknown));
}

#[test]
fn what_is_no_event_is_refused_with_what_is_wrong() {
    let mut log = Log::new();
    for (event, fault) in [
        (json!({}), "missing field `auditID`"),
        (json!({"auditID": "1", "stage": "Finished"}), "unknown variant `Finished`"),
        (json!([]), "an audit event is a map"),
    ] {
        let Some(Err(Unread::Broken(message))) = log.read(event).pop() else { panic!("taken") };
        assert!(message.contains(fault), "{message}");
    }
    for (member, said) in [("/auditID", "auditID"), ("/objectRef/name", "objectRef.name")] {
        let mut event = log.begin_only("update");
        *event.pointer_mut(member).unwrap() = "x".repeat(1 << 20).into();
        let Some(Err(Unread::Broken(message))) = log.read(event).pop() else { panic!("taken") };
        assert_eq!(message, format!("not an audit event: `{said}` is longer than 512 bytes"));
    }
    // Requests that are about no object tell nothing.
    let mut event = log.begin_only("get");
    event.as_object_mut().unwrap().remove("objectRef");
    assert_eq!(log.read(event), []);
}
