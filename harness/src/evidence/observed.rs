//! What was counted of checks that nobody lists, by what their errors look like.

use super::accepted::AcceptedValues;
use super::entries::MAX_SHAPES;
use crate::compare::{Difference, Direction, Signature};
use crate::judge::{Observation, ObservedCheck, RefusedBy, RefusedCheck};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Cases that an observed check rejected.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObservedRefusals {
    /// All.
    pub refused: u64,
    /// Of these, those in which the candidate did not report the same.
    pub alone: u64,
    /// Of all, those that are no evidence: decisions are compared, several checks rejected the case, and so did the candidate.
    #[serde(default, skip_serializing_if = "super::counts::is_zero")]
    pub unclear: u64,
    /// Of those alone, cases by the signature that its errors count under. Of too many signatures, those first in order are kept.
    #[serde(default, with = "super::entries", skip_serializing_if = "BTreeMap::is_empty")]
    pub signatures: BTreeMap<Signature, SignatureCases>,
    /// The messages of its errors, with values. At most two, the first in order, are kept: they show that the message varies.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub messages: BTreeSet<String>,
    /// The shapes of the candidate's messages in its stead, each with its cases; of too many, the first in order.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub answered: BTreeMap<String, u64>,
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

    /// Notes the messages of both sides, of the reference's those that are not empty.
    fn note(&mut self, said: &str, answer: Option<&str>) {
        if !said.is_empty() && !self.messages.contains(said) {
            self.messages.insert(said.to_owned());
        }
        if let Some(answer) = answer {
            match self.answered.get_mut(answer) {
                Some(cases) => *cases += 1,
                None => drop(self.answered.insert(answer.to_owned(), 1)),
            }
        }
        self.keep_the_first();
    }

    fn keep_the_first(&mut self) {
        while self.messages.len() > MAX_MESSAGES {
            self.messages.pop_last();
        }
        while self.answered.len() > MAX_ANSWERS {
            self.answered.pop_last();
        }
    }
}

/// Most messages that are kept of a check.
const MAX_MESSAGES: usize = 2;

/// Most answers that are kept of a check.
pub const MAX_ANSWERS: usize = 8;

/// Most signatures that are kept of a check.
const MAX_SIGNATURES: usize = 64;

/// Cases whose object sets a field.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldCounts {
    /// All.
    pub set: u64,
    /// Of these, those in which neither side had anything against the field.
    pub accepted: u64,
    /// The values that the reference accepted.
    #[serde(default, skip_serializing_if = "is_default")]
    pub values: AcceptedValues,
}

fn is_default(values: &AcceptedValues) -> bool {
    *values == AcceptedValues::default()
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
        for RefusedCheck { check, by, said, answer } in &observation.refused {
            let counts = match self.checks.get_mut(check) {
                Some(known) => known,
                None => self.checks.entry(check.clone()).or_default(),
            };
            counts.refused += 1;
            counts.note(said, answer.as_deref());
            match by {
                RefusedBy::Both => continue,
                RefusedBy::Unclear => {
                    counts.unclear += 1;
                    continue;
                }
                RefusedBy::Reference => counts.alone += 1,
            }
            let is_of =
                |difference: &&Difference| difference.direction == Direction::Missing && check.is_in(difference);
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
        for (field, shown) in &observation.shown {
            match self.fields.get_mut(field) {
                Some(known) => known.values.add(shown),
                None => self.fields.entry(field.clone()).or_default().values.add(shown),
            }
        }
        self.keep_the_first();
    }

    pub(super) fn merge(&mut self, other: Self) {
        for (check, others) in other.checks {
            let counts = self.checks.entry(check).or_default();
            counts.refused += others.refused;
            counts.alone += others.alone;
            counts.unclear += others.unclear;
            counts.messages.extend(others.messages);
            for (answer, cases) in others.answered {
                *counts.answered.entry(answer).or_default() += cases;
            }
            counts.keep_the_first();
            others.signatures.into_iter().for_each(|(signature, of)| counts.add(signature, of.cases));
        }
        for (field, others) in other.fields {
            let counts = self.fields.entry(field).or_default();
            counts.set += others.set;
            counts.accepted += others.accepted;
            counts.values.merge(&others.values);
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
