//! CRDs that a server rejected, or accepted, held against what we refuse.

use super::super::judging::between;
use super::known::Known;
use super::values::essence;
use super::{Place, Sides};
use serde_json::{Value, json};
use takeover_corpora::fixture::{CustomSchema, Recorded, RecordedRefusal, SourcedError};
use takeover_custom_resources::refuse::{Before, refusals};
use takeover_harness::case::Operation;
use takeover_harness::compare::Comparator;
use takeover_harness::error::{BadValue, FieldError};
use takeover_harness::subject::SubjectId;
use takeover_reports::conform::{Agreement, REFUSED, TEXTS};

/// What these fixtures are counted under.
pub(super) fn subject() -> SubjectId {
    SubjectId::new("apiextensions.k8s.io/v1", "CustomResourceDefinition")
}

/// Judges a refusal; the manifest stands beside it or was read before.
pub(super) fn judge(recorded: &RecordedRefusal, known: &Known, at: Place<'_>, agreement: &mut Agreement) {
    let Some(manifest) = recorded.object.as_ref().or_else(|| known.manifest(&recorded.source)) else {
        return agreement.skip("refusal of a CRD whose manifest is missing: add it with --schemas");
    };
    // The refusals were recorded without the steps that a server takes before.
    compare(&recorded.source, manifest, Before::Nothing, &recorded.errors, at, agreement);
}

/// Judges a CRD that requests could be sent to: nothing is refused.
pub(super) fn judge_accepted(schema: &CustomSchema, at: Place<'_>, agreement: &mut Agreement) {
    let id = format!("{} {}", schema.crd, schema.version);
    let mut manifest = schema.manifest();
    // The annotation that groups of Kubernetes need was there, but is not recorded.
    if let Some(metadata) = manifest.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.insert("annotations".to_owned(), json!({"api-approved.kubernetes.io": "unapproved"}));
    }
    compare(&id, &manifest, Before::Defaults, &[], at, agreement);
}

fn compare(
    id: &str,
    manifest: &Value,
    before: Before,
    recorded: &[SourcedError],
    at: Place<'_>,
    agreement: &mut Agreement,
) {
    let subject = subject();
    let operation = Operation::Create;
    let mut sides = Sides { at, kind: subject.to_string(), id, operation: operation.to_string(), agreement };
    let ours = refusals(manifest, before).into_vec();
    let mut count = |side: &str, recorded: Vec<FieldError>, ours: Vec<FieldError>| {
        let (recorded, ours) = (Recorded::errors(recorded), Recorded::errors(ours));
        sides.count(side, between(&subject, operation, recorded, ours, Comparator::Verbatim));
    };
    let essences = |errors: &mut dyn Iterator<Item = &FieldError>| {
        errors.map(|error| essence(error, "crd", None)).collect::<Vec<_>>()
    };
    // Values are not recorded.
    let texts = |errors: &mut dyn Iterator<Item = &FieldError>| {
        errors.map(|error| FieldError { bad_value: BadValue::Hidden, ..error.clone() }).collect::<Vec<_>>()
    };
    let recorded: Vec<FieldError> = recorded.iter().map(|found| found.error.clone()).collect();
    count(REFUSED, essences(&mut recorded.iter()), essences(&mut ours.iter()));
    count(TEXTS, texts(&mut recorded.iter()), texts(&mut ours.iter()));
}
