//! What single rules do not tell: bad values that become other ones, old values that change what a rule says, and the values of a field in
//! each mode of its struct.

use super::fixture::{field, first, objects, rule, settings};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::sync::Arc;
use takeover_corpora::generate::{Generator, GeneratorSettings};
use takeover_harness::rule::{Rule, Specificity};
use takeover_harness::schema::{Kind, Schema, Struct};

/// Enough to show everything that is planned of three fields.
const CASES: u64 = 600;

/// Updates and creates as pairs of `spec`.
fn specs(settings: GeneratorSettings, reads_old: bool) -> Vec<(Option<Value>, Value)> {
    specs_of(settings, [reads_old, false])
}

/// The same, with a size rule that reads the old value, or a mode that selects objects.
fn specs_of(settings: GeneratorSettings, [reads_old, selects]: [bool; 2]) -> Vec<(Option<Value>, Value)> {
    let mut schema = Schema::new();
    let (int, text, bool) = (
        schema.add("int64", Kind::Int { bits: 64, signed: true }),
        schema.add("string", Kind::Text),
        schema.add("bool", Kind::Bool),
    );
    let [size, mode, on] =
        [("*int64", int), ("*string", text), ("*bool", bool)].map(|(name, ty)| schema.add(name, Kind::Pointer(ty)));
    let members = vec![field("size", size, true), field("mode", mode, true), field("on", on, true)];
    let spec = schema.add("Spec", Kind::Struct(Struct::new(members)));
    let root = schema.add("Thing", Kind::Struct(Struct::new(vec![field("spec", spec, true)])));
    schema.link();
    let sizes = [("most", false, Some(json!(5))), ("more", true, Some(json!(6))), ("much", true, Some(json!(90)))];
    let modes = [("A", false, Some(json!("A"))), ("B", false, Some(json!("B"))), ("other", true, Some(json!("C")))];
    let rules = [
        Rule { reads_old, ..rule(0, "spec.size", "maximum=5", false, &sizes) },
        Rule {
            specificity: if selects { Specificity::Form } else { Specificity::Whole },
            selects,
            ..rule(1, "spec.mode", "enum", false, &modes)
        },
    ];
    let stored = vec![json!({"spec": {"size": 1, "mode": "A", "on": true}})];
    let generator = Generator::new(Arc::new(schema), root, &rules, stored, settings);
    let spec = |object: &Value| object["spec"].clone();
    first(&generator, CASES)
        .iter()
        .map(|case| {
            let (new, old) = objects(case);
            (old.as_ref().map(spec), spec(&new))
        })
        .collect()
}

fn looking(further: bool) -> GeneratorSettings {
    let mut settings = settings();
    settings.looks_further = further;
    settings.grown_percent = 0;
    settings
}

fn further() -> GeneratorSettings {
    looking(true)
}

#[test]
fn bad_values_become_other_bad_ones() {
    let changes = |settings: GeneratorSettings| {
        let bad = |spec: &Value| spec["size"].as_i64().is_some_and(|size| size > 5);
        let specs = specs(settings, false);
        let bad = specs.iter().filter(|(old, new)| old.as_ref().is_some_and(bad) && bad(new));
        bad.filter(|(old, new)| old.as_ref().is_some_and(|old| old["size"] != new["size"])).count()
    };
    // By chance, few do.
    let (all, by_chance) = (changes(further()), changes(looking(false)));
    assert!(all > 2 * by_chance, "{all}, {by_chance} by chance");
}

#[test]
fn each_two_values_of_a_rule_that_reads_the_old_one_are_old_and_new() {
    let pairs = |reads_old: bool| -> HashSet<(i64, i64)> {
        let size = |spec: &Value| spec["size"].as_i64();
        specs(further(), reads_old)
            .iter()
            .filter_map(|(old, new)| Some((size(old.as_ref()?)?, size(new)?)))
            .filter(|(old, new)| old != new && [5, 6, 90].contains(old) && [5, 6, 90].contains(new))
            .collect()
    };
    assert_eq!(pairs(true).len(), 6, "{:?}", pairs(true));
    assert!(pairs(false).len() < 6, "{:?}", pairs(false));
}

#[test]
fn values_stand_beside_each_value_of_an_enumeration_and_of_a_boolean() {
    let shown = |settings: GeneratorSettings| -> HashSet<(String, String)> {
        let creates = specs(settings, false).into_iter().filter(|(old, _)| old.is_none());
        creates
            .filter(|(_, spec)| spec["size"] == 6)
            .flat_map(|(_, spec)| ["mode", "on"].map(|name| (name.to_owned(), spec[name].to_string())))
            .collect()
    };
    let all = [("mode", "\"A\""), ("mode", "\"B\""), ("on", "true"), ("on", "false")];
    let seen = shown(further());
    for (name, value) in all {
        assert!(seen.contains(&(name.to_owned(), value.to_owned())), "{name} {value}: {seen:?}");
    }
}

#[test]
fn bad_values_stand_beside_everything_that_selects_objects() {
    let beside = |selects: bool| -> usize {
        let specs = specs_of(further(), [false, selects]);
        let is_bad = |spec: &&Value| spec["size"].as_i64().is_some_and(|size| size > 5);
        let of = |mode: &str| specs.iter().map(|(_, new)| new).filter(is_bad).filter(|new| new["mode"] == mode).count();
        of("C")
    };
    // A value that the enumeration rejects does not count as a mode of its struct.
    let (selecting, others) = (beside(true), beside(false));
    assert!(selecting > others, "{selecting}, {others} otherwise");
}
