//! What an oracle is asked.

use super::OracleFailure;
use crate::case::{Operation, Options};
use crate::object::{Node, typed};
use crate::schema::{Schema, TypeId};
use serde::Deserialize;

/// The decoded, defaulted objects of a case.
#[derive(Clone, Copy, Debug)]
pub struct Objects<'a> {
    /// Types of the objects.
    pub schema: &'a Schema,
    /// Type of both objects.
    pub root: TypeId,
    /// The object of the request.
    pub new: Node<'a>,
    /// The stored object, on updates.
    pub old: Option<Node<'a>>,
}

impl<'a> Objects<'a> {
    /// The typed form of one of the objects.
    ///
    /// # Errors
    /// Returns an error when `T` does not take an object that the type graph allows.
    pub fn typed<T: Deserialize<'a>>(&self, object: Node<'a>) -> Result<T, OracleFailure> {
        typed(self.schema, self.root, object).map_err(|error| OracleFailure::new(format!("no typed form: {error}")))
    }
}

/// What both oracles of a pair are asked about a case: the same decoded, defaulted objects.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// Create or update.
    pub operation: Operation,
    /// The decoded objects.
    pub objects: Objects<'a>,
    /// State of the kind's validation options.
    pub options: &'a Options,
    /// Subresource without leading slash; empty for the main resource.
    pub subresource: &'a str,
}
