//! Classes of rules, planted in objects.

use super::fixture::{field, first, generator, objects, recorded, rule, rules, schema, settings, share};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use takeover_corpora::generate::{GeneratedCase, Generator, Health, Mode};
use takeover_harness::case::{Operation, Provenance};
use takeover_harness::rule::{Rule, RuleId, Sample};
use takeover_harness::schema::{Kind, Schema, Struct};

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

/// A kind with so many fields that each class alone would be a long first round.
fn wide(fields: u32) -> Generator {
    let mut schema = Schema::new();
    let int32 = schema.add("int32", Kind::Int { bits: 32, signed: true });
    let pointer = schema.add("*int32", Kind::Pointer(int32));
    let members = (0..fields).map(|at| field(&format!("f{at}"), pointer, true)).collect();
    let spec = schema.add("Spec", Kind::Struct(Struct::new(members)));
    let root = schema.add("Wide", Kind::Struct(Struct::new(vec![field("spec", spec, true)])));
    schema.link();
    let classes = [("below", true, Some(json!(-1))), ("on", false, Some(json!(0))), ("above", false, Some(json!(1)))];
    let rules: Vec<Rule> =
        (0..fields).map(|at| rule(at, &format!("spec.f{at}"), "minimum=0", false, &classes)).collect();
    Generator::new(Arc::new(schema), root, &rules, Vec::new(), settings())
}

#[test]
fn a_long_first_round_begins_with_cases_that_show_many_classes() {
    const FIELDS: u32 = 800;
    let generator = wide(FIELDS);
    assert!(generator.systematic_len() > 16_384);
    let mut shown = HashSet::new();
    // Six classes a case; the last of each sort stand with fewer.
    for generated in first(&generator, u64::from(FIELDS) * 3 / 6 + 2) {
        let (object, _) = objects(&generated);
        for planted in &generated.planted {
            // What breaks a constraint keeps expressions from being evaluated, and stands with its like.
            assert_eq!(planted.breaks, generated.planted[0].breaks, "{}", generated.case.provenance);
            let sample = [-1, 0, 1][planted.class];
            assert_eq!(object["spec"][format!("f{}", planted.rule.0)], sample, "{}", generated.case.provenance);
            shown.insert((planted.rule, planted.class));
        }
    }
    assert_eq!(shown.len(), FIELDS as usize * 3);
    // After these, each class stands alone.
    let alone = first(&generator, generator.systematic_len()).into_iter().filter(|case| case.planted.len() == 1);
    let alone: HashSet<_> = alone.map(|case| (case.planted[0].rule, case.planted[0].class)).collect();
    assert_eq!(alone.len(), FIELDS as usize * 3);
}

/// The systematic cases that show a class of one rule and nothing else.
fn single(generator: &Generator) -> Vec<GeneratedCase<'static>> {
    let mut cases = first(generator, generator.systematic_len());
    cases.retain(|case| case.planted.len() == 1 && case.deviations == 0);
    cases
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
        let cases: Vec<GeneratedCase<'static>> = (10..60).flat_map(|number| generator.chunk(number, 3)).collect();
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

#[test]
fn a_sample_of_an_expression_changes_what_it_reads_and_nothing_beside_it() {
    let (schema, root) = schema();
    let samples = [("small", false, Some(json!({"spec": {"replicas": 1, "when": null}})))];
    let of_object = |tag: &str| Rule { tag: tag.to_owned(), ..rule(0, "", "a rule", false, &samples) };
    let stored = json!({"metadata": {"name": "a"}, "spec": {"replicas": 7, "mode": "On", "when": "2024-01-01T00:00:00Z",
        "source": {"file": "f"}}});
    let shown = |tag: &str| {
        let mut settings = settings();
        settings.grown_percent = 0;
        let generator = Generator::new(schema.clone(), root, &[of_object(tag)], vec![stored.clone()], settings);
        let case = generator.showing(RuleId(0), 0, Mode::Created, 1).unwrap();
        assert_eq!(case.planted.len(), 1);
        case.case.object.to_value().unwrap()["spec"].clone()
    };
    assert_eq!(shown("cel"), json!({"replicas": 1, "mode": "On", "source": {"file": "f"}}));
    // Samples of other rules say all of what they put there.
    assert_eq!(shown("union")["mode"], Value::Null);
    let generator = generator(recorded());
    assert!(generator.showing(RuleId(999), 0, Mode::Created, 1).is_none(), "there is no such rule");
}

#[test]
fn rules_of_a_field_take_turns_and_first_show_a_value_that_breaks_them_and_one_that_keeps_them() {
    let (schema, root) = schema();
    let samples: Vec<(String, bool, Option<Value>)> =
        (1..8).map(|number| (format!("{number}"), number > 4, Some(json!(number)))).collect();
    let samples: Vec<(&str, bool, Option<Value>)> =
        samples.iter().map(|(class, breaks, sample)| (class.as_str(), *breaks, sample.clone())).collect();
    let rules = [0, 1, 2].map(|id| rule(id, "spec.replicas", &format!("rule {id}"), false, &samples));
    let generator = Generator::new(schema, root, &rules, recorded(), settings());
    let cases = first(&generator, generator.systematic_len());
    let shown: Vec<(u32, usize)> = cases
        .iter()
        .filter_map(|case| case.planted.first())
        .take(rules.len() * 3)
        .map(|planted| (planted.rule.0, planted.class))
        .collect();
    // The fifth class is the first that breaks a rule.
    let expected = [4, 0, 1].into_iter().flat_map(|class| (0..3).map(move |rule| (rule, class)));
    assert_eq!(shown, expected.collect::<Vec<_>>());
}
