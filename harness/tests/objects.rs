//! Decoding by type, equality, typed views and edits over a small hand-made type graph.

use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use takeover_harness::object::{
    Arena, ContextFree, Edit, FieldValidation, FromNode, Json, KnownChanges, Map, Misfit, Misread, NewMembers, Node,
    Quantity, Tree, TypedNode, equal, from_bytes, from_bytes_with, from_tree_beside, from_tree_with, from_value,
    identical, to_value, to_value_with_empty,
};
use takeover_harness::oracle::Objects;
use takeover_harness::path::Path;
use takeover_harness::schema::{Field, Kind, Presence, Schema, Struct, TypeId, WellKnown};

fn field(name: &str, ty: TypeId, presence: Presence, omit_empty: bool) -> Field {
    Field { go_name: name.into(), json_name: name.into(), ty, presence, omit_empty, default: None }
}

/// `type Root struct { Meta ",inline"; Count int32; Limit *int32; Name string; Inner Inner; Ref *Inner; Tags []string;
/// Labels map[string]string; Size Quantity; At Time; Port IntOrString; Extra RawExtension; Data []byte }`
fn schema() -> (Schema, TypeId) {
    let mut schema = Schema::new();
    let text = schema.add("string", Kind::Text);
    let int32 = schema.add("int32", Kind::Int { bits: 32, signed: true });
    let int32_pointer = schema.add("*int32", Kind::Pointer(int32));
    let meta = schema.add(
        "Meta",
        Kind::Struct(Struct::new(vec![
            field("kind", text, Presence::Named, true),
            field("hidden", text, Presence::Hidden, false),
        ])),
    );
    let tags = schema.add("[]string", Kind::List(text));
    let inner = schema.add(
        "Inner",
        Kind::Struct(Struct::new(vec![
            field("value", text, Presence::Named, false),
            field("tags", tags, Presence::Named, true),
        ])),
    );
    let inner_pointer = schema.add("*Inner", Kind::Pointer(inner));
    let labels = schema.add("map[string]string", Kind::Map { key: text, value: text });
    let quantity = schema.add("Quantity", Kind::WellKnown(WellKnown::Quantity));
    let time = schema.add("Time", Kind::WellKnown(WellKnown::Time));
    let port = schema.add("IntOrString", Kind::WellKnown(WellKnown::IntOrString));
    let raw = schema.add("RawExtension", Kind::WellKnown(WellKnown::Raw));
    let bytes = schema.add("[]byte", Kind::Bytes);
    let root = schema.add(
        "Root",
        Kind::Struct(Struct::new(vec![
            field("", meta, Presence::Inlined, false),
            field("count", int32, Presence::Named, true),
            field("limit", int32_pointer, Presence::Named, true),
            field("name", text, Presence::Named, false),
            field("inner", inner, Presence::Named, false),
            field("ref", inner_pointer, Presence::Named, true),
            field("tags", tags, Presence::Named, true),
            field("labels", labels, Presence::Named, true),
            field("size", quantity, Presence::Named, true),
            field("at", time, Presence::Named, true),
            field("port", port, Presence::Named, true),
            field("extra", raw, Presence::Named, true),
            field("data", bytes, Presence::Named, true),
        ])),
    );
    schema.link();
    (schema, root)
}

#[test]
fn undecodable_objects_name_the_field_and_the_reason() {
    let (schema, root) = schema();
    for (text, field, reason) in [
        (r#"{"bogus":1}"#, "bogus", Misfit::UnknownField),
        (r#"{"inner":{"bogus":1}}"#, "inner.bogus", Misfit::UnknownField),
        (r#"{"hidden":"x"}"#, "hidden", Misfit::UnknownField),
        (r#"{"name":1}"#, "name", Misfit::WrongType),
        (r#"{"count":"1"}"#, "count", Misfit::WrongType),
        (r#"{"count":1.0}"#, "count", Misfit::WrongType),
        (r#"{"count":-0.0}"#, "count", Misfit::WrongType),
        (r#"{"limit":-0,"count":-0.0}"#, "count", Misfit::WrongType),
        (r#"{"count":2147483648}"#, "count", Misfit::OutOfRange),
        (r#"{"limit":-2147483649}"#, "limit", Misfit::OutOfRange),
        (r#"{"count":99999999999999999999999}"#, "count", Misfit::OutOfRange),
        (r#"{"tags":{}}"#, "tags", Misfit::WrongType),
        (r#"{"tags":["a",1]}"#, "tags[1]", Misfit::WrongType),
        (r#"{"labels":{"a":1}}"#, "labels[a]", Misfit::WrongType),
        (r#"{"size":"1 Gi"}"#, "size", Misfit::Malformed),
        (r#"{"at":"yesterday"}"#, "at", Misfit::Malformed),
        (r#"{"data":"*"}"#, "data", Misfit::Malformed),
        (r#"{"name":"a","name":"b"}"#, "name", Misfit::RepeatedField),
        (r#"{"labels":{"a":"1","a":"2"}}"#, "labels[a]", Misfit::RepeatedField),
        (r#"{"name":"a""#, "<nil>", Misfit::Syntax),
        (r#"{"name":"a"} x"#, "<nil>", Misfit::Syntax),
        (r#"[]"#, "<nil>", Misfit::WrongType),
    ] {
        let arena = Arena::new();
        let error = from_bytes(&schema, root, text.as_bytes(), &arena).expect_err(text);
        assert_eq!((error.field.as_str(), error.reason), (field, reason), "{text}: {error}");
    }
}

#[test]
fn an_integer_zero_may_have_a_sign() {
    let (schema, root) = schema();
    let arena = Arena::new();
    let node = from_bytes(&schema, root, br#"{"limit":-0,"name":"-0 "}"#, &arena).expect("decodes");
    let plain = json!({"limit": 0, "name": "-0 "});
    assert!(equal(&node, &from_value(&schema, root, &plain, &arena).expect("decodes")));
}

#[test]
fn deep_nesting_is_an_error_and_no_overflow() {
    let (schema, root) = schema();
    let arena = Arena::new();
    let text = format!(r#"{{"extra":{}{}}}"#, "[".repeat(10_000), "]".repeat(10_000));
    assert_eq!(from_bytes(&schema, root, text.as_bytes(), &arena).expect_err("deep").reason, Misfit::TooDeep);
    let mut value = json!([]);
    for _ in 0..500 {
        value = Value::Array(vec![value]);
    }
    let value = json!({ "extra": value });
    assert_eq!(from_value(&schema, root, &value, &arena).expect_err("deep").reason, Misfit::TooDeep);
}

#[test]
fn a_server_drops_what_it_does_not_know_with_a_warning_each() {
    let (schema, root) = schema();
    let arena = Arena::new();
    let text = br#"{"name": "a", "colour": {"x": [1]}, "name": "b", "labels": {"k": "1", "k": "2"}}"#;
    let decoded = from_bytes_with(&schema, root, text, FieldValidation::Warn, &arena).expect("decodes");
    let kept = json!({"name": "b", "labels": {"k": "2"}});
    assert!(equal(&decoded.node, &from_value(&schema, root, &kept, &arena).expect("decodes")));
    let dropped: Vec<(&str, Misfit)> =
        decoded.dropped.iter().map(|dropped| (dropped.field.as_str(), dropped.reason)).collect();
    let expected =
        [("colour", Misfit::UnknownField), ("name", Misfit::RepeatedField), ("labels[k]", Misfit::RepeatedField)];
    assert_eq!(dropped, expected);
    assert!(from_bytes(&schema, root, text, &arena).is_err(), "strictly, the first is a fault");
}

#[test]
fn a_wrong_type_is_a_fault_however_fields_are_validated() {
    let (schema, root) = schema();
    let arena = Arena::new();
    let error = from_bytes_with(&schema, root, br#"{"name": 1}"#, FieldValidation::Warn, &arena).expect_err("number");
    assert_eq!((error.field.as_str(), error.reason), ("name", Misfit::WrongType));
}

#[test]
fn equality_follows_go_semantics() {
    let (schema, root) = schema();
    let arena = Arena::new();
    for (a, b, same) in [
        (json!({}), json!({"count": 0, "name": "", "inner": {}}), true),
        (json!({}), json!({"count": null, "limit": null, "tags": null}), true),
        (json!({}), json!({"limit": 0}), false),
        (json!({}), json!({"ref": {}}), false),
        (json!({}), json!({"tags": [], "labels": {}}), true),
        (json!({}), json!({"inner": {"tags": []}}), true),
        (json!({"ref": {}}), json!({"ref": {"tags": []}}), true),
        (json!({"tags": ["a", "b"]}), json!({"tags": ["b", "a"]}), false),
        (json!({"labels": {"a": "1", "b": "2"}}), json!({"labels": {"b": "2", "a": "1"}}), true),
        (json!({"size": "1000m"}), json!({"size": "1"}), true),
        (json!({"size": "0"}), json!({}), true),
        (json!({"at": "2024-01-01T01:00:00+01:00"}), json!({"at": "2024-01-01T00:00:00Z"}), true),
        (json!({"port": "80"}), json!({"port": 80}), false),
        (json!({"kind": "X"}), json!({"kind": "Y"}), false),
        (json!({"extra": {"a": 1}}), json!({"extra": {"a": 2}}), false),
    ] {
        let left = from_value(&schema, root, &a, &arena).expect("decodes");
        let right = from_value(&schema, root, &b, &arena).expect("decodes");
        assert_eq!(equal(&left, &right), same, "{a} {b}");
        assert_eq!(equal(&right, &left), same, "{b} {a}");
        assert!(equal(&left, &left), "{a}");
    }
}

#[test]
fn only_what_looks_the_same_everywhere_is_identical() {
    let (schema, root) = schema();
    let arena = Arena::new();
    let full =
        json!({"count": 1, "ref": {"tags": ["a"]}, "labels": {"a": "1"}, "at": "2024-01-01T00:00:00Z", "data": "aGk="});
    let identical = |a: &Value, b: &Value| {
        let [a, b] = [a, b].map(|value| from_value(&schema, root, value, &arena).expect("decodes"));
        identical(&a, &b)
    };
    assert!(identical(&full, &full));
    for (a, b) in [
        (json!({}), json!({"tags": []})),
        (json!({"ref": {}}), json!({"ref": {"tags": []}})),
        (json!({"size": "1000m"}), json!({"size": "1"})),
        (json!({"extra": {"a": 1, "b": 2}}), json!({"extra": {"b": 2, "a": 1}})),
        (json!({"port": "80"}), json!({"port": 80})),
        (json!({"labels": {"a": "1"}}), json!({"labels": {"b": "1"}})),
    ] {
        assert!(!identical(&a, &b), "{a} {b}");
        assert!(identical(&a, &a) || a.get("extra").is_some(), "{a}");
    }
}

#[test]
fn values_are_found_by_path_and_an_empty_list_is_one() {
    let (schema, root) = schema();
    let arena = Arena::new();
    let value =
        json!({"tags": [], "labels": {"a": "1", "b": ""}, "ref": {"tags": ["x", "y"]}, "inner": {"value": "v"}});
    let new = from_value(&schema, root, &value, &arena).expect("decodes");
    let objects = Objects { schema: &schema, root, new, old: None, sent: None };
    let [tags, labels, inner, reference] = ["tags", "labels", "inner", "ref"].map(|name| Path::ROOT.child(name));
    let nested = reference.child("tags");
    assert!(matches!(objects.at(&tags), Node::List([])));
    assert!(matches!(objects.at(&nested.index(1)), Node::Text("y")));
    assert!(matches!(objects.at(&labels.key("a")), Node::Text("1")));
    assert!(matches!(objects.at(&inner.child("value")), Node::Text("v")));
    for nothing in
        [inner.child("tags"), nested.index(2), labels.key("c"), labels.index(0), inner.child("x"), inner.key("value")]
    {
        assert!(objects.at(&nothing).is_unset(), "{nothing}");
    }
    assert!(matches!(objects.at(&Path::ROOT), Node::Struct { .. }));
}

#[test]
fn json_text_and_json_trees_decode_alike_and_print_back() {
    let (schema, root) = schema();
    let arena = Arena::new();
    let value = json!({
        "kind": "X", "count": 3, "limit": 0, "name": "a\"b", "inner": {"value": "v"}, "ref": {"value": ""},
        "tags": ["x", ""], "labels": {"a": "1"}, "size": "1Gi", "at": "2024-01-01T00:00:00Z", "port": "http",
        "extra": {"z": [1, 2.5, null]}, "data": "aGk="
    });
    let text = value.to_string();
    let from_tree = from_value(&schema, root, &value, &arena).expect("decodes");
    let from_text = from_bytes(&schema, root, text.as_bytes(), &arena).expect("decodes");
    assert!(equal(&from_tree, &from_text));
    assert_eq!(to_value(&schema, root, &from_tree), value);
    let empty = from_bytes(&schema, root, b"{}", &arena).expect("decodes");
    assert_eq!(to_value(&schema, root, &empty), json!({"name": "", "inner": {"value": ""}}));
}

/// An object with every sort of value, and others that a change or two set apart from it.
fn variants() -> (Value, Vec<Value>) {
    let object = json!({
        "kind": "K", "count": 1, "limit": 0, "name": "a", "inner": {"value": "v", "tags": []}, "ref": {"value": "r"},
        "tags": ["a", "b"], "labels": {"a": "1", "b": "2"}, "size": "1Gi", "at": "2026-01-02T03:04:05Z", "port": "http",
        "extra": {"any": [1, {"thing": null}]}, "data": "YQ==",
    });
    let others = [
        json!({"kind": ""}),
        json!({"limit": null, "count": 0}),
        json!({"inner": {"value": "v"}}),
        json!({"inner": {}}),
        json!({"ref": {}}),
        json!({"ref": null, "tags": ["a"]}),
        json!({"tags": ["x", "a", "b"]}),
        json!({"labels": {"b": "2", "c": "3"}, "size": 2}),
        json!({"extra": {"any": [1, {"thing": 1}]}, "data": ""}),
        json!({"port": 1, "at": null}),
    ];
    let changed = others.into_iter().map(|other| {
        let mut object = object.clone();
        object.as_object_mut().into_iter().zip(other.as_object()).for_each(|(of, other)| of.extend(other.clone()));
        object
    });
    (object.clone(), changed.chain([json!({}), json!({"name": "a"})]).collect())
}

/// `changed` as a tree that shares with `tree` what both have.
fn sharing<'a>(changed: &'a Value, tree: &Tree<'a>, arena: &'a Arena) -> Tree<'a> {
    if *tree == *changed {
        return *tree;
    }
    match (changed, tree) {
        (Value::Object(members), Tree::Object(others)) => {
            let mut shared = NewMembers::new(arena);
            for (name, value) in members {
                let other = others.get(name);
                shared.insert(name, other.map_or_else(|| Tree::of(value, arena), |other| sharing(value, other, arena)));
            }
            Tree::from(shared)
        }
        (Value::Array(items), Tree::Array(others)) => {
            let other = |at: usize| others.get(at).cloned().unwrap_or_default();
            Tree::list(items.iter().enumerate().map(|(at, item)| sharing(item, &other(at), arena)), arena)
        }
        _ => Tree::of(changed, arena),
    }
}

#[test]
fn a_tree_that_shares_with_another_decodes_beside_it_as_it_does_alone() {
    let (schema, root) = schema();
    let (object, others) = variants();
    let trees = Arena::new();
    let known = Tree::of(&object, &trees);
    for other in &others {
        let tree = sharing(other, &known, &trees);
        for (first, second, value) in [(&known, &tree, other), (&tree, &known, &object)] {
            let arena = Arena::new();
            let strict = FieldValidation::Strict;
            let decoded = from_tree_with(&schema, root, first, strict, &arena).expect("decodes");
            let beside = from_tree_beside(&schema, root, second, (first, &decoded), strict, &arena).expect("decodes");
            let alone = from_value(&schema, root, value, &arena).expect("decodes");
            assert_eq!(format!("{:?}", beside.node), format!("{alone:?}"), "{value}");
        }
    }
}

#[test]
fn what_two_trees_share_is_decoded_once() {
    let (schema, root) = schema();
    let (object, _) = variants();
    let arena = Arena::new();
    let known = Tree::of(&object, &arena);
    let mut changed = known;
    changed.change("name", &arena, |name| *name = Tree::from("other")).expect("a name");
    let strict = FieldValidation::Strict;
    let decoded = from_tree_with(&schema, root, &known, strict, &arena).expect("decodes");
    let other = from_tree_beside(&schema, root, &changed, (&known, &decoded), strict, &arena).expect("decodes").node;
    let one = decoded.node;
    let at = |node: &Node<'_>, name: &str| {
        let (_, fields) = schema.as_struct(root).expect("a struct");
        node.member(&fields.member(name).expect("a member").slots).items().as_ptr().addr()
    };
    assert_eq!(at(&one, "tags"), at(&other, "tags"));
    assert!(!equal(&one, &other));
}

#[test]
fn what_is_dropped_from_a_shared_part_is_dropped_from_both() {
    fn with<'a>(tree: &Tree<'a>, name: &'a str, arena: &'a Arena) -> Tree<'a> {
        let mut members = tree.as_object().expect("an object").to_change(arena);
        members.insert(name, Tree::from("b"));
        Tree::from(members)
    }
    let (schema, root) = schema();
    let trees = Arena::new();
    let known = Tree::copy_of(&json!({"inner": {"value": "v", "bogus": 1}, "name": "a"}), &trees);
    let plain = Tree::copy_of(&json!({"inner": {"value": "v"}, "name": "a"}), &trees);
    for (one, other, dropped) in [
        (&known, with(&known, "name", &trees), ["inner.bogus"].as_slice()),
        (&plain, with(&plain, "bogus", &trees), &["bogus"]),
        (&known, with(&known, "bogus", &trees), &["bogus", "inner.bogus"]),
        (&known, plain, &[]),
    ] {
        let (arena, warn) = (Arena::new(), FieldValidation::Warn);
        let decoded = from_tree_with(&schema, root, one, warn, &arena).expect("decodes");
        let beside = from_tree_beside(&schema, root, &other, (one, &decoded), warn, &arena).expect("decodes");
        assert_eq!(beside.dropped.iter().map(|of| of.field.as_str()).collect::<Vec<_>>(), dropped, "{other:?}");
    }
}

#[test]
fn faults_beside_a_decoded_tree_name_the_field() {
    let (schema, root) = schema();
    let (object, _) = variants();
    let trees = Arena::new();
    let known = Tree::of(&object, &trees);
    for (changed, field, reason) in [
        (json!({"inner": {"value": "v", "bogus": 1}}), "inner.bogus", Misfit::UnknownField),
        (json!({"tags": ["a", 1]}), "tags[1]", Misfit::WrongType),
        (json!({"labels": {"a": 1}}), "labels[a]", Misfit::WrongType),
        (json!({"count": 3_000_000_000_u32}), "count", Misfit::OutOfRange),
    ] {
        let arena = Arena::new();
        let strict = FieldValidation::Strict;
        let decoded = from_tree_with(&schema, root, &known, strict, &arena).expect("decodes");
        let tree = sharing(&changed, &known, &arena);
        let error = from_tree_beside(&schema, root, &tree, (&known, &decoded), strict, &arena).expect_err(field);
        assert_eq!((error.field.as_str(), error.reason), (field, reason), "{changed}: {error}");
    }
}

#[test]
fn what_is_given_and_empty_is_printed_where_it_is_to_be_kept() {
    let (schema, root) = schema();
    let arena = Arena::new();
    let value = json!({"name": "", "inner": {"value": ""}, "tags": [], "labels": {}, "data": ""});
    let node = from_value(&schema, root, &value, &arena).expect("decodes");
    assert_eq!(to_value_with_empty(&schema, root, &node), value);
    let go = json!({"name": "", "inner": {"value": ""}});
    assert_eq!(to_value(&schema, root, &node), go, "as Go prints it");
    let absent = from_value(&schema, root, &go, &arena).expect("decodes");
    assert_eq!(to_value_with_empty(&schema, root, &absent), go, "nothing is made up");
}

#[test]
fn base64_reads_as_go_reads_it() {
    let (schema, root) = schema();
    let arena = Arena::new();
    for text in ["aGk=", "aGl=", "aG\nk="] {
        let json = json!({ "data": text }).to_string();
        let node = from_bytes(&schema, root, json.as_bytes(), &arena).expect(text);
        assert_eq!(to_value(&schema, root, &node)["data"], "aGk=", "{text}");
    }
    for text in ["aGk", "a===", "aG k="] {
        let json = json!({ "data": text }).to_string();
        assert!(from_bytes(&schema, root, json.as_bytes(), &arena).is_err(), "{text}");
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct InnerView<'a> {
    value: Option<&'a str>,
}

impl<'a> FromNode<'a> for InnerView<'a> {
    fn from_node(node: TypedNode<'a>) -> Result<Self, Misread> {
        let mut view = Self::default();
        node.each_member(Node::Unset, &["value"], &mut |_, node, _| {
            view.value = node.read()?;
            Ok(())
        })?;
        Ok(view)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct RootView<'a> {
    kind: Option<&'a str>,
    limit: Option<i32>,
    name: Option<&'a str>,
    inner: Option<&'a InnerView<'a>>,
    tags: Option<&'a [&'a str]>,
    labels: Option<Map<'a, &'a str>>,
    size: Quantity<'a>,
    extra: &'a Json<'a>,
}

impl<'a> FromNode<'a> for RootView<'a> {
    fn from_node(node: TypedNode<'a>) -> Result<Self, Misread> {
        Self::from_node_beside(node, Node::Unset, None)
    }

    fn from_node_beside(node: TypedNode<'a>, other: Node<'a>, known: Option<&Self>) -> Result<Self, Misread> {
        let mut view = Self::default();
        let names = ["size", "kind", "limit", "name", "inner", "tags", "labels", "extra"];
        let known = known.copied().unwrap_or_default();
        node.each_member(other, &names, &mut |member, node, other| {
            match member {
                0 => view.size = node.read_beside(other, &known.size)?,
                1 => view.kind = node.read_beside(other, &known.kind)?,
                2 => view.limit = node.read_beside(other, &known.limit)?,
                3 => view.name = node.read_beside(other, &known.name)?,
                4 => view.inner = node.read_beside(other, &known.inner)?,
                5 => view.tags = node.read_beside(other, &known.tags)?,
                6 => view.labels = node.read_beside(other, &known.labels)?,
                _ => view.extra = node.read_beside(other, &known.extra)?,
            }
            Ok(())
        })?;
        Ok(view)
    }
}

#[test]
fn views_borrow_from_the_decoded_object() {
    let (schema, root) = schema();
    let arena = Arena::new();
    let value = json!({"kind": "X", "limit": 0, "tags": ["a", ""], "labels": {"b": "2", "a": "1"}, "size": 5,
                       "extra": {"a": [true, null]}, "inner": {"value": "v"}, "count": 3});
    let node = from_value(&schema, root, &value, &arena).expect("decodes");
    let view: RootView<'_> = TypedNode::new(&schema, &arena, root, node).read().expect("of this form");
    let labels = view.labels.expect("labels");
    assert_eq!(labels.keys().collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!((labels.get("b"), labels.get("c"), labels.len()), (Some(&"2"), None, 2));
    assert_eq!((view.size.text(), view.extra.to_value()), ("5", json!({"a": [true, null]})));
    let inner = InnerView { value: Some("v") };
    assert_eq!(
        (view.kind, view.limit, view.name, view.inner, view.tags),
        (Some("X"), Some(0), None, Some(&inner), Some(&["a", ""][..]))
    );
    // The same of JSON without types.
    let untyped = json!({"kind": "X", "tags": ["a", ""], "inner": {"value": "v"}, "count": 3, "name": null});
    let same: RootView<'_> = TypedNode::untyped(&untyped, &arena).read().expect("of this form");
    assert_eq!((same.kind, same.name, same.inner, same.tags), (view.kind, None, view.inner, view.tags));
}

#[test]
fn a_value_of_another_form_is_no_view() {
    let arena = Arena::new();
    for (value, said) in [
        (json!({"kind": 1}), "an integer where text is read"),
        (json!({"limit": 3_000_000_000_i64}), "an integer where an integer of 32 bits is read"),
        (json!({"limit": 1.5}), "a float where an integer is read"),
        (json!({"tags": {"a": "b"}}), "a map where a list is read"),
        (json!({"labels": ["a"]}), "a list where a map is read"),
        (json!({"inner": "v"}), "text where a struct is read"),
        (json!({"size": "many"}), "text where a quantity is read"),
        (json!("v"), "text where a struct is read"),
    ] {
        let misread = TypedNode::untyped(&value, &arena).read::<RootView<'_>>().expect_err("another form");
        assert_eq!(misread.to_string(), said, "{value}");
    }
}

#[test]
fn a_view_takes_over_what_its_object_shares_with_another() {
    let (schema, root) = schema();
    let (object, others) = variants();
    let trees = Arena::new();
    let known = Tree::of(&object, &trees);
    let (mut inner, mut tags) = (0, 0);
    for other in &others {
        let tree = sharing(other, &known, &trees);
        let (arena, strict) = (Arena::new(), FieldValidation::Strict);
        let decoded = from_tree_with(&schema, root, &known, strict, &arena).expect("decodes");
        let beside = from_tree_beside(&schema, root, &tree, (&known, &decoded), strict, &arena).expect("decodes").node;
        let read = |node| TypedNode::new(&schema, &arena, root, node);
        let one: RootView<'_> = read(decoded.node).read().expect("of this form");
        let view = read(beside).read_beside(decoded.node, &one).expect("of this form");
        assert_eq!(view, read(beside).read().expect("of this form"), "{other}");
        inner += usize::from(view.inner.zip(one.inner).is_some_and(|(view, one)| std::ptr::eq(view, one)));
        tags += usize::from(view.tags.zip(one.tags).is_some_and(|(view, one)| std::ptr::eq(view, one)));
    }
    assert_eq!((others.len(), inner, tags), (12, 8, 8));
}

#[test]
fn a_change_that_looks_at_nothing_else_is_made_once_of_what_two_objects_share() {
    static RUNS: AtomicUsize = AtomicUsize::new(0);
    fn fill(inner: &mut Edit<'_>) {
        RUNS.fetch_add(1, Relaxed);
        inner.set_default("value", Node::Text("filled"));
    }
    fn other(inner: &mut Edit<'_>) {
        inner.set("value", Node::Text("other"));
    }
    let (schema, root) = schema();
    let arena = Arena::new();
    let runs = |known, inner: Value, change: ContextFree| {
        let before = RUNS.load(Relaxed);
        let object = arena.alloc(json!({"inner": inner, "name": "a"}));
        let node = from_value(&schema, root, object, &arena).expect("decodes");
        let mut changed = Vec::new();
        for _ in 0..2 {
            let mut edit = Edit::new(&schema, &arena, root, node).beside(known);
            edit.edit_alone("inner", change);
            changed.push(to_value(&schema, root, &edit.finish())["inner"]["value"].clone());
        }
        assert_eq!(changed[0], changed[1]);
        (RUNS.load(Relaxed) - before, changed[0].clone())
    };
    let known = arena.alloc(KnownChanges::default());
    assert_eq!(runs(known, json!({"tags": ["a"]}), fill), (1, json!("filled")));
    assert_eq!(runs(known, json!({"value": "set"}), fill), (1, json!("set")), "it leaves the struct as it is");
    assert_eq!(runs(known, json!({}), fill), (2, json!("filled")), "nothing tells empty structs apart");
    assert_eq!(runs(known, json!({"value": "set"}), other), (0, json!("other")), "another change");
    // Three are known; with 96, looking for more would take long.
    let many: usize = (0..100).map(|_| runs(known, json!({"value": "set"}), fill).0).sum();
    assert_eq!(many, 93 + 2 * 7);
}

#[test]
fn edits_copy_only_what_they_change() {
    let (schema, root) = schema();
    let arena = Arena::new();
    let node = from_bytes(&schema, root, br#"{"name": "a", "tags": ["x"]}"#, &arena).expect("decodes");
    let mut edit = Edit::new(&schema, &arena, root, node);
    edit.set_default_text("name", "other");
    edit.set_default("limit", Node::Int(1));
    edit.set_default_text("kind", "X");
    edit.edit("inner", |inner| inner.set_default_text("value", "v"));
    edit.edit_if_set("ref", |inner| inner.set_default_text("value", "v"));
    edit.set_default_text("no such member", "v");
    assert_eq!(
        to_value(&schema, root, &edit.finish()),
        json!({"kind": "X", "name": "a", "limit": 1, "inner": {"value": "v"}, "tags": ["x"]})
    );
}

#[test]
fn edits_of_map_entries_copy_the_map_once() {
    let (schema, root) = schema();
    let arena = Arena::new();
    let node = from_bytes(&schema, root, br#"{"labels": {"a": "1", "b": "2"}}"#, &arena).expect("decodes");
    let mut edit = Edit::new(&schema, &arena, root, node);
    assert!(edit.sets_more_than(&["name"]));
    assert!(!edit.sets_more_than(&["name", "labels"]));
    edit.edit_entries("labels", |_| None);
    edit.edit_entries("labels", |value| (value.text() == "2").then_some(Node::Text("3")));
    edit.edit_entries("tags", |_| Some(Node::Text("no map")));
    let changed = to_value(&schema, root, &edit.finish());
    assert_eq!(changed, json!({"name": "", "inner": {"value": ""}, "labels": {"a": "1", "b": "3"}}));
    let before = to_value(&schema, root, &node);
    assert_eq!(before, json!({"name": "", "inner": {"value": ""}, "labels": {"a": "1", "b": "2"}}));
}

#[test]
fn keys_that_are_written_like_members_get_brackets() {
    let (schema, root) = schema();
    let arena = Arena::new();
    let object = json!({"labels": {"a": "x", "a.b/c": "y", "": "z"}, "tags": ["t"], "ref": {"value": "v"}});
    let new = from_value(&schema, root, &object, &arena).unwrap();
    let objects = Objects { schema: &schema, root, new, old: None, sent: None };
    for (field, keyed) in [
        ("labels.a", Some("labels[a]")),
        ("labels.a.b/c", Some("labels[a.b/c]")),
        ("labels.gone", Some("labels[gone]")),
        ("labels[a.b/c]", None),
        ("labels", None),
        ("labels.", Some("labels[]")),
        ("tags[0]", None),
        ("ref.value", None),
        ("nowhere.else[3].at", None),
        ("labels[", None),
        ("<nil>", None),
        ("", None),
    ] {
        assert_eq!(objects.with_keys(field).as_deref(), keyed, "{field}");
    }
}
