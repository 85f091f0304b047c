//! What holds of every object: laws of apply, extraction and merging.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests may stop at the first surprise")]

use proptest::prelude::{ProptestConfig, Strategy, any, prop, proptest};
use serde_json::{Map, Value, json};
use takeover_apply::extract::extract;
use takeover_apply::fields::FieldSet;
use takeover_apply::managed::{CustomType, FieldManager, Refusal, Request};
use takeover_apply::schema::{Schema, TypeId, of_crd};
use takeover_apply::typed::{Comparison, compare, field_set, merge, remove};

fn kind() -> (Schema, TypeId) {
    of_crd(&json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {
        "text": {"type": "string"}, "number": {"type": "integer"},
        "map": {"type": "object", "additionalProperties": {"type": "string"}},
        "piece": {"type": "object", "x-kubernetes-map-type": "atomic", "additionalProperties": {"type": "string"}},
        "list": {"type": "array", "items": {"type": "string"}},
        "set": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
        "keyed": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
            "items": {"type": "object", "properties": {"name": {"type": "string"}, "value": {"type": "integer"}}}},
    }}}}))
    .unwrap()
}

/// Few names and values, so that two objects have some in common.
fn spec() -> impl Strategy<Value = Value> {
    let name = || "[a-c]";
    let map = || prop::collection::btree_map(name(), name(), 1..3);
    let names = || prop::collection::btree_set(name(), 1..3);
    let keyed = prop::collection::btree_map(name(), prop::option::of(0..3), 1..3);
    let members = (prop::option::of(name()), prop::option::of(0..3), prop::option::of(map()), prop::option::of(map()));
    let lists = (prop::option::of(names()), prop::option::of(names()), prop::option::of(keyed));
    (members, lists, any::<bool>()).prop_map(|((text, number, map, piece), (list, set, keyed), reversed)| {
        let item = |(name, value): (String, Option<i32>)| match value {
            Some(value) => json!({"name": name, "value": value}),
            None => json!({"name": name}),
        };
        let mut keyed: Option<Vec<Value>> = keyed.map(|keyed| keyed.into_iter().map(item).collect());
        if let (Some(keyed), true) = (&mut keyed, reversed) {
            keyed.reverse();
        }
        let members = [
            ("text", text.map(Value::from)),
            ("number", number.map(Value::from)),
            ("map", map.map(|map| json!(map))),
            ("piece", piece.map(|piece| json!(piece))),
            ("list", list.map(|list| json!(list))),
            ("set", set.map(|set| json!(set))),
            ("keyed", keyed.map(Value::from)),
        ];
        let members: Map<String, Value> =
            members.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect();
        Value::Object(members)
    })
}

fn object(spec: &Value) -> Value {
    let mut object = json!({"apiVersion": "example.com/v1", "kind": "Gadget", "metadata": {"name": "one"}});
    if spec.as_object().is_some_and(|spec| !spec.is_empty()) {
        object["spec"] = spec.clone();
    }
    object
}

fn apply(live: Option<&Value>, spec: &Value, manager: &str, now: &str, force: bool) -> Result<Value, Refusal> {
    let (schema, root) = kind();
    let kind = CustomType {
        api_version: "example.com/v1",
        kind: "Gadget",
        schema: (&schema, root),
        set_defaults: |_: &mut Value| {},
    };
    let request = Request { manager, subresource: "", now, reset: &FieldSet::new() };
    FieldManager::new(&kind).apply(live, &object(spec), request, force)
}

const FIRST: &str = "2026-01-01T00:00:01Z";
const SECOND: &str = "2026-01-01T00:00:02Z";

fn extracted(live: &Value, manager: &str) -> Option<Value> {
    let (schema, root) = kind();
    extract(&schema, root, live, manager, "").unwrap()
}

/// The object without what tells who owns it.
fn bare(object: &Value) -> Value {
    let mut bare = object.clone();
    bare["metadata"].as_object_mut().unwrap().remove("managedFields");
    bare
}

/// The items of keyed lists in an order that does not depend on who applied first.
fn sorted(value: &Value) -> Value {
    let mut sorted = value.clone();
    for list in ["keyed", "set"] {
        if let Some(items) = sorted.pointer_mut(&format!("/spec/{list}")).and_then(Value::as_array_mut) {
            items.sort_by_key(ToString::to_string);
        }
    }
    sorted
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn what_is_extracted_is_what_was_applied(one in spec(), other in spec()) {
        let live = apply(None, &one, "one", FIRST, false).unwrap();
        let live = apply(Some(&live), &other, "other", SECOND, true).unwrap();
        let applied = other.as_object().filter(|spec| !spec.is_empty()).map(|spec| json!({"spec": spec}));
        assert_eq!(extracted(&live, "other").map(|found| sorted(&found)), applied.map(|applied| sorted(&applied)));
    }

    #[test]
    fn a_second_apply_of_the_same_changes_nothing(one in spec(), other in spec()) {
        let live = apply(None, &one, "one", FIRST, false).unwrap();
        let live = apply(Some(&live), &other, "other", FIRST, true).unwrap();
        assert_eq!(apply(Some(&live), &other, "other", SECOND, false), Ok(live));
    }

    #[test]
    fn the_same_value_is_owned_by_both_and_survives_one_of_them(one in spec()) {
        let live = apply(None, &one, "one", FIRST, false).unwrap();
        let shared = apply(Some(&live), &one, "other", SECOND, false).unwrap();
        assert_eq!(bare(&shared), bare(&live));
        let left = apply(Some(&shared), &json!({}), "one", SECOND, false).unwrap();
        assert_eq!(bare(&left), bare(&live));
    }

    #[test]
    fn what_nobody_applies_any_more_is_gone(one in spec(), other in spec()) {
        let live = apply(None, &one, "one", FIRST, false).unwrap();
        let live = apply(Some(&live), &other, "one", SECOND, false).unwrap();
        let only = apply(None, &other, "one", SECOND, false).unwrap();
        let (mut left, mut right) = (sorted(&bare(&live)), sorted(&bare(&only)));
        // What loses all its members stays, empty.
        for object in [&mut left, &mut right] {
            if let Some(spec) = object.get_mut("spec").and_then(Value::as_object_mut) {
                spec.retain(|_, member| !matches!(member, Value::Object(map) if map.is_empty()) && *member != json!([]));
            }
            if object.get("spec") == Some(&json!({})) {
                object.as_object_mut().unwrap().remove("spec");
            }
        }
        assert_eq!(left, right);
    }

    #[test]
    fn an_apply_without_force_changes_nothing_of_others_or_is_refused(one in spec(), other in spec()) {
        let live = apply(None, &one, "one", FIRST, false).unwrap();
        let (schema, root) = kind();
        let owned = field_set(&schema, root, &object(&one));
        let forced = apply(Some(&live), &other, "other", SECOND, true).unwrap();
        let changed = compare(&schema, root, &bare(&live), &bare(&forced)).unwrap();
        let lost = owned.intersection(&changed.modified.union(&changed.added));
        match apply(Some(&live), &other, "other", SECOND, false) {
            Ok(kept) => {
                assert!(lost.is_empty());
                assert_eq!(kept, forced);
            }
            Err(Refusal::Conflicts(conflicts)) => {
                let fields: FieldSet = conflicts.0.iter().map(|conflict| &conflict.path).collect();
                assert_eq!(fields, lost);
            }
            Err(other) => panic!("{other}"),
        }
    }

    #[test]
    fn merging_and_comparing_fit_together(one in spec(), other in spec()) {
        let (schema, root) = kind();
        let (one, other) = (object(&one), object(&other));
        assert_eq!(compare(&schema, root, &one, &one), Ok(Comparison::default()));
        assert_eq!(merge(&schema, root, &one, &one), Ok(one.clone()));
        let merged = merge(&schema, root, &one, &other).unwrap();
        let fields = |value: &Value| field_set(&schema, root, value);
        assert_eq!(fields(&merged), fields(&one).union(&fields(&other)));
        assert!(compare(&schema, root, &one, &merged).unwrap().removed.is_empty());
        let backwards = compare(&schema, root, &merged, &one).unwrap();
        let forwards = compare(&schema, root, &one, &merged).unwrap();
        assert_eq!((forwards.added, forwards.modified), (backwards.removed, backwards.modified));
        let without = remove(&schema, root, &merged, &fields(&other));
        assert!(fields(&without).intersection(&fields(&other)).is_empty());
    }
}
