//! What two sides are compared in.

use serde::{Deserialize, Serialize};

/// What the two sides of a pair are compared in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Matter {
    /// What they reject.
    #[default]
    Errors,
    /// What they set in objects: each error of an answer stands for a default.
    Defaults,
    /// What the markers of Go types set in a built-in and in a custom resource: each error of an answer stands for a default.
    Semantics,
    /// The laws of server-side apply: each error of an answer is about a law that is broken.
    Apply,
    /// The objects that they make from a created one: each value that differs is a difference.
    Objects,
}

impl Matter {
    /// Whether errors are compared.
    #[must_use]
    pub fn is_of_errors(&self) -> bool {
        *self == Self::Errors
    }

    /// Whether each error of an answer stands for a default.
    #[must_use]
    pub fn is_of_defaults(self) -> bool {
        matches!(self, Self::Defaults | Self::Semantics)
    }
}
