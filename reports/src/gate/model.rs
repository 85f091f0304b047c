//! The result of a gate, as data.

use crate::run::{Production, Summary};
use crate::text::shell_quoted;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

/// Why a gate fails, the one that decides the exit code first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureReason {
    /// Nothing was compared.
    NothingCompared,
    /// A finding without an exception.
    Finding,
    /// Input that could not be read.
    Unreadable,
    /// An exception has expired.
    Expired,
    /// An exception covers a different number of findings than it states.
    Stale,
    /// A rule is less ready than in the baseline.
    Worse,
    /// Too little was seen of a rule.
    BelowFloor,
}

impl fmt::Display for FailureReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NothingCompared => "nothing compared",
            Self::Finding => "findings without an exception",
            Self::Unreadable => "unreadable input",
            Self::Expired => "expired exceptions",
            Self::Stale => "stale exceptions",
            Self::Worse => "rules less ready than in the baseline",
            Self::BelowFloor => "rules below the floor",
        })
    }
}

/// One thing that fails the gate.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GateFailure {
    /// Why.
    pub reason: FailureReason,
    /// What it is about: a signature, a rule of a subject, or a file.
    pub what: String,
    /// What was found.
    pub message: String,
    /// The file and line to look at, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Line of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The command that shows it again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reproduce: Option<String>,
}

impl GateFailure {
    /// What nothing was compared for where an oracle did not answer.
    pub const ORACLES: &'static str = "the oracles";
}

/// The result of a gate. Its JSON form is the machine-readable result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GateReport {
    /// Version of the JSON form. Fields are only ever added within a version.
    pub format_version: u32,
    /// Whether the gate is open.
    pub passed: bool,
    /// The exit code.
    pub exit_code: u8,
    /// Subjects that were judged.
    pub subjects: usize,
    /// Compared cases.
    pub compared: u64,
    /// How much of that was compared beside live traffic, and since when; none for a run without servers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub production: Option<Production>,
    /// Rules by verdict.
    pub rules: BTreeMap<String, usize>,
    /// What the run says in a few numbers: the same as in its report.
    pub summary: Summary,
    /// Findings that are excused.
    pub excused: usize,
    /// Exceptions about subjects that were not judged.
    pub unjudged_exceptions: usize,
    /// Rules of the baseline whose subjects were left out because no server shows them.
    #[serde(default)]
    pub unjudged_baseline: usize,
    /// Rules that are not as in the baseline and no worse: they are new, better or at another level.
    pub moved: Vec<String>,
    /// Everything that fails the gate, by reason.
    pub failures: Vec<GateFailure>,
    /// The folder of the run, as people type it.
    #[serde(skip)]
    pub run: String,
    /// The program, as people type it.
    #[serde(skip)]
    pub program: &'static str,
    /// The file of settings that was named, as people type it.
    #[serde(skip)]
    pub config: Option<String>,
    /// The flags that describe the pair, as a shell takes them; empty where the settings do.
    #[serde(skip)]
    pub pair: String,
}

impl GateReport {
    /// The command that checks the same run by the same settings, for more flags: `takeover gate --run RUN`.
    #[must_use]
    pub(super) fn again(&self) -> String {
        format!("{} --run {}", self.command(), shell_quoted(&self.run))
    }

    /// The command that gates by the same settings.
    #[must_use]
    pub(super) fn command(&self) -> String {
        let pair = if self.pair.is_empty() { String::new() } else { format!(" {}", self.pair) };
        format!("{} gate{}{pair}", self.program, self.settings())
    }

    /// The flag that names the same settings.
    pub(super) fn settings(&self) -> String {
        self.config.as_ref().map_or_else(String::new, |file| format!(" --config {}", shell_quoted(file)))
    }

    /// The reasons, with what they are about.
    #[must_use]
    pub fn by_reason(&self) -> BTreeMap<FailureReason, Vec<&GateFailure>> {
        let mut by_reason: BTreeMap<FailureReason, Vec<&GateFailure>> = BTreeMap::new();
        for failure in &self.failures {
            by_reason.entry(failure.reason).or_default().push(failure);
        }
        by_reason
    }
}
