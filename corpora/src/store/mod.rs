//! Corpora: cases in one compact file, as JSON Lines, compressed by the ending of its name.
//!
//! The first line is a mark `Corpus` with the version of the format and how it was redacted, the last a mark `CorpusEnd` with
//! the number of cases and the BLAKE3 hash of everything before it. Each line between is a case, as [`crate::load::cases`] reads
//! it: so a corpus is an input like any other. Corpora may be joined by appending one to the other.
//!
//! ```json
//! {"apiVersion":"takeover.dev/v1alpha1","kind":"Corpus","format":{"name":"corpus","major":1,"minor":1,"program":"0.1.0"},"redacted":{"names":false}}
//! {"apiVersion":"takeover.dev/v1alpha1","kind":"Case","operation":"create","object":{…},"provenance":"web.yaml:1 (document 1)","verdict":{"outcome":"agreedAccept"}}
//! {"apiVersion":"takeover.dev/v1alpha1","kind":"CorpusEnd","cases":1,"blake3":"…"}
//! ```

mod check;
mod format;
mod sink;
#[cfg(test)]
mod tests;
mod writer;

pub use check::{CheckError, Checked, check};
pub use format::line_of;
pub use sink::{Compression, Sink};
pub use writer::{StoreError, Writer};

pub use crate::case_document::{CORPUS_FORMAT, StoredVerdict};
