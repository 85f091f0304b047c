//! Cases whose oracles run in other processes, which they may end.

use crate::ledger::Gathered;
use crate::samples::{SampleRoom, Samples};
use crate::state::State;
use std::time::Duration;
use takeover_engine::isolate::{IsolatedCase, IsolatedJudge};
use takeover_harness::case::Case;
use takeover_harness::evidence::{CasePlace, Evidence};

/// How long it takes until it is tried again to have something judged, after that was not possible.
const REST: Duration = Duration::from_secs(1);

/// Has a case judged. What to record of it; none, if it could not be judged.
pub(super) fn judge(
    state: &State,
    isolated: &IsolatedJudge,
    subject: usize,
    place: CasePlace,
    case: &Case,
) -> Option<IsolatedCase> {
    match isolated.judge(subject, place, case) {
        Ok(judged) => {
            state.processes_ended(subject, judged.cost);
            Some(judged)
        }
        Err(error) => {
            tracing::error!(%error, "a case could not be judged in a process of its own");
            // Whatever keeps processes from starting is not made better by starting many.
            std::thread::sleep(REST);
            None
        }
    }
}

/// Adds the evidence of a case to what was gathered, without its sample unless `sample_room` has room for it.
pub(super) fn record(gathered: &mut Gathered, evidence: Evidence, sample_room: Option<&SampleRoom>) {
    for part in evidence.into_pairs() {
        let kept = sample_room.is_some_and(|sample_room| sample_room.take(Samples::of_all([&part]).bytes));
        let part = if kept { part } else { part.without_values() };
        if let Err(error) = gathered.apart.add(part) {
            tracing::error!(%error, "the evidence is inconsistent");
        }
    }
}
