//! Verdicts recorded from Kubernetes 1.35 and 1.36: both sides say what it said of ReplicationControllers.

#![expect(clippy::expect_used, reason = "helpers of tests fail as tests do")]

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::LazyLock;
use takeover_harness::case::{Case, Operation, Options, Payload, Provenance};
use takeover_harness::error::FieldError;
use takeover_harness::object::{Arena, equal, from_value, to_value};
use takeover_harness::oracle::Answer;
use takeover_harness::pair::Pair;
use takeover_harness::path::pattern;
use takeover_harness::release::Release;
use takeover_harness::subject::SubjectId;
use takeover_oracles::handwritten::request::RequestChecks;
use takeover_oracles::registry::Registry;

static FIXTURES: LazyLock<Vec<Value>> = LazyLock::new(|| {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpora/golden/replicationcontroller.jsonl");
    let text = std::fs::read_to_string(file).expect("the recorded verdicts");
    text.lines().map(|line| serde_json::from_str(line).expect("a fixture a line")).collect()
});

/// The pair of every subresource and release that was recorded, side by side.
static PAIRS: LazyLock<BTreeMap<(String, Release), Pair>> = LazyLock::new(|| {
    let registry = Registry::of_builtin().expect("the shipped types load");
    let pair = |(subresource, release): (String, Release)| {
        let id = SubjectId::new("v1", "ReplicationController").with_subresource(subresource.as_str());
        let pair = registry.pair_of(&id, release, RequestChecks::StrategyOnly).expect("the pair");
        ((subresource, release), pair)
    };
    let keys: BTreeSet<_> = FIXTURES.iter().map(key).collect();
    keys.into_iter().map(pair).collect()
});

fn key(fixture: &Value) -> (String, Release) {
    let release = Release::of_version(text(fixture, "kubernetes")).expect("the release that was recorded");
    (text(fixture, "subresource").to_owned(), release)
}

fn pair_of(fixture: &Value) -> &'static Pair {
    PAIRS.get(&key(fixture)).expect("a pair for every fixture")
}

fn case(fixture: &Value) -> Case<'static> {
    let payload = |name: &str| fixture.get(name).filter(|value| !value.is_null()).cloned().map(Payload::from);
    let id = text(fixture, "id");
    Case {
        operation: if text(fixture, "operation") == "create" { Operation::Create } else { Operation::Update },
        object: payload("object").expect("an object"),
        old: payload("oldObject"),
        options: Options::new(),
        provenance: Provenance::Fixture { path: "replicationcontroller.jsonl".to_owned(), id: id.to_owned() },
    }
}

fn text<'f>(fixture: &'f Value, name: &str) -> &'f str {
    fixture.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn expected<'f>(fixture: &'f Value, name: &str) -> Option<&'f Value> {
    fixture.get("expect").and_then(|expect| expect.get(name))
}

/// The recorded errors of a side, and ours, each sorted: error lists are multisets.
fn sorted(errors: impl Iterator<Item = FieldError>) -> Vec<String> {
    let mut lines: Vec<String> = errors
        .map(|error| {
            format!(
                "{error} origin={} value={} covered={} stops={}",
                error.origin, error.bad_value, error.covered_by_declarative, error.short_circuit
            )
        })
        .collect();
    lines.sort();
    lines
}

fn recorded(fixture: &Value, side: &str) -> Vec<FieldError> {
    serde_json::from_value(expected(fixture, side).expect("a verdict").clone()).expect("field errors")
}

#[test]
fn recorded_decode_errors_are_undecodable_here_and_nothing_else_is() {
    for fixture in FIXTURES.iter() {
        let pair = pair_of(fixture);
        let (case, arena) = (case(fixture), Arena::new());
        let prepared = pair.prepare(&case, &arena);
        let refused = expected(fixture, "decodeError").is_some();
        assert_eq!(prepared.is_err(), refused, "{}: {:?}", text(fixture, "id"), prepared.err());
    }
}

#[test]
fn defaulted_objects_are_as_recorded() {
    let mut compared = 0;
    for fixture in FIXTURES.iter() {
        let pair = pair_of(fixture);
        for (object, defaulted) in [("object", "defaulted"), ("oldObject", "oldDefaulted")] {
            let (Some(object), Some(defaulted)) = (fixture.get(object), expected(fixture, defaulted)) else { continue };
            let (arena, payload) = (Arena::new(), Payload::from(object.clone()));
            let ours = pair.decode(&payload, &arena).expect("the object decodes");
            let theirs =
                from_value(&pair.form.schema, pair.form.root, defaulted, &arena).expect("the defaulted object decodes");
            let printed = to_value(&pair.form.schema, pair.form.root, &ours);
            assert!(equal(&ours, &theirs), "{}: {printed:#} instead of {defaulted:#}", text(fixture, "id"));
            compared += 1;
        }
    }
    assert!(compared >= 50, "only {compared} objects compared");
}

#[test]
fn both_sides_report_what_was_recorded_outside_delegated_parts() {
    let (mut handwritten, mut declarative) = (0, 0);
    for fixture in FIXTURES.iter().filter(|fixture| expected(fixture, "handwritten").is_some()) {
        let pair = pair_of(fixture);
        let (case, arena) = (case(fixture), Arena::new());
        let prepared = pair.prepare(&case, &arena).expect("the objects decode");
        let judged = |error: &FieldError| !pair.delegated.iter().any(|part| part.contains(&pattern(&error.field)));
        let mut answer = Answer::new();
        pair.reference
            .answer(&prepared.question, &prepared.views.reference, &mut answer)
            .expect("the reference judges");
        let ours = sorted(answer.errors.iter().filter(|error| judged(error)).cloned());
        let theirs = sorted(recorded(fixture, "handwritten").into_iter().filter(judged));
        assert_eq!(ours, theirs, "handwritten, {}", text(fixture, "id"));
        handwritten += ours.len();
        answer.clear();
        pair.candidate
            .answer(&prepared.question, &prepared.views.candidate, &mut answer)
            .expect("the candidate judges");
        let ours = sorted(answer.errors.iter().cloned());
        let theirs = sorted(recorded(fixture, "declarative").into_iter());
        assert_eq!(ours, theirs, "declarative, {}", text(fixture, "id"));
        declarative += ours.len();
    }
    assert!(handwritten >= 50, "only {handwritten} handwritten errors compared");
    assert!(declarative >= 5, "only {declarative} declarative errors compared");
}
