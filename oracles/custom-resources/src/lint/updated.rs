//! Defaults in an update of a CRD: what was invalid before, and is as it was, does not refuse it (KEP-575).

use super::{DEFAULT, Finding, SHARED, lint, nodes, schemas};
use crate::crd::structural_of;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use takeover_harness::path::Path;

/// The words of a server for a default with members that it would prune.
const UNKNOWN_FIELDS: &str = "must not have unknown fields";

/// The mistakes in a manifest that replaces `old`. Defaults that were invalid before, and have the same value, are left out. So are all
/// defaults with unknown fields if the old manifest has one, because a server then does not look for them.
#[must_use]
pub fn lint_update(old: &Value, new: &Value) -> Vec<Finding> {
    let before: Vec<Finding> = lint(old).into_iter().filter(is_of_default).collect();
    if before.is_empty() {
        return lint(new);
    }
    let invalid: BTreeSet<String> = before.iter().map(|finding| place(old, &finding.field)).collect();
    let may_be_unknown = before.iter().any(|finding| finding.message.contains(UNKNOWN_FIELDS));
    let (defaults_before, defaults) = (defaults(old), defaults(new));
    let is_ratcheted = |finding: &Finding| {
        let place = place(new, &finding.field);
        let is_kept = || defaults.contains_key(&place) && defaults.get(&place) == defaults_before.get(&place);
        is_of_default(finding)
            && ((may_be_unknown && finding.message.contains(UNKNOWN_FIELDS)) || (invalid.contains(&place) && is_kept()))
    };
    lint(new).into_iter().filter(|finding| !is_ratcheted(finding)).collect()
}

fn is_of_default(finding: &Finding) -> bool {
    finding.lint.name == DEFAULT.name
}

/// The place of the default that a field is about, with the name of the version instead of its position.
fn place(document: &Value, field: &str) -> String {
    let of_default = field.find(".default").and_then(|at| field.get(..at)).unwrap_or(field);
    let versions = document.pointer("/spec/versions").and_then(Value::as_array);
    for (index, version) in versions.into_iter().flatten().enumerate() {
        let prefix = format!("spec.versions[{index}].schema.openAPIV3Schema");
        // What versions share, servers name apart.
        let rest = of_default.strip_prefix(&prefix).or_else(|| of_default.strip_prefix(SHARED));
        if let Some(rest) = rest {
            let name = version.get("name").and_then(Value::as_str).unwrap_or_default();
            return format!("{name}{rest}");
        }
    }
    of_default.to_owned()
}

/// The defaults of a manifest by their place.
fn defaults(document: &Value) -> BTreeMap<String, Value> {
    let mut found = BTreeMap::new();
    for (path, schema) in schemas(document) {
        nodes(&structural_of(schema, "").0, &Path::ROOT, false, &mut |node, at, _| {
            if let Some(default) = &node.default {
                let at = if at.is_root() { String::new() } else { format!(".{at}") };
                found.insert(place(document, &format!("{path}{at}.default")), default.clone());
            }
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::lint_update;
    use serde_json::{Value, json};

    fn crd(versions: &[(&str, Value)]) -> Value {
        let version = |(name, properties): &(&str, Value)| {
            json!({"name": name, "served": true, "storage": *name == "v1",
                "schema": {"openAPIV3Schema": {"type": "object", "properties": properties}}})
        };
        json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": "gadgets.example.com"}, "spec": {"group": "example.com", "scope": "Cluster",
            "names": {"kind": "Gadget", "plural": "gadgets"},
            "versions": versions.iter().map(version).collect::<Vec<_>>()}})
    }

    fn refused(old: &[(&str, Value)], new: &[(&str, Value)]) -> Vec<String> {
        lint_update(&crd(old), &crd(new)).into_iter().map(|finding| finding.field).collect()
    }

    #[test]
    fn a_default_that_was_invalid_before_and_is_unchanged_does_not_refuse() {
        let size =
            |default: i64, maximum: i64| json!({"size": {"type": "integer", "maximum": maximum, "default": default}});
        let place = "spec.validation.openAPIV3Schema.properties[size].default";
        for (old, new, expected) in [
            (size(9, 5), size(9, 5), vec![]),
            // Another bound, the same mistake.
            (size(9, 5), size(9, 4), vec![]),
            (size(9, 5), size(8, 5), vec![place]),
            (size(9, 10), size(9, 5), vec![place]),
            (json!({}), size(9, 5), vec![place]),
            (size(9, 5), size(3, 5), vec![]),
        ] {
            assert_eq!(refused(&[("v1", old.clone())], &[("v1", new.clone())]), expected, "{old} {new}");
        }
    }

    #[test]
    fn versions_are_known_by_their_names() {
        let bad = json!({"size": {"type": "integer", "default": "x"}});
        let good = json!({"size": {"type": "integer", "default": 1}});
        assert_eq!(refused(&[("v1", bad.clone())], &[("v0", good.clone()), ("v1", bad.clone())]), [""; 0]);
        assert_eq!(
            refused(&[("v1", bad.clone())], &[("v0", bad), ("v1", good)]),
            ["spec.versions[0].schema.openAPIV3Schema.properties[size].default"]
        );
    }

    /// The plan of KEP-575 for tests of default values: in the metadata of an embedded object, and elsewhere.
    #[test]
    fn defaults_in_metadata_of_embedded_objects_may_have_unknown_fields_and_no_invalid_ones() {
        let pod = |metadata: Value| {
            json!({"pod": {"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true,
                "default": {"apiVersion": "v1", "kind": "Pod", "metadata": metadata}}})
        };
        let unknown = pod(json!({"name": "a", "unknown": 1}));
        let invalid = pod(json!({"name": "a", "finalizers": 1}));
        let box_of = |keeps: bool| {
            let mut schema =
                json!({"box": {"type": "object", "properties": {"a": {"type": "integer"}}, "default": {"b": 2}}});
            if keeps {
                schema["box"]["x-kubernetes-preserve-unknown-fields"] = json!(true);
            }
            schema
        };
        for (old, new, refuses) in [
            (json!({}), unknown.clone(), false),
            (unknown.clone(), unknown.clone(), false),
            (pod(json!({"name": "a"})), unknown, false),
            (json!({}), invalid.clone(), true),
            (invalid.clone(), invalid.clone(), false),
            (pod(json!({"name": "a"})), invalid, true),
            (json!({}), box_of(true), false),
            (json!({}), box_of(false), true),
        ] {
            let found = refused(&[("v1", old.clone())], &[("v1", new.clone())]);
            assert_eq!(!found.is_empty(), refuses, "{old} {new}: {found:?}");
        }
    }

    #[test]
    fn unknown_fields_of_defaults_are_accepted_where_one_had_them_before() {
        let part = |name: &str| json!({name: {"type": "object", "properties": {"a": {"type": "integer"}}, "default": {"a": 1, "gone": 2}}});
        let both = |one: Value, other: Value| {
            Value::Object([one, other].iter().flat_map(|of| of.as_object().unwrap().clone()).collect())
        };
        assert_eq!(refused(&[("v1", part("one"))], &[("v1", both(part("one"), part("two")))]), [""; 0]);
        assert_eq!(refused(&[("v1", json!({}))], &[("v1", part("two"))]).len(), 1);
    }
}
