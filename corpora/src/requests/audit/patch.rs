//! Patches that a log holds without their type.

use crate::requests::Skip;
use json_patch::{Patch, PatchOperation};
use serde_json::Value;

/// Bytes that the `copy` operations of a patch may add.
const MOST_COPIED: usize = 8 << 20;

/// What `patch` makes of `object`, where that is certain whatever its type.
///
/// A list is a JSON patch. A map may be a merge patch or a strategic one, which do the same unless there are lists or directives
/// in it, or the configuration of a server-side apply, which always has a type and a field manager; `managed` says whether the
/// request names one.
///
/// # Errors
/// Returns [`Skip::PatchType`] when patches of this type are not applied here, and [`Skip::PatchFails`] when the patch does not
/// apply.
pub(super) fn patched(patch: &Value, managed: bool, object: &Value) -> Result<Value, Skip> {
    let mut object = object.clone();
    if patch.is_array() {
        let patch: Patch = serde_json::from_value(patch.clone()).map_err(|_| Skip::PatchFails)?;
        let mut copied = 0;
        for operation in &patch.0 {
            if let PatchOperation::Copy(copy) = operation {
                let part = object.pointer(copy.from.as_str()).map_or(0, |part| part.to_string().len());
                copied += part;
                if copied > MOST_COPIED {
                    return Err(Skip::PatchFails);
                }
            }
            json_patch::patch(&mut object, std::slice::from_ref(operation)).map_err(|_| Skip::PatchFails)?;
        }
        return Ok(object);
    }
    let typed = patch.get("apiVersion").is_some() && patch.get("kind").is_some();
    if !patch.is_object() || typed && managed || !plain(patch) {
        return Err(Skip::PatchType);
    }
    json_patch::merge(&mut object, patch);
    Ok(object)
}

/// Whether there is no list and no directive within.
fn plain(patch: &Value) -> bool {
    match patch {
        Value::Array(_) => false,
        Value::Object(map) => map.iter().all(|(key, value)| !key.starts_with('$') && plain(value)),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::{Skip, patched};
    use serde_json::{Value, json};

    #[test]
    fn a_patch_is_applied_where_its_type_makes_no_difference() {
        let object = json!({"metadata": {"name": "a", "labels": {"x": "1"}}, "spec": {"ports": [1]}});
        let rows: [(Value, bool, Result<Value, Skip>); 7] = [
            (
                json!({"metadata": {"labels": {"x": null, "y": "2"}}}),
                true,
                Ok(json!({"metadata": {"name": "a", "labels": {"y": "2"}}, "spec": {"ports": [1]}})),
            ),
            (
                json!([{"op": "replace", "path": "/spec/ports/0", "value": 2}]),
                false,
                Ok(json!({"metadata": {"name": "a", "labels": {"x": "1"}}, "spec": {"ports": [2]}})),
            ),
            (json!([{"op": "test", "path": "/spec/ports/0", "value": 2}]), false, Err(Skip::PatchFails)),
            (json!({"spec": {"ports": [2]}}), false, Err(Skip::PatchType)),
            (json!({"spec": {"$retainKeys": "type"}}), false, Err(Skip::PatchType)),
            (json!({"apiVersion": "v1", "kind": "Service", "spec": {}}), true, Err(Skip::PatchType)),
            (json!("text"), false, Err(Skip::PatchType)),
        ];
        for (patch, managed, expected) in rows {
            assert_eq!(patched(&patch, managed, &object), expected, "{patch}");
        }
    }

    #[test]
    fn a_patch_that_copies_a_value_into_itself_over_and_over_ends() {
        let copies: Vec<Value> =
            (0..60).map(|n| json!({"op": "copy", "from": "/spec", "path": format!("/spec/{n}")})).collect();
        assert_eq!(patched(&Value::Array(copies), false, &json!({"spec": {"a": "b"}})), Err(Skip::PatchFails));
    }
}
