//! From documents to cases.
//!
//! A document is one of these:
//!
//! * A case of our own kind, for pairs that people write down:
//!
//!   ```yaml
//!   apiVersion: takeover.dev/v1alpha1
//!   kind: Case
//!   name: scale up          # optional
//!   operation: update       # or create
//!   subresource: status     # optional
//!   options: [Something]    # optional; a list names what is on, a map says on or off for each
//!   oldObject: {…}          # exactly on updates
//!   object: {…}
//!   provenance: a.yaml:3    # optional: where the case was found first
//!   verdict: {…}            # optional: how it was judged; see `store`
//!   ```
//! * A line of recorded verdicts: any object with `operation` and `object`, of which the same fields are read, and `id`
//!   as the name.
//! * An event of an audit log or an AdmissionReview; see [`requests`](crate::requests). What no case comes of is given out as
//!   an error with [`Reason::NoCase`]; updates whose old object is not certain too, unless they are [asked for](Cases::doubtful).
//! * A plain object. It becomes two cases: its creation, and an update that changes nothing. In the update both objects
//!   have a `resourceVersion`, as every stored object has; where the file gives none, it is `1`.

use super::documents::{Content, Document, Reading};
use super::error::{Fault, LoadError, Reason, shortened};
use super::plain::Plain;
use crate::requests::admission::{self, Reviews};
use crate::requests::audit::{self, Replay};
use crate::requests::{Skip, Skipped, Unread};
use crate::store::{self, StoredVerdict};
use serde_json::{Map, Value};
use std::collections::VecDeque;
use takeover_harness::case::{Case, Operation, Options, Payload, Provenance};

/// Version of our own kinds.
pub(crate) const OWN_VERSION: &str = "takeover.dev/v1alpha1";
const OWN_KIND: &str = "Case";
const OWN_FIELDS: [&str; 10] = [
    "apiVersion",
    "kind",
    "name",
    "operation",
    "subresource",
    "options",
    "oldObject",
    "object",
    "provenance",
    "verdict",
];

/// A case with what says which subject it belongs to.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadedCase {
    /// What the file calls the case.
    pub name: Option<String>,
    /// `apiVersion` of the object.
    pub api_version: String,
    /// `kind` of the object.
    pub kind: String,
    /// Subresource without leading slash; empty for the main resource.
    pub subresource: String,
    /// Where the case was found first, when it was copied since.
    pub origin: Option<String>,
    /// How it was judged when it was recorded, if that is known.
    pub verdict: Option<StoredVerdict>,
    /// Number of the content, if it came before: cases of one operation that have the same number are the same but for where they came from.
    /// Only a [remembering](super::Documents::remembering) reader gives numbers, each reader its own.
    pub content: Option<u64>,
    /// The case.
    pub case: Case,
}

/// The cases of `documents`, in their order; errors pass through.
pub fn cases<I, D>(documents: I) -> Cases<I::IntoIter>
where
    I: IntoIterator<Item = Result<D, LoadError>>,
    D: Into<Reading>,
{
    Cases {
        documents: documents.into_iter(),
        unchanged: None,
        creates_only: false,
        doubtful: false,
        replay: Replay::new(Replay::MEMORY),
        reviews: Reviews::default(),
        ready: VecDeque::new(),
    }
}

/// Iterator over cases; made by [`cases`].
#[derive(Debug)]
pub struct Cases<I> {
    documents: I,
    /// A plain object whose creation was given out and whose update comes next.
    unchanged: Option<Plain>,
    creates_only: bool,
    doubtful: bool,
    replay: Replay,
    reviews: Reviews,
    ready: VecDeque<Result<LoadedCase, LoadError>>,
}

impl<I> Cases<I> {
    /// Of plain objects only their creation.
    #[must_use]
    pub fn creates_only(self) -> Self {
        Self { creates_only: true, ..self }
    }

    /// With `yes`, also updates from recordings whose old object is not certain. Their provenance says why it is not.
    #[must_use]
    pub fn doubtful(self, yes: bool) -> Self {
        Self { doubtful: yes, ..self }
    }

    /// Whether the document is a recorded request; then what comes of it is ready.
    fn took(&mut self, document: Document) -> Option<Document> {
        let Document { provenance, value, api_version, kind } = document;
        let group = api_version.split_once('/').map_or("", |(group, _)| group);
        let read = match (group, kind.as_str()) {
            ("audit.k8s.io", "Event") if api_version == audit::API_VERSION => self.replay.event(value, &provenance),
            ("admission.k8s.io", "AdmissionReview") if api_version == admission::API_VERSION => {
                vec![self.reviews.review(value, &provenance)]
            }
            ("audit.k8s.io", "Event") | ("admission.k8s.io", "AdmissionReview") => {
                let request = format!("{api_version} {kind}");
                let provenance = provenance.clone();
                vec![Err(Unread::Skipped(Skipped { request, skip: Skip::OtherVersion, provenance }))]
            }
            _ => return Some(Document { provenance, value, api_version, kind }),
        };
        for read in read {
            let case = read.and_then(|request| request.into_case(self.doubtful).map_err(Unread::Skipped));
            self.ready.push_back(case.map_err(|unread| match unread {
                Unread::Skipped(skipped) => no_case(&skipped),
                Unread::Broken(fault) => bad_case(&provenance, fault),
            }));
        }
        None
    }
}

impl<D: Into<Reading>, I: Iterator<Item = Result<D, LoadError>>> Iterator for Cases<I> {
    type Item = Result<LoadedCase, LoadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(plain) = self.unchanged.take() {
            return Some(Ok(plain.update()));
        }
        let reading = loop {
            if let Some(ready) = self.ready.pop_front() {
                return Some(ready);
            }
            match self.documents.next().map(|reading| reading.map(|reading| reading.into().0)) {
                Some(Ok(known @ Content::Known { .. })) => break Reading(known),
                Some(Ok(Content::Parsed(document))) => {
                    if let Some(document) = self.took(document) {
                        let own = document.api_version == OWN_VERSION;
                        if own && store::is_mark(&document.kind) {
                            continue;
                        }
                        let own = own && document.kind == OWN_KIND;
                        if own || is_recorded(&document.value) {
                            return Some(written(document, own));
                        }
                        break document.into();
                    }
                }
                Some(Err(error)) => return Some(Err(error)),
                None => {
                    let lost = self.replay.finish();
                    if lost.is_empty() {
                        return None;
                    }
                    self.ready.extend(lost.iter().map(|lost| Err(no_case(lost))));
                }
            }
        };
        let plain = Plain::of(reading);
        let creation = plain.creation();
        self.unchanged = (!self.creates_only).then_some(plain);
        Some(Ok(creation))
    }
}

/// The document of our own kind that [`cases`] reads `case` from, on `subresource` (empty for the main resource). An object that
/// is not JSON becomes null, which is no case.
#[must_use]
pub fn document_of(case: &Case, subresource: &str) -> Value {
    let mut document = Map::new();
    document.insert("apiVersion".to_owned(), OWN_VERSION.into());
    document.insert("kind".to_owned(), OWN_KIND.into());
    document.insert("operation".to_owned(), case.operation.to_string().into());
    document.insert("object".to_owned(), case.object.to_value().unwrap_or_default());
    if let Some(old) = &case.old {
        document.insert("oldObject".to_owned(), old.to_value().unwrap_or_default());
    }
    if !subresource.is_empty() {
        document.insert("subresource".to_owned(), subresource.into());
    }
    let options: Map<String, Value> = case.options.iter().map(|(name, on)| (name.to_owned(), on.into())).collect();
    if !options.is_empty() {
        document.insert("options".to_owned(), options.into());
    }
    document.into()
}

pub(super) fn is_recorded(value: &Value) -> bool {
    value.get("operation").is_some_and(Value::is_string) && value.get("object").is_some_and(Value::is_object)
}

/// A case as its document has it.
fn written(document: Document, own: bool) -> Result<LoadedCase, LoadError> {
    let Document { provenance, value, api_version, kind } = document;
    let Value::Object(map) = value else { return Err(bad_case(&provenance, "a case is a map".to_owned())) };
    let place = provenance.clone();
    Envelope { provenance, api_version, kind, own }.open(map).map_err(|detail| bad_case(&place, detail))
}

fn bad_case(provenance: &Provenance, detail: String) -> LoadError {
    error_at(provenance, Fault::new(Reason::BadCase, detail))
}

fn no_case(skipped: &Skipped) -> LoadError {
    let detail = format!("{}: {}", skipped.request, skipped.skip);
    error_at(&skipped.provenance, Fault::new(Reason::NoCase(skipped.skip), detail))
}

fn error_at(provenance: &Provenance, fault: Fault) -> LoadError {
    let (path, line) = match provenance {
        Provenance::File { path, line, .. } => (path.clone(), *line),
        other => (other.to_string(), 1),
    };
    LoadError::new(path, fault.on_line(line))
}

struct Envelope {
    provenance: Provenance,
    api_version: String,
    kind: String,
    own: bool,
}

impl Envelope {
    fn open(self, mut map: Map<String, Value>) -> Result<LoadedCase, String> {
        if self.own
            && let Some(unknown) = map.keys().find(|key| !OWN_FIELDS.contains(&key.as_str()))
        {
            return Err(format!("a case has no field `{}`; it has {}", shortened(unknown), OWN_FIELDS.join(", ")));
        }
        let operation = match map.get("operation").and_then(Value::as_str) {
            Some("create") => Operation::Create,
            Some("update") => Operation::Update,
            Some(other) => return Err(format!("`operation` is `{}`, not `create` or `update`", shortened(other))),
            None => return Err("the case has no `operation`: `create` or `update`".to_owned()),
        };
        let object = object(&mut map, "object")?.ok_or("the case has no `object`")?;
        let old = object_of(operation, object_or_null(&mut map, "oldObject")?)?;
        let (api_version, kind) = if self.own {
            (identity(&object, "apiVersion")?, identity(&object, "kind")?)
        } else {
            (self.api_version, self.kind)
        };
        Ok(LoadedCase {
            name: optional_text(&map, if self.own { "name" } else { "id" })?,
            api_version,
            kind,
            subresource: optional_text(&map, "subresource")?.unwrap_or_default(),
            origin: if self.own { optional_text(&map, "provenance")? } else { None },
            verdict: if self.own { verdict(map.remove("verdict"))? } else { None },
            content: None,
            case: Case {
                operation,
                object: object.into(),
                old: old.map(Payload::from),
                options: options(map.get("options"))?,
                provenance: self.provenance,
            },
        })
    }
}

fn object(map: &mut Map<String, Value>, field: &str) -> Result<Option<Value>, String> {
    match map.remove(field) {
        None => Ok(None),
        Some(value) if value.is_object() => Ok(Some(value)),
        Some(_) => Err(format!("`{field}` is not an object")),
    }
}

fn object_or_null(map: &mut Map<String, Value>, field: &str) -> Result<Option<Value>, String> {
    if map.get(field).is_some_and(Value::is_null) {
        map.remove(field);
    }
    object(map, field)
}

fn object_of(operation: Operation, old: Option<Value>) -> Result<Option<Value>, String> {
    match (operation, old) {
        (Operation::Update, None) => Err("an update has no `oldObject`".to_owned()),
        (Operation::Create, Some(_)) => Err("a create has an `oldObject`".to_owned()),
        (_, old) => Ok(old),
    }
}

fn identity(object: &Value, field: &str) -> Result<String, String> {
    match object.get(field).and_then(Value::as_str) {
        Some(text) if !text.is_empty() => Ok(text.to_owned()),
        _ => Err(format!("`object` has no text `{field}`")),
    }
}

fn optional_text(map: &Map<String, Value>, field: &str) -> Result<Option<String>, String> {
    match map.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(format!("`{field}` is not a text")),
    }
}

fn verdict(value: Option<Value>) -> Result<Option<StoredVerdict>, String> {
    let Some(value) = value else { return Ok(None) };
    serde_json::from_value(value).map(Some).map_err(|error| format!("`verdict` is none: {error}"))
}

fn options(value: Option<&Value>) -> Result<Options, String> {
    let mut options = Options::new();
    match value {
        None | Some(Value::Null) => {}
        Some(Value::Array(names)) => {
            for name in names {
                let name = name.as_str().ok_or("`options` lists something that is not a name")?;
                options.set(name, true);
            }
        }
        Some(Value::Object(states)) => {
            for (name, state) in states {
                let on = state.as_bool().ok_or_else(|| format!("option `{}` is not a boolean", shortened(name)))?;
                options.set(name, on);
            }
        }
        Some(_) => return Err("`options` is neither a list of names nor a map of names to booleans".to_owned()),
    }
    Ok(options)
}
