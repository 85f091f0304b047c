//! Events one after the other, and what is known between them.

use super::event::{Event, Key, LONGEST, Reference, Stage, Verb};
use super::flight::{Began, Flight, Write};
use super::objects::{By, Objects, Shown, Sought};
use super::patch::patched;
use crate::requests::{Old, Request, Skip, Skipped, Unread};
use serde_json::Value;
use takeover_harness::case::{Operation, Provenance};

/// How far the times of a log may go back before it counts as another log, in microseconds.
const MOST_BACK: i64 = LONGEST;

/// Reads events in the order in which a server wrote them, and answers with the creates and updates among them.
///
/// ```
/// use serde_json::json;
/// use takeover_corpora::requests::audit::Replay;
/// use takeover_harness::case::Provenance;
///
/// let event = |id, stage: &str, verb: &str, micros: u32, request, response| {
///     json!({
///         "kind": "Event", "apiVersion": "audit.k8s.io/v1", "level": "RequestResponse", "auditID": id, "stage": stage,
///         "verb": verb, "requestURI": "/api/v1/namespaces/a/services/web",
///         "objectRef": {"resource": "services", "namespace": "a", "name": "web", "apiVersion": "v1"},
///         "responseStatus": {"code": 200}, "requestObject": request, "responseObject": response,
///         "requestReceivedTimestamp": format!("2026-01-01T00:00:00.{:06}Z", micros / 10 * 10),
///         "stageTimestamp": format!("2026-01-01T00:00:00.{micros:06}Z"),
///     })
/// };
/// let service = |version, color| {
///     let metadata = json!({"name": "web", "uid": "u", "resourceVersion": version, "labels": {"color": color}});
///     json!({"apiVersion": "v1", "kind": "Service", "metadata": metadata})
/// };
/// let mut replay = Replay::new(Replay::MEMORY);
/// let events = [
///     event("1", "ResponseComplete", "get", 5, json!(null), service("7", "red")),
///     event("2", "RequestReceived", "patch", 10, json!(null), json!(null)),
///     event("2", "ResponseComplete", "patch", 15, json!({"metadata": {}}), service("8", "blue")),
/// ];
/// let provenance = Provenance::File { path: "audit.log".into(), document: 1, line: 1 };
/// let mut read: Vec<_> = events.into_iter().flat_map(|event| replay.event(event, &provenance)).collect();
/// let case = read.remove(0).unwrap().into_case(false).unwrap();
/// assert_eq!(case.case.old.unwrap().to_value().unwrap(), service("7", "red"));
/// ```
#[derive(Debug)]
pub struct Replay {
    objects: Objects,
    flight: Flight,
    /// The latest time of all events.
    now: i64,
}

impl Replay {
    /// Bytes of objects that are kept unless told otherwise.
    pub const MEMORY: usize = 64 << 20;

    /// Nothing known yet; at most `memory` bytes of objects are kept.
    #[must_use]
    pub fn new(memory: usize) -> Self {
        Self { objects: Objects::new(memory), flight: Flight::default(), now: i64::MIN }
    }

    /// Objects that were let go to keep to the memory.
    #[must_use]
    pub fn evicted(&self) -> u64 {
        self.objects.evicted()
    }

    /// The next event, which stands at `provenance`. Most give nothing: beginnings of requests, and reads. Besides what the event
    /// itself gives, there may be requests that turn out to be lost.
    pub fn event(&mut self, event: Value, provenance: &Provenance) -> Vec<Result<Request, Unread>> {
        let mut out = Vec::new();
        match Event::read(event) {
            Ok(event) => {
                self.pass_to(event.at, &mut out);
                out.extend(self.take(event, provenance));
            }
            Err(fault) => out.push(Err(Unread::Broken(fault))),
        }
        out
    }

    /// The log is at its end: what is still under way has no end in it.
    pub fn finish(&mut self) -> Vec<Skipped> {
        let mut out = Vec::new();
        while let Some((began, write)) = self.flight.give_up() {
            out.push(self.lost(&began, write));
        }
        out
    }

    fn lost(&mut self, (received, _): &Began, write: Write) -> Skipped {
        self.objects.doubt_since(&write.key, *received, LONGEST);
        Skipped { request: write.request, skip: Skip::Lost, provenance: write.provenance }
    }

    fn pass_to(&mut self, at: i64, out: &mut Vec<Result<Request, Unread>>) {
        if at < self.now.saturating_sub(MOST_BACK) {
            // Another log, or the files are in another order: what was seen later says nothing of what comes.
            out.extend(self.finish().into_iter().map(|lost| Err(Unread::Skipped(lost))));
            self.objects.clear();
            self.now = at;
        }
        self.now = self.now.max(at);
        while let Some((began, write)) = self.flight.lost(self.now) {
            let lost = self.lost(&began, write);
            out.push(Err(Unread::Skipped(lost)));
        }
    }

    fn take(&mut self, event: Event, provenance: &Provenance) -> Option<Result<Request, Unread>> {
        let reference = event.head.object_ref.clone().filter(|reference| !reference.resource.is_empty())?;
        let verb = event.verb();
        if verb == Verb::Read {
            if event.head.stage == Stage::ResponseComplete && event.accepted() {
                self.observe(&event, &reference);
            }
            return None;
        }
        if !verb.writes() {
            let connect = event.head.verb == "connect" && event.head.stage == Stage::ResponseComplete;
            return connect.then(|| Err(skipped(&event, &reference, Skip::Connect, provenance)));
        }
        let key = match verb {
            Verb::DeleteCollection => reference.key(EVERY),
            _ => reference.key(&reference.name),
        };
        let began: Began = (event.received, event.head.id.clone());
        match event.head.stage {
            Stage::RequestReceived => {
                let request = format!("{} of {}", event.head.verb, reference.place());
                let write = Write { key, request, provenance: provenance.clone() };
                let (began, write) = self.flight.begin(began, write)?;
                Some(Err(Unread::Skipped(self.lost(&began, write))))
            }
            Stage::ResponseStarted => None,
            Stage::Panic => {
                self.flight.end(&began);
                self.objects.forget(&key);
                Some(Err(skipped(&event, &reference, Skip::Panicked, provenance)))
            }
            Stage::ResponseComplete => {
                let begun = self.flight.end(&began);
                Some(self.write(event, &reference, key, begun, provenance))
            }
        }
    }

    /// A read shows what is stored.
    fn observe(&mut self, event: &Event, reference: &Reference) {
        let Some(answer) = event.response.as_ref().filter(|_| !event.truncated()) else { return };
        let (version, kind) = (reference.version(), text(answer, "/kind"));
        if text(answer, "/apiVersion") != version {
            return;
        }
        let items = answer.get("items").and_then(Value::as_array).filter(|_| kind.ends_with("List"));
        for object in items.map_or(std::slice::from_ref(answer), Vec::as_slice) {
            // Items of the server's lists lack what the list has.
            let whole;
            let object = if items.is_some() && object.get("kind").is_none() {
                let mut item = object.clone();
                if let Some(map) = item.as_object_mut() {
                    map.insert("apiVersion".to_owned(), version.clone().into());
                    map.insert("kind".to_owned(), kind.strip_suffix("List").unwrap_or_default().into());
                }
                whole = item;
                &whole
            } else {
                object
            };
            let key = match items {
                Some(_) => {
                    let namespace = text(object, "/metadata/namespace").to_owned();
                    Reference { namespace, ..reference.clone() }.key(text(object, "/metadata/name"))
                }
                None => reference.key(&reference.name),
            };
            let disturbed = self.disturbs(&key, event.received).is_some();
            let by = By::Read { stale: event.may_be_stale(), disturbed };
            let shown = Shown { api_version: &version, object, received: event.received, at: event.at, by };
            self.objects.tell(key, &shown);
        }
    }

    fn disturbs(&self, key: &Key, since: i64) -> Option<i64> {
        let of_object = self.flight.disturbs(key, since);
        let every = |namespace: &str| {
            self.flight.disturbs(&Key { name: EVERY.into(), namespace: namespace.into(), ..key.clone() }, since)
        };
        of_object.max(every(&key.namespace)).max(every(""))
    }

    /// A write has ended.
    fn write(
        &mut self,
        event: Event,
        reference: &Reference,
        mut key: Key,
        begun: bool,
        provenance: &Provenance,
    ) -> Result<Request, Unread> {
        let verb = event.verb();
        let subresource = reference.subresource.as_str();
        if matches!(verb, Verb::Delete | Verb::DeleteCollection) {
            self.delete(&event, reference, &key);
            return Err(skipped(&event, reference, Skip::Delete, provenance));
        }
        if verb == Verb::Create && key.name.is_empty() {
            key.name = named(&event).to_owned();
        }
        let own_body = is_own_body(&event, reference);
        let request = if own_body {
            Err(skipped(&event, reference, Skip::OwnBody, provenance))
        } else {
            let created = event.code() == 201;
            let operation = if verb == Verb::Create || created { Operation::Create } else { Operation::Update };
            let old = (operation == Operation::Update).then(|| self.old(&event, reference, &key, begun));
            let object = object(&event, operation, old.as_ref());
            let object = object.map(|object| completed(object, reference, named(&event)));
            let known = old.as_ref().and_then(|old| old.as_ref().ok()).map(|old| &old.object);
            let kind = [object.as_ref().ok(), known].into_iter().flatten().map(|object| text(object, "/kind")).next();
            Ok(Request {
                id: event.head.id.clone(),
                place: Reference { name: key.name.clone(), ..reference.clone() }.place(),
                api_version: reference.version(),
                kind: kind.unwrap_or_default().to_owned(),
                subresource: subresource.to_owned(),
                operation,
                dry_run: event.dry_run(),
                object,
                old,
                provenance: provenance.clone(),
            })
        };
        self.learn(&event, reference, key, own_body);
        request
    }

    fn old(&mut self, event: &Event, reference: &Reference, key: &Key, begun: bool) -> Result<Old, Skip> {
        let request = event.request.as_ref().filter(|request| request.is_object());
        let named = |path: &str| request.map(|request| text(request, path)).unwrap_or_default();
        let mut resource_version = Some(named("/metadata/resourceVersion")).filter(|version| *version != "0");
        if resource_version.is_none_or(str::is_empty) && event.accepted() && !event.dry_run() {
            // A write that changed nothing leaves the version that it found; one that did shows another, which says nothing.
            let answered = event.response.as_ref().map(|answer| text(answer, "/metadata/resourceVersion"));
            resource_version = answered.filter(|version| self.objects.version(key) == Some(version));
        }
        let sought = Sought {
            api_version: &reference.version(),
            uid: named("/metadata/uid"),
            resource_version: resource_version.unwrap_or_default(),
            received: event.received,
            begun,
            disturbed: self.disturbs(key, event.received),
            judged: event.accepted() || event.invalid(),
        };
        self.objects.old(key, &sought, LONGEST)
    }

    /// What an ended create or update says of what is stored now.
    fn learn(&mut self, event: &Event, reference: &Reference, key: Key, own_body: bool) {
        if event.code() >= 500 {
            // It may have been stored, or still be.
            self.objects.forget(&key);
        }
        if !event.accepted() || event.dry_run() {
            return;
        }
        let answer = event.response.as_ref().filter(|_| !own_body && !event.truncated());
        match answer {
            Some(object) if text(object, "/apiVersion") == reference.version() => {
                let api_version = &reference.version();
                let shown = Shown { api_version, object, received: event.received, at: event.at, by: By::Write };
                self.objects.tell(key, &shown);
            }
            _ => self.objects.forget(&key),
        }
    }

    fn delete(&mut self, event: &Event, reference: &Reference, key: &Key) {
        if event.code() >= 500 {
            self.objects.forget_all(key);
        }
        if !event.accepted() || event.dry_run() {
            return;
        }
        let answer = event.response.as_ref().filter(|_| !event.truncated());
        if event.verb() == Verb::Delete {
            // A Status, or the object, which may only have begun to go.
            return self.learn(event, reference, key.clone(), false);
        }
        match answer.and_then(|answer| answer.get("items")).and_then(Value::as_array) {
            Some(items) => {
                for item in items {
                    let namespace = text(item, "/metadata/namespace").to_owned();
                    let place = Reference { namespace, ..reference.clone() };
                    self.objects.forget(&place.key(text(item, "/metadata/name")));
                }
            }
            None => self.objects.forget_all(key),
        }
    }
}

/// In place of a name: every object.
const EVERY: &str = "*";

/// The new object as the server judged it, as far as the event tells.
fn object(event: &Event, operation: Operation, old: Option<&Result<Old, Skip>>) -> Result<Value, Skip> {
    if !event.accepted() && !event.invalid() {
        return Err(Skip::NotJudged(event.code()));
    }
    if event.truncated() {
        return Err(Skip::Truncated);
    }
    if event.verb() != Verb::Patch {
        return event.request.clone().filter(Value::is_object).ok_or(Skip::NotLogged);
    }
    if event.accepted() {
        let mut object = event.response.clone().filter(Value::is_object).ok_or(Skip::NotLogged)?;
        if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
            // The version is given when the object is stored, after validation.
            let old = old.and_then(|old| old.as_ref().ok());
            let before = old.and_then(|old| old.object.pointer("/metadata/resourceVersion"));
            match (operation, before) {
                (Operation::Create, _) => drop(metadata.remove("resourceVersion")),
                (Operation::Update, Some(before)) => drop(metadata.insert("resourceVersion".into(), before.clone())),
                (Operation::Update, None) => {}
            }
        }
        return Ok(object);
    }
    let patch = event.request.as_ref().ok_or(Skip::NotLogged)?;
    match old {
        Some(Ok(old)) => patched(patch, event.has_manager(), &old.object),
        Some(Err(skip)) => Err(*skip),
        None => Err(Skip::OldUnknown),
    }
}

/// What the server takes from the path of the request, and the name that it makes.
fn completed(mut object: Value, reference: &Reference, name: &str) -> Value {
    let namespaced = !reference.namespace.is_empty() && reference.resource != "namespaces";
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        for (field, value, wanted) in [("namespace", reference.namespace.as_str(), namespaced), ("name", name, true)] {
            let missing = metadata.get(field).and_then(Value::as_str).is_none_or(str::is_empty);
            if wanted && missing && !value.is_empty() {
                metadata.insert(field.to_owned(), value.into());
            }
        }
    }
    object
}

/// The name of the object that an answer shows.
fn named(event: &Event) -> &str {
    match &event.response {
        Some(answer) if event.accepted() => text(answer, "/metadata/name"),
        _ => "",
    }
}

/// Whether the subresource takes another object than the stored one: what is sent or answered is of another version or, for
/// creates, always.
fn is_own_body(event: &Event, reference: &Reference) -> bool {
    if reference.subresource.is_empty() {
        return false;
    }
    let version = reference.version();
    let request = event.request.as_ref().filter(|_| event.verb() == Verb::Update);
    let answer = event.response.as_ref().filter(|_| event.accepted());
    let foreign = |object: &Value| text(object, "/apiVersion") != version;
    event.verb() == Verb::Create
        || reference.subresource == "scale"
        || request.is_some_and(foreign)
        || answer.is_some_and(foreign)
}

fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

fn skipped(event: &Event, reference: &Reference, skip: Skip, provenance: &Provenance) -> Unread {
    let request = format!("{} of {}", event.head.verb, reference.place());
    Unread::Skipped(Skipped { request, skip, provenance: provenance.clone() })
}
