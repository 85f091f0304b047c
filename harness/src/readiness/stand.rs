//! How the findings of a pair stand: which of them speak against their rules, and which are decided about.

use super::cause_policy::Treat;
use super::policy::ReadinessPolicy;
use super::root::root;
use crate::case::Operation;
use crate::compare::Signature;
use crate::evidence::{PairEvidence, SignatureEvidence};
use crate::exception::{Excuse, Excuses};
use crate::rule::RuleId;
use std::collections::BTreeMap;

/// How a finding stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stand<'s> {
    /// It blocks its rules, and fails the run.
    Blocking,
    /// By the policy, it fails the run and does not block; the reason.
    Reported(&'s str),
    /// By the policy, it does neither; the reason.
    Tolerated(&'s str),
    /// An exception excuses it.
    Excused,
    /// It goes when this finding goes, and stands as that one does.
    BroughtAlong(&'s Signature),
}

impl Stand<'_> {
    /// Whether a run with the finding fails for it.
    #[must_use]
    pub fn fails_the_run(self) -> bool {
        matches!(self, Self::Blocking | Self::Reported(_))
    }
}

/// A finding that is attributed to a rule or a pair.
#[derive(Clone, Copy, Debug)]
pub struct Disagreement<'s> {
    /// What differs, and why.
    pub signature: &'s Signature,
    /// How often.
    pub seen: &'s SignatureEvidence,
    /// How it stands.
    pub stand: Stand<'s>,
}

/// How the findings of one pair stand.
#[derive(Clone, Debug)]
pub struct Stands<'s>(BTreeMap<&'s Signature, Disagreement<'s>>);

impl<'s> Stands<'s> {
    /// Looks at every finding of the pair. An exception comes before everything else; what another finding brings along needs no
    /// decision of its own; the policy decides about the rest.
    #[must_use]
    pub fn of(evidence: &'s PairEvidence, policy: &'s ReadinessPolicy, excuses: &Excuses<'_>) -> Self {
        let may = policy.candidate_of(evidence.pair());
        let of_operation = |operation: Operation| {
            let all = &evidence.operation(operation).signatures;
            all.iter().map(move |(signature, seen)| {
                let stand = if matches!(excuses.excuse(signature), Some(Excuse::Holds(_))) {
                    Stand::Excused
                } else if let Some(root) = root(all, signature) {
                    Stand::BroughtAlong(root)
                } else {
                    match policy.causes.of(signature) {
                        (Treat::Tolerate, reason) => Stand::Tolerated(reason),
                        (treat, reason) => match (may.tolerates(signature.direction), treat) {
                            (Some(allowed), _) => Stand::Tolerated(allowed),
                            (None, Treat::Report) => Stand::Reported(reason),
                            (None, _) => Stand::Blocking,
                        },
                    }
                };
                (signature, Disagreement { signature, seen, stand })
            })
        };
        Self(Operation::ALL.into_iter().flat_map(of_operation).collect())
    }

    /// Returns every finding of the pair.
    #[must_use]
    pub fn all(&self) -> Vec<Disagreement<'s>> {
        self.0.values().copied().collect()
    }

    /// Returns the findings that are attributed to a rule.
    #[must_use]
    pub fn of_rule(&self, rule: RuleId) -> Vec<Disagreement<'s>> {
        self.0.values().filter(|of| of.seen.rules.contains(&rule)).copied().collect()
    }

    /// Returns how the finding of a signature stands.
    #[must_use]
    pub fn stand(&self, signature: &Signature) -> Stand<'s> {
        self.0.get(signature).map_or(Stand::Blocking, |of| of.stand)
    }
}
