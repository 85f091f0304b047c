//! What came of the checks.

use crate::protocol::Hello;
use serde::Serialize;

/// What came of checking a program.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Conformance {
    /// What the program said of itself, if it said anything that can be used.
    pub hello: Option<Hello>,
    /// The checks in the order in which they ran.
    pub checks: Vec<Check>,
}

/// One check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Check {
    /// Its name, which stays: `answers-a-batch`.
    pub name: &'static str,
    /// What a program does that passes, for people.
    pub title: &'static str,
    /// The outcome.
    pub outcome: CheckOutcome,
    /// What was seen, or why the check did not run.
    pub explanation: String,
}

/// What came of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum CheckOutcome {
    /// The program does it.
    Passed,
    /// It does not.
    Failed,
    /// The check does not apply, or could not run.
    Skipped,
}

impl Conformance {
    /// Whether no check failed.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.count(CheckOutcome::Failed) == 0
    }

    /// How many checks came to this.
    #[must_use]
    pub fn count(&self, outcome: CheckOutcome) -> usize {
        self.checks.iter().filter(|check| check.outcome == outcome).count()
    }
}
