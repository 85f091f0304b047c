//! A case with everything that its document says about it.

use serde::{Deserialize, Serialize};
use takeover_harness::case::Case;

/// A case with the subject that it belongs to.
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
    /// The verdicts on it when it was recorded, if they are known.
    pub verdict: Option<StoredVerdict>,
    /// Number of the content, if it came before: cases of one operation that have the same number are the same but for where they came from.
    /// Only a [remembering](crate::load::Documents::remembering) reader gives numbers, each reader its own.
    pub content: Option<u64>,
    /// The case.
    pub case: Case<'static>,
}

/// How both sides judged a case, in words that hold nothing of its objects.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoredVerdict {
    /// `agreedAccept` and the like, or why the case was not compared.
    pub outcome: String,
    /// Errors of the handwritten side, as `type path origin`, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reference: Vec<String>,
    /// Errors of the declarative side.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidate: Vec<String>,
}
