//! Defaults that the type int-or-string cannot hold. Servers create such CRDs, because they check a default against its structural schema,
//! which names no type for int-or-string (`ValidateDefaults` and `ToKubeOpenAPI` of k8s.io/apiextensions-apiserver).

use crate::structural::{Additional, Structural};
use serde_json::Value;
use std::collections::HashSet;

/// The paths of the schemas for int-or-string that take a default of another type, as their own or as part of one around them. `path` is
/// that of the schema itself.
pub(super) fn untyped(structural: &Structural, path: &str) -> HashSet<String> {
    let mut found = HashSet::new();
    if structural.default.is_some() || structural.has_defaults() {
        schemas(structural, path, &mut found);
    }
    found
}

fn schemas(node: &Structural, path: &str, found: &mut HashSet<String>) {
    if let Some(default) = &node.default {
        values(node, default, path, found);
    }
    for (name, below) in &node.properties {
        schemas(below, &format!("{path}.properties[{name}]"), found);
    }
    if let Some(items) = &node.items {
        schemas(items, &format!("{path}.items"), found);
    }
    if let Some(Additional::Schema(below)) = &node.additional {
        schemas(below, &format!("{path}.additionalProperties"), found);
    }
}

fn values(node: &Structural, value: &Value, path: &str, found: &mut HashSet<String>) {
    match value {
        _ if node.int_or_string => {
            let fits = |number: i64| i32::try_from(number).is_ok();
            if !value.is_null() && !value.is_string() && !value.as_i64().is_some_and(fits) {
                found.insert(path.to_owned());
            }
        }
        Value::Object(members) => {
            for (name, value) in members {
                if let Some(below) = node.properties.get(name) {
                    values(below, value, &format!("{path}.properties[{name}]"), found);
                } else if let Some(Additional::Schema(below)) = &node.additional {
                    values(below, value, &format!("{path}.additionalProperties"), found);
                }
            }
        }
        Value::Array(items) => {
            for (below, value) in node.items.iter().flat_map(|below| items.iter().map(move |value| (below, value))) {
                values(below, value, &format!("{path}.items"), found);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::untyped;
    use crate::crd::structural_of;
    use serde_json::{Value, json};

    #[test]
    fn defaults_that_are_neither_integers_nor_texts_are_found_also_inside_others() {
        let schema = |default: Value| json!({"x-kubernetes-int-or-string": true, "default": default});
        let inside = |default: Value| {
            let port = json!({"x-kubernetes-int-or-string": true});
            json!({"type": "object", "default": default, "properties": {"port": port,
                "ports": {"type": "array", "items": port}, "named": {"type": "object", "additionalProperties": port}}})
        };
        for (schema, expected) in [
            (schema(json!(1)), None),
            (schema(json!("1")), None),
            (schema(json!(true)), Some("s")),
            (schema(json!(1.5)), Some("s")),
            (schema(json!([1])), Some("s")),
            (schema(json!(5_000_000_000_i64)), Some("s")),
            (inside(json!({"port": 1, "ports": ["a"], "named": {"a": 1}})), None),
            (inside(json!({"port": true})), Some("s.properties[port]")),
            (inside(json!({"ports": [1, {}]})), Some("s.properties[ports].items")),
            (inside(json!({"named": {"a": false}})), Some("s.properties[named].additionalProperties")),
        ] {
            let found: Vec<String> = untyped(&structural_of(&schema, "").0, "s").into_iter().collect();
            assert_eq!(found, Vec::from_iter(expected), "{schema}");
        }
    }
}
