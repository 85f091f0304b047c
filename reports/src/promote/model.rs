//! What promote decides, as data. Its JSON form is described in `docs/promote.md`.

use crate::run::{ExceptionReport, FindingReport, Level};
use serde::Serialize;
use takeover_harness::rule::Source;

/// Version of the JSON form; within it, fields are only ever added.
pub const FORMAT_VERSION: u32 = 1;

/// Everything that is decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PromotionReport {
    /// [`FORMAT_VERSION`].
    pub format_version: u32,
    /// The level of the lines.
    pub from: Level,
    /// The level that they move to.
    pub to: Level,
    /// Lines that move.
    pub moved: Vec<MovedLine>,
    /// Lines that stay.
    pub stay: Vec<StayingLine>,
    /// Lines that could move, but no handwritten check could go for them.
    pub idle: Vec<IdleLine>,
    /// Handwritten checks that report the same as rules that become stable.
    pub checks: Vec<TwinCheck>,
    /// Lines of the level in files of which the run judged nothing.
    pub unjudged: usize,
    /// The unified diff; empty if nothing moves.
    pub patch: String,
}

/// A line that moves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MovedLine {
    /// Where it is.
    #[serde(flatten)]
    pub at: Source,
    /// The tag in its wrapper, as reports write it.
    pub rule: String,
    /// What the line says behind its `+`.
    pub before: String,
    /// What it will say.
    pub after: String,
    /// The excused findings that it rests on.
    pub exceptions: Vec<ExcusedFinding>,
}

/// A line that stays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StayingLine {
    /// Where it is.
    #[serde(flatten)]
    pub at: Source,
    /// The tag in its wrapper, as reports write it.
    pub rule: String,
    /// Why it stays.
    pub because: String,
    /// The excused findings of its rules.
    pub exceptions: Vec<ExcusedFinding>,
}

/// A line that is left out because it replaces nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct IdleLine {
    /// Where it is.
    #[serde(flatten)]
    pub at: Source,
    /// The tag in its wrapper, as reports write it.
    pub rule: String,
}

/// A handwritten check that reports the same as a rule that becomes stable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TwinCheck {
    /// Group and kind, and the error that it reports.
    pub check: String,
    /// Whether it may be deleted.
    pub deletable: bool,
    /// What still needs it.
    pub needed_by: Option<String>,
}

/// A finding, and the exception without which its rules would be blocked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExcusedFinding {
    /// The signature.
    pub finding: String,
    /// In how many cases.
    pub cases: u64,
    /// Direction, reason, owner, issue and last day.
    #[serde(flatten)]
    pub exception: ExceptionReport,
}

impl ExcusedFinding {
    /// The finding, if an exception excuses it.
    #[must_use]
    pub fn of(finding: &FindingReport) -> Option<Self> {
        let exception = finding.exception.clone().filter(|exception| !exception.expired)?;
        Some(Self { finding: finding.signature.clone(), cases: finding.count, exception })
    }

    /// All of it in one line.
    pub(super) fn said(&self) -> String {
        format!("{} × {}, {}", self.cases, self.finding, self.exception.said())
    }
}
