//! Parts of the object that are not compared.

use serde::{Deserialize, Serialize};

/// A part of the object that the reference does not judge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delegated {
    /// Path pattern: everything at and below it is delegated.
    pub path: String,
    /// Why.
    pub reason: String,
}

impl Delegated {
    /// Whether a place lies at or below this path. Takes a pattern as [`crate::path::pattern`] makes it, once for all parts.
    #[must_use]
    pub fn contains(&self, pattern: &str) -> bool {
        pattern
            .strip_prefix(self.path.as_str())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.') || rest.starts_with('['))
    }
}
