//! The documents that a reader returns.

use super::memory::Known;
use serde_json::Value;
use std::sync::Arc;
use takeover_harness::case::Provenance;

/// An object as loaded, not yet known to be valid or of a known kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// File, number of the object in the file (lists unpacked) and line; always [`Provenance::File`].
    pub provenance: Provenance,
    /// The object.
    pub value: Value,
    /// Its `apiVersion`; not empty.
    pub api_version: String,
    /// Its `kind`; not empty.
    pub kind: String,
}

/// A document from a reader that need not parse every document.
#[derive(Debug)]
pub struct Reading(pub(super) Content);

#[derive(Debug)]
pub(super) enum Content {
    /// It was parsed.
    Parsed(Document),
    /// It is a plain object that was read before, and was not parsed again.
    Known { known: Arc<Known>, provenance: Provenance },
}

impl From<Document> for Reading {
    fn from(document: Document) -> Self {
        Self(Content::Parsed(document))
    }
}

impl From<Reading> for Document {
    fn from(reading: Reading) -> Self {
        match reading.0 {
            Content::Parsed(document) => document,
            Content::Known { known, provenance } => Self {
                provenance,
                // It was written from a value.
                value: serde_json::from_slice(&known.created).unwrap_or_default(),
                api_version: known.api_version.clone(),
                kind: known.kind.clone(),
            },
        }
    }
}
