//! Why no case comes of a request, and why an old object is not certain.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Why no case comes of a recorded request. Requests are counted by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Skip {
    /// A deletion.
    Delete,
    /// A connection to a subresource.
    Connect,
    /// The server answered with this code before validation, or with no list of errors.
    NotJudged(u16),
    /// The handler panicked.
    Panicked,
    /// The log has the beginning of the request only.
    Lost,
    /// The event was too large for the log's backend, which left its objects out.
    Truncated,
    /// The audit policy leaves the object out.
    NotLogged,
    /// An event or review of a version that is not read.
    OtherVersion,
    /// The subresource takes an object of its own (`scale`, `binding`, `eviction`), not the stored one.
    OwnBody,
    /// Nothing before the update shows the stored object.
    OldUnknown,
    /// The stored object was seen in another API version only.
    OldInOtherVersion,
    /// The stored object was let go, for there were too many.
    OldForgotten,
    /// The stored object may be another.
    Doubtful(Doubt),
    /// A patch of which the log does not show how it is applied.
    PatchType,
    /// A patch that does not apply to the stored object.
    PatchFails,
    /// The same request was read before.
    Repeated,
}

impl Skip {
    /// A word for it, of which there are few.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Delete => "delete",
            Self::Connect => "connect",
            Self::NotJudged(_) => "not_judged",
            Self::Panicked => "panicked",
            Self::Lost => "lost",
            Self::Truncated => "truncated",
            Self::NotLogged => "not_logged",
            Self::OtherVersion => "other_version",
            Self::OwnBody => "own_body",
            Self::OldUnknown => "old_unknown",
            Self::OldInOtherVersion => "old_in_other_version",
            Self::OldForgotten => "old_forgotten",
            Self::Doubtful(_) => "doubtful",
            Self::PatchType => "patch_type",
            Self::PatchFails => "patch_fails",
            Self::Repeated => "repeated",
        }
    }
}

impl fmt::Display for Skip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::Delete => "delete",
            Self::Connect => "connect",
            Self::NotJudged(code) => return write!(f, "answered with {code} without errors of validation"),
            Self::Panicked => "the server's handler panicked",
            Self::Lost => "lost event: the log has no end of the request",
            Self::Truncated => "truncated event",
            Self::NotLogged => "the audit level leaves the object out",
            Self::OtherVersion => "an event or review of another version than v1",
            Self::OwnBody => "the subresource takes an object of its own",
            Self::OldUnknown => "the old object is not known",
            Self::OldInOtherVersion => "the old object is known in another API version only",
            Self::OldForgotten => "the old object was let go: too many objects at once",
            Self::Doubtful(doubt) => return write!(f, "doubtful old object: {doubt}"),
            Self::PatchType => "the patch's type is not in the log",
            Self::PatchFails => "the patch does not apply to the old object",
            Self::Repeated => "repeated review of one request",
        };
        f.write_str(text)
    }
}

/// Why the old object of an update may not be the one that the server judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Doubt {
    /// The log has no beginning of this request, so it may lack other events too.
    NoBeginning,
    /// A request on the object was lost from the log.
    LostRequest,
    /// Another request changed the object, or may have, at the same time.
    Concurrent,
    /// The request names another resource version.
    OtherResourceVersion,
    /// The object was changed without an event at some time before.
    ChangedUnseen,
    /// Known only from a read that may be answered from a cache.
    MaybeStale,
    /// The server converted the objects for the webhook.
    Converted,
    /// Another update began from the same stored object.
    SameStart,
    /// Another update began from a later version of the object before.
    Replaced,
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoBeginning => "the log lacks the beginning of the request",
            Self::LostRequest => "a request on the object is missing from the log",
            Self::Concurrent => "another request on the object at the same time",
            Self::OtherResourceVersion => "the request names another resource version",
            Self::ChangedUnseen => "the object was changed without an event before",
            Self::MaybeStale => "known from a read that may be stale",
            Self::Converted => "converted for the webhook",
            Self::SameStart => "another update began from the same object",
            Self::Replaced => "another update began from a later version before",
        })
    }
}
