//! Plain objects: each becomes its creation, and an update that changes nothing.

use super::document::{Content, Document, Reading};
use super::memory::Known;
use crate::case_document::{LoadedCase, OWN_VERSION, is_other_version, is_recorded};
use serde_json::Value;
use std::sync::Arc;
use takeover_harness::case::{Case, Operation, Options, Payload, Provenance, stored};

/// A plain object on its way to its cases.
#[derive(Debug)]
pub(super) struct Plain {
    provenance: Provenance,
    api_version: String,
    kind: String,
    object: Object,
}

#[derive(Debug)]
enum Object {
    Parsed(Arc<Value>),
    Known(Arc<Known>),
}

impl Plain {
    /// The plain object that `reading` holds, known to hold one.
    pub(super) fn of(reading: Reading) -> Self {
        match reading.0 {
            Content::Parsed(Document { provenance, value, api_version, kind }) => {
                Self { provenance, api_version, kind, object: Object::Parsed(Arc::new(value)) }
            }
            Content::Known { known, provenance } => {
                let (api_version, kind) = (known.api_version.clone(), known.kind.clone());
                Self { provenance, api_version, kind, object: Object::Known(known) }
            }
        }
    }

    /// The creation of the object.
    pub(super) fn creation(&self) -> LoadedCase {
        let object = match &self.object {
            Object::Parsed(value) => Payload::Value(Arc::clone(value)),
            Object::Known(known) => Payload::Json(Arc::clone(&known.created)),
        };
        let (api_version, kind, provenance) = (self.api_version.clone(), self.kind.clone(), self.provenance.clone());
        case(api_version, kind, self.content(), Operation::Create, object, provenance)
    }

    /// The update that changes nothing.
    pub(super) fn update(self) -> LoadedCase {
        let content = self.content();
        let object = match self.object {
            Object::Parsed(value) => Payload::Stored(value),
            Object::Known(known) => Payload::Json(Arc::clone(&known.stored)),
        };
        case(self.api_version, self.kind, content, Operation::Update, object, self.provenance)
    }

    fn content(&self) -> Option<u64> {
        match &self.object {
            Object::Parsed(_) => None,
            Object::Known(known) => Some(known.number),
        }
    }
}

fn case(
    api_version: String,
    kind: String,
    content: Option<u64>,
    operation: Operation,
    object: Payload<'static>,
    provenance: Provenance,
) -> LoadedCase {
    let old = (operation == Operation::Update).then(|| object.clone());
    LoadedCase {
        name: None,
        api_version,
        kind,
        subresource: String::new(),
        origin: None,
        verdict: None,
        content,
        case: Case { operation, object, old, options: Options::new(), provenance },
    }
}

/// Whether the document is neither a case nor a recorded request nor something else of ours.
pub(super) fn is_plain(document: &Document) -> bool {
    let group = document.api_version.split_once('/').map_or("", |(group, _)| group);
    let request = matches!(group, "audit.k8s.io" | "admission.k8s.io");
    let own = document.api_version == OWN_VERSION || is_other_version(&document.api_version);
    !request && !own && !is_recorded(&document.value)
}

/// JSON of an object as it is created and as it is stored.
pub(super) fn texts(value: Value) -> (Arc<[u8]>, Arc<[u8]>) {
    // A tree always prints.
    let text = |value: &Value| -> Arc<[u8]> { Arc::from(serde_json::to_vec(value).unwrap_or_default()) };
    let created = text(&value);
    let stored = text(&stored(value));
    let stored = if created == stored { Arc::clone(&created) } else { stored };
    (created, stored)
}
