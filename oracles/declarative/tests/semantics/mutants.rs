//! Every registered fault changes an answer on values made from the boundaries of its rule, or on the objects shown here.

use super::support::{Compiled, Go, Go::*};
use serde_json::Value;
use std::collections::BTreeSet;
use takeover_declarative::reference::{Entry, Reference};
use takeover_declarative::tags;
use takeover_harness::case::Options;
use takeover_harness::control::Controls as _;
use takeover_harness::error::FieldError;
use takeover_harness::oracle::{Answer, Oracle, Question, View};
use takeover_harness::rule::{Rule, Sample};

/// Go source of a tag and objects beside those made of boundary values; any of them can be the old object of another.
#[derive(Clone, Copy)]
struct Row(&'static str, Go, &'static [&'static str]);

const E: &str = "type E struct {\n\tN string `json:\"n\"`\n\tM string `json:\"m\"`\n\tD int32 `json:\"d\"`\n}\n";

const ROWS: &[Row] = &[
    Row("required", Fields(&[("required", "a", "*string")]), &[]),
    Row("required", Fields(&[("required;maxLength=3", "a", "string")]), &[]),
    Row("optional", Fields(&[("optional;minLength=3", "a", "string")]), &[r#"{"a":"abc"}"#]),
    Row("optional", Fields(&[("optional;maxLength=1", "a", "string")]), &[r#"{"a":"aa"}"#]),
    Row("optional", Fields(&[("optional;minimum=1", "a", "*int32")]), &[r#"{"a":0}"#]),
    Row("optional", Fields(&[("optional;default=1", "a", "int32")]), &[]),
    Row("required", Fields(&[("required;minimum=1", "a", "int32")]), &[]),
    Row(
        "required",
        Fields(&[("required;immutable", "a", "[]string")]),
        &["{}", r#"{"a":["x","y"]}"#, r#"{"a":["y","x"]}"#],
    ),
    Row("required", Fields(&[("required;minimum=1", "a", "uint32")]), &[]),
    Row("required", Fields(&[("required;minItems=1", "a", "[]string")]), &[]),
    Row("required", Fields(&[("required;format=k8s-short-name", "a", "string")]), &[]),
    Row("optional", Fields(&[("optional;format=k8s-short-name", "a", "*string")]), &[]),
    Row(
        "optional",
        With(&[("optional", "a", "N")], "// +k8s:enum\ntype N string\n\nconst (\n\tA N = \"A\"\n)\n"),
        &["{}", r#"{"a":"A"}"#, r#"{"a":"B"}"#],
    ),
    Row(
        "subfield",
        With(&[("subfield(n)=+k8s:optional;subfield(n)=+k8s:minLength=1", "a", "E")], E),
        &["{}", r#"{"a":{"n":"x"}}"#, r#"{"a":{"n":"xx"}}"#],
    ),
    Row(
        "ifEnabled",
        Fields(&[("ifEnabled(O)=+k8s:optional;ifDisabled(O)=+k8s:forbidden", "a", "string")]),
        &["{}", r#"{"a":"x"}"#],
    ),
    Row("forbidden", Fields(&[("forbidden", "a", "*string")]), &[]),
    Row("minimum", Fields(&[("minimum=1", "a", "int32")]), &[]),
    Row("minimum", Fields(&[("minimum=-2147483648", "a", "int32")]), &[]),
    Row("maximum", Fields(&[("maximum=255", "a", "uint8")]), &[r#"{"a":255}"#]),
    Row("maximum", Fields(&[("maximum=9", "a", "*int64")]), &[]),
    Row("exclusiveMinimum", Fields(&[("exclusiveMinimum=0", "a", "int32")]), &[r#"{"a":2}"#]),
    Row("exclusiveMaximum", Fields(&[("exclusiveMaximum=3", "a", "uint32")]), &[]),
    Row("minLength", Fields(&[("minLength=2", "a", "string")]), &[r#"{"a":"aaa"}"#]),
    Row("maxLength", Fields(&[("maxLength=3", "a", "string")]), &[r#"{"a":"aaaa"}"#]),
    Row("maxBytes", Fields(&[("maxBytes=3", "a", "*string")]), &[]),
    Row("minItems", Fields(&[("minItems=2", "a", "[]string")]), &[]),
    Row(
        "maxItems",
        Fields(&[("maxItems=2;eachVal=+k8s:maxLength=1", "a", "[]string")]),
        &[r#"{"a":["a","é"]}"#, r#"{"a":["aa"]}"#, r#"{"a":["a","b","c"]}"#, r#"{"a":["c","b","a"]}"#],
    ),
    Row("minProperties", Fields(&[("minProperties=1", "a", "map[string]string")]), &[]),
    Row("maxProperties", Fields(&[("maxProperties=1", "a", "map[string]string")]), &[]),
    Row("format", Fields(&[("format=k8s-short-name", "a", "string")]), &[]),
    Row("format", Fields(&[("format=k8s-long-name", "a", "*string")]), &[]),
    Row("format", Fields(&[("format=k8s-long-name-caseless", "a", "string")]), &[]),
    Row("format", Fields(&[("format=k8s-label-key", "a", "string")]), &[]),
    Row("format", Fields(&[("format=k8s-prefixed-label-key", "a", "string")]), &[]),
    Row("format", Fields(&[("format=k8s-label-value", "a", "string")]), &[]),
    Row("format", Fields(&[("format=k8s-path-segment-name", "a", "string")]), &[]),
    Row("format", Fields(&[("format=k8s-uuid", "a", "string")]), &[]),
    Row("format", Fields(&[("format=k8s-resource-pool-name", "a", "string")]), &[]),
    Row("format", Fields(&[("format=k8s-extended-resource-name", "a", "string")]), &[]),
    Row("format", Fields(&[("format=k8s-resource-fully-qualified-name", "a", "string")]), &[]),
    Row(
        "pattern",
        Fields(&[("pattern=`^[a-z]+$`", "a", "string")]),
        &[r#"{"a":"1a"}"#, r#"{"a":"a1"}"#, r#"{"a":"a"}"#],
    ),
    Row(
        "enum",
        With(
            &[("", "a", "N")],
            "// +k8s:enum\ntype N string\n\nconst (\n\tA N = \"A\"\n\tB N = \"B\"\n\n\
             \t// +k8s:ifDisabled(O)=+k8s:enumExclude\n\tC N = \"C\"\n)\n",
        ),
        &[],
    ),
    Row("neq", Fields(&[("neq=\"x\"", "a", "string")]), &[]),
    Row("neq", Fields(&[("neq=7", "a", "*int32")]), &[]),
    Row("neq", Fields(&[("neq=true", "a", "*bool")]), &[]),
    Row("immutable", Fields(&[("immutable;maxLength=1", "a", "string")]), &[r#"{"a":"aa"}"#, r#"{"a":"bb"}"#, "{}"]),
    Row("update", Fields(&[("update=NoSet;update=NoUnset", "a", "*int32")]), &[r#"{"a":1}"#, r#"{"a":2}"#, "{}"]),
    Row("update", Fields(&[("update=NoModify", "a", "string")]), &[r#"{"a":"a"}"#, r#"{"a":"b"}"#, "{}"]),
    Row(
        "update",
        With(&[("listType=map;listMapKey=n;update=NoAddItem", "a", "[]E")], E),
        &[
            r#"{"a":[{"n":"x"}]}"#,
            r#"{"a":[{"n":"x","d":1}]}"#,
            r#"{"a":[{"n":"x"},{"n":"y"}]}"#,
            "{}",
            r#"{"a":[{"n":"x"},{"n":"y","d":1},{"n":"x","d":2}]}"#,
            r#"{"a":[{"n":"y","d":1},{"n":"x"},{"n":"x","d":2}]}"#,
        ],
    ),
    Row(
        "update",
        Fields(&[("update=NoRemoveItem", "a", "map[string]string")]),
        &[r#"{"a":{"x":""}}"#, r#"{"a":{"x":"","y":""}}"#, "{}"],
    ),
    Row("monotonic", Fields(&[("monotonic", "a", "int64")]), &[r#"{"a":1}"#, r#"{"a":2}"#, r#"{"a":4}"#]),
    Row(
        "listType",
        Fields(&[("listType=set;eachVal=+k8s:maxLength=1", "a", "[]string")]),
        &[r#"{"a":["aa"]}"#, r#"{"a":["é"]}"#, r#"{"a":["aa","b"]}"#, r#"{"a":["b","a","a"]}"#],
    ),
    Row(
        "listType",
        With(&[("listType=map;listMapKey=n;listMapKey=m;eachVal=+k8s:subfield(d)=+k8s:minimum=1", "a", "[]E")], E),
        &[
            r#"{"a":[{"n":"x","m":"x","d":0}]}"#,
            r#"{"a":[{"n":"x","m":"x","d":0},{"n":"x","m":"y","d":1}]}"#,
            r#"{"a":[{"n":"x","m":"x","d":0},{"n":"y","m":"x","d":1},{"n":"x","m":"x","d":1}]}"#,
            r#"{"a":[{"n":"x","m":"x","d":2}]}"#,
            r#"{"a":[{"n":"x","m":"x","d":1},{"n":"x","m":"x","d":2}]}"#,
            r#"{"a":[{"n":"x","m":"x","d":2},{"n":"x","m":"x","d":1}]}"#,
        ],
    ),
    Row("unique", Fields(&[("listType=atomic;unique=set", "a", "[]string")]), &[r#"{"a":["b","a","a"]}"#]),
    Row(
        "eachVal",
        Fields(&[("listType=set;eachVal=+k8s:maxLength=1", "a", "[]string")]),
        &[r#"{"a":["aa","é"]}"#, r#"{"a":["a"]}"#, r#"{"a":["aa"]}"#, r#"{"a":["b","a","a"]}"#],
    ),
    Row(
        "eachVal",
        Fields(&[("eachVal=+k8s:minimum=1", "a", "[]int32")]),
        &[r#"{"a":[0]}"#, r#"{"a":[1]}"#, r#"{"a":[0,1]}"#],
    ),
    Row(
        "eachVal",
        Fields(&[("eachVal=+k8s:neq=\"x\"", "a", "map[string]string")]),
        &[r#"{"a":{"k":"x"}}"#, r#"{"a":{"k":"xx"}}"#, r#"{"a":{"k":"x","l":"y"}}"#],
    ),
    Row(
        "eachKey",
        Fields(&[("eachKey=+k8s:neq=\"x\"", "a", "map[string]string")]),
        &[r#"{"a":{"x":""}}"#, r#"{"a":{"xx":""}}"#, r#"{"a":{"x":"","y":""}}"#],
    ),
    Row(
        "subfield",
        With(&[("subfield(d)=+k8s:minimum=1", "a", "E")], E),
        &[r#"{"a":{"d":0}}"#, r#"{"a":{"d":0,"n":"x"}}"#, r#"{"a":{"d":1}}"#, r#"{"a":{"d":2}}"#],
    ),
    Row(
        "item",
        With(&[("listType=map;listMapKey=n;item(n: \"x\")=+k8s:subfield(d)=+k8s:minimum=1", "a", "[]E")], E),
        &[
            r#"{"a":[{"n":"x","d":0}]}"#,
            r#"{"a":[{"n":"x","d":1}]}"#,
            r#"{"a":[{"n":"x","d":0,"m":"y"}]}"#,
            r#"{"a":[{"n":"x"},{"n":"x"},{"n":"z"},{"n":"x"}]}"#,
            r#"{"a":[{"n":"z"},{"n":"x"},{"n":"x"},{"n":"x"}]}"#,
            r#"{"a":[{"n":"x","m":"a"},{"n":"x","m":"b"}]}"#,
        ],
    ),
    Row(
        "unionMember",
        Fields(&[("unionMember", "a", "*int32"), ("unionMember", "b", "*int32")]),
        &["{}", r#"{"a":1}"#, r#"{"b":1}"#, r#"{"a":1,"b":1}"#, r#"{"a":2,"b":1}"#],
    ),
    Row(
        "unionMember",
        Fields(&[
            ("unionDiscriminator", "d", "string"),
            ("unionMember", "a", "*int32"),
            ("unionMember", "b", "*int32"),
        ]),
        &["{}", r#"{"d":"A","a":1}"#, r#"{"d":"B","a":1}"#, r#"{"d":"B","a":2}"#, r#"{"d":"B","b":2}"#],
    ),
    Row(
        "zeroOrOneOfMember",
        Fields(&[("zeroOrOneOfMember", "a", "*int32"), ("zeroOrOneOfMember", "b", "*int32")]),
        &["{}", r#"{"a":1}"#, r#"{"a":1,"b":1}"#, r#"{"a":2,"b":1}"#],
    ),
    Row(
        "ifMode",
        Fields(&[
            ("modeDiscriminator", "d", "string"),
            ("ifMode(\"x\")=+k8s:minimum=1;ifMode(\"y\")=+k8s:maximum=1", "a", "*int32"),
        ]),
        &[
            "{}",
            r#"{"d":"x","a":0}"#,
            r#"{"d":"x","a":1}"#,
            r#"{"d":"x","a":2}"#,
            r#"{"d":"y","a":0}"#,
            r#"{"d":"y","a":1}"#,
            r#"{"d":"y","a":2}"#,
            r#"{"d":"z","a":2}"#,
            r#"{"d":"z"}"#,
        ],
    ),
    Row(
        "dependentRequired",
        Fields(&[("dependentRequired(\"b\")", "a", "*int32"), ("", "b", "string")]),
        &["{}", r#"{"a":1}"#, r#"{"a":2}"#, r#"{"b":"x"}"#, r#"{"a":1,"b":"x"}"#],
    ),
    Row(
        "dependentForbidden",
        Fields(&[("dependentForbidden(\"b\")", "a", "*int32"), ("", "b", "string")]),
        &["{}", r#"{"a":1,"b":"y"}"#, r#"{"b":"x"}"#, r#"{"a":1,"b":"x"}"#],
    ),
    Row("ifEnabled", Fields(&[("ifEnabled(O)=+k8s:minimum=1", "a", "int32")]), &[]),
    Row("ifDisabled", Fields(&[("ifDisabled(O)=+k8s:forbidden", "a", "*string")]), &[]),
    // Where one of them runs in both states, what the other reports can hide it.
    Row("ifEnabled", Fields(&[("ifEnabled(O)=+k8s:minimum=0;ifDisabled(O)=+k8s:minimum=1", "a", "*int32")]), &[]),
    Row("ifEnabled", Fields(&[("ifEnabled(O)=+k8s:maximum=9;ifDisabled(O)=+k8s:maximum=3", "a", "int32")]), &[]),
    Row(
        "ifDisabled",
        Fields(&[("ifEnabled(O)=+k8s:maxLength=2;ifDisabled(O)=+k8s:maxLength=3", "a", "string")]),
        &[r#"{"a":"aaaa"}"#],
    ),
    Row(
        "ifDisabled",
        Fields(&[("ifEnabled(O)=+k8s:minItems=1;ifDisabled(O)=+k8s:minItems=2", "a", "[]string")]),
        &[r#"{"a":["a","b"]}"#, r#"{"a":["b","a"]}"#],
    ),
    Row(
        "ifEnabled",
        Fields(&[("ifEnabled(O)=+k8s:maxItems=3;ifDisabled(O)=+k8s:maxItems=2", "a", "[]string")]),
        &[r#"{"a":["a","b","c","d"]}"#, r#"{"a":["d","c","b","a"]}"#],
    ),
    Row("validateFalse", Fields(&[("validateFalse=\"x\"", "a", "string")]), &[r#"{"a":"a"}"#, "{}"]),
];

/// The rows, and the example of every tag without one. A tag whose example does not expose its faults needs a row.
fn rows() -> Vec<Row> {
    let without = |tag: &Entry| !tag.mutants.is_empty() && ROWS.iter().all(|row| row.0 != tag.name);
    let examples = Reference::new().tags.into_iter().filter(without).map(|tag| {
        let source = tag.go.replace("type Example ", "type S ");
        Row(tag.name, Source(source.leak()), &[])
    });
    ROWS.iter().copied().chain(examples).collect()
}

/// The objects of a row and, for rules on direct fields, their boundary values.
fn objects(rules: &[Rule], shown: &[&str]) -> Vec<String> {
    let mut all: Vec<String> = shown.iter().map(|object| (*object).to_owned()).collect();
    // Rules on keys report at the map, but judge no map.
    let direct = |rule: &&Rule| !rule.path.contains(['.', '[']) && !rule.chain.contains("eachKey");
    for rule in rules.iter().filter(direct) {
        all.extend(rule.boundaries.iter().map(|boundary| match &boundary.sample {
            Sample::Absent => "{}".to_owned(),
            Sample::Value(value) if rule.path.is_empty() => value.to_string(),
            Sample::Value(value) => format!("{{\"{}\":{value}}}", rule.path),
            Sample::Beside(members) => Value::Object(members.clone()).to_string(),
        }));
    }
    all
}

/// What a comparison sees of the errors: not the wording, nor how often one is made.
fn seen(errors: Vec<FieldError>) -> BTreeSet<String> {
    errors.iter().map(|error| format!("{:?} {} {}", error.error_type, error.field, error.origin)).collect()
}

/// Calls `each` with every object of a row on create and on an update of every other, with the option on and off.
fn cases(compiled: &Compiled, objects: &[String], mut each: impl FnMut(&Question<'_>)) {
    for on in [true, false] {
        let mut options = Options::new();
        options.set("O", on);
        for object in objects {
            for old in std::iter::once(None).chain(objects.iter().map(|old| Some(old.as_str()))) {
                compiled.ask(&options, object, old, &mut each);
            }
        }
    }
}

fn judged(oracle: &dyn Oracle, question: &Question<'_>) -> (bool, Answer) {
    let mut answer = Answer::new();
    (oracle.answer(question, &View::none(), &mut answer).is_ok(), answer)
}

#[test]
fn every_mutant_changes_an_answer_or_is_known_not_to() {
    let mut wrong = Vec::new();
    for Row(tag, go, shown) in &rows() {
        let compiled = Compiled::new(&go.source());
        let oracle = compiled.oracle();
        let objects = objects(oracle.rules(), shown);
        let mutants: Vec<_> = oracle.rules().iter().flat_map(|rule| oracle.mutants(rule.id)).collect();
        assert!(!mutants.is_empty(), "{tag}: {}", go.source());
        let candidates: Vec<_> = mutants.iter().map(|mutant| (mutant, oracle.mutated(mutant))).collect();
        let mut killed = vec![false; mutants.len()];
        cases(&compiled, &objects, |question| {
            let sound = seen(judged(oracle, question).1.errors.into_vec());
            for ((_, mutated), killed) in candidates.iter().zip(&mut killed) {
                *killed |= sound != seen(judged(mutated, question).1.errors.into_vec());
            }
        });
        for (mutant, killed) in mutants.iter().zip(killed) {
            let rule = &oracle.rules()[mutant.rule.index()];
            // Nothing fills in defaults here.
            if killed == mutant.equivalent.is_some() && !rule.after_default {
                wrong.push(format!("{tag}: {}: {mutant}: {:?}\n{}", rule.label(), mutant.equivalent, go.source()));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn controls_expose_what_whole_runs_expose() {
    for Row(tag, go, shown) in &rows() {
        let compiled = Compiled::new(&go.source());
        let oracle = compiled.oracle();
        let controls = oracle.controls();
        let candidates: Vec<_> = controls.mutants().iter().map(|mutant| (mutant, oracle.mutated(mutant))).collect();
        cases(&compiled, &objects(oracle.rules(), shown), |question| {
            let (judges, sound) = judged(oracle, question);
            let mut exposure = controls.exposure();
            controls.judge(question, &View::none(), &sound, &mut exposure);
            let sound = seen(sound.errors.into_vec());
            for (index, (mutant, mutated)) in candidates.iter().enumerate() {
                if mutant.equivalent.is_none() && judges {
                    let differs = sound != seen(judged(mutated, question).1.errors.into_vec());
                    let rule = oracle.rules()[mutant.rule.index()].label();
                    assert_eq!(
                        exposure.contains(index),
                        differs,
                        "{tag}: {rule}: {mutant}\n{sound:?}\n{}",
                        go.source()
                    );
                }
            }
        });
    }
}

#[test]
fn only_the_mutated_rule_changes() {
    for Row(tag, go, shown) in &rows() {
        let compiled = Compiled::new(&go.source());
        let oracle = compiled.oracle();
        let objects = objects(oracle.rules(), shown);
        let options = Options::new();
        for rule in oracle.rules() {
            for mutant in oracle.mutants(rule.id).iter().filter(|mutant| mutant.name == "wrong type") {
                let mutated = oracle.mutated(mutant);
                for object in &objects {
                    let others = |errors: Vec<FieldError>| {
                        let other = |error: &FieldError| error.rule != Some(rule.id);
                        seen(errors.into_iter().filter(other).collect())
                    };
                    compiled.ask(&options, object, None, &mut |question| {
                        let sound = others(judged(oracle, question).1.errors.into_vec());
                        let faulty = others(judged(&mutated, question).1.errors.into_vec());
                        assert_eq!(sound, faulty, "{tag}: {}: {object}", rule.label());
                    });
                }
            }
        }
    }
}

#[test]
fn names_of_mutants_are_unique() {
    for Row(tag, go, _) in &rows() {
        let compiled = Compiled::new(&go.source());
        for rule in compiled.oracle().rules() {
            let mut names: Vec<String> = compiled.oracle().mutants(rule.id).iter().map(ToString::to_string).collect();
            let all = names.len();
            names.sort();
            names.dedup();
            assert_eq!(names.len(), all, "{tag}: {names:?}");
        }
    }
}

#[test]
fn every_tag_has_mutants_of_its_own_here_or_says_why_not() {
    let mut shown = BTreeSet::new();
    for Row(_, go, _) in &rows() {
        let compiled = Compiled::new(&go.source());
        let rules = compiled.oracle().rules().iter();
        shown.extend(rules.flat_map(|rule| compiled.oracle().mutants(rule.id)).map(|mutant| mutant.tag));
    }
    for def in tags::all() {
        assert_ne!(shown.contains(def.name), def.no_mutants.is_some(), "`{}`: {:?}", def.name, def.no_mutants);
    }
}

#[test]
fn faults_that_change_nothing_are_told_apart_with_the_reason() {
    let telling = |fields: &'static [(&str, &str, &str)]| -> Vec<String> {
        let compiled = Compiled::new(&Fields(fields).source());
        let oracle = compiled.oracle();
        let all = oracle.rules().iter().flat_map(|rule| oracle.mutants(rule.id));
        all.filter(|mutant| mutant.equivalent.is_none()).map(|mutant| mutant.name).collect()
    };
    // No value of the type lies below.
    assert!(!telling(&[("minimum=-2147483648", "a", "int32")]).contains(&"bound one lower".to_owned()));
    assert!(telling(&[("minimum=-2147483647", "a", "int32")]).contains(&"bound one lower".to_owned()));
    // Nothing is stopped that would fail.
    assert_eq!(telling(&[("optional", "a", "string")]), Vec::<String>::new());
    assert_eq!(telling(&[("optional;maxLength=1", "a", "string")])[0], "set and unset confused");
    // What an update leaves as it was has not decreased.
    assert!(!telling(&[("monotonic", "a", "int32")]).contains(&"judges the unchanged".to_owned()));
}
