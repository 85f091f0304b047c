//! How values of a schema validate, merge, compare and are cut, in tables: one row, one fact.

#![expect(clippy::unwrap_used, reason = "tests may stop at the first surprise")]

use serde_json::{Value, json};
use takeover_apply::fields::FieldSet;
use takeover_apply::schema::{Schema, TypeId, of_crd};
use takeover_apply::typed::{self, Duplicates};

fn kind() -> (Schema, TypeId) {
    of_crd(&json!({"type": "object", "properties": {
        "a": {"type": "string"}, "n": {"type": "integer"}, "on": {"type": "boolean"},
        "any": {"x-kubernetes-preserve-unknown-fields": true},
        "intOrString": {"x-kubernetes-int-or-string": true},
        "map": {"type": "object", "additionalProperties": {"type": "string"}},
        "piece": {"type": "object", "x-kubernetes-map-type": "atomic", "additionalProperties": {"type": "string"}},
        "list": {"type": "array", "items": {"type": "string"}},
        "set": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
        "keyed": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k", "p"],
            "items": {"type": "object", "properties": {
                "k": {"type": "string"}, "p": {"type": "integer", "default": 1}, "v": {"type": "string"}}}},
    }}))
    .unwrap()
}

fn set(written: Value) -> FieldSet {
    FieldSet::from_json(&written).unwrap()
}

#[test]
fn what_does_not_fit_is_named_with_its_path() {
    let (schema, root) = kind();
    for (value, refused) in [
        (json!({"b": 1}), ".b: field not declared in schema"),
        (json!({"a": 1}), ".a: expected string, got &value.valueUnstructured{Value:1}"),
        (json!({"n": "x"}), ".n: expected numeric (int or float), got string"),
        (json!({"on": []}), ".on: expected boolean, got &{[]}"),
        (json!({"map": [1]}), ".map: expected map, got &{[1]}"),
        (json!({"list": {"a": "b"}}), ".list: expected list, got &{map[a:b]}"),
        (json!({"list": ["a", 1]}), ".list[1]: expected string, got &value.valueUnstructured{Value:1}"),
        (json!({"set": ["a", "a"]}), ".set: duplicate entries for key [=\"a\"]"),
        (json!({"set": [{}]}), ".set: element 0: associative list without keys has an element that's a map type"),
        (json!({"keyed": [null]}), ".keyed: element 0: associative list with keys may not have a null element"),
        (json!({"keyed": [{"k": "x"}, {"k": "x", "p": 1}]}), ".keyed: duplicate entries for key [k=\"x\",p=1]"),
        (json!({"keyed": [{"k": "x", "q": 1}]}), ".keyed[k=\"x\",p=1].q: field not declared in schema"),
        (
            json!({"a": 1, "n": ""}),
            "errors:\n  .a: expected string, got &value.valueUnstructured{Value:1}\n  .n: expected numeric (int or float), got string",
        ),
    ] {
        let error = typed::validate(&schema, root, &value, Duplicates::Refused).unwrap_err();
        assert_eq!(error.to_string(), refused, "{value}");
    }
    for value in [json!({"set": ["a", "a"]}), json!({"any": {"x": [1, {}]}, "intOrString": "1", "a": null})] {
        assert_eq!(typed::validate(&schema, root, &value, Duplicates::Allowed), Ok(()), "{value}");
    }
}

#[test]
fn the_fields_of_a_value_are_its_leaves_items_and_members_of_maps() {
    let (schema, root) = kind();
    for (value, fields) in [
        (json!({"a": "x", "n": null}), json!({"f:a": {}, "f:n": {}})),
        (json!({"map": {"x": "1"}}), json!({"f:map": {"f:x": {}}})),
        (json!({"map": {}, "piece": {}}), json!({"f:map": {}, "f:piece": {}})),
        (json!({"list": [], "set": []}), json!({"f:list": {}})),
        (json!({"piece": {"x": "1"}}), json!({"f:piece": {}})),
        (json!({"set": ["x", "y", "x"]}), json!({"f:set": {"v:\"x\"": {}, "v:\"y\"": {}}})),
        (
            json!({"keyed": [{"k": "x", "v": "1"}]}),
            json!({"f:keyed": {"k:{\"k\":\"x\",\"p\":1}": {".": {}, "f:k": {}, "f:v": {}}}}),
        ),
        (json!({"any": {"x": {"y": [1]}}}), json!({"f:any": {"f:x": {".": {}, "f:y": {}}}})),
    ] {
        assert_eq!(typed::field_set(&schema, root, &value).to_json(), fields, "{value}");
    }
}

#[test]
fn a_merge_takes_leaves_of_the_right_and_removes_nothing() {
    let (schema, root) = kind();
    for (left, right, merged) in [
        (json!({"a": "x", "n": 1}), json!({"a": "y"}), json!({"a": "y", "n": 1})),
        (json!({"map": {"x": "1"}}), json!({"map": {"y": "2"}}), json!({"map": {"x": "1", "y": "2"}})),
        (json!({"piece": {"x": "1"}}), json!({"piece": {"y": "2"}}), json!({"piece": {"y": "2"}})),
        (json!({"list": ["x"]}), json!({"list": ["y"]}), json!({"list": ["y"]})),
        (json!({"set": ["a", "b", "c"]}), json!({"set": ["c", "d", "a"]}), json!({"set": ["b", "c", "d", "a"]})),
        (json!({"set": ["a", "b"]}), json!({"set": ["b", "c"]}), json!({"set": ["a", "b", "c"]})),
        (
            json!({"keyed": [{"k": "x", "v": "1"}, {"k": "y"}]}),
            json!({"keyed": [{"k": "x", "p": 1, "v": "2"}]}),
            json!({"keyed": [{"k": "x", "p": 1, "v": "2"}, {"k": "y"}]}),
        ),
        // Null takes the place of a leaf, not that of parts.
        (json!({"a": "x", "map": {"x": "1"}}), json!({"a": null, "map": null}), json!({"a": null, "map": {"x": "1"}})),
        (json!({"any": {"x": 1}}), json!({"any": [1]}), json!({"any": [1]})),
        (json!({"any": "x"}), json!({"any": {"y": 1}}), json!({"any": {"y": 1}})),
        (json!({}), json!({"map": {}}), json!({"map": {}})),
    ] {
        assert_eq!(typed::merge(&schema, root, &left, &right), Ok(merged), "{left} {right}");
    }
}

#[test]
fn a_comparison_tells_removed_modified_and_added_fields() {
    let (schema, root) = kind();
    for (left, right, removed, modified, added) in [
        (json!({"a": "x"}), json!({"a": "x"}), json!({}), json!({}), json!({})),
        (json!({"a": "x"}), json!({"n": 1}), json!({"f:a": {}}), json!({}), json!({"f:n": {}})),
        (json!({"n": 1}), json!({"n": 1.0}), json!({}), json!({}), json!({})),
        (json!({"list": ["x"]}), json!({"list": ["y"]}), json!({}), json!({"f:list": {}}), json!({})),
        (
            json!({"map": {"x": "1", "y": "1"}}),
            json!({"map": {"y": "2", "z": "1"}}),
            json!({"f:map": {"f:x": {}}}),
            json!({"f:map": {"f:y": {}}}),
            json!({"f:map": {"f:z": {}}}),
        ),
        (
            json!({}),
            json!({"keyed": [{"k": "x"}]}),
            json!({}),
            json!({}),
            json!({"f:keyed": {".": {}, "k:{\"k\":\"x\",\"p\":1}": {".": {}, "f:k": {}}}}),
        ),
        (
            json!({"set": ["x", "x"]}),
            json!({"set": ["x"]}),
            json!({"f:set": {"v:\"x\"": {}}}),
            json!({}),
            json!({"f:set": {"v:\"x\"": {}}}),
        ),
    ] {
        let found = typed::compare(&schema, root, &left, &right).unwrap();
        let expected = (set(removed), set(modified), set(added));
        assert_eq!((found.removed, found.modified, found.added), expected, "{left} {right}");
    }
}

#[test]
fn a_value_is_cut_down_to_fields_or_freed_of_them() {
    let (schema, root) = kind();
    let value = json!({
        "a": "x", "map": {"x": "1", "y": "2"}, "set": ["a", "b"],
        "keyed": [{"k": "x", "p": 1, "v": "1"}, {"k": "y", "v": "2"}],
    });
    for (fields, removed, extracted) in [
        (
            json!({"f:a": {}, "f:map": {"f:x": {}}}),
            json!({"map": {"y": "2"}, "set": ["a", "b"], "keyed": value["keyed"]}),
            json!({"a": "x", "map": {"x": "1"}}),
        ),
        (
            json!({"f:map": {"f:x": {}, "f:y": {}}, "f:set": {"v:\"a\"": {}}}),
            json!({"a": "x", "map": {}, "set": ["b"], "keyed": value["keyed"]}),
            json!({"map": {"x": "1", "y": "2"}, "set": ["a"]}),
        ),
        (
            json!({"f:keyed": {"k:{\"k\":\"x\",\"p\":1}": {"f:v": {}}, "k:{\"k\":\"y\",\"p\":1}": {}}}),
            json!({"a": "x", "map": value["map"], "set": ["a", "b"], "keyed": [{"k": "x", "p": 1}]}),
            json!({"keyed": [{"v": "1"}, {"k": "y", "v": "2"}]}),
        ),
        (json!({"f:none": {}}), value.clone(), json!(null)),
    ] {
        let fields = set(fields);
        assert_eq!(typed::remove(&schema, root, &value, &fields), removed);
        assert_eq!(typed::extract(&schema, root, &value, &fields), extracted);
    }
    let fields = set(json!({"f:keyed": {"k:{\"k\":\"x\",\"p\":1}": {"f:v": {}}}}));
    let with_keys = typed::extract_with_keys(&schema, root, &value, &fields);
    assert_eq!(with_keys, json!({"keyed": [{"k": "x", "p": 1, "v": "1"}]}));
}

#[test]
fn what_has_become_one_piece_is_one_field() {
    let (schema, root) = kind();
    let written = set(json!({"f:a": {}, "f:piece": {"f:x": {}}, "f:list": {"v:\"x\"": {}}, "f:any": {"f:x": {}}}));
    let today = set(json!({"f:a": {}, "f:piece": {}, "f:list": {}, "f:any": {"f:x": {}}}));
    assert_eq!(typed::reconcile(&schema, root, &written), Some(today.clone()));
    assert_eq!(typed::reconcile(&schema, root, &today), None);
}
