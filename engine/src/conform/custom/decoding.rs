//! Steps of decoding by a structural schema that stands alone.

use super::super::judging::between;
use super::values::{OBJECTS, object, texts};
use super::{Place, Sides};
use serde_json::Value;
use takeover_corpora::fixture::{Recorded, RecordedDefaulting};
use takeover_custom_resources::structural::Structural;
use takeover_custom_resources::{coerce, structural_of};
use takeover_harness::case::Operation;
use takeover_harness::compare::Comparator;
use takeover_harness::subject::SubjectId;
use takeover_reports::conform::{Agreement, DEFAULTED, PRUNED};

/// What these fixtures are counted under.
pub(super) fn subject() -> SubjectId {
    SubjectId::new("", "structural schema")
}

/// Judges every step that was recorded.
pub(super) fn judge(recorded: &RecordedDefaulting, at: Place<'_>, agreement: &mut Agreement) {
    let id = subject();
    let (structural, _) = structural_of(&recorded.schema, "schema");
    let (kind, operation) = (id.kind.clone(), Operation::Create);
    let mut sides = Sides { at, kind, id: &recorded.id, operation: operation.to_string(), agreement };
    let mut count = |side: &str, recorded: Recorded, ours: Recorded, comparator: Comparator| {
        sides.count(side, between(&id, operation, recorded, ours, comparator));
    };
    let made = |steps: &[Step]| {
        let mut value = recorded.object.clone();
        steps.iter().for_each(|step| step(&structural, &mut value));
        object(value)
    };
    let prune: Step = if recorded.is_resource_root {
        |structural, value| drop(coerce::prune(structural, value))
    } else {
        |structural, value| drop(coerce::prune_value(structural, value))
    };
    count("nulls dropped", object(recorded.nulls_pruned.clone()), made(&[coerce::drop_nulls]), OBJECTS);
    count("defaults alone", object(recorded.default_only.clone()), made(&[coerce::set_defaults]), OBJECTS);
    count(DEFAULTED, object(recorded.defaulted.clone()), made(&[coerce::drop_nulls, coerce::set_defaults]), OBJECTS);
    count("pruned object", object(recorded.pruned.clone()), made(&[prune]), OBJECTS);
    let all = made(&[prune, coerce::drop_nulls, coerce::set_defaults]);
    count("pruned and defaulted", object(recorded.pruned_defaulted.clone()), all, OBJECTS);
    let mut value = recorded.object.clone();
    let unknown = match recorded.is_resource_root {
        true => coerce::prune(&structural, &mut value),
        false => coerce::prune_value(&structural, &mut value),
    };
    count(PRUNED, texts(&recorded.unknown_fields), texts(&unknown), Comparator::Verbatim);
}

type Step = fn(&Structural, &mut Value);
