//! What was counted of checks that nobody lists, by what their errors look like.

use super::entries::MAX_SHAPES;
use crate::compare::{Difference, Direction, Signature, What};
use crate::judge::{Observation, ObservedCheck};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Cases that an observed check refused.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObservedRefusals {
    /// All.
    pub refused: u64,
    /// Of these, those in which the candidate did not report the same.
    pub alone: u64,
    /// Of those, cases by the signature that its errors count under. Of too many signatures, those first in order are kept.
    #[serde(default, with = "super::entries", skip_serializing_if = "BTreeMap::is_empty")]
    pub signatures: BTreeMap<Signature, SignatureCases>,
}

/// A number of cases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignatureCases {
    /// How many.
    pub cases: u64,
}

impl ObservedRefusals {
    fn add(&mut self, signature: Signature, cases: u64) {
        self.signatures.entry(signature).or_default().cases += cases;
        while self.signatures.len() > MAX_SIGNATURES {
            self.signatures.pop_last();
        }
    }
}

/// Most signatures that are kept of a check.
const MAX_SIGNATURES: usize = 64;

/// Cases whose object sets a field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldCounts {
    /// All.
    pub set: u64,
    /// Of these, those in which neither side had anything against the field.
    pub accepted: u64,
}

/// Checks and fields, as they were observed in the compared cases of an operation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Observed {
    /// By check. Of too many, those first in order are kept.
    #[serde(with = "super::entries")]
    pub checks: BTreeMap<ObservedCheck, ObservedRefusals>,
    /// By path pattern of the field.
    pub fields: BTreeMap<String, FieldCounts>,
}

impl Observed {
    /// Whether nothing was observed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.checks.is_empty() && self.fields.is_empty()
    }

    /// Counts a case with its differences, whose signatures are `signature`'s.
    pub(super) fn record(
        &mut self,
        observation: &Observation,
        differences: &[Difference],
        signature: impl Fn(&Difference) -> Signature,
    ) {
        for (check, shared) in &observation.refused {
            let counts = match self.checks.get_mut(check) {
                Some(known) => known,
                None => self.checks.entry(check.clone()).or_default(),
            };
            counts.refused += 1;
            if *shared {
                continue;
            }
            counts.alone += 1;
            let is_of = |difference: &&Difference| match &difference.what {
                What::Error(error) => difference.direction == Direction::Missing && ObservedCheck::of(error) == *check,
                _ => false,
            };
            // A case with several errors of one signature is one case.
            let signatures: BTreeSet<Signature> = differences.iter().filter(is_of).map(&signature).collect();
            signatures.into_iter().for_each(|signature| counts.add(signature, 1));
        }
        for (field, accepted) in &observation.fields {
            let counts = match self.fields.get_mut(field) {
                Some(known) => known,
                None => self.fields.entry(field.clone()).or_default(),
            };
            counts.set += 1;
            counts.accepted += u64::from(*accepted);
        }
        self.keep_the_first();
    }

    pub(super) fn merge(&mut self, other: Self) {
        for (check, others) in other.checks {
            let counts = self.checks.entry(check).or_default();
            counts.refused += others.refused;
            counts.alone += others.alone;
            others.signatures.into_iter().for_each(|(signature, of)| counts.add(signature, of.cases));
        }
        for (field, others) in other.fields {
            let counts = self.fields.entry(field).or_default();
            counts.set += others.set;
            counts.accepted += others.accepted;
        }
        self.keep_the_first();
    }

    fn keep_the_first(&mut self) {
        while self.checks.len() > MAX_SHAPES {
            self.checks.pop_last();
        }
        while self.fields.len() > MAX_SHAPES {
            self.fields.pop_last();
        }
    }
}
