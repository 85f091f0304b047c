//! Equivalence as a property test, as the documentation of `takeover_corpora::strategy` shows it: it passes where both sides agree,
//! and a planted fault is found and shrunk.

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{TestCaseError, TestError, TestRunner};
use serde_json::{Value, json};
use takeover_corpora::strategy;
use takeover_harness::case::{Case, Operation};
use takeover_harness::catalogue::Catalogue as _;
use takeover_harness::judge::{CaseRecord, Judge};
use takeover_harness::object::Arena;
use takeover_harness::oracle::{Answer, Objects, Oracle, OracleFailure, Precision, Question, View};
use takeover_harness::pair::Pair;
use takeover_harness::subject::SubjectId;
use takeover_oracles::registry::Registry;

/// A candidate that says nothing of errors at one place.
struct Blind {
    inner: Box<dyn Oracle>,
    field: &'static str,
    only: Operation,
}

impl Oracle for Blind {
    fn precision(&self) -> Precision {
        self.inner.precision()
    }

    fn view<'a>(&self, objects: &Objects<'a>, arena: &'a Arena) -> Result<View<'a>, OracleFailure> {
        self.inner.view(objects, arena)
    }

    fn answer(&self, question: &Question<'_>, view: &View<'_>, answer: &mut Answer) -> Result<(), OracleFailure> {
        self.inner.answer(question, view, answer)?;
        let blind = question.operation == self.only;
        let all = std::mem::take(&mut answer.errors).into_vec().into_iter();
        all.filter(|error| !blind || error.field != self.field).for_each(|error| answer.push(error));
        Ok(())
    }
}

fn subject(api_version: &str, kind: &str) -> Pair {
    Registry::of_builtin().unwrap().pair(&SubjectId::new(api_version, kind).into()).unwrap()
}

fn agrees(judge: &Judge<'_>, case: &Case) -> Result<(), TestCaseError> {
    let mut record = CaseRecord::new();
    let _ = judge.case(case, &mut Arena::new(), &mut record);
    prop_assert!(
        record.panics.is_empty() && record.differences.is_empty(),
        "{:#?} {:#?}",
        record.panics,
        record.differences
    );
    Ok(())
}

/// The case that the property ends with when the candidate is blind; new object, and old.
fn smallest(field: &'static str, only: Operation) -> (Value, Option<Value>) {
    let mut subject = subject("v1", "ReplicationController");
    subject.candidate = Box::new(Blind { inner: subject.candidate, field, only });
    let judge = Judge::new(&subject);
    let config = ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRunner::deterministic().new_rng());
    // Kubernetes' own sides disagree elsewhere.
    let here = |case: &Case| {
        let mut record = CaseRecord::new();
        let _ = judge.case(case, &mut Arena::new(), &mut record);
        prop_assert!(
            record.differences.iter().all(|difference| difference.what.field() != field),
            "{:#?}",
            record.differences
        );
        Ok(())
    };
    match runner.run(&strategy(&subject), |case| here(&case)) {
        Err(TestError::Fail(_, case)) => {
            assert_eq!(case.operation, only);
            (case.object.to_value().unwrap(), case.old.map(|old| old.to_value().unwrap()))
        }
        other => panic!("the fault at {field} was not found: {other:?}"),
    }
}

#[test]
fn two_sides_that_agree_pass() {
    let subject = subject("certificates.k8s.io/v1", "CertificateSigningRequest");
    let judge = Judge::new(&subject);
    proptest!(|(case in strategy(&subject))| { agrees(&judge, &case)? });
}

#[test]
fn a_fault_on_create_is_found_and_shrunk_to_the_field_at_fault() {
    let (object, old) = smallest("spec.replicas", Operation::Create);
    assert_eq!(old, None);
    assert_eq!((&object["kind"], &object["spec"]), (&json!("ReplicationController"), &json!({"replicas": -1})));
}

#[test]
fn a_fault_on_update_is_found_and_both_objects_are_shrunk() {
    let (object, old) = smallest("spec.minReadySeconds", Operation::Update);
    assert_eq!(object["spec"], json!({"minReadySeconds": -1}));
    let small = |object: &Value| object.to_string().len() < 120;
    assert!(small(&object) && small(old.as_ref().unwrap()), "{object} {old:?}");
}

#[test]
fn a_failing_case_prints_its_objects_as_json() {
    let mut runner = TestRunner::deterministic();
    let case = strategy(&subject("v1", "ReplicationController")).new_tree(&mut runner).unwrap().current();
    assert!(format!("{case:?}").contains(r#""kind":"ReplicationController""#), "{case:?}");
}
