//! What checking gives.

use crate::syntax::{Issue, NodeId, Source};
use crate::types::Type;
use std::sync::Arc;

/// Types and references of an expression that checks.
#[derive(Clone, Debug)]
pub struct Checked {
    pub(super) types: Vec<Option<Type>>,
    pub(super) references: Vec<Option<Reference>>,
    pub(super) output: Type,
}

/// What a node refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reference {
    /// A variable or type by its full name. A selection with such a reference is a qualified name and its operand stands for nothing.
    Identifier(Arc<str>),
    /// A function.
    Call {
        /// Its full name.
        function: &'static str,
        /// Whether the target of the call, if any, is the receiver; otherwise it is a part of the name.
        member: bool,
        /// Identifiers of the overloads that types do not rule out.
        overloads: Vec<&'static str>,
    },
}

impl Checked {
    /// Returns the type of the whole expression.
    #[must_use]
    pub fn output(&self) -> &Type {
        &self.output
    }

    /// Returns the type of a node; `None` for the parts of a qualified name.
    #[must_use]
    pub fn ty(&self, node: NodeId) -> Option<&Type> {
        self.types.get(node.index())?.as_ref()
    }

    /// Returns what a node refers to.
    #[must_use]
    pub fn reference(&self, node: NodeId) -> Option<&Reference> {
        self.references.get(node.index())?.as_ref()
    }

    /// Returns the overloads of a call that types do not rule out.
    #[must_use]
    pub fn overloads(&self, node: NodeId) -> &[&'static str] {
        match self.reference(node) {
            Some(Reference::Call { overloads, .. }) => overloads,
            _ => &[],
        }
    }

    /// Tells whether an identifier of this name occurs.
    #[must_use]
    pub fn refers_to(&self, name: &str) -> bool {
        self.references
            .iter()
            .any(|reference| matches!(reference, Some(Reference::Identifier(identifier)) if **identifier == *name))
    }
}

/// Why an expression does not check, in the words of API servers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct CheckErrors {
    /// Each with its place, in the order in which they were found.
    pub issues: Vec<Issue>,
    text: String,
}

/// How many errors API servers show.
pub(super) const MOST_SHOWN: usize = 100;

impl CheckErrors {
    /// Errors; only the first hundred are kept.
    pub(super) fn new(source: &Source, issues: Vec<Issue>, found: usize) -> Self {
        let mut text = source.display(&issues);
        if found > MOST_SHOWN {
            text.push_str(&format!("\n{} more errors were truncated", found - MOST_SHOWN));
        }
        Self { issues, text }
    }
}
