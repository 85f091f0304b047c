//! Fixtures of defaulting: objects of built-in kinds before and after, and the markers of their Go types.

use super::custom::{OBJECTS, Place, Sides, object};
use super::judging::between;
use super::targets::Targets;
use serde_json::Value;
use takeover_apply::managed::ObjectType;
use takeover_corpora::fixture::{Recorded, RecordedDefaults, RecordedMarker};
use takeover_harness::case::Operation;
use takeover_harness::compare::Comparator;
use takeover_harness::subject::SubjectId;
use takeover_reports::conform::{Agreement, DECODE, DEFAULTED, MARKER};

/// What a fixture records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Recording {
    /// An object before and after defaulting.
    Object,
    /// A `+default` marker.
    Marker,
}

impl Recording {
    /// What a fixture records; `None` for other fixtures.
    pub(super) fn of(fixture: &Value) -> Option<Self> {
        let has = |name: &str| fixture.get(name).is_some();
        if has("marker") && has("package") && has("field") {
            return Some(Self::Marker);
        }
        let expects = |name: &str| fixture.get("expect").is_some_and(|expect| expect.get(name).is_some());
        let is_object = has("object") && !has("operation") && (expects("decoded") || expects("decodeError"));
        is_object.then_some(Self::Object)
    }
}

/// Judges a fixture of defaulting. `asked` tells whether a subject is to be judged.
///
/// # Errors
/// When the fixture lacks a member.
pub(super) fn judge(
    what: Recording,
    fixture: Value,
    targets: &mut Targets,
    at: Place<'_>,
    asked: &dyn Fn(&SubjectId) -> bool,
    agreement: &mut Agreement,
) -> Result<(), serde_json::Error> {
    match what {
        Recording::Object => judge_object(&serde_json::from_value(fixture)?, targets, at, asked, agreement),
        Recording::Marker => judge_marker(&serde_json::from_value(fixture)?, targets, at, asked, agreement),
    }
    Ok(())
}

fn judge_object(
    recorded: &RecordedDefaults,
    targets: &mut Targets,
    at: Place<'_>,
    asked: &dyn Fn(&SubjectId) -> bool,
    agreement: &mut Agreement,
) {
    let id = SubjectId::new(&recorded.api_version, &recorded.kind);
    if !asked(&id) {
        return;
    }
    let kind = match targets.defaulting(&id) {
        Ok(kind) => kind,
        Err(reason) => return agreement.skip(reason),
    };
    let lines = |recorded, ours, comparator| between(&id, Operation::Create, recorded, ours, comparator);
    let held = kind.held(recorded.object.clone());
    let expect = &recorded.expect;
    let mut sides = Sides { at, kind: id.to_string(), id: &recorded.id, operation: "default".to_owned(), agreement };
    let decoded = match (&expect.decoded, &held) {
        (Some(recorded), Ok(ours)) => lines(object(recorded.clone()), object(ours.clone()), OBJECTS),
        (_, ours) => lines(
            Recorded::decision(expect.decode_error.clone()),
            Recorded::decision(ours.as_ref().err().cloned()),
            Comparator::Decision,
        ),
    };
    sides.count(DECODE, decoded);
    if let Some(recorded_object) = &expect.defaulted {
        let defaulted = match kind.defaulted(recorded.object.clone()) {
            Ok(ours) => lines(object(recorded_object.clone()), object(ours), OBJECTS),
            Err(refused) => lines(Recorded::decision(None), Recorded::decision(Some(refused)), Comparator::Decision),
        };
        sides.count(DEFAULTED, defaulted);
    }
}

/// Compares a marker with the default that the built-in type of the same name declares.
fn judge_marker(
    recorded: &RecordedMarker,
    targets: &Targets,
    at: Place<'_>,
    asked: &dyn Fn(&SubjectId) -> bool,
    agreement: &mut Agreement,
) {
    let path = recorded.package.trim_start_matches("k8s.io/api/");
    let id = SubjectId::new(path, &recorded.of);
    if !asked(&id) {
        return;
    }
    let name = format!("{}.{}", recorded.package, recorded.of);
    let Some(declared) = targets.declared_default(&name, &recorded.field) else {
        let why = if targets.has_struct(&name) {
            "which is no field of the type"
        } else {
            "whose Go type is not built in: name its package with --types"
        };
        return agreement.skip(format!("marker of {name}.{}, {why}", recorded.field));
    };
    let written = recorded.marker.trim_start_matches("+default=");
    let expected = match written.strip_prefix("ref(").and_then(|rest| rest.strip_suffix(')')) {
        Some(constant) => targets.constant(&recorded.package, constant),
        None => serde_json::from_str(written).ok(),
    };
    let member =
        |value: Option<Value>| Value::Object(value.map(|value| (recorded.json.clone(), value)).into_iter().collect());
    let recorded_member = object(member(expected));
    let found = between(&id, Operation::Create, recorded_member, object(member(declared)), OBJECTS);
    let marked = format!("{name}.{}", recorded.field);
    Sides { at, kind: id.to_string(), id: &marked, operation: "declare".to_owned(), agreement }.count(MARKER, found);
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

    fn class(members: &Value) -> Value {
        let mut object = json!({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass"});
        for (name, value) in members.as_object().unwrap() {
            object[name] = value.clone();
        }
        object
    }

    fn recorded(expect: &Value) -> Value {
        json!({"id": "one", "kubernetes": "1.36.2", "apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
            "mutation": "none", "object": class(&json!({"value": 1, "unknown": true})), "expect": expect})
    }

    #[test]
    fn what_was_defaulted_otherwise_is_a_disagreement() {
        let decoded = class(&json!({"metadata": {}, "value": 1}));
        let defaulted = class(&json!({"metadata": {}, "value": 1, "preemptionPolicy": "PreemptLowerPriority"}));
        let sound = recorded(&json!({"changed": true, "decoded": decoded, "defaulted": defaulted}));
        let before = judged(&sound);
        assert!(before.agrees() && before.compared() == 2, "{:?}", before.signatures);
        for (at, planted, side) in [
            ("/expect/defaulted/preemptionPolicy", json!("Never"), "defaulted"),
            ("/expect/decoded/value", json!(2), "decode"),
            ("/expect", json!({"decodeError": "no"}), "decode"),
        ] {
            let mut changed = sound.clone();
            *changed.pointer_mut(at).unwrap() = planted;
            let sides: Vec<String> = judged(&changed).signatures.into_iter().map(|of| of.signature.side).collect();
            assert_eq!(sides, [side], "{at}");
        }
    }

    #[test]
    fn markers_are_held_against_the_built_in_types_also_by_reference() {
        let marker = |of: &str, field: &str, json: &str, marker: &str| {
            json!({"package": "k8s.io/api/core/v1", "file": "types.go", "line": 1, "type": of, "field": field,
                "json": json, "marker": marker})
        };
        let kind = ("AzureDiskVolumeSource", "Kind", "kind");
        let agrees = |text: &str| judged(&marker(kind.0, kind.1, kind.2, text)).agrees();
        assert!(agrees("+default=ref(AzureSharedBlobDisk)") && agrees("+default=\"Shared\""));
        assert!(!agrees("+default=ref(AzureManagedDisk)") && !agrees("+default=1"));
        for (of, why) in [
            ("ServicePort", "which is no field of the type"),
            ("Gadget", "whose Go type is not built in: name its package with --types"),
        ] {
            let skipped = judged(&marker(of, "Gone", "gone", "+default=1")).skipped;
            assert_eq!(skipped.keys().collect::<Vec<_>>(), [&format!("marker of k8s.io/api/core/v1.{of}.Gone, {why}")]);
        }
    }

    #[test]
    fn kinds_whose_defaults_are_not_known_are_skipped() {
        let mut fixture = recorded(&json!({"decodeError": "no"}));
        fixture["kind"] = json!("Gadget");
        let skipped = judged(&fixture).skipped;
        assert_eq!(
            skipped.keys().collect::<Vec<_>>(),
            ["defaults of scheduling.k8s.io/v1 Gadget, whose Go types are not built in"]
        );
    }
}
