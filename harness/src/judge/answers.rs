//! Prepares answers for comparison: panics, failures, delegated paths.

use super::case_record::{CaseRecord, Judgement, OraclePanic};
use super::guard::NoAnswer;
use crate::error::{ErrorList, FieldError};
use crate::oracle::OracleFailure;
use crate::pair::Delegated;
use crate::path::pattern_of;
use crate::side::Side;

/// Notes the panics of the sides. If one could not judge, empties `record` but for the failures.
pub(super) fn unanswered(
    record: &mut CaseRecord,
    reference: Result<(), NoAnswer>,
    candidate: Result<(), NoAnswer>,
) -> Option<Judgement> {
    let mut unable = None;
    for (side, answer) in [(Side::Reference, reference), (Side::Candidate, candidate)] {
        match answer {
            Ok(()) => {}
            Err(NoAnswer::Unable(failure)) => {
                *record.failures.of_mut(side) += u64::from(failure.declined_because().is_none());
                unable.get_or_insert(Judgement::Unable { side, failure });
            }
            Err(NoAnswer::Panicked(panic)) => record.panics.push(OraclePanic { side: Some(side), panic }),
        }
    }
    if unable.is_some() {
        let failures = record.failures;
        record.clear();
        record.failures = failures;
    }
    unable
}

/// Empties `record` if a side reported more errors than there is room for: what is left of them cannot be compared.
pub(super) fn too_long(record: &mut CaseRecord) -> Option<Judgement> {
    let cut = |side: &Side| record.answer(*side).errors.cut() > 0;
    let side = Side::ALL.into_iter().find(cut)?;
    let errors = &record.answer(side).errors;
    let failure = OracleFailure::too_many_errors(errors.len(), errors.cut());
    record.clear();
    Some(Judgement::Unable { side, failure })
}

/// Removes the errors in delegated paths and keeps the order of the others; tells `left_out` of each and returns how many.
pub(super) fn leave_out(errors: &mut ErrorList, delegated: &[Delegated], mut left_out: impl FnMut(&FieldError)) -> u64 {
    let mut kept = 0;
    let list = errors.as_mut_slice();
    for at in 0..list.len() {
        let Some(error) = list.get(at) else { break };
        let place = pattern_of(&error.field);
        if delegated.iter().any(|part| part.contains(&place)) {
            left_out(error);
        } else {
            list.swap(kept, at);
            kept += 1;
        }
    }
    let removed = list.len() - kept;
    errors.truncate(kept);
    u64::try_from(removed).unwrap_or(u64::MAX)
}
