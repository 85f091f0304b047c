//! Exit codes. Part of the interface: documented in `--help` and in the README.

use crate::output::program;
use std::process::{ExitCode, Termination};
use takeover_engine::ending::Ending;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// Every rule is ready, or nothing stands in the way of one; every object is valid; lint found no error.
    Ready = 0,
    /// There are findings: the two sides disagree, a check failed, an object is invalid, lint or fuzzing found errors, or no
    /// rule may be promoted.
    Findings = 1,
    /// Wrong usage or configuration, unreadable input, output that cannot be written.
    Usage = 2,
    /// Nothing was compared, validated, linted or tried.
    NothingCompared = 3,
    /// The harness's own self-check failed: no result of this run can be trusted.
    SelfCheck = 4,
    /// `gate`: an exception has expired.
    Expired = 5,
    /// `gate`: an exception is about another number of findings than it says.
    Stale = 6,
    /// `gate`: a rule is less ready than in the baseline.
    Worse = 7,
    /// `gate`: too little was seen of a rule that the baseline does not know as such.
    BelowFloor = 8,
}

impl Exit {
    /// Every way to end.
    pub const ALL: [Self; 9] = [
        Self::Ready,
        Self::Findings,
        Self::Usage,
        Self::NothingCompared,
        Self::SelfCheck,
        Self::Expired,
        Self::Stale,
        Self::Worse,
        Self::BelowFloor,
    ];

    /// The table of codes for `--help`.
    const HELP: &str = "Exit codes:
  0  ready, or nothing blocked; every object valid; no lint error
  1  findings: the two sides disagree, a check failed, an object is invalid, lint errors, finds of fuzzing, or nothing to promote
  2  wrong usage or configuration, unreadable input, output that cannot be written
  3  nothing was compared, validated, linted or tried
  4  the harness's own self-check failed
  5  gate: an exception has expired
  6  gate: an exception is stale: what it excuses is gone, or more than it says
  7  gate: a rule is less ready than in the baseline
  8  gate: too little was seen of a rule";
}

impl Exit {
    /// The way to end that a code stands for.
    pub fn of(code: i32) -> Option<Self> {
        Self::ALL.into_iter().find(|exit| *exit as i32 == code)
    }

    /// Text below the help of a command: examples, then the table of codes.
    pub fn after_help(examples: &[&str]) -> String {
        let examples = examples.join("\n  ").replace("cargo xtask", program());
        format!("Examples:\n  {examples}\n\n{}", Self::HELP)
    }
}

impl From<Ending> for Exit {
    fn from(ending: Ending) -> Self {
        match ending {
            Ending::Clean => Self::Ready,
            Ending::Findings => Self::Findings,
            Ending::Unreadable => Self::Usage,
            Ending::NothingCompared => Self::NothingCompared,
        }
    }
}

impl Termination for Exit {
    fn report(self) -> ExitCode {
        ExitCode::from(self as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::Exit;

    #[test]
    fn the_help_names_every_code() {
        for exit in Exit::ALL {
            assert!(Exit::HELP.contains(&format!("\n  {}  ", exit as u8)), "{exit:?}");
        }
    }
}
