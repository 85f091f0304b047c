//! A small pair of oracles that do as they are told.

use serde_json::{Value, json};
use std::sync::Arc;
use takeover_harness::case::{Case, Operation, Options, Provenance};
use takeover_harness::compare::{Comparator, Matcher, Semantics};
use takeover_harness::error::{ErrorType, FieldError, Stability};
use takeover_harness::evidence::{CasePlace, Evidence, PairEvidence};
use takeover_harness::form::Form;
use takeover_harness::judge::{CaseRecord, Judge, Judgement};
use takeover_harness::object::{Arena, FieldValidation};
use takeover_harness::oracle::{Answer, Oracle, OracleFailure, Precision, Question, View, WithPrecision};
use takeover_harness::pair::{Delegated, Pair};
use takeover_harness::path::Path;
use takeover_harness::rule::{ErrorShape, Rule, RuleId};
use takeover_harness::schema::{Field, Kind, Presence, Schema, Struct, TypeId};
use takeover_harness::subject::SubjectId;

/// `minimum` on `count`.
pub(crate) const COUNT: RuleId = RuleId(0);
/// `format=name` on `name`.
pub(crate) const NAME: RuleId = RuleId(1);

/// An oracle made of a function that may fail; it says as much as Kubernetes' validators do.
pub(crate) struct Fake<F>(pub(crate) F);

impl<F> Oracle for Fake<F>
where
    F: Fn(&Question<'_>, &mut Answer) -> Result<(), OracleFailure> + Send + Sync,
{
    fn precision(&self) -> Precision {
        Precision::KUBERNETES
    }

    fn answer(&self, question: &Question<'_>, _: &View<'_>, answer: &mut Answer) -> Result<(), OracleFailure> {
        (self.0)(question, answer)
    }
}

/// A fake whose function cannot fail.
pub(crate) fn oracle(judge: impl Fn(&Question<'_>, &mut Answer) + Send + Sync + 'static) -> Box<dyn Oracle> {
    Box::new(WithPrecision(Precision::KUBERNETES, judge))
}

fn rule(id: RuleId, path: &str, chain: &str, origin: &str) -> Rule {
    Rule {
        stability: Some(Stability::Alpha),
        reports: vec![ErrorShape { error_type: ErrorType::Invalid, field: path.into(), origin: origin.into() }],
        ..Rule::new(id, path, chain)
    }
}

/// `v1 Thing { kind, apiVersion, name string; count int32; inner string }`.
pub(crate) fn things() -> Form {
    let mut schema = Schema::new();
    let text = schema.add("string", Kind::Text);
    let int32 = schema.add("int32", Kind::Int { bits: 32, signed: true });
    let fields = [("kind", text), ("apiVersion", text), ("name", text), ("count", int32), ("inner", text)];
    let root = schema.add("Thing", Kind::Struct(Struct::new(fields.map(|(name, ty)| field(name, ty)).into())));
    schema.link();
    form(schema, root)
}

/// A field that may be left out.
pub(crate) fn field(name: &str, ty: TypeId) -> Field {
    Field {
        go_name: name.into(),
        json_name: name.into(),
        ty,
        presence: Presence::Named,
        omit_empty: true,
        default: None,
    }
}

/// Objects of a type, as they are sent.
pub(crate) fn form(schema: Schema, root: TypeId) -> Form {
    Form { schema: Arc::new(schema), root, field_validation: FieldValidation::Strict, defaulter: None, strategy: None }
}

/// Things with the two rules and `inner` delegated, compared as Kubernetes 1.37 does.
pub(crate) fn pair(reference: Box<dyn Oracle>, candidate: Box<dyn Oracle>) -> Pair {
    Pair {
        comparator: Comparator::Kubernetes(Matcher::new(Semantics::V1_37)),
        rules: vec![rule(COUNT, "count", "minimum=0", "minimum"), rule(NAME, "name", "format=name", "format=name")],
        delegated: vec![Delegated { path: "inner".into(), reason: "judged elsewhere".into() }],
        ..Pair::new(SubjectId::new("v1", "Thing"), things(), reference, candidate)
    }
}

/// The `count` of the object under test.
pub(crate) fn count(question: &Question<'_>) -> i64 {
    question.objects.new.field(3).int()
}

/// An error of the handwritten check of `count`.
pub(crate) fn handwritten(field: &str, origin: &'static str) -> FieldError {
    FieldError { field: field.into(), ..FieldError::invalid(&Path::ROOT, 1, "bad") }.with_origin(origin).covered()
}

/// An error of an alpha rule.
pub(crate) fn declarative(rule: RuleId, field: &str, origin: &'static str) -> FieldError {
    FieldError {
        field: field.into(),
        stability: Some(Stability::Alpha),
        rule: Some(rule),
        ..FieldError::invalid(&Path::ROOT, 1, "bad")
    }
    .with_origin(origin)
}

/// Rejects a negative `count` as a handwritten check does.
pub(crate) fn honest_reference() -> Box<dyn Oracle> {
    oracle(|question, answer| {
        if count(question) < 0 {
            answer.push(handwritten("count", "minimum"));
        }
    })
}

/// Rejects a `count` below `minimum` as the rule does.
pub(crate) fn rules_with_minimum(minimum: i64) -> Box<dyn Oracle> {
    oracle(move |question, answer| {
        answer.reach(COUNT);
        if count(question) < minimum {
            answer.push(declarative(COUNT, "count", "minimum"));
        }
    })
}

/// A create of `object`.
pub(crate) fn create(object: Value) -> Case<'static> {
    Case {
        operation: Operation::Create,
        object: object.into(),
        old: None,
        options: Options::new(),
        provenance: Provenance::Generated { seed: 1, chunk: 0, index: 0, planted: String::new() },
    }
}

/// A create of a thing with this count.
pub(crate) fn counting(count: i64) -> Case<'static> {
    create(json!({"apiVersion": "v1", "kind": "Thing", "count": count}))
}

/// The evidence of these cases, at places given by their keys.
pub(crate) fn gathered(pair: &Pair, cases: &[(u64, Case<'static>)]) -> Evidence {
    let judge = Judge::new(pair);
    let mut part = PairEvidence::of(&judge);
    let (mut arena, mut record) = (Arena::new(), CaseRecord::new());
    for (index, case) in cases {
        let verdict = judge.case(case, &mut arena, &mut record);
        part.record(CasePlace::generated(index / 4, index % 4), case, &verdict, &record);
    }
    let mut evidence = Evidence::new();
    evidence.add(part).unwrap();
    evidence
}

/// The evidence of these cases, in this order.
pub(crate) fn gathered_of(pair: &Pair, cases: impl IntoIterator<Item = Case<'static>>) -> Evidence {
    gathered(pair, &(0..).zip(cases).collect::<Vec<_>>())
}

/// The only pair of the evidence.
pub(crate) fn only(evidence: &Evidence) -> &PairEvidence {
    let mut pairs = evidence.pairs();
    let one = pairs.next().unwrap();
    assert!(pairs.next().is_none(), "one pair");
    one
}

/// What one case comes to.
pub(crate) fn judged(pair: &Pair, case: &Case) -> (Judgement, CaseRecord) {
    let mut record = CaseRecord::new();
    let verdict = Judge::new(pair).case(case, &mut Arena::new(), &mut record);
    (verdict, record)
}

/// A plain error: type, field, and nothing beside.
pub(crate) fn plain(error_type: ErrorType, field: &str) -> FieldError {
    FieldError { field: field.into(), ..FieldError::new(error_type, &Path::ROOT, 1, "bad") }
}

/// Things without rules, compared by what both oracles say of themselves.
pub(crate) fn strangers(reference: Box<dyn Oracle>, candidate: Box<dyn Oracle>) -> Pair {
    Pair::new(SubjectId::new("v1", "Thing"), things(), reference, candidate)
}
