//! The identity of a manager: who, by which operation, through which subresource, and for updates in which version.

use crate::value::{go_json, go_quoted};
use serde_json::Value;
use std::cmp::Ordering;

/// How fields came to be owned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    /// By an apply.
    Apply,
    /// By anything else.
    Update,
}

/// A manager of fields. The same name owns for itself by applies, by updates, through each subresource, and in each version that it updates
/// in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// The name that requests give (`fieldManager`).
    pub name: String,
    /// By applies or by updates.
    pub operation: Operation,
    /// The version of updates; empty for applies, which are one whatever their version.
    pub api_version: String,
    /// The subresource; empty for the object itself.
    pub subresource: String,
}

impl Operation {
    /// The name in `managedFields`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Apply => "Apply",
            Self::Update => "Update",
        }
    }
}

impl Owner {
    /// Who applies.
    #[must_use]
    pub fn applier(name: &str, subresource: &str) -> Self {
        Self {
            name: name.to_owned(),
            operation: Operation::Apply,
            api_version: String::new(),
            subresource: subresource.to_owned(),
        }
    }

    /// Who updates.
    #[must_use]
    pub fn updater(name: &str, api_version: &str, subresource: &str) -> Self {
        Self {
            name: name.to_owned(),
            operation: Operation::Update,
            api_version: api_version.to_owned(),
            subresource: subresource.to_owned(),
        }
    }

    /// The manager as conflicts name it: `"helm" with subresource "status" using v1`.
    #[must_use]
    pub fn shown(&self) -> String {
        let mut shown = go_quoted(&self.name);
        if !self.subresource.is_empty() {
            shown.push_str(&format!(" with subresource {}", go_quoted(&self.subresource)));
        }
        if self.operation == Operation::Update {
            shown.push_str(&format!(" using {}", self.api_version));
        }
        shown
    }

    /// What servers tell managers apart by, which is also what they are sorted by.
    fn identifier(&self) -> String {
        let members = [
            ("manager", self.name.as_str()),
            ("operation", self.operation.name()),
            ("apiVersion", self.api_version.as_str()),
            ("subresource", self.subresource.as_str()),
        ];
        let members = members
            .iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| format!("\"{name}\":{}", go_json(&Value::from(*value))));
        format!("{{{}}}", members.collect::<Vec<_>>().join(","))
    }
}

impl Ord for Owner {
    fn cmp(&self, other: &Self) -> Ordering {
        if self == other {
            return Ordering::Equal;
        }
        // Names of plain characters have the order of what they are written as, because all are above quotes.
        let is_plain = |name: &str| {
            !name.is_empty()
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_'))
        };
        if self.name != other.name && is_plain(&self.name) && is_plain(&other.name) {
            return self.name.cmp(&other.name);
        }
        self.identifier().cmp(&other.identifier())
    }
}

impl PartialOrd for Owner {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
