//! What the lines of a corpus hold.

use crate::case_document::{CORPUS_BEGIN, CORPUS_END, CORPUS_FORMAT, LoadedCase, OWN_VERSION, document_of};
use crate::redact::RedactionSettings;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use takeover_harness::format::FormatMark;

/// The first line of a corpus.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Begin {
    pub(super) api_version: String,
    pub(super) kind: String,
    pub(super) format: FormatMark,
    /// How it was redacted; none when it was not.
    #[serde(default)]
    pub(super) redacted: Option<RedactionSettings>,
}

/// The last line of a corpus.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct End {
    pub(super) api_version: String,
    pub(super) kind: String,
    pub(super) cases: u64,
    pub(super) blake3: String,
}

impl Begin {
    pub(super) fn new(redacted: Option<RedactionSettings>) -> Self {
        Self {
            api_version: OWN_VERSION.to_owned(),
            kind: CORPUS_BEGIN.to_owned(),
            format: CORPUS_FORMAT.mark(),
            redacted,
        }
    }
}

impl End {
    pub(super) fn new(cases: u64, blake3: String) -> Self {
        Self { api_version: OWN_VERSION.to_owned(), kind: CORPUS_END.to_owned(), cases, blake3 }
    }
}

/// The line of a case, without line break. One that was copied before keeps where it was found first.
#[must_use]
pub fn line_of(loaded: &LoadedCase) -> Value {
    let mut line = document_of(&loaded.case, &loaded.subresource);
    if let Value::Object(map) = &mut line {
        let origin = loaded.origin.clone().unwrap_or_else(|| loaded.case.provenance.to_string());
        map.insert("provenance".to_owned(), origin.into());
        if let Some(name) = &loaded.name {
            map.insert("name".to_owned(), name.clone().into());
        }
        if let Some(verdict) = loaded.verdict.as_ref().and_then(|verdict| serde_json::to_value(verdict).ok()) {
            map.insert("verdict".to_owned(), verdict);
        }
    }
    line
}
