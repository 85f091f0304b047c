//! What judging a custom resource costs: 2 KB with twenty constraints and five CEL rules, from bytes to a recorded verdict, and its parts.
//!
//! `cargo run --release -p takeover-custom-resources --example speed`

#![expect(clippy::print_stdout, reason = "it prints what it measured")]

use serde_json::{Value, json};
use std::hint::black_box;
use std::sync::LazyLock;
use std::time::Instant;
use takeover_custom_resources::refuse::accepted_kinds_of_crd;
use takeover_custom_resources::rules::RuleTree;
use takeover_custom_resources::validate::{Request, validate_request};
use takeover_custom_resources::{CrdOracle, CustomKind, coerce};
use takeover_harness::case::{Case, Operation, Options, Payload, Provenance};
use takeover_harness::evidence::{CasePlace, PairEvidence};
use takeover_harness::judge::{CaseRecord, Judge, ask};
use takeover_harness::object::{Arena, FieldValidation};
use takeover_harness::oracle::{Answer, Question};
use takeover_harness::pair::Pair;

/// Judgements in one measurement.
const TIMES: u32 = 4_000;
/// Measurements; the fastest counts, as others were disturbed.
const ROUNDS: usize = 7;

fn crd() -> Value {
    let text = |most: u64| json!({"type": "string", "maxLength": most});
    let part = json!({"type": "object", "required": ["id", "count"],
        "x-kubernetes-validations": [{"rule": "self.id != 'main' || self.count > 0", "message": "the main part must be there"}],
        "properties": {"id": text(20), "count": {"type": "integer", "minimum": 0, "maximum": 1000},
            "port": {"x-kubernetes-int-or-string": true}, "text": text(200)}});
    let spec = json!({"type": "object", "required": ["size", "colour", "name"],
        "x-kubernetes-validations": [
            {"rule": "!has(self.limit) || self.size <= self.limit", "message": "size must not exceed limit"},
            {"rule": "self.colour != 'gold' || self.size < 50", "message": "golden widgets are small"},
            {"rule": "!has(self.parts) || self.parts.all(p, p.count * 2 <= 200)", "message": "parts count at most 100"},
            {"rule": "self.name.startsWith('w') || self.replicas == 1", "message": "others have one replica"}],
        "properties": {
            "name": {"type": "string", "minLength": 3, "maxLength": 40, "pattern": "^[a-z][a-z0-9-]*$"},
            "size": {"type": "integer", "minimum": 1, "maximum": 100},
            "limit": {"type": "integer", "minimum": 0, "maximum": 1000},
            "colour": {"type": "string", "enum": ["red", "green", "gold"]},
            "replicas": {"type": "integer", "format": "int32", "minimum": 0, "default": 1},
            "note": text(1000), "ratio": {"type": "number", "minimum": 0, "maximum": 1},
            "tags": {"type": "array", "maxItems": 10, "items": text(20), "x-kubernetes-list-type": "set"},
            "labels": {"type": "object", "additionalProperties": text(30)},
            "parts": {"type": "array", "maxItems": 20, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["id"],
                "items": part}}});
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.shop.example.com"},
        "spec": {"group": "shop.example.com", "scope": "Namespaced", "names": {"kind": "Widget", "plural": "widgets"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema":
                {"type": "object", "properties": {"spec": spec}}}}]}})
}

fn widget() -> Value {
    let parts: Vec<Value> = (0..8)
        .map(|n| json!({"id": format!("part-{n}"), "count": n, "port": 80, "text": "what there is to say of a part ".repeat(3)}))
        .collect();
    json!({"apiVersion": "shop.example.com/v1", "kind": "Widget",
        "metadata": {"name": "w", "namespace": "shop", "labels": {"app": "shop"}},
        "spec": {"name": "widget-1", "size": 40, "limit": 50, "colour": "gold", "ratio": 0.5, "tags": ["a", "b", "c"],
            "labels": {"x": "1", "y": "2"}, "note": "n".repeat(600), "parts": parts}})
}

/// Seconds that this thread ran; where the system does not say, seconds that went by.
fn spent() -> f64 {
    static BEGIN: LazyLock<Instant> = LazyLock::new(Instant::now);
    let ran = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanos = ran.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    nanos.map_or_else(|| BEGIN.elapsed().as_secs_f64(), |nanos| nanos / 1e9)
}

fn measure(what: &str, mut work: impl FnMut()) {
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let begin = spent();
        (0..TIMES).for_each(|_| work());
        best = best.min((spent() - begin) / f64::from(TIMES));
    }
    println!("{what:44} {:8.2} µs {:10.0} a second", best * 1e6, 1.0 / best);
}

#[expect(clippy::unwrap_used, reason = "the example is known to be right")]
fn main() {
    let kind: CustomKind = accepted_kinds_of_crd(&crd()).unwrap().remove(0);
    let text = widget().to_string();
    println!("{} bytes, {} rules of the schema, {} CEL rules", text.len(), kind.hints.len(), kind.cel_rules());
    let nobody = |_: &Question<'_>, _: &mut Answer| {};
    let mut form = kind.form(FieldValidation::Warn);
    form.strategy = Some(kind.steps());
    let oracle = CrdOracle::new(kind.clone(), "").unwrap();
    let (subject, rules) = (kind.subject(), kind.hints.clone());
    let pair = Pair { rules, ..Pair::new(subject, form, Box::new(nobody), Box::new(oracle)) };
    let case = Case {
        operation: Operation::Create,
        object: Payload::Json(text.as_bytes().into()),
        old: None,
        options: Options::new(),
        provenance: Provenance::File { path: "w.json".to_owned(), document: 1, line: 1 },
    };
    let judge = Judge::new(&pair);
    let (mut arena, mut record, mut evidence) = (Arena::new(), CaseRecord::new(), PairEvidence::of(&judge));
    measure("JSON bytes to recorded verdict", || {
        let verdict = judge.case(&case, &mut arena, &mut record);
        evidence.record(CasePlace::default(), &case, &verdict, &record);
    });
    measure("JSON bytes to verdict", || {
        let _ = black_box(judge.case(&case, &mut arena, &mut record));
    });
    assert!(!record.candidate.rejects(), "{:?}", record.candidate.errors);
    let mut arena = Arena::new();
    measure("decode and default by types", || {
        arena.reset();
        let _ = black_box(pair.decode(&case.object, &arena).is_ok());
    });
    measure("decode, prune, default and prepare, both sides", || {
        arena.reset();
        let _ = black_box(pair.prepare(&case, &arena).is_ok());
    });
    arena.reset();
    if let Ok(prepared) = pair.prepare(&case, &arena) {
        let (question, mut answer) = (&prepared.question, Answer::new());
        measure("schema and CEL", || {
            answer.clear();
            let _ = black_box(ask(pair.candidate.as_ref(), question, &prepared.views.candidate, &mut answer).is_ok());
        });
    }
    let parsed: Value = serde_json::from_str(&text).unwrap();
    measure("parse as JSON", || drop(black_box(serde_json::from_str::<Value>(&text))));
    measure("clone", || drop(black_box(parsed.clone())));
    measure("clone, prune and default", || {
        let mut object = parsed.clone();
        let _ = black_box(coerce::coerce(&kind.structural, &mut object));
    });
    let mut object = parsed;
    let _ = coerce::coerce(&kind.structural, &mut object);
    measure("schema alone", || drop(black_box(validate_request(&kind, &object, Request::Create))));
    let rules = RuleTree::of_schema(&kind.structural, &kind.written).unwrap().unwrap();
    measure("CEL alone", || drop(black_box(rules.judge(&object, None))));
}
