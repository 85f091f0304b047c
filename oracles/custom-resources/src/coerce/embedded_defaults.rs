//! What a server makes of the defaults of a schema before it serves the kind: metadata of embedded objects loses what no metadata has.

use super::{coerce_value, metadata, prune_value};
use crate::structural::{Additional, Structural};
use serde_json::Value;
use std::sync::Arc;
use takeover_harness::path::Path;

/// A schema whose defaults have no unknown members in the metadata of embedded objects, and none of another type. Creating the CRD does not
/// refuse the former (KEP-575), and neither is ever stored.
pub(crate) fn with_sound_metadata(structural: Arc<Structural>) -> Arc<Structural> {
    if !any(&structural, &|node| node.default.is_some()) || !any(&structural, &|node| node.embedded) {
        return structural;
    }
    let mut sound = (*structural).clone();
    settle(&mut sound);
    Arc::new(sound)
}

/// Whether a default has anything that a server drops before it serves the kind.
pub(crate) fn has_unpruned_defaults(structural: &Structural) -> bool {
    any(structural, &|node| {
        node.default.as_ref().is_some_and(|default| {
            let mut pruned = settled(node, default.clone());
            prune_value(node, &mut pruned);
            pruned != *default
        })
    })
}

fn any(node: &Structural, is: &dyn Fn(&Structural) -> bool) -> bool {
    is(node) || below(node).any(|node| any(node, is))
}

fn below(node: &Structural) -> impl Iterator<Item = &Structural> {
    let additional = match &node.additional {
        Some(Additional::Schema(schema)) => Some(schema),
        _ => None,
    };
    node.items.iter().chain(node.properties.values()).chain(additional).map(|schema| &**schema)
}

fn settle(node: &mut Structural) {
    node.default = node.default.take().map(|default| settled(node, default));
    let Structural { items, properties, additional, .. } = node;
    let additional = match additional {
        Some(Additional::Schema(schema)) => Some(schema),
        _ => None,
    };
    for schema in items.iter_mut().chain(properties.values_mut()).chain(additional) {
        settle(Arc::make_mut(schema));
    }
}

fn settled(node: &Structural, mut default: Value) -> Value {
    drop_misfits(node, &mut default);
    // Nothing is left that it could refuse.
    let _ = coerce_value(node, &mut default, &Path::ROOT);
    default
}

/// Drops version, kind and members of metadata of another type from embedded objects.
fn drop_misfits(node: &Structural, value: &mut Value) {
    if let (true, Value::Object(members)) = (node.embedded, &mut *value) {
        members.retain(|name, value| !matches!(name.as_str(), "apiVersion" | "kind") || value.is_string());
        let fits = |name: &String, value: &Value| {
            let mut alone: Value = [(name.clone(), value.clone())].into_iter().collect();
            metadata::round_trip(&mut alone, "", &mut Vec::new()).is_ok()
        };
        match members.get_mut("metadata") {
            Some(Value::Object(metadata)) => metadata.retain(|name, value| fits(name, value)),
            Some(Value::Null) | None => {}
            Some(_) => drop(members.remove("metadata")),
        }
    }
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                if let Some(schema) = node.member(name) {
                    drop_misfits(schema, value);
                }
            }
        }
        Value::Array(items) => {
            if let Some(schema) = &node.items {
                items.iter_mut().for_each(|item| drop_misfits(schema, item));
            }
        }
        _ => {}
    }
}
