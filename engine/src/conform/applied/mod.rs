//! Fixtures of server-side apply: requests whose objects were merged, and what was extracted from objects.

mod extracted;
mod merged;

pub(super) use merged::{compared, made};

use super::custom::Place;
use super::targets::Targets;
use serde_json::Value;
use takeover_harness::subject::SubjectId;
use takeover_reports::conform::Agreement;

/// What a fixture asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// What becomes of an object.
    Merge,
    /// What a manager applied.
    Extract,
}

impl Asked {
    /// What a fixture asks; `None` for other fixtures.
    pub(super) fn of(fixture: &Value) -> Option<Self> {
        let has = |name: &str| fixture.get(name).is_some();
        if has("manager") && has("operation") && has("now") {
            return Some(Self::Merge);
        }
        (has("fieldManager") && has("live")).then_some(Self::Extract)
    }
}

/// Judges a fixture of server-side apply. `asked` tells whether a subject is to be judged.
///
/// # Errors
/// When the fixture lacks a member.
pub(super) fn judge(
    what: Asked,
    fixture: Value,
    targets: &mut Targets,
    at: Place<'_>,
    asked: &dyn Fn(&SubjectId) -> bool,
    agreement: &mut Agreement,
) -> Result<(), serde_json::Error> {
    match what {
        Asked::Merge => merged::judge(&serde_json::from_value(fixture)?, targets, at, asked, agreement),
        Asked::Extract => extracted::judge(&serde_json::from_value(fixture)?, targets, at, asked, agreement),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::{ConformSettings, run};
    use serde_json::{Value, json};
    use takeover_reports::conform::Agreement;

    fn judged(fixture: &Value) -> Agreement {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("one.jsonl");
        std::fs::write(&file, fixture.to_string()).unwrap();
        run(&[file], &ConformSettings::default()).unwrap()
    }

    fn config(data: &Value, entries: &Value) -> Value {
        json!({"apiVersion": "v1", "kind": "ConfigMap", "data": data,
            "metadata": {"name": "one", "namespace": "default", "managedFields": entries}})
    }

    fn entry(manager: &str, field: &str) -> Value {
        json!({"manager": manager, "operation": "Apply", "apiVersion": "v1", "time": "2026-01-01T00:00:01Z",
            "fieldsType": "FieldsV1", "fieldsV1": {"f:data": {field: {}}}})
    }

    fn merge(applied: &Value, expect: &Value) -> Value {
        let live = config(&json!({"a": "1"}), &json!([entry("argo", "f:a")]));
        json!({"id": "one", "kubernetes": "1.36.2", "apiVersion": "v1", "kind": "ConfigMap", "subresource": "",
            "operation": "apply", "manager": "helm", "force": false, "resetFields": [], "now": "2026-01-01T00:00:01Z",
            "live": live, "expect": expect,
            "applied": {"apiVersion": "v1", "kind": "ConfigMap", "data": applied,
                "metadata": {"name": "one", "namespace": "default"}}})
    }

    /// Fixtures that agree, each with what is planted into it and how the disagreement begins.
    fn rows() -> Vec<(Value, &'static str, Value, &'static str)> {
        let both = json!([entry("argo", "f:a"), entry("helm", "f:b")]);
        let merged = config(&json!({"a": "1", "b": "2"}), &both);
        let conflict = json!({"error": "Apply failed with 1 conflict: conflict with \"argo\": .data.a",
            "conflicts": [{"type": "FieldManagerConflict", "field": ".data.a", "message": "conflict with \"argo\""}]});
        let undeclared = "failed to create typed patch object (default/one; /v1, Kind=ConfigMap): ";
        let extracted = json!({"apiVersion": "v1", "kind": "ConfigMap", "data": {"b": "2"},
            "metadata": {"name": "one", "namespace": "default"}});
        let extract = json!({"id": "two", "kubernetes": "1.36.2", "apiVersion": "v1", "kind": "ConfigMap",
            "live": merged, "fieldManager": "helm", "subresource": "", "entries": ["Apply"],
            "expect": {"extracted": extracted}});
        vec![
            (
                merge(&json!({"b": "2"}), &json!({"object": merged})),
                "/expect/object/metadata/managedFields/1/manager",
                json!("other"),
                "differs Value metadata.managedFields[*].manager",
            ),
            (
                merge(&json!({"a": "2"}), &conflict),
                "/expect/conflicts/0/field",
                json!(".data.b"),
                "differs FieldValueInvalid",
            ),
            (
                merge(
                    &json!({"a": 2}),
                    &json!({"error": format!("{undeclared}.data.a: expected string, got &value.valueUnstructured{{Value:2}}")}),
                ),
                "/expect/error",
                json!("something else"),
                "differs FieldValueInvalid",
            ),
            (extract, "/expect/extracted/data/b", json!("3"), "differs Value data.b"),
        ]
    }

    #[test]
    fn what_was_recorded_otherwise_is_a_disagreement() {
        for (sound, at, planted, difference) in rows() {
            let before = judged(&sound);
            assert!(before.agrees() && before.compared() > 0, "{sound}: {:?}", before.signatures);
            let mut changed = sound.clone();
            *changed.pointer_mut(at).unwrap() = planted;
            let found = judged(&changed);
            let said: Vec<&str> = found.signatures.iter().map(|of| of.signature.difference.as_str()).collect();
            assert!(said.iter().any(|said| said.starts_with(difference)), "{at}: {said:?}");
        }
    }

    #[test]
    fn what_cannot_be_judged_is_skipped_with_a_reason() {
        let mut unknown = merge(&json!({}), &json!({"error": "no"}));
        unknown["kind"] = json!("Gadget");
        let skipped = judged(&unknown).skipped;
        assert_eq!(skipped.keys().collect::<Vec<_>>(), ["apply of v1 Gadget, whose Go types are not built in"]);
    }
}
