//! What random cases are like.

use super::fixture::{first, generator, objects, recorded, rules, schema, settings, share};
use arbitrary::Unstructured;
use serde_json::{Value, json};
use std::collections::HashSet;
use takeover_corpora::generate::{GeneratedCase, Generator, Health};
use takeover_harness::case::{Operation, Payload, Provenance};
use takeover_harness::object::{Arena, Tree, from_value};

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

#[test]
fn most_random_cases_decode_and_about_half_are_valid() {
    let (schema, root) = schema();
    let generator = generator(recorded());
    let cases: Vec<GeneratedCase<'static>> = (10..60).flat_map(|number| generator.chunk(number, 3)).collect();
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
fn the_objects_of_an_update_share_what_no_change_touches() {
    let generator = generator(recorded());
    let arena = Arena::new();
    let mut updates = Vec::new();
    for number in 10..20 {
        let mut chunk = generator.chunk(number, 3).in_arena(&arena);
        updates.extend(std::iter::from_fn(|| chunk.make(&arena)).filter(|case| case.case.old.is_some()));
    }
    let is_shared = |one: &Tree<'_>, other: &Tree<'_>| match (one, other) {
        (Tree::Object(one), Tree::Object(other)) => {
            one.nth(0).zip(other.nth(0)).is_some_and(|((_, one), (_, other))| std::ptr::eq(one, other))
        }
        (Tree::Array(one), Tree::Array(other)) => std::ptr::eq(*one, *other),
        _ => false,
    };
    let shares = share(&updates, |case| match (&case.case.object, &case.case.old) {
        (Payload::Tree(Tree::Object(new)), Some(Payload::Tree(old))) => {
            new.iter().any(|(name, member)| old.get(name).is_some_and(|stored| is_shared(member, stored)))
        }
        _ => false,
    });
    assert!(shares > 0.8, "{shares}");
}

#[test]
fn null_is_tried_on_every_field_and_scalar_where_both_sides_set_defaults_and_not_as_an_item_with_members() {
    let (schema, root) = schema();
    let mut settings = settings();
    (settings.tries_null, settings.creates_only) = (true, true);
    let generator = Generator::new(schema, root, &[], recorded(), settings);
    let cases: Vec<Value> = first(&generator, 2_000).iter().map(|case| objects(case).0).collect();
    let has = |pointer: &str, value: &Value| cases.iter().any(|case| case.pointer(pointer) == Some(value));
    for pointer in ["/spec/replicas", "/spec/mode", "/spec/sizes", "/spec/limits", "/spec/sizes/0/count"] {
        assert!(has(pointer, &Value::Null), "{pointer}");
    }
    for (pointer, value) in [("/spec/replicas", json!(0)), ("/spec/mode", json!("")), ("/spec/sizes", json!([]))] {
        assert!(has(pointer, &value), "{pointer} {value}");
    }
    let is_null_inside = |pointer: &str| {
        let holds_null = |within: &Value| match within {
            Value::Array(items) => items.iter().any(Value::is_null),
            Value::Object(entries) => entries.values().any(Value::is_null),
            _ => false,
        };
        cases.iter().any(|case| case.pointer(pointer).is_some_and(holds_null))
    };
    assert!(is_null_inside("/spec/limits"));
    for pointer in ["/spec/sizes", "/metadata/labels", "/metadata/finalizers"] {
        assert!(!is_null_inside(pointer), "{pointer}");
    }
}

#[test]
fn clean_cases_keep_the_rules() {
    for recorded in [recorded(), Vec::new()] {
        let generator = generator(recorded);
        let cases: Vec<GeneratedCase<'static>> = (10..40).flat_map(|number| generator.chunk(number, 3)).collect();
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
        let cases: Vec<GeneratedCase<'static>> = (10..60).flat_map(|number| generator.chunk(number, 3)).collect();
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
