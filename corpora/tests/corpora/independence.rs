//! The cases of a field do not depend on the rules of another one, and show what its type and the checks of the reference tell apart
//! without any rule.

#![expect(clippy::unwrap_used, reason = "tests may stop at the first surprise")]

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use takeover_corpora::generate::{GeneratedCase, Generator, GeneratorSettings, Mode};
use takeover_harness::case::{Operation, Provenance};
use takeover_harness::check::Check;
use takeover_harness::error::ErrorType;
use takeover_harness::rule::{Boundary, ErrorShape, Rule, RuleId, Sample};
use takeover_harness::schema::{Field, Kind, Presence, Schema, Struct, TypeId};
use takeover_harness::subject::SubjectId;

const SEED: u64 = 3;

fn field(json_name: &str, ty: TypeId) -> Field {
    let (presence, omit_empty) = (Presence::Named, true);
    Field { go_name: "Field".into(), json_name: json_name.into(), ty, presence, omit_empty, default: None }
}

/// `spec {name string, mode string, count *int32, parts []Part {name string, size int32}, labels map[string]string}`.
fn schema() -> (Arc<Schema>, TypeId) {
    let mut schema = Schema::new();
    let text = schema.add("string", Kind::Text);
    let int32 = schema.add("int32", Kind::Int { bits: 32, signed: true });
    let count = schema.add("*int32", Kind::Pointer(int32));
    let labels = schema.add("map[string]string", Kind::Map { key: text, value: text });
    let part = schema.add("Part", Kind::Struct(Struct::new(vec![field("name", text), field("size", int32)])));
    let parts = schema.add("[]Part", Kind::List(part));
    let spec = vec![
        field("name", text),
        field("mode", text),
        field("count", count),
        field("parts", parts),
        field("labels", labels),
    ];
    let spec = schema.add("Spec", Kind::Struct(Struct::new(spec)));
    let root = schema.add("Thing", Kind::Struct(Struct::new(vec![field("spec", spec)])));
    schema.link();
    (Arc::new(schema), root)
}

fn rule(path: &str, chain: &str, boundaries: &[(&str, bool, Option<Value>)]) -> Rule {
    let boundary = |(class, breaks, sample): &(&str, bool, Option<Value>)| Boundary {
        class: (*class).to_owned(),
        breaks: *breaks,
        sample: sample.clone().map_or(Sample::Absent, Sample::Value),
        options: Vec::new(),
    };
    Rule { boundaries: boundaries.iter().map(boundary).collect(), ..Rule::new(RuleId(0), path, chain) }
}

fn name_required() -> Rule {
    rule("spec.name", "required", &[("unset", true, None), ("set", false, Some(json!("web")))])
}

fn shipped() -> Vec<Rule> {
    let count = [("below", true, Some(json!(-1))), ("on", false, Some(json!(0)))];
    let size = [("on", false, Some(json!(9))), ("above", true, Some(json!(10)))];
    let parts = [
        ("one", false, Some(json!([{"name": "a"}]))),
        ("same keys", true, Some(json!([{"name": "a"}, {"name": "a"}]))),
    ];
    vec![
        name_required(),
        rule("spec.count", "minimum=0", &count),
        Rule {
            update_only: true,
            ..rule("spec.mode", "immutable", &[("one", true, Some(json!("A"))), ("two", true, Some(json!("B")))])
        },
        rule("spec.parts", "listType=map", &parts),
        rule("spec.parts[*].size", "maximum=9", &size),
    ]
}

/// Rules in the order of a catalogue.
fn numbered(rules: Vec<Rule>) -> Vec<Rule> {
    (0..).zip(rules).map(|(number, rule)| Rule { id: RuleId(number), ..rule }).collect()
}

fn settings(baseline: Vec<Rule>) -> GeneratorSettings {
    let mut settings = GeneratorSettings::new(SubjectId::new("example.com/v1", "Thing"), 7);
    settings.baseline = numbered(baseline);
    settings
}

fn generator(rules: Vec<Rule>, settings: GeneratorSettings) -> Generator {
    let (schema, root) = schema();
    let recorded = json!({"spec": {"name": "web", "mode": "A", "count": 3, "parts": [{"name": "a", "size": 1}], "labels": {"a": "b"}}});
    Generator::new(schema, root, &numbered(rules), vec![recorded], settings)
}

fn chunks(generator: &Generator) -> u64 {
    generator.systematic_len().div_ceil(1024) + 3
}

fn objects(case: &GeneratedCase) -> (Value, Option<Value>) {
    (case.case.object.to_value().unwrap(), case.case.old.as_ref().map(|old| old.to_value().unwrap()))
}

/// All cases of the first chunks and some that chance decides, by the number of the field that they are about. One in five of a field
/// is kept.
fn by_field(generator: &Generator) -> BTreeMap<u64, Vec<String>> {
    let mut cases = BTreeMap::<u64, Vec<String>>::new();
    for number in 0..chunks(generator) {
        let mut chunk = generator.chunk(number, SEED);
        for index in 0.. {
            let Some(made) = chunk.next() else { break };
            let of_field = cases.entry(chunk.field()).or_default();
            of_field.push(format!("{:?}", made.case));
            if of_field.len().is_multiple_of(5) {
                chunk.keep(index);
            }
        }
    }
    cases
}

fn cases(generator: &Generator) -> Vec<GeneratedCase<'static>> {
    (0..chunks(generator)).flat_map(|number| generator.chunk(number, SEED)).collect()
}

fn note<'c>(case: &'c GeneratedCase<'_>) -> &'c str {
    match &case.case.provenance {
        Provenance::Generated { planted, .. } => planted,
        _ => "",
    }
}

/// The fields whose cases are not the same under these rules as under those shipped.
fn changed(rules: Vec<Rule>) -> usize {
    let sound = by_field(&generator(shipped(), settings(shipped())));
    let other = by_field(&generator(rules, settings(shipped())));
    sound.iter().filter(|(field, cases)| other.get(field) != Some(cases)).count()
}

/// What the cases of each field hold, in the order made; those that are there for rules which the baseline does not have stand apart.
fn held(generator: &Generator) -> BTreeMap<u64, Vec<(Value, Option<Value>)>> {
    let mut held = BTreeMap::<u64, Vec<_>>::new();
    for number in 0..chunks(generator) {
        let mut chunk = generator.chunk(number, SEED);
        while let Some(made) = chunk.next() {
            held.entry(chunk.field()).or_default().push(objects(&made));
        }
    }
    held
}

#[test]
fn a_new_rule_adds_cases_and_changes_none_but_a_few_of_its_field() {
    let limit =
        rule("spec.mode", "maxLength=1", &[("above", true, Some(json!("AB"))), ("on", false, Some(json!("A")))]);
    let sound = held(&generator(shipped(), settings(shipped())));
    let other = held(&generator(shipped().into_iter().chain([limit]).collect(), settings(shipped())));
    let apart: Vec<_> = other.iter().filter(|(field, _)| !sound.contains_key(field)).collect();
    let [(_, own)] = apart.as_slice() else { panic!("{} fields", apart.len()) };
    let shows = |object: &Value| *object.pointer("/spec/mode").unwrap_or(&Value::Null) == json!("AB");
    assert!(own.iter().any(|(object, old)| shows(object) || old.as_ref().is_some_and(shows)));
    let mut changed = sound.iter().filter(|(field, cases)| other.get(field) != Some(cases));
    let (field, before) = changed.next().unwrap();
    assert!(changed.next().is_none());
    // The others are as they were; as many as are new are left for later.
    let after = other.get(field).unwrap();
    assert!(after.iter().all(|case| before.contains(case)));
    assert_eq!(after.len() + own.len(), before.len());
}

#[test]
fn dropping_a_rule_changes_the_cases_of_its_field_alone() {
    for dropped in 0..shipped().len() {
        let mut rules = shipped();
        rules.remove(dropped);
        assert!(changed(rules) <= 1, "without rule {dropped}");
    }
}

#[test]
fn adding_rules_changes_the_cases_of_their_field_alone() {
    let optional = rule("spec.labels", "optional", &[]);
    let most = rule("spec.labels", "maxProperties=1000000", &[("few", false, Some(json!({"a": "b"})))]);
    let limit =
        rule("spec.mode", "maxLength=1", &[("above", true, Some(json!("AB"))), ("on", false, Some(json!("A")))]);
    for added in [vec![optional.clone()], vec![most.clone()], vec![limit], vec![most, optional]] {
        let mut rules = added;
        rules.extend(shipped());
        assert!(changed(rules) <= 1);
    }
}

#[test]
fn the_order_of_rules_changes_no_case() {
    let most = rule(
        "spec.name",
        "maxLength=9",
        &[("on", false, Some(json!("nine-long"))), ("above", true, Some(json!("ten-as-long")))],
    );
    let all: Vec<Rule> = shipped().into_iter().chain([most]).collect();
    let sound = by_field(&generator(all.clone(), settings(all.clone())));
    let turned = generator(all.iter().rev().cloned().collect(), settings(all));
    assert_eq!(sound, by_field(&turned));
}

#[test]
fn a_new_rule_that_nothing_breaks_changes_no_case() {
    let optional = rule("spec.name", "optional", &[("unset", false, None), ("set", false, Some(json!("set")))]);
    // No number of the type is below its smallest.
    let least = [("below", true, Some(json!(-2_147_483_649_i64))), ("on", false, Some(json!(-2_147_483_648_i64)))];
    let least = rule("spec.count", "minimum=-2147483648", &least);
    let rules = shipped().into_iter().chain([optional, least]).collect();
    let [sound, other] = [shipped(), rules].map(|rules| generator(rules, settings(shipped())));
    let all = |generator: &Generator| cases(generator).into_iter().map(|made| made.case).collect::<Vec<_>>();
    assert_eq!(all(&sound), all(&other));
    // What another rule or the type has tried there shows its classes, too.
    let shown: Vec<(u32, usize)> = cases(&other)
        .iter()
        .flat_map(|case| case.planted.iter().map(|planted| (planted.rule.0, planted.class)))
        .filter(|(rule, _)| *rule >= 5)
        .collect();
    assert!(shown.contains(&(5, 0)) && shown.contains(&(6, 1)), "{shown:?}");
}

#[test]
fn a_field_shows_the_classes_of_a_rule_that_it_has_lost() {
    let generator = generator(shipped().split_off(1), settings(shipped()));
    let all = cases(&generator);
    assert!(all.iter().any(|case| note(case) == "spec.name required: unset"));
    assert!(all.iter().any(|case| note(case) == "spec.name required: unset (kept)"));
}

#[test]
fn a_stream_of_bytes_makes_cases_of_the_rules_under_test() {
    let generator = generator(shipped(), settings(Vec::new()));
    let planted =
        (0..=u8::MAX).map(|byte| generator.case_of(&[byte.wrapping_mul(37); 64])).any(|case| !case.planted.is_empty());
    assert!(planted);
}

#[test]
fn lists_have_duplicates_and_bad_items_behind_good_ones_without_any_rule() {
    let generator = generator(Vec::new(), settings(Vec::new()));
    let (mut whole, mut by_key, mut behind) = (false, false, false);
    for case in cases(&generator) {
        let parts = objects(&case).0["spec"]["parts"].as_array().cloned().unwrap_or_default();
        if let [first, second, ..] = parts.as_slice() {
            whole |= first == second;
            by_key |= first != second && first["name"] == second["name"];
            behind |= first["size"].as_i64().is_some_and(|size| size > 0) && second["size"] == -1;
        }
    }
    assert!(whole && by_key && behind, "{whole} {by_key} {behind}");
}

#[test]
fn types_alone_give_empty_absent_and_odd_values() {
    let generator = generator(Vec::new(), settings(Vec::new()));
    let all: Vec<Value> = cases(&generator).iter().map(|case| objects(case).0["spec"].clone()).collect();
    for (name, value) in [
        ("name", json!("")),
        ("name", Value::Null),
        ("name", json!("Unknown-1")),
        ("mode", json!(" ")),
        ("mode", json!("\u{e9}")),
        ("count", json!(-1)),
        ("count", json!(0)),
        ("count", json!(i32::MAX)),
        ("parts", json!([])),
        ("labels", json!({})),
    ] {
        assert!(all.iter().any(|spec| spec[name] == value), "{name} {value}");
    }
}

fn check(path: &str, error_type: ErrorType, limit: Option<i64>, values: &[&str]) -> Check {
    Check {
        error: ErrorShape { error_type, field: path.to_owned(), origin: String::new() },
        operations: Operation::ALL.to_vec(),
        covered: false,
        limit,
        values: values.iter().map(|value| (*value).to_owned()).collect(),
    }
}

#[test]
fn checks_of_the_reference_have_their_limits_and_values_tried() {
    let mut settings = settings(Vec::new());
    settings.checks = vec![
        check("spec.name", ErrorType::TooLong, Some(40), &[]),
        check("spec.mode", ErrorType::NotSupported, None, &["Recreate"]),
        check("spec.count", ErrorType::Invalid, Some(77), &[]),
        check("spec.parts", ErrorType::TooMany, Some(5), &[]),
        check("spec.nowhere", ErrorType::Required, None, &[]),
    ];
    let generator = generator(Vec::new(), settings);
    let systematic: Vec<GeneratedCase<'static>> = cases(&generator);
    let systematic = systematic.iter().take(usize::try_from(generator.systematic_len()).unwrap());
    let specs: Vec<Value> = systematic.map(|case| objects(case).0["spec"].clone()).collect();
    let any = |holds: &dyn Fn(&Value) -> bool| specs.iter().any(holds);
    let name = |letters: usize, bytes: usize| {
        any(&|spec| spec["name"].as_str().is_some_and(|name| (name.chars().count(), name.len()) == (letters, bytes)))
    };
    assert!(name(40, 40) && name(41, 41) && name(40, 80) && name(21, 42) && name(20, 40));
    for mode in ["Recreate", "rECREATE", "Unknown-1"] {
        assert!(any(&|spec| spec["mode"] == mode), "{mode}");
    }
    for count in [76, 77, 78] {
        assert!(any(&|spec| spec["count"] == count), "{count}");
    }
    for len in [5, 6] {
        let distinct = |spec: &Value| {
            let parts = spec["parts"].as_array().cloned().unwrap_or_default();
            parts.len() == len && parts.iter().skip(1).all(|part| part != &parts[0])
        };
        assert!(any(&distinct), "{len}");
    }
}

#[test]
fn a_subject_that_is_only_updated_has_no_creates() {
    let mut settings = settings(shipped());
    settings.updates_only = true;
    settings.checks = vec![check("spec.name", ErrorType::TooLong, Some(40), &[])];
    let generator = generator(shipped(), settings);
    let all = cases(&generator);
    assert!(all.iter().all(|case| case.case.operation == Operation::Update));
    assert!(all.iter().flat_map(|case| &case.planted).all(|planted| planted.mode != Mode::Created));
}
