//! Exit codes. Part of the interface: documented in `--help` and in the README.

use crate::output::program;
use std::process::{ExitCode, Termination};

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// Every rule is ready, or nothing stands in the way of one; every object is valid; lint found no error.
    Ready = 0,
    /// There are findings: the two sides disagree, a check failed, an object is invalid, or lint or fuzzing found errors.
    Findings = 1,
    /// Wrong usage or configuration, unreadable input.
    Usage = 2,
    /// Nothing was compared, validated, linted or tried.
    NothingCompared = 3,
    /// The harness's own self-check failed: no result of this run can be trusted.
    SelfCheck = 4,
}

impl Exit {
    /// The table of codes for `--help`.
    const HELP: &str = "Exit codes:
  0  ready, or nothing blocked; every object valid; no lint error
  1  findings: the two sides disagree, a check failed, an object is invalid, lint errors, or finds of fuzzing
  2  wrong usage or configuration, unreadable input
  3  nothing was compared, validated, linted or tried
  4  the harness's own self-check failed";
}

impl Exit {
    /// The way to end that a code stands for.
    pub fn of(code: i32) -> Option<Self> {
        [Self::Ready, Self::Findings, Self::Usage, Self::NothingCompared, Self::SelfCheck]
            .into_iter()
            .find(|exit| *exit as i32 == code)
    }

    /// Text below the help of a command: examples, then the table of codes.
    pub fn after_help(examples: &[&str]) -> String {
        let examples = examples.join("\n  ").replace("cargo xtask", program());
        format!("Examples:\n  {examples}\n\n{}", Self::HELP)
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
        for exit in [Exit::Ready, Exit::Findings, Exit::Usage, Exit::NothingCompared, Exit::SelfCheck] {
            assert!(Exit::HELP.contains(&format!("\n  {}  ", exit as u8)), "{exit:?}");
        }
    }
}
