//! The excused findings that a step would rest on.

use serde::Serialize;
use std::collections::BTreeMap;
use takeover_reports::{ExceptionReport, FindingReport};

/// Findings that an exception excuses, by signature.
pub type Excused<'r> = BTreeMap<&'r str, OnException<'r>>;

/// A finding, and the exception without which the rule would be blocked.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OnException<'r> {
    /// The signature.
    finding: &'r str,
    /// In how many cases.
    cases: u64,
    /// Direction, reason, owner, issue and last day.
    #[serde(flatten)]
    exception: &'r ExceptionReport,
}

impl<'r> OnException<'r> {
    /// The finding, if an exception excuses it.
    pub fn of(finding: &'r FindingReport) -> Option<Self> {
        let exception = finding.exception.as_ref().filter(|exception| !exception.expired)?;
        Some(Self { finding: &finding.signature, cases: finding.count, exception })
    }

    /// The signature.
    pub fn signature(&self) -> &'r str {
        self.finding
    }

    /// All of it in one line.
    pub fn said(&self) -> String {
        format!("{} × {}, {}", self.cases, self.finding, self.exception.said())
    }
}
