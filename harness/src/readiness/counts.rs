//! What is counted of a rule.

use serde::{Deserialize, Serialize};

/// What was counted for one rule under one operation.
///
/// INVARIANT: `compared = agreed_accept + agreed_reject + missing + extra + panicked`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RuleCounts {
    /// Cases in which the rule was at stake: it judged a value, or a finding is attributed to it.
    pub compared: u64,
    /// Of these, cases in which neither side complained.
    pub agreed_accept: u64,
    /// Cases in which both sides complained alike.
    pub agreed_reject: u64,
    /// Cases in which only the reference complained.
    pub missing: u64,
    /// Cases in which only the candidate complained.
    pub extra: u64,
    /// Cases in which an oracle panicked.
    pub panicked: u64,
    /// Compared cases of the subject in which the rule never looked at a value.
    pub not_reached: u64,
}

impl RuleCounts {
    /// Whether the parts add up to the whole.
    #[must_use]
    pub fn is_conserved(&self) -> bool {
        self.compared == self.agreed_accept + self.agreed_reject + self.missing + self.extra + self.panicked
    }

    /// Adds the counts of another part of the run.
    pub fn merge(&mut self, other: &Self) {
        self.compared += other.compared;
        self.agreed_accept += other.agreed_accept;
        self.agreed_reject += other.agreed_reject;
        self.missing += other.missing;
        self.extra += other.extra;
        self.panicked += other.panicked;
        self.not_reached += other.not_reached;
    }
}
