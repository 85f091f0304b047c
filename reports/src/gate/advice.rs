//! What to do next about each reason, as a command where there is one.

use super::model::{FailureReason, GateFailure, GateReport};
use std::fmt;

/// What to do next.
pub(super) struct Advice {
    /// What the command is for.
    pub(super) what: &'static str,
    /// As people type it.
    pub(super) command: String,
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.what, self.command)
    }
}

/// What to do next about failures of this reason.
pub(super) fn advice(reason: FailureReason, report: &GateReport) -> Advice {
    let (gate, again) = (report.command(), report.again());
    let silent = report.failures.iter().any(|failure| failure.reason == reason && failure.what == GateFailure::ORACLES);
    let (what, command) = match reason {
        FailureReason::NothingCompared if silent => ("fix the oracle that does not answer, then run", gate),
        FailureReason::NothingCompared => (
            "correct [subjects], [corpora] and [budget] in the settings",
            format!("{} config{}", report.program, report.settings()),
        ),
        FailureReason::Finding => (
            "fix the rule or the handwritten check, or excuse it",
            format!("{again} --write-exceptions --owner OWNER --issue ISSUE --reason REASON"),
        ),
        FailureReason::Unreadable => {
            ("see what was left out, at the end of this file", format!("{}/report.txt", report.run))
        }
        FailureReason::Expired => ("fix the cause, or extend the exception, then run", gate),
        FailureReason::Stale => ("remove the exception if its cause is gone, or correct it, then run", again),
        FailureReason::Worse => ("fix the rule, or accept the new state", format!("{again} --update-baseline")),
        FailureReason::BelowFloor => (
            "add recorded objects to [corpora] or raise `cases` in [budget]; or accept it",
            format!("{again} --update-baseline"),
        ),
    };
    Advice { what, command }
}
