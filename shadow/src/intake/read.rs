//! What no case comes of, and why.

use takeover_corpora::load::{self, LoadError, LoadErrorKind};
use takeover_corpora::requests::{Skip, Skipped};
use takeover_harness::case::Provenance;

/// In metrics: something broken.
pub(crate) const UNREADABLE: &str = "unreadable";

/// Longest message, in characters.
const LONGEST: usize = 400;

/// Why no case comes of an event or review.
pub(crate) struct Nothing {
    /// In metrics: a word, of which there are few.
    pub(crate) label: &'static str,
    /// What it is counted under in the evidence, as a replay of files counts it.
    pub(crate) reason: String,
    /// In full.
    pub(crate) message: String,
    /// The line of a log that it is.
    pub(crate) line: Option<Box<Provenance>>,
}

impl Nothing {
    /// Something of another version or kind than is read.
    pub(crate) fn of_version(api_version: &str, kind: &str) -> Self {
        let message = takeover_reports::shortened(&format!("{api_version} {kind}"), 100).into_owned();
        Self { label: Skip::OtherVersion.label(), reason: Skip::OtherVersion.to_string(), message, line: None }
    }
}

impl Nothing {
    /// Without anything that stands in it: words on what was skipped have names of objects, and those on what is broken may quote it.
    pub(crate) fn without_names(self) -> Self {
        Self { message: self.reason.clone(), ..self }
    }
}

impl From<Skipped> for Nothing {
    fn from(skipped: Skipped) -> Self {
        let Skipped { request, skip, .. } = skipped;
        Self { label: skip.label(), reason: skip.to_string(), message: format!("{request}: {skip}"), line: None }
    }
}

impl From<&LoadError> for Nothing {
    fn from(error: &LoadError) -> Self {
        unreadable(error.kind(), error.to_string())
    }
}

/// Most values - texts, numbers, lists, maps - in a body or line: each takes many times its text. Objects that are stored in a cluster have
/// a tenth of that at most.
pub(crate) const MOST_VALUES: usize = 1_000_000;

/// What is read of a body or line of at most so many bytes.
pub(crate) fn limits(bytes: usize) -> load::Limits {
    load::Limits { document_bytes: bytes, values: MOST_VALUES, ..load::Limits::default() }
}

/// Something broken.
pub(crate) fn unreadable(reason: LoadErrorKind, message: String) -> Nothing {
    let message = takeover_reports::shortened(&message, LONGEST).into_owned();
    Nothing { label: UNREADABLE, reason: format!("unreadable: {reason}"), message, line: None }
}
