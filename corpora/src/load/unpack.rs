//! From what a file holds to objects: lists and envelopes are unpacked, nothing else is changed.

use super::error::{Fault, LoadErrorKind};
use super::memory::{Again, Known};
use crate::requests::admission;
use crate::shortened::shortened;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// A document as it was read.
#[derive(Debug)]
pub(super) enum Read {
    /// It was parsed, and may have come before.
    Parsed(Parsed, Option<Again>),
    /// It is known. Line where its text starts.
    Known(Arc<Known>, u64),
}

/// One document as its format gave it.
#[derive(Debug, PartialEq)]
pub(super) struct Parsed {
    /// Line where it starts.
    pub(super) line: u64,
    pub(super) value: Value,
    /// Lines of the objects in a list directly below the document, where the format knows them.
    pub(super) item_lines: Vec<u64>,
}

/// An object with the line where it starts.
pub(super) struct Object {
    pub(super) line: u64,
    pub(super) value: Value,
    pub(super) api_version: String,
    pub(super) kind: String,
}

/// The objects of a document: itself, what an envelope of `source` and `object` holds, or the items of a `List`, `PodList`
/// and the like.
///
/// Items of a typed list may leave out `apiVersion` and `kind`, as the API server's own lists do; they get the list's.
pub(super) fn objects(parsed: Parsed) -> Vec<Result<Object, Fault>> {
    let mut out = Vec::new();
    // Lists may hold lists; the depth limit of documents bounds this.
    let mut open = vec![(parsed.line, parsed.value, parsed.item_lines)];
    while let Some((line, value, lines)) = open.pop() {
        let mut map = match value {
            Value::Object(map) => opened(map),
            other => {
                out.push(Err(not_an_object(&other).on_line(line)));
                continue;
            }
        };
        let (api_version, kind) = (text(&map, "apiVersion"), text(&map, "kind"));
        if is_list(&map, &kind) {
            let items = match map.remove("items") {
                Some(Value::Array(items)) => items,
                _ => Vec::new(),
            };
            let lines = if lines.len() == items.len() { lines } else { vec![line; items.len()] };
            let owner = Owner { api_version, kind };
            for (mut item, line) in items.into_iter().zip(lines).rev() {
                inherit(&mut item, &owner);
                open.push((line, item, Vec::new()));
            }
            continue;
        }
        if is_request(&map) {
            out.push(Ok(reviewed(line, map)));
            continue;
        }
        out.push(identified(line, map, api_version, kind));
    }
    out
}

/// The object of an envelope `{"source": …, "object": {…}}`, by which collections say where an object is from.
fn opened(mut map: Map<String, Value>) -> Map<String, Value> {
    if map.len() != 2 || !map.get("source").is_some_and(Value::is_string) {
        return map;
    }
    match map.remove("object") {
        Some(Value::Object(object)) => object,
        Some(other) => {
            map.insert("object".to_owned(), other);
            map
        }
        None => map,
    }
}

/// Whether it is the request of an AdmissionReview without the review around it, as webhooks log it: its kind is a map.
fn is_request(map: &Map<String, Value>) -> bool {
    let text = |name: &str| map.get(name).is_some_and(Value::is_string);
    let maps = |name: &str| map.get(name).is_some_and(Value::is_object);
    let kind = map.get("kind").and_then(|kind| kind.get("kind"));
    text("uid") && text("operation") && maps("resource") && kind.is_some_and(Value::is_string)
}

/// A request with the review around it in which a server sends it.
fn reviewed(line: u64, request: Map<String, Value>) -> Object {
    let (api_version, kind) = (admission::API_VERSION.to_owned(), "AdmissionReview".to_owned());
    let review = json!({ "apiVersion": api_version, "kind": kind, "request": request });
    Object { line, value: review, api_version, kind }
}

fn identified(line: u64, map: Map<String, Value>, api_version: String, kind: String) -> Result<Object, Fault> {
    let typed_fixture = map.contains_key("types");
    for (key, value) in [("apiVersion", &api_version), ("kind", &kind)] {
        if value.is_empty() {
            let hint = if typed_fixture { "; a fixture of Go types is for `conform`" } else { "" };
            let fault = format!("the document is no Kubernetes object: it has no text `{key}`{hint}");
            return Err(Fault::new(LoadErrorKind::NotAnObject, fault).on_line(line));
        }
    }
    Ok(Object { line, value: Value::Object(map), api_version, kind })
}

/// `List`, or a kind ending in `List` that has items as the API server's lists do.
fn is_list(map: &Map<String, Value>, kind: &str) -> bool {
    match map.get("items") {
        Some(Value::Array(_)) => kind.ends_with("List"),
        Some(Value::Null) | None => kind == "List",
        Some(_) => false,
    }
}

/// What items of a list get from it.
pub(super) struct Owner {
    api_version: String,
    kind: String,
}

/// The owner of items that begin with `first`, if what is written `before` them shows that they are those of a list; where the list's
/// own kind comes later, an object as the first of them does.
pub(super) fn owner(before: &Map<String, Value>, first: &Map<String, Value>) -> Option<Owner> {
    let owner = Owner { api_version: text(before, "apiVersion"), kind: text(before, "kind") };
    let whole = if before.contains_key("kind") {
        owner.kind == "List" || owner.kind.ends_with("List") && !owner.api_version.is_empty()
    } else {
        ["apiVersion", "kind"].iter().all(|key| !text(first, key).is_empty())
    };
    whole.then_some(owner)
}

pub(super) fn inherit(item: &mut Value, owner: &Owner) {
    let kind = owner.kind.strip_suffix("List").unwrap_or_default();
    if kind.is_empty() {
        return;
    }
    if let Value::Object(map) = item
        && !map.contains_key("kind")
        && !map.contains_key("apiVersion")
    {
        map.insert("apiVersion".to_owned(), owner.api_version.as_str().into());
        map.insert("kind".to_owned(), kind.into());
    }
}

/// That what was around items which were read one by one is a list.
pub(super) fn expect_list(around: &Map<String, Value>) -> Result<(), Fault> {
    let kind = text(around, "kind");
    if kind.ends_with("List") {
        return Ok(());
    }
    let found = if kind.is_empty() {
        "it has no text `kind`".to_owned()
    } else {
        format!("its kind is `{}`", shortened(&kind))
    };
    let fault = format!("the document whose `items` were read as objects is not a list: {found}");
    Err(Fault::new(LoadErrorKind::NotAnObject, fault))
}

fn text(map: &Map<String, Value>, key: &str) -> String {
    map.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn not_an_object(value: &Value) -> Fault {
    let found = match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "a map",
    };
    Fault::new(LoadErrorKind::NotAnObject, format!("expected a Kubernetes object, found {found}"))
}
