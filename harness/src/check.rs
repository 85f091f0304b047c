//! Checks: what a reference rejects, known without asking it.

use crate::case::Operation;
use crate::error::ErrorType;
use crate::rule::ErrorShape;
use serde::{Deserialize, Serialize};

/// One thing that a reference rejects: the shape of its error, when it looks, and where its boundary lies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Check {
    /// The error that it reports; the field is a path pattern, `[*]` for indexes and keys.
    pub error: ErrorShape,
    /// The operations on which it looks, creates first; a list that names none means both.
    #[serde(default = "both", skip_serializing_if = "is_both")]
    pub operations: Vec<Operation>,
    /// Whether its errors say that a declarative rule covers them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub covered: bool,
    /// The last good number, length or count, where the check is such a bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<i64>,
    /// The only good values, where they are listed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
}

fn both() -> Vec<Operation> {
    vec![Operation::Create, Operation::Update]
}

fn is_both(operations: &[Operation]) -> bool {
    operations == [Operation::Create, Operation::Update]
}

impl Check {
    /// The type of its error.
    #[must_use]
    pub fn error_type(&self) -> ErrorType {
        self.error.error_type
    }

    /// The path pattern of the value that it refuses.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.error.field
    }
}
