//! The minimiser against predicates whose smallest object is known, and its laws; the YAML printer against the YAML loader.
#![expect(clippy::unwrap_used, reason = "tests may stop at the first surprise")]

use proptest::prelude::*;
use serde_json::{Value, json};
use std::io::Cursor;
use takeover_corpora::load::{Input, Limits as LoadLimits, load};
use takeover_corpora::minimise::{Ended, Limits, minimise, to_yaml};
use takeover_harness::case::{Case, Operation, Options, Payload, Provenance};

fn case(object: Value, old: Option<Value>) -> Case<'static> {
    Case {
        operation: if old.is_some() { Operation::Update } else { Operation::Create },
        object: Payload::from(object),
        old: old.map(Payload::from),
        options: Options::new(),
        provenance: Provenance::Fixture { path: "test".to_owned(), id: "1".to_owned() },
    }
}

fn object(case: &Case) -> Value {
    case.object.to_value().unwrap()
}

fn old(case: &Case) -> Option<Value> {
    case.old.as_ref().map(|old| old.to_value().unwrap())
}

fn controller() -> Value {
    json!({
        "apiVersion": "v1", "kind": "ReplicationController",
        "metadata": {"name": "frontend", "namespace": "shop", "labels": {"app": "frontend", "example.com/tier": "web"}},
        "spec": {
            "replicas": -12, "minReadySeconds": 30, "selector": {"app": "frontend"},
            "template": {
                "metadata": {"labels": {"app": "frontend"}},
                "spec": {
                    "containers": [
                        {"name": "web", "image": "registry.example/web:1", "ports": [{"containerPort": 80}, {"containerPort": 443}]},
                        {"name": "log", "image": "registry.example/log:1"},
                    ],
                    "restartPolicy": "Always",
                },
            },
        },
        "status": {"replicas": 0},
    })
}

type Shows = fn(&Case) -> bool;

#[test]
fn every_predicate_has_its_known_smallest_object() {
    let table: [(&str, Shows, Value); 8] = [
        (
            "a broken lower bound",
            |c| object(c)["spec"]["replicas"].as_i64() < Some(0) && object(c)["spec"]["replicas"].is_i64(),
            json!({"spec": {"replicas": -1}}),
        ),
        (
            "an upper bound",
            |c| object(c)["spec"]["minReadySeconds"].as_i64() > Some(7),
            json!({"spec": {"minReadySeconds": 8}}),
        ),
        (
            "a missing field",
            |c| object(c)["spec"].is_object() && object(c)["spec"]["paused"].is_null(),
            json!({"spec": {}}),
        ),
        (
            "two fields that must agree",
            |c| {
                let spec = &object(c)["spec"];
                let value = &spec["selector"]["app"];
                value.is_string() && *value == spec["template"]["metadata"]["labels"]["app"]
            },
            json!({"spec": {"selector": {"app": ""}, "template": {"metadata": {"labels": {"app": ""}}}}}),
        ),
        (
            "a text of at least four letters",
            |c| object(c)["metadata"]["name"].as_str().is_some_and(|n| n.len() >= 4),
            json!({"metadata": {"name": "aaaa"}}),
        ),
        (
            "a sign inside a text",
            |c| {
                object(c)["spec"]["template"]["spec"]["containers"][0]["image"]
                    .as_str()
                    .is_some_and(|i| i.contains('/'))
            },
            json!({"spec": {"template": {"spec": {"containers": [{"image": "/"}]}}}}),
        ),
        (
            "the second of two ports",
            |c| {
                let ports = &object(c)["spec"]["template"]["spec"]["containers"][0]["ports"];
                ports.as_array().is_some_and(|ports| ports.len() >= 2)
            },
            json!({"spec": {"template": {"spec": {"containers": [{"ports": [{}, {}]}]}}}}),
        ),
        (
            "a key with a slash",
            |c| object(c)["metadata"]["labels"].as_object().is_some_and(|l| l.keys().any(|k| k.contains('/'))),
            json!({"metadata": {"labels": {"/": ""}}}),
        ),
    ];
    for (name, shows, expected) in table {
        let mut expected = expected;
        expected["apiVersion"] = json!("v1");
        expected["kind"] = json!("ReplicationController");
        let result = minimise(&case(controller(), None), Limits::default(), shows);
        assert_eq!(object(&result.case), expected, "{name}");
        assert_eq!(result.ended, Ended::Smallest, "{name}");
        assert_eq!(result.way.last(), Some(&result.case), "{name}");
        assert!(result.way.iter().all(shows), "{name}: a case on the way does not show it");
        assert!(result.way.len() <= 16, "{name}: {} cases", result.way.len());
    }
}

#[test]
fn a_broken_bound_fits_on_twelve_lines() {
    let shows: Shows = |c| object(c)["spec"]["replicas"].as_i64().is_some_and(|replicas| replicas < 0);
    let result = minimise(&case(controller(), None), Limits::default(), shows);
    assert_eq!(to_yaml(&object(&result.case)), "apiVersion: v1\nkind: ReplicationController\nspec:\n  replicas: -1\n");
}

#[test]
fn object_and_old_object_shrink_together() {
    let mut before = controller();
    before["spec"]["replicas"] = json!(3);
    let shows: Shows = |c| {
        let (mut new, mut old) = (object(c), old(c).unwrap());
        let counts = [&mut new, &mut old].map(|side| side.pointer_mut("/spec/replicas").map(Value::take));
        // A change of the count where everything else is as it was.
        counts.iter().all(|count| count.as_ref().is_some_and(Value::is_i64)) && counts[0] != counts[1] && new == old
    };
    let result = minimise(&case(controller(), Some(before)), Limits::default(), shows);
    let smallest =
        |count: i64| json!({"apiVersion": "v1", "kind": "ReplicationController", "spec": {"replicas": count}});
    assert_eq!(object(&result.case), smallest(0));
    assert_eq!(old(&result.case), Some(smallest(1)));
}

#[test]
fn an_unchanged_pair_stays_unchanged() {
    let shows: Shows =
        |c| Some(object(c)) == old(c) && object(c)["spec"]["replicas"].as_i64().is_some_and(|replicas| replicas < 0);
    let result = minimise(&case(controller(), Some(controller())), Limits::default(), shows);
    let smallest = json!({"apiVersion": "v1", "kind": "ReplicationController", "spec": {"replicas": -1}});
    assert_eq!(object(&result.case), smallest);
    assert_eq!(old(&result.case), Some(smallest));
}

#[test]
fn a_long_list_is_thinned_with_few_questions() {
    let items: Vec<Value> = (0..500).map(Value::from).collect();
    let result = minimise(&case(json!({"kind": "L", "items": items}), None), Limits::default(), |c| {
        object(c)["items"].as_array().is_some_and(|items| items.contains(&json!(317)))
    });
    assert_eq!(object(&result.case), json!({"kind": "L", "items": [317]}));
    assert!(result.calls < 200, "{}", result.calls);
}

#[test]
fn the_limit_of_questions_is_kept_and_said() {
    let result = minimise(&case(controller(), None), Limits { calls: 3 }, |_| true);
    assert_eq!((result.calls, result.ended), (3, Ended::OutOfCalls));
}

#[test]
fn a_case_that_does_not_show_it_comes_back_as_it_was() {
    let given = case(controller(), None);
    let result = minimise(&given, Limits::default(), |_| false);
    assert_eq!((result.case, result.ended), (given, Ended::NotShown));
    let broken = Case { object: Payload::Json((*b"{").into()), ..case(Value::Null, None) };
    assert_eq!(minimise(&broken, Limits::default(), |_| true).ended, Ended::NotShown);
}

#[test]
fn json_text_is_shrunk_like_a_tree() {
    let text = controller().to_string().into_bytes();
    let given = Case { object: Payload::Json(text.into()), ..case(Value::Null, None) };
    let result = minimise(&given, Limits::default(), |c| object(c)["spec"].is_object());
    assert_eq!(object(&result.case), json!({"apiVersion": "v1", "kind": "ReplicationController", "spec": {}}));
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        // Readers of YAML take a float without a fraction for an integer.
        (-1e9..1e9).prop_map(|value: f64| Value::from(value.trunc() + 0.5)),
        ".{0,12}".prop_map(Value::from),
        "(yes|no|null|~|1e3|0x1F|- a|a: b|a #b|\\?|&a|\\*a|!t|[\\x00-\\x20\\x7f-\\u{a0}]{1,4})".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map(".{0,6}", inner, 0..5).prop_map(|m| Value::Object(m.into_iter().collect())),
        ]
    })
}

fn nodes(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(nodes).sum(),
        Value::Object(members) => members.values().map(nodes).sum::<usize>(),
        _ => 0,
    }
}

fn texts(value: &Value, out: &mut Vec<String>) {
    match value {
        Value::String(text) => out.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| texts(item, out)),
        Value::Object(members) => members.values().for_each(|member| texts(member, out)),
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_result_shows_it_and_is_never_larger(new in any_json(), before in any_json(), modulus in 1_usize..7) {
        // A jagged predicate: nothing monotone about it.
        let shows = |c: &Case| {
            let mut all = Vec::new();
            texts(&object(c), &mut all);
            (nodes(&object(c)) + all.concat().len()) % modulus == (nodes(&new) + {
                let mut all = Vec::new();
                texts(&new, &mut all);
                all.concat().len()
            }) % modulus
        };
        let given = case(new.clone(), Some(before.clone()));
        let result = minimise(&given, Limits { calls: 500 }, shows);
        prop_assert!(shows(&result.case));
        prop_assert!(result.calls <= 500);
        prop_assert!(nodes(&object(&result.case)) + nodes(&old(&result.case).unwrap()) <= nodes(&new) + nodes(&before));
        let again = minimise(&given, Limits { calls: 500 }, shows);
        prop_assert_eq!(result.case, again.case);
    }

    #[test]
    fn yaml_reads_back_as_the_same_tree(value in any_json()) {
        let object = json!({"kind": "Thing", "apiVersion": "v1", "value": value});
        let text = to_yaml(&object);
        let documents: Vec<_> = load(vec![Input::stream("text", Cursor::new(text.clone()))], LoadLimits::default()).collect();
        let [Ok(document)] = documents.as_slice() else { panic!("{documents:?}\n{text}") };
        prop_assert_eq!(&document.value, &object, "{}", text);
    }
}
