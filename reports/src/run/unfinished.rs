//! How far a run came that was stopped or killed.

use crate::numbers::{counted, grouped};
use serde::{Deserialize, Serialize};
use std::fmt;

/// How far a run came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Unfinished {
    /// Whether all recorded objects were judged.
    pub recorded: bool,
    /// Generated cases that were judged.
    pub cases: u64,
    /// Generated cases that were wanted; none for a run by time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wanted: Option<u64>,
    /// Seconds that went into generated cases.
    pub seconds: u64,
    /// Seconds that were wanted; none for a run by cases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wanted_seconds: Option<u64>,
    /// Findings whose smallest case was not sought.
    #[serde(default)]
    pub not_minimised: u64,
    /// Whether `soak --resume` can finish it: not when it was still reading standard input, which is gone.
    pub resumable: bool,
}

impl fmt::Display for Unfinished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cases = grouped(self.cases);
        match (self.recorded, self.wanted, self.wanted_seconds) {
            (false, ..) => write!(f, "recorded objects not all judged, {cases} generated cases"),
            (true, Some(wanted), _) => write!(f, "{cases} of {} generated cases judged", grouped(wanted)),
            (true, None, Some(wanted)) => {
                write!(f, "{cases} generated cases judged in {} of {} s", grouped(self.seconds), grouped(wanted))
            }
            (true, None, None) => write!(f, "{cases} generated cases judged"),
        }?;
        match self.not_minimised {
            0 => Ok(()),
            some => write!(f, "; {} not minimised", counted(some, "finding")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Unfinished;

    #[test]
    fn it_says_how_far_the_run_came() {
        let run = Unfinished { recorded: true, cases: 1200, seconds: 7, ..Unfinished::default() };
        for (run, said) in [
            (Unfinished { wanted: Some(3000), ..run }, "1,200 of 3,000 generated cases judged"),
            (Unfinished { wanted_seconds: Some(60), ..run }, "1,200 generated cases judged in 7 of 60 s"),
            (
                Unfinished { recorded: false, cases: 0, wanted: Some(3000), ..run },
                "recorded objects not all judged, 0 generated cases",
            ),
            (
                Unfinished { wanted: Some(1200), not_minimised: 3, ..run },
                "1,200 of 1,200 generated cases judged; 3 findings not minimised",
            ),
        ] {
            assert_eq!(run.to_string(), said);
        }
    }
}
