//! Objects filled at random by their types: of their type, the same for the same seed, and anything at all.

use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;
use takeover_corpora::generate::{Blind, GeneratorSettings};
use takeover_harness::case::{Case, Operation, Payload};
use takeover_harness::object::{Arena, from_value};
use takeover_harness::schema::{Field, Kind, Presence, Schema, Struct, TypeId, WellKnown};
use takeover_harness::subject::SubjectId;

/// A struct with a member of every shape, which contains itself by pointer, list and map.
fn schema() -> (Arc<Schema>, TypeId) {
    let mut schema = Schema::new();
    let root = schema.add("Everything", Kind::Unresolved);
    let text = schema.add("string", Kind::Text);
    let mut members = vec![("kind", text), ("apiVersion", text), ("text", text)];
    let leaves = [
        ("bool", Kind::Bool),
        ("int8", Kind::Int { bits: 8, signed: true }),
        ("int64", Kind::Int { bits: 64, signed: true }),
        ("uint64", Kind::Int { bits: 64, signed: false }),
        ("float64", Kind::Float { bits: 64 }),
        ("bytes", Kind::Bytes),
        ("any", Kind::Any),
        ("time", Kind::WellKnown(WellKnown::Time)),
        ("microTime", Kind::WellKnown(WellKnown::MicroTime)),
        ("duration", Kind::WellKnown(WellKnown::Duration)),
        ("quantity", Kind::WellKnown(WellKnown::Quantity)),
        ("intOrString", Kind::WellKnown(WellKnown::IntOrString)),
        ("raw", Kind::WellKnown(WellKnown::Raw)),
        ("parent", Kind::Pointer(root)),
        ("map", Kind::Map { key: text, value: text }),
        ("named", Kind::Named(text)),
    ];
    for (name, kind) in leaves {
        members.push((name, schema.add(name, kind)));
    }
    for (name, item) in [("texts", text), ("children", root)] {
        members.push((name, schema.add(name, Kind::List(item))));
    }
    let fields = members.into_iter().map(|(name, ty)| Field {
        go_name: name.into(),
        json_name: name.into(),
        ty,
        presence: Presence::Named,
        omit_empty: true,
        default: None,
    });
    let fields = fields.collect();
    schema.define(root, Kind::Struct(Struct::new(fields)));
    schema.link();
    (Arc::new(schema), root)
}

fn settings() -> GeneratorSettings {
    let mut settings = GeneratorSettings::new(SubjectId::new("example.com/v1", "Everything"), 1);
    settings.chunk_size = 100;
    settings.options = vec!["Gate".to_owned()];
    settings
}

fn cases(settings: GeneratorSettings, seed: u64) -> Vec<Case<'static>> {
    let (schema, root) = schema();
    Blind::new(schema, root, settings).chunk(0, seed).collect()
}

fn objects(case: &Case) -> impl Iterator<Item = Value> {
    std::iter::once(&case.object)
        .chain(&case.old)
        .map(Payload::to_value)
        .map(Result::unwrap)
        .collect::<Vec<_>>()
        .into_iter()
}

#[test]
fn every_object_is_one_of_its_type_and_names_its_kind() {
    let (schema, root) = schema();
    let arena = Arena::new();
    for object in cases(settings(), 3).iter().flat_map(objects) {
        from_value(&schema, root, &object, &arena).map(|_| ()).unwrap();
        assert_eq!((&object["apiVersion"], &object["kind"]), (&"example.com/v1".into(), &"Everything".into()));
    }
}

#[test]
fn the_same_seed_gives_the_same_cases_and_another_one_others() {
    assert_eq!(cases(settings(), 3), cases(settings(), 3));
    assert_ne!(cases(settings(), 3), cases(settings(), 4));
    let (schema, root) = schema();
    let blind = Blind::new(schema, root, settings());
    assert!(blind.chunk(1, 3).zip(blind.chunk(0, 3)).all(|(one, other)| one.object != other.object), "chunks differ");
}

#[test]
fn an_update_is_two_unrelated_objects() {
    let updates: Vec<Case<'static>> =
        cases(settings(), 3).into_iter().filter(|case| case.operation == Operation::Update).collect();
    assert!((30..70).contains(&updates.len()), "about half of 100 cases, not {}", updates.len());
    assert!(updates.iter().all(|case| case.old.as_ref().is_some_and(|old| *old != case.object)));
    let mut only = settings();
    only.updates_only = true;
    assert!(cases(only, 3).iter().all(|case| case.operation == Operation::Update));
}

#[test]
fn every_field_is_filled_over_the_whole_range_of_its_type() {
    let all: Vec<Value> = cases(settings(), 3).iter().flat_map(objects).collect();
    let names: BTreeSet<&String> = all.iter().filter_map(Value::as_object).flat_map(|object| object.keys()).collect();
    assert_eq!(names.len(), 20, "all members but the interface: {names:?}");
    let ints = |name: &str| all.iter().filter_map(|object| object[name].as_i64()).collect::<Vec<_>>();
    let small: BTreeSet<i64> = ints("int8").into_iter().collect();
    assert!(small.iter().all(|value| i8::try_from(*value).is_ok()) && small.len() > 100, "{}", small.len());
    assert!(ints("int64").iter().any(|value| *value < i64::MIN / 2));
    assert!(all.iter().filter_map(|object| object["uint64"].as_u64()).any(|value| i64::try_from(value).is_err()));
    let texts: Vec<&str> = all.iter().filter_map(|object| object["text"].as_str()).collect();
    assert!(texts.iter().any(|text| text.is_empty()) && texts.iter().all(|text| text.chars().count() < 20));
    assert!(texts.iter().any(|text| text.len() > text.chars().count()), "runes of several bytes");
    let nil = all.iter().filter(|object| object["map"].is_null()).count();
    assert!(nil * 3 > all.len() && nil * 3 < all.len() * 2, "{nil} of {} maps are nil", all.len());
}

#[test]
fn options_are_switched_on_and_off() {
    let states: BTreeSet<Option<bool>> = cases(settings(), 3).iter().map(|case| case.options.get("Gate")).collect();
    assert_eq!(states, BTreeSet::from([Some(false), Some(true)]));
}
