//! What an API server does to an object before it validates it: unknown members are pruned, nulls that mean nothing are removed, and
//! defaults are set.

mod defaults;
mod embedded_defaults;
mod metadata;
mod nulls;
mod prune;
mod typed;

pub use defaults::set_defaults;
pub(crate) use embedded_defaults::{has_unpruned_defaults, with_sound_metadata};
pub use nulls::drop_nulls;
pub use prune::{prune, prune_value};

use crate::structural::{Additional, Structural};
use crate::text::{go_type, go_value};
use serde_json::Value;
use std::fmt::Write as _;
use takeover_harness::error::FieldError;
use takeover_harness::path::Path;

/// Why a server takes a document for no object of its kind (400): the text of its answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Undecodable(String);

/// Does all of it to a whole object, in the order of a server; also to the metadata of the object and of embedded ones, whose unknown
/// and empty members vanish. Returns the paths of the members that were pruned, sorted.
///
/// # Errors
/// Returns an error when version, kind or metadata of the object or of an embedded one have values of other types.
pub fn coerce(structural: &Structural, object: &mut Value) -> Result<Vec<String>, Undecodable> {
    coerce_whole(structural, object, true)
}

/// As [`coerce`]; `embeds` tells whether a schema below may be that of an embedded object.
pub(crate) fn coerce_whole(
    structural: &Structural,
    object: &mut Value,
    embeds: bool,
) -> Result<Vec<String>, Undecodable> {
    for name in ["kind", "apiVersion"] {
        if let Some(value) = object.get(name).filter(|value| !value.is_string()) {
            let (value, ty) = (go_value(value), go_type(value));
            return Err(Undecodable(format!(".{name} accessor error: {value} is of the type {ty}, expected string")));
        }
    }
    let mut pruned = Vec::new();
    if let Some(metadata) = object.get_mut("metadata") {
        metadata::round_trip(metadata, "metadata", &mut pruned).map_err(Undecodable)?;
    }
    pruned.extend(prune(structural, object));
    // The members that every object has are not those of the schema here.
    let kept: Vec<(&str, Value)> = ["apiVersion", "kind", "metadata"]
        .into_iter()
        .filter_map(|name| Some((name, object.as_object_mut()?.remove(name)?)))
        .collect();
    drop_nulls(structural, object);
    if embeds {
        embedded_metadata(structural, object, &Path::ROOT, &mut String::new(), &mut pruned)
            .map_err(|error| Undecodable(error.to_string()))?;
    }
    if let Some(members) = object.as_object_mut() {
        members.extend(kept.into_iter().map(|(name, value)| (name.to_owned(), value)));
    }
    set_defaults(structural, object);
    pruned.sort();
    Ok(pruned)
}

/// Coerces the metadata of a value that is an object of its own, and of those inside of it.
///
/// # Errors
/// Returns the error at the first value of another type, below `path`.
pub(crate) fn coerce_value(structural: &Structural, value: &mut Value, path: &Path<'_>) -> Result<(), FieldError> {
    embedded(structural, value, path, &mut String::new(), &mut Vec::new())
}

/// Goes down to embedded objects. Errors and unknown members have different paths: `m[key]`, `m.key`.
fn embedded_metadata(
    structural: &Structural,
    value: &mut Value,
    path: &Path<'_>,
    joined: &mut String,
    pruned: &mut Vec<String>,
) -> Result<(), FieldError> {
    let length = joined.len();
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                let (schema, path) = match (structural.properties.get(key), &structural.additional) {
                    (Some(schema), _) => (schema, path.child(key)),
                    (None, Some(Additional::Schema(schema))) => (schema, path.key(key)),
                    _ => continue,
                };
                if length > 0 {
                    joined.push('.');
                }
                joined.push_str(key);
                embedded(schema, value, &path, joined, pruned)?;
                joined.truncate(length);
            }
        }
        Value::Array(items) => {
            let Some(schema) = &structural.items else { return Ok(()) };
            for (index, item) in items.iter_mut().enumerate() {
                // Writing to a text does not fail.
                let _ = write!(joined, "[{index}]");
                embedded(schema, item, &path.index(index), joined, pruned)?;
                joined.truncate(length);
            }
        }
        _ => {}
    }
    Ok(())
}

fn embedded(
    structural: &Structural,
    value: &mut Value,
    path: &Path<'_>,
    joined: &mut String,
    pruned: &mut Vec<String>,
) -> Result<(), FieldError> {
    if let (true, Value::Object(members)) = (structural.embedded, &mut *value) {
        for name in ["apiVersion", "kind"] {
            if let Some(value) = members.get(name).filter(|value| !value.is_string()) {
                return Err(FieldError::invalid(&path.child(name), value.clone(), "must be a string"));
            }
        }
        if let Some(metadata) = members.get_mut("metadata") {
            let given = metadata.clone();
            metadata::round_trip(metadata, &format!("{joined}.metadata"), pruned)
                .map_err(|detail| FieldError::invalid(&path.child("metadata"), given, detail))?;
        }
    }
    embedded_metadata(structural, value, path, joined, pruned)
}
