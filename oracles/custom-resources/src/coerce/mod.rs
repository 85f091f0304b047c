//! What an API server does to an object before it validates it: unknown members are pruned, nulls that mean nothing are removed, and
//! defaults are set.

mod defaults;
mod metadata;
mod nulls;
mod prune;

pub use defaults::set_defaults;
pub use nulls::drop_nulls;
pub use prune::prune;

use crate::structural::Structural;
use serde_json::Value;

/// Does all of it to a whole object, in the order of a server; also to the metadata of the object and of embedded ones, whose unknown
/// and empty members vanish. Returns the paths of the members that were pruned, sorted.
pub fn coerce(structural: &Structural, object: &mut Value) -> Vec<String> {
    let mut pruned = prune(structural, object);
    drop_nulls(structural, object);
    if let Some(metadata) = object.get_mut("metadata") {
        pruned.extend(metadata::decode(metadata, "metadata"));
    }
    embedded_metadata(structural, object, &mut String::new(), &mut pruned);
    set_defaults(structural, object);
    pruned.sort();
    pruned
}

/// Goes down to embedded objects.
fn embedded_metadata(structural: &Structural, value: &mut Value, path: &mut String, pruned: &mut Vec<String>) {
    let mut below = |schema: &Structural, value: &mut Value, path: &mut String| {
        if let (true, Some(metadata)) = (schema.embedded, value.get_mut("metadata")) {
            pruned.extend(metadata::decode(metadata, &format!("{path}.metadata")));
        }
        embedded_metadata(schema, value, path, pruned);
    };
    let length = path.len();
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                let Some(schema) = structural.member(key) else { continue };
                if length > 0 {
                    path.push('.');
                }
                path.push_str(key);
                below(schema, value, path);
                path.truncate(length);
            }
        }
        Value::Array(items) => {
            let Some(schema) = &structural.items else { return };
            for (index, item) in items.iter_mut().enumerate() {
                path.push_str(&format!("[{index}]"));
                below(schema, item, path);
                path.truncate(length);
            }
        }
        _ => {}
    }
}
