//! Taking values out of what is about to be recorded.

use crate::samples::{SampleRoom, Samples};
use takeover_harness::case::{Case, Options, Payload};
use takeover_harness::compare::What;
use takeover_harness::error::{BadValue, FieldError};
use takeover_harness::evidence::{CasePlace, NOT_KEPT, PairEvidence, Sighting, size};
use takeover_harness::judge::{CaseRecord, Judgement};
use takeover_harness::path::pattern;

/// Longest objects, in bytes of JSON, that are kept as a sample. One object may be that of many signatures.
const LONGEST: u64 = 32 << 10;

/// Whether a case may be kept with its values, where that is asked for at all.
pub(super) fn may_be_kept(case: &Case) -> bool {
    size(case) <= LONGEST
}

/// Records a case; unless `sample_room` has room for its sample, without any value of its objects: of a disagreement or a note remains what
/// it is counted under, of a panic its place in the source.
pub(super) fn record(
    evidence: &mut PairEvidence,
    place: CasePlace,
    case: &Case,
    verdict: &Judgement,
    record: &mut CaseRecord,
    sample_room: Option<&SampleRoom>,
) {
    // Messages may quote values; what a check is counted under does not.
    for refused in record.observation.iter_mut().flat_map(|observation| &mut observation.refused) {
        refused.said.clear();
    }
    let examples =
        u64::try_from(record.differences.len() + record.panics.len() + record.notes.len()).unwrap_or(u64::MAX);
    if verdict.reason().is_none() && examples == 0 {
        return evidence.record(place, case, verdict, record);
    }
    if let Some(sample_room) = sample_room.filter(|_| may_be_kept(case)) {
        let most = size(case).saturating_mul(examples);
        if sample_room.take(most) {
            let before = Samples::of(evidence.operation(case.operation)).bytes;
            evidence.record(place, case, verdict, record);
            let grown = Samples::of(evidence.operation(case.operation)).bytes.saturating_sub(before);
            return sample_room.give_back(most.saturating_sub(grown));
        }
    }
    if let Some((reason, _)) = verdict.reason() {
        let sighting = Sighting { place, provenance: case.provenance.clone(), message: reason.clone() };
        return evidence.record_unusable(case.operation, verdict.is_undecodable(), &reason, sighting);
    }
    for difference in &mut record.differences {
        difference.what = without_values(&difference.what);
    }
    for noted in &mut record.notes {
        NOT_KEPT.clone_into(&mut noted.said);
    }
    for panicked in &mut record.panics {
        NOT_KEPT.clone_into(&mut panicked.panic.message);
    }
    let hollow = Case {
        operation: case.operation,
        object: Payload::from(serde_json::Value::Null),
        old: None,
        options: Options::new(),
        provenance: case.provenance.clone(),
    };
    evidence.record(place, &hollow, verdict, record);
}

/// What differs, at its pattern, without a value of an object.
fn without_values(what: &What) -> What {
    match what {
        What::Error(error) => What::Error(FieldError {
            field: pattern(&error.field),
            bad_value: BadValue::Null,
            detail: NOT_KEPT.into(),
            ..error.clone()
        }),
        What::Value { path, .. } => What::Value { path: pattern(path), reference: None, candidate: None },
        What::Decision { field, .. } => {
            What::Decision { field: pattern(field), reason: NOT_KEPT.to_owned(), shape: String::new() }
        }
    }
}
