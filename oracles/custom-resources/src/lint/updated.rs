//! The mistakes in an update of a CRD.

use super::{Finding, findings};
use crate::refuse::refusals_of_update;
use serde_json::Value;

/// The mistakes in a manifest that replaces `old`. Defaults may have unknown fields if one of the old manifest has, because a server then
/// does not look for them. Everything else is judged as in a new manifest.
#[must_use]
pub fn lint_update(old: &Value, new: &Value) -> Vec<Finding> {
    findings(new, || refusals_of_update(old, new))
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

    const SIZE: &str = "spec.validation.openAPIV3Schema.properties[size].default";

    #[test]
    fn an_invalid_default_is_refused_although_it_is_unchanged() {
        let size = |default: Value, more: Value| {
            let mut schema = json!({"type": "integer", "default": default});
            schema.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
            json!({"size": schema})
        };
        let most = |maximum: i64| json!({"maximum": maximum});
        let rule = json!({"x-kubernetes-validations": [{"rule": "self < 5"}]});
        for (old, new, refuses) in [
            (size(json!(9), most(5)), size(json!(9), most(5)), true),
            (size(json!("x"), json!({})), size(json!("x"), json!({})), true),
            (size(json!(9), rule.clone()), size(json!(9), rule), true),
            (size(json!(9), most(5)), size(json!(3), most(5)), false),
            (size(json!(9), most(5)), size(json!(9), most(9)), false),
        ] {
            let found = refused(&[("v1", old.clone())], &[("v1", new.clone())]);
            assert_eq!(found.as_slice() == [SIZE], refuses, "{old} {new}: {found:?}");
            assert_eq!(found.is_empty(), !refuses, "{old} {new}: {found:?}");
        }
    }

    #[test]
    fn rules_are_compiled_where_unknown_fields_of_defaults_are_accepted() {
        let part = json!({"type": "object", "properties": {"a": {"type": "integer"}}, "default": {"a": 1, "gone": 2}});
        let other = json!({"type": "integer", "x-kubernetes-validations": [{"rule": "self.b < 5"}]});
        let found = refused(&[("v1", json!({"part": part}))], &[("v1", json!({"part": part, "other": other}))]);
        assert_eq!(found, ["spec.validation.openAPIV3Schema.properties[other].x-kubernetes-validations[0].rule"]);
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
            (invalid.clone(), invalid.clone(), true),
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
        // One version is enough, and one below `additionalProperties`, where a server looks for them as well.
        let versions = |one: Value, other: Value| crd(&[("v1", one), ("v2", other)]);
        let inner = json!({"all": {"type": "object", "additionalProperties": part("x")["x"]}});
        for old in [versions(part("one"), json!({})), versions(json!({}), inner)] {
            assert_eq!(lint_update(&old, &crd(&[("v1", json!({})), ("v2", part("two"))])).len(), 0, "{old}");
        }
    }
}
