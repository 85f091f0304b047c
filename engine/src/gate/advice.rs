//! What to do next about each reason, as a command where there is one.

use super::holding::Reason;
use crate::output::program;
use std::path::Path;

/// What to do next about failures of this reason in the run of this folder.
pub fn advice(reason: Reason, run: &Path) -> String {
    let (program, run) = (program(), run.display());
    match reason {
        Reason::NothingCompared => {
            format!("look at [subjects], [corpora] and [budget]: {program} config; then {program} gate")
        }
        Reason::Finding => {
            format!(
                "mend the rule or the handwritten check, or excuse it: {program} gate --run {run} --write-exceptions"
            )
        }
        Reason::Unreadable => {
            format!("see which they are: the end of {run}/report.txt, or {program} soak --recorded PATH")
        }
        Reason::Expired => format!("mend the cause, or agree on another day in the exception; then {program} gate"),
        Reason::Stale => {
            format!(
                "remove the exception, its cause being gone, or correct its number; then {program} gate --run {run}"
            )
        }
        Reason::Worse => {
            format!("mend the rule, or commit to the new state: {program} gate --run {run} --update-baseline")
        }
        Reason::BelowFloor => format!(
            "give recorded objects in [corpora] or raise [budget] cases; or commit to it: {program} gate --run {run} \
             --update-baseline"
        ),
    }
}
