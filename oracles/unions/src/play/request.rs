//! Requests.

use serde_json::Value;

/// A request with its body.
pub(super) enum Request {
    Create(Value),
    Put(Value),
    MergePatch(Value),
    Apply { object: Value, force: bool },
}

impl Request {
    /// The method, with the type of a patch, and the body.
    pub(super) fn parts(&self) -> (&'static str, &Value) {
        match self {
            Self::Create(object) => ("POST", object),
            Self::Put(object) => ("PUT", object),
            Self::MergePatch(patch) => ("PATCH (merge)", patch),
            Self::Apply { object, force: false } => ("PATCH (apply)", object),
            Self::Apply { object, force: true } => ("PATCH (apply, force)", object),
        }
    }
}
