//! The counts of cases, of answers and of a rule.

use crate::compare::{ComparedBy, Direction};
use crate::judge::Outcome;
use crate::side::{BySide, Side};
use crate::text::{grouped, plural};
use serde::{Deserialize, Serialize};

/// What became of the cases: `cases = compared + undecodable + skipped`, and
/// `compared = agreed_accept + agreed_reject + incomparable + extra + differs + missing + panicked`.
///
/// A case with several outcomes counts once, under the first of these: panicked, missing, differs, extra, incomparable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CaseCounts {
    /// All cases.
    pub cases: u64,
    /// Judged by both sides.
    pub compared: u64,
    /// No error took part in the comparison.
    pub agreed_accept: u64,
    /// Both sides reported the same.
    pub agreed_reject: u64,
    /// Something was said that cannot be compared, and nothing else disagreed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub incomparable: u64,
    /// The reference reported something alone.
    pub missing: u64,
    /// The candidate reported something alone, and the reference nothing.
    pub extra: u64,
    /// Both sides set a value differently, and neither reported, set or rejected anything alone.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub differs: u64,
    /// An oracle panicked.
    pub panicked: u64,
    /// Errors, values or decisions of the reference alone. A case may have several.
    pub missing_errors: u64,
    /// Errors, values or decisions of the candidate alone.
    pub extra_errors: u64,
    /// Values that both sides set differently.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub differing_values: u64,
    /// Compared cases from whose objects unknown or repeated fields were dropped.
    #[serde(default)]
    pub with_dropped_fields: u64,
    /// Mismatches as an API server counts them: all of these differences, and those of cases in which an oracle panicked.
    pub mismatches: u64,
}

impl CaseCounts {
    pub(super) fn of(&mut self, outcome: Outcome) -> &mut u64 {
        match outcome {
            Outcome::AgreedAccept => &mut self.agreed_accept,
            Outcome::AgreedReject => &mut self.agreed_reject,
            Outcome::Incomparable => &mut self.incomparable,
            Outcome::Extra => &mut self.extra,
            Outcome::Differs => &mut self.differs,
            Outcome::Missing => &mut self.missing,
            Outcome::Panicked => &mut self.panicked,
        }
    }

    /// Returns the number of differences of one direction. A case may have several.
    #[must_use]
    pub fn differences(&self, direction: Direction) -> u64 {
        match direction {
            Direction::Missing => self.missing_errors,
            Direction::Extra => self.extra_errors,
            Direction::Differs => self.differing_values,
        }
    }

    pub(super) fn differences_mut(&mut self, direction: Direction) -> &mut u64 {
        match direction {
            Direction::Missing => &mut self.missing_errors,
            Direction::Extra => &mut self.extra_errors,
            Direction::Differs => &mut self.differing_values,
        }
    }

    /// Cases in which the sides disagreed.
    #[must_use]
    pub fn disagreed(&self) -> u64 {
        self.missing + self.extra + self.differs
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.cases += other.cases;
        self.compared += other.compared;
        self.agreed_accept += other.agreed_accept;
        self.agreed_reject += other.agreed_reject;
        self.incomparable += other.incomparable;
        self.missing += other.missing;
        self.extra += other.extra;
        self.differs += other.differs;
        self.panicked += other.panicked;
        self.differing_values += other.differing_values;
        self.missing_errors += other.missing_errors;
        self.extra_errors += other.extra_errors;
        self.mismatches += other.mismatches;
        self.with_dropped_fields += other.with_dropped_fields;
    }
}

/// The counts of the answers of a pair, summed over all operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AnswerCounts {
    /// Cases that the oracles were asked about: compared, or without an answer.
    pub asked: u64,
    /// Cases in which an oracle gave no answer.
    pub failures: BySide<u64>,
    /// Errors, decisions and objects that were compared.
    pub comparable: BySide<u64>,
    /// Errors, decisions and objects that could not be compared.
    pub incomparable: BySide<u64>,
}

impl AnswerCounts {
    /// Whether every case was answered, and every answer could be compared.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.failures.is_zero() && self.incomparable.is_zero()
    }

    /// Says in how many cases a side gave no answer; none when it always did.
    #[must_use]
    pub fn failed(&self, side: Side) -> Option<String> {
        let failed = *self.failures.of(side);
        (failed > 0)
            .then(|| format!("the {side} gave no answer in {} of {}", grouped(failed), plural(self.asked, "case")))
    }

    /// Says how much of what a side answered cannot be compared; none when all of it can.
    #[must_use]
    pub fn uncompared(&self, side: Side, compared_by: Option<ComparedBy>) -> Option<String> {
        let (compared, left) = (*self.comparable.of(side), *self.incomparable.of(side));
        // Where objects are compared, one of each answer is counted; elsewhere every error, or the rejection without any.
        let what = match compared_by {
            Some(ComparedBy::Objects { .. }) => "answers",
            _ => "errors and rejections",
        };
        let all = compared + left;
        (left > 0).then(|| format!("{left} of {all} {what} of the {side} cannot be compared"))
    }
}

/// What was counted for one rule under one operation.
///
/// INVARIANT: `compared = agreed_accept + agreed_reject + missing + extra + differs + panicked`.
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
    /// Cases in which the two sides set different values.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub differs: u64,
    /// Cases in which an oracle panicked.
    pub panicked: u64,
    /// Compared cases of the subject in which the rule never looked at a value.
    pub not_reached: u64,
}

impl RuleCounts {
    /// Whether the parts add up to the whole.
    #[must_use]
    pub fn is_conserved(&self) -> bool {
        self.compared == self.agreed_accept + self.agreed_reject + self.disagreed() + self.panicked
    }

    /// Cases in which the sides disagreed.
    #[must_use]
    pub fn disagreed(&self) -> u64 {
        self.missing + self.extra + self.differs
    }

    /// Returns the number of cases with this outcome; none for an outcome that a rule cannot have.
    pub(super) fn of_mut(&mut self, outcome: Outcome) -> Option<&mut u64> {
        Some(match outcome {
            Outcome::AgreedAccept => &mut self.agreed_accept,
            Outcome::AgreedReject => &mut self.agreed_reject,
            Outcome::Extra => &mut self.extra,
            Outcome::Differs => &mut self.differs,
            Outcome::Missing => &mut self.missing,
            Outcome::Panicked => &mut self.panicked,
            Outcome::Incomparable => return None,
        })
    }

    /// Adds the counts of another part of the run.
    pub fn merge(&mut self, other: &Self) {
        self.compared += other.compared;
        self.agreed_accept += other.agreed_accept;
        self.agreed_reject += other.agreed_reject;
        self.missing += other.missing;
        self.extra += other.extra;
        self.differs += other.differs;
        self.panicked += other.panicked;
        self.not_reached += other.not_reached;
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
pub(super) fn is_zero(count: &u64) -> bool {
    *count == 0
}
