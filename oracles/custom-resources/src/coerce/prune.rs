//! Removal of unknown members.

use crate::structural::{Additional, Structural};
use serde_json::Value;
use std::fmt::Write as _;

/// Removes the members of a whole object that its schema does not know, as an API server does. `apiVersion`, `kind` and
/// `metadata` of the object and of embedded ones stay.
///
/// Returns the paths of what was removed, sorted: `spec.list[2].x`.
pub fn prune(structural: &Structural, object: &mut Value) -> Vec<String> {
    pruned(structural, object, true)
}

/// The same for a value inside of an object, which has apiVersion, kind and metadata only if its schema says that it is embedded.
pub fn prune_value(structural: &Structural, value: &mut Value) -> Vec<String> {
    pruned(structural, value, structural.embedded)
}

fn pruned(structural: &Structural, value: &mut Value, whole: bool) -> Vec<String> {
    let mut pruned = Vec::new();
    let mut path = String::new();
    Pruner { pruned: &mut pruned, path: &mut path }.value(Some(structural), value, whole, false);
    pruned.sort();
    pruned
}

struct Pruner<'p> {
    pruned: &'p mut Vec<String>,
    path: &'p mut String,
}

impl Pruner<'_> {
    /// Prunes a value of a schema, or of none; `keep` where the list that it stands in is kept as it is.
    fn value(&mut self, node: Option<&Structural>, value: &mut Value, whole: bool, keep: bool) {
        let keep = keep || node.is_some_and(|node| node.preserve_unknown);
        match value {
            Value::Array(items) => {
                let schema = node.and_then(|node| node.items.as_deref());
                if keep && schema.is_none() {
                    return;
                }
                for (index, item) in items.iter_mut().enumerate() {
                    let length = self.path.len();
                    // Writing to a text does not fail.
                    let _ = write!(self.path, "[{index}]");
                    self.value(schema, item, schema.is_some_and(|schema| schema.embedded), keep);
                    self.path.truncate(length);
                }
            }
            Value::Object(members) => {
                members.retain(|key, value| {
                    if whole && matches!(key.as_str(), "apiVersion" | "kind" | "metadata") {
                        return true;
                    }
                    let length = self.path.len();
                    if length > 0 {
                        self.path.push('.');
                    }
                    self.path.push_str(key);
                    let known = match node {
                        Some(node) => match (node.properties.get(key), &node.additional) {
                            (Some(schema), _) | (None, Some(Additional::Schema(schema))) => Some(Some(&**schema)),
                            (None, Some(Additional::Any | Additional::Forbidden)) if !keep => Some(None),
                            _ => None,
                        },
                        None => None,
                    };
                    match known {
                        Some(schema) => self.value(schema, value, schema.is_some_and(|schema| schema.embedded), false),
                        None if !keep => self.pruned.push(self.path.clone()),
                        None => {}
                    }
                    self.path.truncate(length);
                    known.is_some() || keep
                });
            }
            _ => {}
        }
    }
}
