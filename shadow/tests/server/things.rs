//! A subject whose oracles do what an object asks of them.

use serde_json::{Value, json};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use takeover_harness::compare::{Comparator, Matcher};
use takeover_harness::error::{ErrorType, FieldError, Stability};
use takeover_harness::form::Form;
use takeover_harness::object::FieldValidation;
use takeover_harness::oracle::{Answer, Oracle, OracleFailure, Precision, Question, View};
use takeover_harness::pair::Pair;
use takeover_harness::path::Path;
use takeover_harness::rule::{ErrorShape, Rule, RuleId};
use takeover_harness::schema::{Field, Kind, Presence, Schema, Struct};
use takeover_harness::subject::SubjectId;

/// The candidate does not see that this one is wrong.
pub(crate) const MISSED: i64 = -42;
/// The candidate panics.
pub(crate) const PANICS: i64 = 666;
/// The reference waits for the gate.
pub(crate) const HANGS: i64 = 777;

/// The candidate finds something wrong in many places that there are not.
pub(crate) const FLOODS: i64 = 555;
/// How many.
pub(crate) const FLOOD: u64 = 300;

/// What hanging oracles wait for.
#[derive(Default)]
pub(crate) struct Gate {
    open: Mutex<bool>,
    opened: Condvar,
}

impl Gate {
    pub(crate) fn open(&self) {
        *self.open.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.opened.notify_all();
    }

    fn pass(&self) {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.opened.wait_while(open, |open| !*open).unwrap_or_else(PoisonError::into_inner));
    }
}

struct Reference(Arc<Gate>);

impl Oracle for Reference {
    fn precision(&self) -> Precision {
        Precision::KUBERNETES
    }

    fn answer(&self, question: &Question<'_>, _: &View<'_>, answer: &mut Answer) -> Result<(), OracleFailure> {
        let count = question.objects.new.field(2).int();
        if count == HANGS {
            self.0.pass();
        }
        if count < 0 {
            answer.push(error(count).covered());
        }
        Ok(())
    }
}

struct Candidate;

impl Oracle for Candidate {
    fn precision(&self) -> Precision {
        Precision::KUBERNETES
    }

    fn answer(&self, question: &Question<'_>, _: &View<'_>, answer: &mut Answer) -> Result<(), OracleFailure> {
        let count = question.objects.new.field(2).int();
        assert!(count != PANICS, "planted panic");
        answer.reach(RuleId(0));
        for number in (0..FLOOD).filter(|_| count == FLOODS) {
            let path = format!("place{number}");
            let error = FieldError::invalid(&Path::ROOT.child(&path), count, "flooded").with_origin("minimum");
            answer.push(FieldError { stability: Some(Stability::Beta), ..error });
        }
        if count < 0 && count != MISSED {
            answer.push(FieldError { stability: Some(Stability::Beta), rule: Some(RuleId(0)), ..error(count) });
        }
        Ok(())
    }
}

fn error(count: i64) -> FieldError {
    FieldError::invalid(&Path::ROOT.child("count"), count, "must be greater than or equal to 0").with_origin("minimum")
}

/// `v1 Thing { kind, apiVersion, count int32, name string }` with one rule.
pub(crate) fn pair(gate: &Arc<Gate>) -> Pair {
    let mut schema = Schema::new();
    let text = schema.add("string", Kind::Text);
    let int32 = schema.add("int32", Kind::Int { bits: 32, signed: true });
    let field = |(name, ty): (&str, _)| Field {
        go_name: name.into(),
        json_name: name.into(),
        ty,
        presence: Presence::Named,
        omit_empty: true,
        default: None,
    };
    let fields = [("kind", text), ("apiVersion", text), ("count", int32), ("name", text)];
    let root = schema.add("Thing", Kind::Struct(Struct::new(fields.map(field).into())));
    schema.link();
    let report = ErrorShape { error_type: ErrorType::Invalid, field: "count".into(), origin: "minimum".into() };
    let form = Form {
        schema: Arc::new(schema),
        root,
        field_validation: FieldValidation::Warn,
        defaulter: None,
        strategy: None,
    };
    let reference = Box::new(Reference(Arc::clone(gate)));
    Pair {
        comparator: Comparator::Kubernetes(Matcher::default()),
        rules: vec![Rule {
            stability: Some(Stability::Beta),
            reports: vec![report],
            ..Rule::new(RuleId(0), "count", "minimum=0")
        }],
        ..Pair::new(SubjectId::new("v1", "Thing"), form, reference, Box::new(Candidate))
    }
}

/// The review of the creation of a thing with this count. Those with other uids are of other things.
pub(crate) fn review(uid: &str, count: i64) -> Value {
    json!({"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "request": {
        "uid": uid,
        "kind": {"group": "", "version": "v1", "kind": "Thing"},
        "operation": "CREATE",
        "object": {"kind": "Thing", "apiVersion": "v1", "count": count, "name": format!("a-private-name {uid}")},
        "oldObject": null,
    }})
}

/// The answer that allows it.
pub(crate) fn allowed(uid: &str) -> Value {
    json!({"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "response": {"uid": uid, "allowed": true}})
}
