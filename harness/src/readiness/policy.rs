//! How much evidence a rule needs.

use super::candidate_may::CandidateMay;
use super::cause_policy::CausePolicy;
use crate::subject::PairId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The thresholds of readiness, and what disagreements mean by their cause. What a file leaves out is as by default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct ReadinessPolicy {
    /// Agreed accepts needed per operation.
    pub min_accepts: u64,
    /// Agreed rejects needed per operation, of rules that can reject under it.
    pub min_rejects: u64,
    /// How often every class of values that the rule tells apart has to be shown, per operation. 0 does not ask.
    pub min_per_class: u64,
    /// How often an update has to keep a value that breaks the rule. 0 does not ask.
    pub min_kept: u64,
    /// Share of the planted faults that the cases have to expose, of those that can be told from the rule; 0 to 1.
    pub min_exposed: f64,
    /// Largest share of disagreeing cases that the number of compared cases must rule out, per operation; 0 to 1.
    pub max_mismatch_rate: f64,
    /// Largest share of the cases in which an oracle may give no answer, and of its answers that cannot be compared; 0 to 1.
    pub max_failures: f64,
    /// How sure of the rate, 0 to 1: one minus the chance of a worse rate going unseen.
    pub confidence: f64,
    /// What disagreements mean, by their cause.
    pub causes: CausePolicy,
    /// What the candidates of pairs may do, by the printed names of the pairs: `candidate-may` of `[[pair]]`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub candidate_may: BTreeMap<String, CandidateMay>,
}

impl Default for ReadinessPolicy {
    /// A hundred accepts and twenty rejects on each operation, every class and every planted fault seen at least once, and
    /// 95 % certainty that fewer than one case in a hundred disagrees; answers to 99 % of the cases.
    fn default() -> Self {
        Self {
            min_accepts: 100,
            min_rejects: 20,
            min_per_class: 1,
            min_kept: 1,
            min_exposed: 1.0,
            max_mismatch_rate: 0.01,
            max_failures: 0.01,
            confidence: 0.95,
            causes: CausePolicy::default(),
            candidate_may: BTreeMap::new(),
        }
    }
}

/// A threshold that makes no sense.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("policy `{name}` is {value}; it must be {wanted}")]
pub struct PolicyError {
    name: &'static str,
    value: f64,
    wanted: &'static str,
}

impl PolicyError {
    /// The threshold, as files name it: `min-exposed`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }
}

impl ReadinessPolicy {
    /// What the candidate of a pair may do.
    #[must_use]
    pub fn candidate_of(&self, pair: &PairId) -> CandidateMay {
        if self.candidate_may.is_empty() {
            return CandidateMay::Agree;
        }
        self.candidate_may.get(&pair.to_string()).copied().unwrap_or_default()
    }

    /// Checks that shares are shares.
    ///
    /// # Errors
    /// Returns an error when a threshold is outside its range; it names the first one.
    pub fn check(&self) -> Result<(), PolicyError> {
        let within =
            |name, value: f64, ok: bool, wanted| if ok { Ok(()) } else { Err(PolicyError { name, value, wanted }) };
        let share = "between 0 and 1";
        within("min-exposed", self.min_exposed, (0.0..=1.0).contains(&self.min_exposed), share)?;
        within("max-mismatch-rate", self.max_mismatch_rate, (0.0..=1.0).contains(&self.max_mismatch_rate), share)?;
        within("max-failures", self.max_failures, (0.0..=1.0).contains(&self.max_failures), share)?;
        let strictly = self.confidence > 0.0 && self.confidence < 1.0;
        within("confidence", self.confidence, strictly, "between 0 and 1, both excluded")
    }
}

#[cfg(test)]
mod tests {
    use super::ReadinessPolicy;

    #[test]
    fn the_default_policy_makes_sense() {
        assert_eq!(ReadinessPolicy::default().check(), Ok(()));
    }

    #[test]
    fn thresholds_outside_their_range_are_named() {
        let said = |policy: ReadinessPolicy| policy.check().unwrap_err().to_string();
        let base = ReadinessPolicy::default;
        assert!(said(ReadinessPolicy { min_exposed: 1.5, ..base() }).contains("`min-exposed` is 1.5"));
        assert!(said(ReadinessPolicy { max_mismatch_rate: -0.1, ..base() }).contains("`max-mismatch-rate` is -0.1"));
        assert!(said(ReadinessPolicy { max_failures: 2.0, ..base() }).contains("`max-failures` is 2"));
        assert!(said(ReadinessPolicy { confidence: 1.0, ..base() }).contains("`confidence` is 1"));
        assert!(said(ReadinessPolicy { confidence: f64::NAN, ..base() }).contains("`confidence` is NaN"));
    }
}
