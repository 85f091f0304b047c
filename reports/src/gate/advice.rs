//! What to do next about each reason, as a command where there is one.

use super::model::{FailureReason, GateFailure, GateReport};

/// What to do next about failures of this reason.
pub(super) fn advice(reason: FailureReason, report: &GateReport) -> String {
    let GateReport { program, run, .. } = report;
    let (gate, again) = (report.command(), report.again());
    let silent = report.failures.iter().any(|failure| failure.reason == reason && failure.what == GateFailure::ORACLES);
    match reason {
        FailureReason::NothingCompared if silent => format!("fix the oracle that does not answer; then {gate}"),
        FailureReason::NothingCompared => {
            let settings = report.settings();
            format!("check [subjects], [corpora] and [budget]: {program} config{settings}; then {gate}")
        }
        FailureReason::Finding => {
            format!(
                "fix the rule or the handwritten check, or excuse it: {again} --write-exceptions --owner OWNER --issue ISSUE \
                 --reason REASON"
            )
        }
        FailureReason::Unreadable => {
            format!("see what was left out: the end of {run}/report.txt, or {program} soak --recorded PATH")
        }
        FailureReason::Expired => {
            format!("fix the cause, or extend the exception; then {gate}")
        }
        FailureReason::Stale => {
            format!("remove the exception if its cause is gone, or check its findings and correct it; then {again}")
        }
        FailureReason::Worse => {
            format!("fix the rule, or accept the new state: {again} --update-baseline")
        }
        FailureReason::BelowFloor => format!(
            "add recorded objects to [corpora] or raise `cases` in [budget]; or accept it: {again} --update-baseline"
        ),
    }
}
