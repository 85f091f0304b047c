//! A small subject with oracles that do as they are told.

use serde_json::{Value, json};
use std::sync::Arc;
use takeover_harness::case::{Case, Operation, Options, Provenance};
use takeover_harness::error::{ErrorList, ErrorType, FieldError, Stability};
use takeover_harness::object::FieldValidation;
use takeover_harness::oracle::{Oracle, OracleFailure, Prepared};
use takeover_harness::path::Path;
use takeover_harness::rule::{Report, Rule, RuleId};
use takeover_harness::schema::{Field, Kind, Presence, Schema, Struct};
use takeover_harness::subject::{Delegated, Matching, Subject, SubjectId};

/// `minimum` on `count`.
pub(crate) const COUNT: RuleId = RuleId(0);
/// `format=name` on `name`.
pub(crate) const NAME: RuleId = RuleId(1);

/// An oracle made of a function.
pub(crate) struct Fake<F>(pub(crate) F);

impl<F> Oracle for Fake<F>
where
    F: Fn(&Prepared<'_>, &mut ErrorList) -> Result<(), OracleFailure> + Send + Sync,
{
    fn validate(&self, case: &Prepared<'_>, errors: &mut ErrorList) -> Result<(), OracleFailure> {
        (self.0)(case, errors)
    }
}

/// A fake whose function cannot fail.
pub(crate) fn oracle(judge: impl Fn(&Prepared<'_>, &mut ErrorList) + Send + Sync + 'static) -> Box<dyn Oracle> {
    Box::new(Fake(move |case: &Prepared<'_>, errors: &mut ErrorList| {
        judge(case, errors);
        Ok(())
    }))
}

fn rule(id: RuleId, path: &str, chain: &str, origin: &str) -> Rule {
    Rule {
        stability: Some(Stability::Alpha),
        reports: vec![Report { error_type: ErrorType::Invalid, field: path.into(), origin: origin.into() }],
        ..Rule::new(id, path, chain)
    }
}

/// `v1 Thing { kind, apiVersion, name string; count int32; inner string }` with the two rules and `inner` delegated.
pub(crate) fn subject(reference: Box<dyn Oracle>, candidate: Box<dyn Oracle>) -> Subject {
    let mut schema = Schema::new();
    let text = schema.add("string", Kind::Text);
    let int32 = schema.add("int32", Kind::Int { bits: 32, signed: true });
    let field = |name: &str, ty| Field {
        go_name: name.into(),
        json_name: name.into(),
        ty,
        presence: Presence::Named,
        omit_empty: true,
        default: None,
    };
    let fields = [("kind", text), ("apiVersion", text), ("name", text), ("count", int32), ("inner", text)];
    let root = schema.add("Thing", Kind::Struct(Struct::new(fields.map(|(name, ty)| field(name, ty)).into())));
    schema.link();
    Subject {
        id: SubjectId::new("v1", "Thing"),
        schema: Arc::new(schema),
        root,
        reference,
        candidate,
        rules: vec![rule(COUNT, "count", "minimum=0", "minimum"), rule(NAME, "name", "format=name", "format=name")],
        controls: None,
        defaulter: None,
        field_validation: FieldValidation::Strict,
        strategy: None,
        delegated: vec![Delegated { path: "inner".into(), reason: "judged elsewhere".into() }],
        options: Vec::new(),
        matching: Matching::default(),
    }
}

/// The `count` of the object under test.
pub(crate) fn count(case: &Prepared<'_>) -> i64 {
    case.objects.new.field(3).int()
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
    oracle(|case, errors| {
        if count(case) < 0 {
            errors.push(handwritten("count", "minimum"));
        }
    })
}

/// Rejects a `count` below `minimum` as the rule does.
pub(crate) fn rules_with_minimum(minimum: i64) -> Box<dyn Oracle> {
    oracle(move |case, errors| {
        errors.reach(COUNT);
        if count(case) < minimum {
            errors.push(declarative(COUNT, "count", "minimum"));
        }
    })
}

/// A create of `object`.
pub(crate) fn create(object: Value) -> Case {
    Case {
        operation: Operation::Create,
        object: object.into(),
        old: None,
        options: Options::new(),
        provenance: Provenance::Generated { seed: 1, chunk: 0, index: 0, planted: String::new() },
    }
}

/// A create of a thing with this count.
pub(crate) fn counting(count: i64) -> Case {
    create(json!({"apiVersion": "v1", "kind": "Thing", "count": count}))
}
