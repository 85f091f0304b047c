//! What one manager applied to an object (`Extract…From` of client-go's apply configurations).

use crate::fields::FieldSet;
use crate::managed::entries;
use crate::schema::{Schema, TypeId};
use crate::typed::{self, Duplicates};
use serde_json::Value;
use std::fmt;

/// Why nothing can be extracted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtractError(String);

impl fmt::Display for ExtractError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for ExtractError {}

/// The part of an object that a manager applied through a subresource (empty for the object itself); none if it applied nothing.
/// Only applies count, not updates by the same manager.
///
/// # Errors
/// Returns an error when the object does not fit its type, when its fields cannot be read, and when the manager's entry has none.
pub fn extract(
    schema: &Schema,
    root: TypeId,
    object: &Value,
    manager: &str,
    subresource: &str,
) -> Result<Option<Value>, ExtractError> {
    typed::validate(schema, root, object, Duplicates::Refused)
        .map_err(|error| ExtractError(format!("error converting obj to typed: {error}")))?;
    let is_asked = |entry: &entries::Entry| {
        entry.manager == manager && entry.operation == "Apply" && entry.subresource == subresource
    };
    let Some(entry) = entries::entries(object).into_iter().flatten().find(is_asked) else { return Ok(None) };
    let set = entry.fields.as_ref().map_or(Ok(FieldSet::new()), FieldSet::from_json);
    let set = set.map_err(|error| ExtractError(format!("error marshalling FieldsV1 to JSON: {error}")))?;
    match typed::extract(schema, root, object, &set.leaves()) {
        extracted @ Value::Object(_) => Ok(Some(extracted)),
        other => Err(ExtractError(format!(
            "unable to convert managed fields for {manager} to unstructured, expected map, got {}",
            crate::value::go_type(&other)
        ))),
    }
}
