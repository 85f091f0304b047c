//! The generator over a small hand-made type graph with hand-made rules.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests may stop at the first surprise")]

use arbitrary::Unstructured;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use takeover_corpora::generate::{GeneratedCase, Generator, GeneratorSettings, Health, Mode};
use takeover_harness::case::{Operation, Provenance};
use takeover_harness::object::{Arena, from_value};
use takeover_harness::rule::{Boundary, Rule, RuleId, Sample, Unreachable};
use takeover_harness::schema::{Field, Kind, Presence, Schema, Struct, TypeId, WellKnown};
use takeover_harness::subject::SubjectId;

fn field(json_name: &str, ty: TypeId, omit_empty: bool) -> Field {
    let presence = if json_name.is_empty() { Presence::Inlined } else { Presence::Named };
    Field { go_name: "Field".into(), json_name: json_name.into(), ty, presence, omit_empty, default: None }
}

/// A set of things: `metadata`, `spec {replicas *int32, mode Mode, sizes []Size, limits map[string]Quantity, when Time,
/// source *Source (a union of two), parent *Spec}`.
fn schema() -> (Arc<Schema>, TypeId) {
    let mut schema = Schema::new();
    let text = schema.add("string", Kind::Text);
    let int32 = schema.add("int32", Kind::Int { bits: 32, signed: true });
    let int_pointer = schema.add("*int32", Kind::Pointer(int32));
    let labels = schema.add("map[string]string", Kind::Map { key: text, value: text });
    let texts = schema.add("[]string", Kind::List(text));
    let quantity = schema.add("Quantity", Kind::WellKnown(WellKnown::Quantity));
    let limits = schema.add("map[string]Quantity", Kind::Map { key: text, value: quantity });
    let time = schema.add("Time", Kind::WellKnown(WellKnown::Time));
    let owner =
        schema.add("Owner", Kind::Struct(Struct::new(vec![field("name", text, false), field("uid", text, false)])));
    let owners = schema.add("[]Owner", Kind::List(owner));
    let type_meta = schema
        .add("TypeMeta", Kind::Struct(Struct::new(vec![field("kind", text, true), field("apiVersion", text, true)])));
    let object_meta = schema.add(
        "ObjectMeta",
        Kind::Struct(Struct::new(vec![
            field("name", text, true),
            field("generateName", text, true),
            field("namespace", text, true),
            field("resourceVersion", text, true),
            field("labels", labels, true),
            field("annotations", labels, true),
            field("finalizers", texts, true),
            field("ownerReferences", owners, true),
        ])),
    );
    let mode = schema.add("Mode", Kind::Named(text));
    let size =
        schema.add("Size", Kind::Struct(Struct::new(vec![field("name", text, false), field("count", int32, false)])));
    let sizes = schema.add("[]Size", Kind::List(size));
    let source = schema.add(
        "Source",
        Kind::Struct(Struct::new(vec![field("file", text, true), field("url", text, true), field("note", text, true)])),
    );
    let source_pointer = schema.add("*Source", Kind::Pointer(source));
    let spec = schema.add("Spec", Kind::Unresolved);
    let parent = schema.add("*Spec", Kind::Pointer(spec));
    schema.define(
        spec,
        Kind::Struct(Struct::new(vec![
            field("replicas", int_pointer, true),
            field("mode", mode, true),
            field("sizes", sizes, true),
            field("limits", limits, true),
            field("when", time, true),
            field("source", source_pointer, true),
            field("parent", parent, true),
            field("scratch", labels, true),
        ])),
    );
    let root = schema.add(
        "Set",
        Kind::Struct(Struct::new(vec![
            field("", type_meta, false),
            field("metadata", object_meta, true),
            field("spec", spec, true),
        ])),
    );
    schema.link();
    (Arc::new(schema), root)
}

fn rule(id: u32, path: &str, chain: &str, update_only: bool, boundaries: &[(&str, bool, Option<Value>)]) -> Rule {
    Rule {
        update_only,
        boundaries: boundaries
            .iter()
            .map(|(class, breaks, sample)| Boundary {
                class: (*class).to_owned(),
                breaks: *breaks,
                sample: sample.clone().map_or(Sample::Absent, Sample::Value),
                options: Vec::new(),
            })
            .collect(),
        ..Rule::new(RuleId(id), path, chain)
    }
}

fn rules() -> Vec<Rule> {
    let mut rules = vec![
        rule(
            0,
            "spec.replicas",
            "minimum=0",
            false,
            &[
                ("below", true, Some(json!(-1))),
                ("on", false, Some(json!(0))),
                ("above", false, Some(json!(1))),
                ("far below", true, Some(json!(i32::MIN))),
            ],
        ),
        rule(1, "spec.replicas", "required", false, &[("unset", true, None), ("set", false, Some(json!(1)))]),
        rule(
            2,
            "spec.mode",
            "enum",
            false,
            &[("first", false, Some(json!("Fast"))), ("unknown", true, Some(json!("Odd")))],
        ),
        rule(
            3,
            "spec.sizes[*].count",
            "maximum=9",
            false,
            &[("on", false, Some(json!(9))), ("above", true, Some(json!(10)))],
        ),
        rule(
            4,
            "metadata.name",
            "immutable",
            true,
            &[("one", true, Some(json!("one"))), ("two", true, Some(json!("two"))), ("unset", true, None)],
        ),
        rule(
            5,
            "spec.source",
            "unionMember",
            false,
            &[
                ("none", true, Some(json!({}))),
                ("file", false, Some(json!({"file": "f"}))),
                ("url", false, Some(json!({"url": "u"}))),
                ("both", true, Some(json!({"file": "f", "url": "u"}))),
            ],
        ),
        rule(
            6,
            "metadata.labels",
            "eachKey=format=k8s-label-key",
            false,
            &[("good", false, Some(json!("a/b"))), ("bad", true, Some(json!("-a")))],
        ),
        rule(7, "spec.limits[*]", "eachVal=required", false, &[("zero", true, Some(json!("0")))]),
        rule(8, "spec.nowhere", "required", false, &[("unset", true, None)]),
        rule(9, "metadata.finalizers", "maxItems=1", false, &[("above", true, Some(json!(["a/b", "a/c"])))]),
    ];
    rules[2].options = vec![("Fast".to_owned(), true)];
    rules[2].unreachable = vec![Unreachable::new("empty", "stopped by `required`")];
    rules
}

fn recorded() -> Vec<Value> {
    vec![
        json!({"metadata": {"name": "web", "namespace": "shop", "labels": {"app": "web"}},
            "spec": {"replicas": 3, "mode": "Slow", "sizes": [{"name": "a", "count": 1}, {"name": "b", "count": 2}], "limits": {"cpu": "1"},
                     "source": {"file": "x", "note": "kept"}, "scratch": {"a": "b"}}}),
        json!({"metadata": {"name": "db", "namespace": "shop"}, "spec": {"replicas": 0, "mode": "Fast"}}),
    ]
}

fn settings() -> GeneratorSettings {
    let mut settings = GeneratorSettings::new(SubjectId::new("example.com/v1", "Set"), 7);
    settings.chunk_size = 100;
    settings
}

fn generator(recorded: Vec<Value>) -> Generator {
    let (schema, root) = schema();
    Generator::new(schema, root, &rules(), recorded, settings())
}

fn objects(generated: &GeneratedCase) -> (Value, Option<Value>) {
    (generated.case.object.to_value().unwrap(), generated.case.old.as_ref().map(|old| old.to_value().unwrap()))
}

fn first(generator: &Generator, count: u64) -> Vec<GeneratedCase> {
    (0..count.div_ceil(100))
        .flat_map(|number| generator.chunk(number, 5))
        .take(usize::try_from(count).unwrap())
        .collect()
}

#[test]
fn the_same_seed_gives_the_same_cases() {
    let (one, two) = (generator(recorded()), generator(recorded()));
    assert_eq!(first(&one, 700), first(&two, 700));
}

#[test]
fn another_seed_gives_other_cases() {
    let generator = generator(recorded());
    let objects = |seed| generator.chunk(50, seed).map(|case| objects(&case)).collect::<Vec<_>>();
    assert_ne!(objects(1), objects(2));
}

#[test]
fn chunks_do_not_depend_on_the_order_they_are_made_in() {
    let generator = generator(recorded());
    let forward: Vec<Vec<GeneratedCase>> = (0..6).map(|number| generator.chunk(number, 9).collect()).collect();
    let mut backward: Vec<Vec<GeneratedCase>> =
        (0..6).rev().map(|number| generator.chunk(number, 9).collect()).collect();
    backward.reverse();
    assert_eq!(forward, backward);
    let random = |number: usize| forward[number].iter().map(objects).collect::<Vec<_>>();
    assert_ne!(random(4), random(5), "chunks of one seed differ");
}

#[test]
fn every_rule_class_and_operation_is_planted_by_the_systematic_cases() {
    let generator = generator(recorded());
    let mut health = Health::default();
    let cases = first(&generator, generator.systematic_len());
    cases.iter().for_each(|case| health.observe(case));
    for rule in rules().iter().filter(|rule| rule.path != "spec.nowhere") {
        for (class, boundary) in rule.boundaries.iter().enumerate() {
            for operation in Operation::ALL {
                assert!(health.times(rule.id, class, operation) > 0, "{} {} {operation}", rule.chain, boundary.class);
            }
        }
    }
    let (reached, all) = health.reached(&rules(), &Operation::ALL);
    assert_eq!(all - reached, 2, "only the rule without a place is missing");
    assert_eq!(generator.unplantable().map(|rule| rule.path.as_str()).collect::<Vec<_>>(), ["spec.nowhere"]);
}

#[test]
fn a_case_can_be_made_again_alone() {
    let generator = generator(recorded());
    for number in [0, 1, 40] {
        for (index, case) in (0..).zip(generator.chunk(number, 11)).step_by(9) {
            assert_eq!(generator.case(number, 11, index), Some(case), "{number} {index}");
        }
    }
    assert_eq!(generator.case(0, 11, 100), None);
}

/// The systematic cases that show a class of one rule and nothing else.
fn single(generator: &Generator) -> Vec<GeneratedCase> {
    let mut cases = first(generator, generator.systematic_len());
    cases.retain(|case| case.planted.len() == 1 && case.deviations == 0);
    cases
}

/// The cases of a random chunk of which those are kept that `keep` chooses by their index.
fn kept(generator: &Generator, keep: impl Fn(u64) -> bool) -> Vec<GeneratedCase> {
    let mut chunk = generator.chunk(40, 11);
    let mut cases = Vec::new();
    while let Some(case) = chunk.next() {
        let index = cases.len() as u64;
        if keep(index) {
            chunk.keep(index);
        }
        cases.push(case);
    }
    cases
}

#[test]
fn cases_that_are_kept_as_late_as_may_be_give_the_same_cases() {
    let generator = generator(recorded());
    let systematic = generator.systematic_len();
    let (last, within) = (systematic / 100, systematic % 100);
    assert!((10..90).contains(&within), "{systematic} end within a chunk");
    for (number, least, most) in [(0, 64, 64), (last, within.min(64), 64), (40, 2, 30)] {
        let keep = |index: u64| index % 3 == 1;
        let mut at_once = generator.chunk(number, 11);
        let mut late = generator.chunk(number, 11);
        let (mut index, mut longest) = (0, 0);
        loop {
            let ahead = late.ahead();
            longest = ahead.max(longest);
            let made: Vec<GeneratedCase> = late.by_ref().take(usize::try_from(ahead).unwrap()).collect();
            let these = index..index + made.len() as u64;
            these.clone().filter(|index| keep(*index)).for_each(|index| late.keep(index));
            for (index, case) in these.clone().zip(&made) {
                assert_eq!(at_once.next().as_ref(), Some(case), "{number} {index}");
                if keep(index) {
                    at_once.keep(index);
                }
            }
            index = these.end;
            if made.is_empty() {
                break;
            }
        }
        assert!(index == 100 && (least..=most).contains(&longest), "{number}: {index} {longest}");
    }
}

/// The index of the case that this one is made like.
fn model(case: &GeneratedCase) -> Option<u64> {
    let Provenance::Generated { planted, .. } = &case.case.provenance else { return None };
    planted.rsplit_once("like case ").map(|(_, index)| index.parse().unwrap())
}

#[test]
fn one_in_four_cases_of_a_field_has_most_of_the_choices_of_a_kept_one_and_the_others_are_as_without() {
    let mut settings = settings();
    settings.chunk_size = 2_000;
    let (schema, root) = schema();
    let generator = Generator::new(schema, root, &rules(), recorded(), settings);
    let without = kept(&generator, |_| false);
    assert!(without.iter().all(|case| model(case).is_none()));
    let mut chunk = generator.chunk(40, 11);
    let fields: Vec<u64> = std::iter::from_fn(|| chunk.next().map(|_| chunk.field())).collect();
    let rich = without.iter().position(|case| case.planted.len() == 1 && case.deviations == 0).unwrap();
    let with = kept(&generator, |index| index == rich as u64);
    let (alike, others): (Vec<_>, Vec<_>) = (0..).zip(&with).partition(|(_, case)| model(case).is_some());
    assert!(alike.iter().all(|(index, case)| *index > rich && model(case) == Some(rich as u64)));
    assert!(alike.iter().all(|(index, _)| fields[*index] == fields[rich]));
    let of_field = fields.iter().skip(rich + 1).filter(|field| **field == fields[rich]).count();
    assert!(of_field > 12 && alike.len().abs_diff(of_field / 4) < 2, "{} of {of_field}", alike.len());
    assert!(others.iter().all(|(index, case)| without[*index] == **case));
    let same_plants = alike.iter().filter(|(_, case)| case.planted == without[rich].planted).count();
    assert!(same_plants * 4 > alike.len(), "{same_plants} of {} plant the same", alike.len());
    let changed = alike.iter().filter(|(_, case)| objects(case) != objects(&without[rich])).count();
    assert!(changed * 4 > alike.len(), "{changed} of {} are other cases", alike.len());
}

#[test]
fn the_same_cases_kept_give_the_same_cases_whatever_other_chunks_keep() {
    let generator = generator(recorded());
    let first = kept(&generator, |index| index % 7 == 3);
    kept(&generator, |_| true);
    assert_eq!(kept(&generator, |index| index % 7 == 3), first);
}

#[test]
fn the_thirty_two_cases_of_a_field_that_were_kept_last_serve() {
    let generator = generator(recorded());
    let cases = kept(&generator, |_| true);
    let mut chunk = generator.chunk(40, 11);
    let fields: Vec<u64> = std::iter::from_fn(|| chunk.next().map(|_| chunk.field())).collect();
    let distances: Vec<usize> = (0..)
        .zip(&cases)
        .filter_map(|(index, case): (usize, _)| {
            let model = usize::try_from(model(case)?).unwrap();
            Some(fields[model..index].iter().filter(|field| **field == fields[index]).count())
        })
        .collect();
    assert!(distances.iter().all(|distance| (1..=32).contains(distance)), "{distances:?}");
    assert!(distances.iter().any(|distance| *distance > 3), "{distances:?}");
}

/// The value a planted sample should read back as.
fn planted_value(object: &Value, path: &str) -> Vec<Option<Value>> {
    fn walk(value: Option<&Value>, segments: &[&str], out: &mut Vec<Option<Value>>) {
        let Some((first, rest)) = segments.split_first() else {
            out.push(value.cloned());
            return;
        };
        let (name, each) = first.strip_suffix("[*]").map_or((*first, false), |name| (name, true));
        let inner = value.and_then(|value| value.get(name));
        match inner {
            Some(Value::Array(items)) if each => items.iter().for_each(|item| walk(Some(item), rest, out)),
            Some(Value::Object(members)) if each => members.values().for_each(|member| walk(Some(member), rest, out)),
            _ => walk(inner, rest, out),
        }
    }
    let mut out = Vec::new();
    walk(Some(object), &path.split('.').collect::<Vec<_>>(), &mut out);
    out
}

#[test]
fn planted_values_stand_where_their_mode_says() {
    let generator = generator(recorded());
    let rules = rules();
    let mut seen = HashSet::new();
    for generated in single(&generator) {
        let [planted] = generated.planted.as_slice() else { unreachable!("of one rule") };
        let rule = &rules[planted.rule.index()];
        // Keys and unions are merged with what is there; they have tests of their own.
        if ["metadata.labels", "spec.source"].contains(&rule.path.as_str()) {
            continue;
        }
        let sample = match &rule.boundaries[planted.class].sample {
            Sample::Absent => None,
            Sample::Value(value) => Some(value.clone()),
            Sample::Beside(_) => unreachable!("no rule of these has such a sample"),
        };
        let (new, old) = objects(&generated);
        let holds = |object: &Value| planted_value(object, &rule.path).contains(&sample);
        let what = format!("{} {:?}: {new} {old:?}", rule.chain, planted);
        assert_eq!(generated.case.operation, planted.mode.operation(), "{what}");
        match planted.mode {
            Mode::Created => assert!(holds(&new) && old.is_none(), "{what}"),
            Mode::Kept => assert!(holds(&new) && old.as_ref() == Some(&new) && generated.unchanged, "{what}"),
            Mode::KeptBeside => assert!(holds(&new) && old.as_ref() != Some(&new), "{what}"),
            Mode::Changed | Mode::Appeared => assert!(holds(&new) && old.as_ref() != Some(&new), "{what}"),
            Mode::Mended => assert!(holds(old.as_ref().unwrap()) && old.as_ref() != Some(&new), "{what}"),
            Mode::Reordered => {
                let mut before = sample.clone().unwrap();
                before.as_array_mut().unwrap().reverse();
                let was = planted_value(old.as_ref().unwrap(), &rule.path).contains(&Some(before));
                assert!(holds(&new) && was && old.as_ref() != Some(&new), "{what}");
            }
        }
        seen.insert(planted.mode);
    }
    assert_eq!(seen.len(), Mode::ALL.len());
}

#[test]
fn rules_of_updates_see_every_pair_of_their_classes() {
    let generator = generator(recorded());
    let mut pairs = HashSet::new();
    for generated in single(&generator) {
        if generated.planted[0].rule == RuleId(4)
            && let (new, Some(old)) = objects(&generated)
        {
            pairs.insert((new["metadata"]["name"].to_string(), old["metadata"]["name"].to_string()));
        }
    }
    for pair in [("\"one\"", "\"two\""), ("\"two\"", "\"one\""), ("null", "\"one\""), ("\"two\"", "null")] {
        assert!(pairs.contains(&(pair.0.to_owned(), pair.1.to_owned())), "{pair:?}");
    }
}

#[test]
fn a_sample_of_a_union_decides_about_its_members_and_no_others() {
    let generator = generator(vec![recorded().swap_remove(0)]);
    let created = |generated: &&GeneratedCase| {
        generated.planted[0].rule == RuleId(5) && generated.planted[0].mode == Mode::Created
    };
    let cases = single(&generator);
    let sources: Vec<Value> =
        cases.iter().filter(created).map(|generated| objects(generated).0["spec"]["source"].clone()).collect();
    // Now and then the base is grown and has no note.
    let with_note = |members: Value| {
        let mut members = members;
        members["note"] = json!("kept");
        members
    };
    for (source, members) in
        sources.iter().zip([json!({}), json!({"file": "f"}), json!({"url": "u"}), json!({"file": "f", "url": "u"})])
    {
        assert!(*source == members || *source == with_note(members.clone()), "{source} for {members}");
    }
    assert!(sources.iter().any(|source| source["note"] == "kept"));
}

#[test]
fn a_sample_of_a_key_is_planted_beside_the_other_entries() {
    let generator = generator(recorded());
    let bad = single(&generator)
        .into_iter()
        .find(|generated| generated.planted[0].rule == RuleId(6) && generated.planted[0].class == 1)
        .unwrap();
    assert!(objects(&bad).0["metadata"]["labels"].as_object().unwrap().contains_key("-a"));
}

#[test]
fn a_path_may_name_the_go_type_of_an_inlined_struct() {
    let (schema, root) = schema();
    let rule = rule(0, "metav1.TypeMeta.kind", "maxLength=3", false, &[("long", true, Some(json!("long")))]);
    let generator = Generator::new(schema, root, &[rule], recorded(), settings());
    assert_eq!(generator.unplantable().count(), 0);
    assert_eq!(objects(&generator.case(0, 1, 0).unwrap()).0["kind"], "long");
}

#[test]
fn a_rule_without_samples_has_its_place_deviated() {
    let (schema, root) = schema();
    let at_rule = |rules: &[Rule]| {
        let generator = Generator::new(schema.clone(), root, rules, recorded(), settings());
        let cases: Vec<GeneratedCase> = (10..60).flat_map(|number| generator.chunk(number, 3)).collect();
        share(
            &cases,
            |case| matches!(&case.case.provenance, Provenance::Generated { planted, .. } if planted.contains("spec.sizes")),
        )
    };
    let (anywhere, directed) = (at_rule(&[]), at_rule(&[rule(0, "spec.sizes", "listType=set", false, &[])]));
    assert!(directed > 4.0 * anywhere, "{directed} {anywhere}");
}

#[test]
fn texts_and_keys_that_the_caller_knows_are_used() {
    let (schema, root) = schema();
    let mut settings = settings();
    settings.texts = vec![("mode".to_owned(), vec!["KnownMode".to_owned()])];
    settings.keys = vec![("annotations".to_owned(), vec!["known.example.com/key".to_owned()])];
    let generator = Generator::new(schema, root, &rules(), recorded(), settings);
    let mut found = (false, false);
    for generated in (10..110).flat_map(|number| generator.chunk(number, 3)) {
        let (new, _) = objects(&generated);
        found.0 |= new["spec"]["mode"] == "KnownMode";
        found.1 |= !new["metadata"]["annotations"]["known.example.com/key"].is_null();
    }
    assert_eq!(found, (true, true));
}

#[test]
fn options_of_a_rule_are_on_where_it_is_planted_and_off_for_comparison() {
    let generator = generator(recorded());
    let mut states = BTreeMap::new();
    for generated in single(&generator) {
        let on = generated.case.options.get("Fast").unwrap();
        if generated.planted[0].rule == RuleId(2) {
            *states.entry(on).or_insert(0) += 1;
        }
    }
    assert!(states[&true] >= 12 && states[&false] >= 4, "{states:?}");
}

/// The hand-made rules, judged by hand; updates by the new object alone.
fn is_valid(object: &Value) -> bool {
    let spec = &object["spec"];
    let source = &spec["source"];
    let set = |value: &Value| value.as_str().is_some_and(|text| !text.is_empty());
    spec["replicas"].as_i64().is_some_and(|replicas| replicas >= 0)
        && (spec["mode"].is_null() || ["Fast", "Slow"].contains(&spec["mode"].as_str().unwrap_or_default()))
        && spec["sizes"]
            .as_array()
            .is_none_or(|sizes| sizes.iter().all(|size| size["count"].as_i64().unwrap_or(0) <= 9))
        && (source.is_null() || set(&source["file"]) != set(&source["url"]))
        && object["metadata"]["name"].as_str().is_some_and(|name| !name.is_empty())
}

fn share(cases: &[GeneratedCase], holds: impl Fn(&GeneratedCase) -> bool) -> f64 {
    let count = |n: usize| f64::from(u32::try_from(n).unwrap());
    count(cases.iter().filter(|case| holds(case)).count()) / count(cases.len())
}

#[test]
fn most_random_cases_decode_and_about_half_are_valid() {
    let (schema, root) = schema();
    let generator = generator(recorded());
    let cases: Vec<GeneratedCase> = (10..60).flat_map(|number| generator.chunk(number, 3)).collect();
    let decodes = share(&cases, |case| {
        let (new, old) = objects(case);
        [Some(new), old].iter().flatten().all(|value| from_value(&schema, root, value, &Arena::new()).is_ok())
    });
    assert!(decodes > 0.93, "{decodes}");
    let valid = share(&cases, |case| is_valid(&objects(case).0));
    assert!((0.5..0.9).contains(&valid), "{valid}");
    let updates = share(&cases, |case| case.case.operation == Operation::Update);
    assert!((0.45..0.55).contains(&updates), "{updates}");
    let unchanged = share(&cases, |case| case.unchanged);
    assert!((0.02..0.3).contains(&unchanged), "{unchanged}");
}

#[test]
fn clean_cases_keep_the_rules() {
    for recorded in [recorded(), Vec::new()] {
        let generator = generator(recorded);
        let cases: Vec<GeneratedCase> = (10..40).flat_map(|number| generator.chunk(number, 3)).collect();
        for generated in cases.iter().filter(|case| case.is_clean() && case.planted.is_empty()) {
            let (new, old) = objects(generated);
            assert!(is_valid(&new), "{new}");
            assert!(old.as_ref().is_none_or(is_valid), "{old:?}");
        }
    }
}

#[test]
fn cases_marked_unchanged_are_and_no_others() {
    let generator = generator(recorded());
    for generated in (10..40).flat_map(|number| generator.chunk(number, 3)) {
        let (new, old) = objects(&generated);
        if generated.unchanged {
            assert_eq!(Some(new), old);
        } else if generated.planted.is_empty() && generated.deviations == 0 {
            assert_ne!(Some(new), old);
        }
    }
}

#[test]
fn grown_objects_hold_what_rules_and_types_require() {
    let generator = generator(Vec::new());
    let plainest = generator.case_from(&mut Unstructured::new(&[]));
    assert_eq!(
        objects(&plainest).0,
        json!({"apiVersion": "example.com/v1", "kind": "Set", "metadata": {"name": "web"}, "spec": {"replicas": 0}})
    );
}

#[test]
fn deviations_reach_fields_outside_the_rules() {
    let generator = generator(recorded());
    let mut notes = HashSet::new();
    for generated in (10..110).flat_map(|number| generator.chunk(number, 3)) {
        if let Provenance::Generated { planted, .. } = &generated.case.provenance {
            notes.extend(planted.split("; ").map(|note| note.trim_end_matches(" (new)").to_owned()));
        }
    }
    for expected in [
        "metadata.name: another text",
        "metadata.name: removed",
        "metadata.labels: odd key added",
        "metadata.labels[*]: another text",
        "metadata.annotations: set",
        "metadata.finalizers: set",
        "metadata.ownerReferences: set",
        "metadata.namespace: emptied",
        "spec.sizes: item duplicated",
        "spec.sizes: items reversed",
        "spec.limits[*]: another value",
        "spec: removed",
        "spec.replicas: another number",
        "annotated",
        "relabelled throughout",
        "spec.when: set",
        "spec.replicas minimum=0: below",
    ] {
        assert!(notes.contains(expected), "{expected}");
    }
}

#[test]
fn quiet_places_are_seldom_deviated() {
    let count = |quiet: &[&str]| {
        let (schema, root) = schema();
        let mut settings = settings();
        settings.quiet = quiet.iter().map(|path| (*path).to_owned()).collect();
        let generator = Generator::new(schema, root, &rules(), recorded(), settings);
        let cases: Vec<GeneratedCase> = (10..60).flat_map(|number| generator.chunk(number, 3)).collect();
        share(
            &cases,
            |case| matches!(&case.case.provenance, Provenance::Generated { planted, .. } if planted.contains("spec.sizes[")),
        )
    };
    let (loud, quiet) = (count(&[]), count(&["spec.sizes"]));
    // A planted class names the place too, quiet or not.
    assert!(quiet < loud, "{quiet} {loud}");
}

#[test]
fn the_health_line_says_what_was_reached() {
    let generator = generator(recorded());
    let mut whole = Health::default();
    let (mut even, mut odd) = (Health::default(), Health::default());
    for (index, case) in first(&generator, 1_000).iter().enumerate() {
        whole.observe(case);
        if index % 2 == 0 { even.observe(case) } else { odd.observe(case) }
    }
    even.merge(&odd);
    assert_eq!(whole, even);
    assert_eq!(whole.cases, 1_000);
    let line = whole.summary(&rules(), &Operation::ALL);
    assert!(
        line.starts_with("1000 cases: ") && line.ends_with("of 41 classes reached, 1 more that no object can show"),
        "{line}"
    );
}

proptest! {
    #[test]
    fn any_stream_of_choices_makes_a_case(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let generator = generator(recorded());
        let generated = generator.case_from(&mut Unstructured::new(&bytes));
        let (new, old) = objects(&generated);
        prop_assert_eq!(old.is_some(), generated.case.operation == Operation::Update);
        prop_assert!(new.is_object());
        prop_assert_eq!(generator.case_from(&mut Unstructured::new(&bytes)), generated);
    }
}

#[test]
fn every_breaking_class_inside_another_one_is_planted_with_it_in_every_way() {
    let (schema, root) = schema();
    let inner = rule(1, "spec.source.note", "maxLength=3", false, &[("above", true, Some(json!("long")))]);
    let rules = [rules().swap_remove(5), inner, rules().swap_remove(0)];
    let generator = Generator::new(schema, root, &rules, recorded(), settings());
    let mut shown = BTreeMap::new();
    for generated in (0..10).flat_map(|number| generator.chunk(number, 3)) {
        let modes: Vec<Mode> = generated.planted.iter().map(|planted| planted.mode).collect();
        let alike = [Mode::Created, Mode::Changed, Mode::Kept].iter().any(|mode| modes == [*mode; 2]);
        if generated.deviations > 0 || !alike {
            continue;
        }
        // The union is the outer rule; `replicas` is beside both.
        let classes: Vec<_> = generated.planted.iter().map(|planted| (planted.rule, planted.class)).collect();
        if let [(RuleId(5), outer @ (0 | 3)), (RuleId(1), 0)] = classes.as_slice() {
            let (new, _) = objects(&generated);
            let source = &new["spec"]["source"];
            assert_eq!(source["note"], "long", "{new}");
            assert_eq!((source["file"] == "f", source["url"] == "u"), (*outer == 3, *outer == 3), "{new}");
            *shown.entry((*outer, generated.planted[0].mode)).or_insert(0) += 1;
        }
    }
    for outer in [0, 3] {
        for mode in [Mode::Created, Mode::Changed, Mode::Kept] {
            assert!(shown.contains_key(&(outer, mode)), "{outer} {mode}: {shown:?}");
        }
    }
}

#[test]
fn a_list_grows_around_a_planted_class() {
    let generator = generator(recorded());
    let mut grown = [0; 2];
    for generated in (10..210).flat_map(|number| generator.chunk(number, 3)) {
        let Provenance::Generated { planted, .. } = &generated.case.provenance else { continue };
        if planted.contains("maximum=9: above") && planted.contains("many items around") {
            let (new, old) = objects(&generated);
            let above = |object: &Value| {
                let counts = object["spec"]["sizes"]
                    .as_array()
                    .map_or(0, |sizes| sizes.iter().filter(|size| size["count"] == 10).count());
                counts >= 7
            };
            grown[0] += u32::from(above(&new));
            grown[1] += u32::from(old.as_ref().is_some_and(above));
        }
    }
    assert!(grown[0] > 0 && grown[1] > 0, "{grown:?}");
}
