//! What was counted of checks that nobody lists, by what their errors look like.

use super::entries::MAX_SHAPES;
use crate::judge::{Observation, ObservedCheck};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Cases that an observed check refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObservedRefusals {
    /// All.
    pub refused: u64,
    /// Of these, those in which the candidate did not report the same.
    pub alone: u64,
}

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

    pub(super) fn record(&mut self, observation: &Observation) {
        for (check, shared) in &observation.refused {
            let counts = match self.checks.get_mut(check) {
                Some(known) => known,
                None => self.checks.entry(check.clone()).or_default(),
            };
            counts.refused += 1;
            counts.alone += u64::from(!shared);
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
