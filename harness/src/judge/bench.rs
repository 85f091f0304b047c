//! Where a case is judged: everything that is reused from case to case, and what the last one left there.

use super::Panic;
use crate::compare::{Comparison, Finding};
use crate::error::ErrorList;
use crate::oracle::OracleFailure;
use crate::rule::{Report, RuleId};
use crate::subject::{Side, Unprepared};
use serde::{Deserialize, Serialize};

/// How a comparison came out, for a case or for a rule within it. Where several apply, the last of this order counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Outcome {
    /// No error took part in the comparison.
    AgreedAccept,
    /// Both sides reported the same.
    AgreedReject,
    /// The candidate reported something alone.
    Extra,
    /// The reference reported something alone.
    Missing,
    /// An oracle panicked.
    Panicked,
}

/// What became of a case.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub enum Verdict {
    /// Both sides were asked.
    Compared(Outcome),
    /// The objects could not be decoded or taken in: neither side was asked.
    Unprepared(Unprepared),
    /// An oracle declined.
    Unable {
        /// Which one.
        side: Side,
        /// Its explanation.
        failure: OracleFailure,
    },
}

/// A panic while a case was judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OraclePanic {
    /// Which oracle; none when the objects were being decoded or taken in.
    pub side: Option<Side>,
    /// The panic.
    pub panic: Panic,
}

/// How one rule fared in a case, where that is anything but agreeing silence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RuleMark {
    /// The rule reported errors that took no part in the comparison: it is standard, or the reference does not judge there.
    SetAside,
    /// It was compared.
    Compared(Outcome),
}

/// Errors that were left out of the comparison because they lie where the reference does not judge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Delegations {
    /// Errors of the reference.
    pub reference: u64,
    /// Errors of the candidate.
    pub candidate: u64,
}

/// Memory for judging, reused from case to case: a case on which both sides silently agree allocates nothing.
#[derive(Default)]
pub struct Bench {
    /// Errors of the reference outside delegated paths, marked as handwritten.
    pub reference: ErrorList,
    /// Errors of the candidate outside delegated paths, and the rules that it reached. After a panic of the candidate, the
    /// one InternalError that an API server makes of it.
    pub candidate: ErrorList,
    /// The comparison of these lists. After a panic of the candidate, as if it had said nothing.
    pub comparison: Comparison,
    /// Disagreements; empty when an oracle panicked.
    pub findings: Vec<Finding>,
    /// What the reference errors look like that are not marked as covered and that no rule says it reports: checks that have
    /// not been migrated. Empty when an oracle panicked.
    pub unmigrated: Vec<Report>,
    /// Unknown and repeated fields that decoding dropped from the objects.
    pub dropped: u64,
    /// Errors in delegated paths.
    pub delegated: Delegations,
    /// Panics, at most one a side.
    pub panics: Vec<OraclePanic>,
    pub(super) marks: Vec<(RuleId, RuleMark)>,
    pub(super) nanos: [u64; 2],
    pub(super) timed: bool,
}

impl Bench {
    /// An empty bench.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The rules that fared otherwise than agreeing in silence: in ascending order, each once. Some may not be among the
    /// reached ones.
    #[must_use]
    pub fn marks(&self) -> &[(RuleId, RuleMark)] {
        &self.marks
    }

    /// Sets whether the next cases are timed. Reading a clock costs as much as judging a small case, so runs sample.
    pub fn set_timed(&mut self, timed: bool) {
        self.timed = timed;
    }

    /// Nanoseconds that an oracle took for the last case; 0 when it was not timed.
    #[must_use]
    pub fn nanos(&self, side: Side) -> u64 {
        let [reference, candidate] = self.nanos;
        match side {
            Side::Reference => reference,
            Side::Candidate => candidate,
        }
    }

    /// Mismatches of the last case, as Kubernetes counts them.
    #[must_use]
    pub fn mismatches(&self) -> u64 {
        u64::try_from(self.comparison.mismatch_count()).unwrap_or(u64::MAX)
    }

    /// A copy of what evidence counts of the last case: everything but the errors of the two lists, and the time.
    pub(crate) fn counted(&self) -> Self {
        let mut candidate = ErrorList::new();
        self.candidate.reached().iter().for_each(|rule| candidate.reach(rule));
        Self {
            reference: ErrorList::new(),
            candidate,
            comparison: self.comparison.mismatches_alone(),
            findings: self.findings.clone(),
            unmigrated: self.unmigrated.clone(),
            dropped: self.dropped,
            delegated: self.delegated,
            panics: self.panics.clone(),
            marks: self.marks.clone(),
            nanos: [0; 2],
            timed: false,
        }
    }

    /// About how many bytes [`Bench::counted`] takes.
    pub(crate) fn weight(&self) -> usize {
        let finding = |finding: &Finding| size_of::<Finding>() + 2 * finding.error.to_string().len();
        let shape = |shape: &Report| size_of::<Report>() + shape.field.len() + shape.origin.len();
        size_of::<Self>()
            + self.findings.iter().map(finding).sum::<usize>()
            + self.unmigrated.iter().map(shape).sum::<usize>()
            + size_of_val(self.marks.as_slice())
            + self.candidate.reached().weight()
    }

    pub(super) fn clear(&mut self) {
        self.reference.clear();
        self.candidate.clear();
        self.comparison.clear();
        self.findings.clear();
        self.unmigrated.clear();
        self.dropped = 0;
        self.delegated = Delegations::default();
        self.panics.clear();
        self.marks.clear();
        self.nanos = [0; 2];
    }
}
