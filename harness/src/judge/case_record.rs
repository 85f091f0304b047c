//! Where a case is judged: everything that is reused from case to case, and what the last one left there.

use super::Panic;
use super::observation::Observation;
use crate::case::Case;
use crate::compare::{Comparison, Difference, Noted};
use crate::object::Arena;
use crate::oracle::{Answer, OracleFailure, WORKER_PROCESS};
use crate::pair::Unprepared;
use crate::rule::{ErrorShape, RuleId};
use crate::side::{BySide, Side};
use serde::{Deserialize, Serialize};
use std::hash::{Hash, Hasher};

/// How a comparison came out, for a case or for a rule within it. Where several apply, the last of this order counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Outcome {
    /// No error took part in the comparison.
    AgreedAccept,
    /// Both sides reported the same, rejected alike, or made the same change.
    AgreedReject,
    /// A side said something that cannot be compared, and nothing else disagrees. This is neither agreement nor evidence.
    Incomparable,
    /// The candidate reported something alone.
    Extra,
    /// Both sides set a value, but not the same one.
    Differs,
    /// The reference reported something alone.
    Missing,
    /// An oracle panicked, or ended its process, on the case or on a variant of it.
    Panicked,
}

/// Runs recognise new behaviour by hashes, so a seed gives the same cases only while these stay the same: an outcome keeps its
/// number for ever.
impl Hash for Outcome {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let number: isize = match self {
            Self::AgreedAccept => 0,
            Self::AgreedReject => 1,
            Self::Extra => 2,
            Self::Missing => 3,
            Self::Panicked => 4,
            Self::Incomparable => 5,
            Self::Differs => 6,
        };
        number.hash(state);
    }
}

/// What became of a case.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub enum Judgement {
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

/// Where variants of a case that differs are judged.
#[derive(Default)]
pub(super) struct Scratch {
    pub(super) arena: Arena,
    pub(super) record: CaseRecord,
    /// Where the variants themselves are made.
    pub(super) trees: Arena,
}

/// Memory for judging, reused from case to case: a case on which both sides silently agree allocates nothing.
#[derive(Default)]
pub struct CaseRecord {
    /// The answer of the reference; its errors are those outside delegated paths, marked as handwritten.
    pub reference: Answer,
    /// The answer of the candidate; its errors are those outside delegated paths. After a panic of the candidate, the one
    /// InternalError that an API server makes of it.
    pub candidate: Answer,
    /// The comparison of their errors. After a panic of the candidate, as if it had said nothing.
    pub comparison: Comparison,
    /// Where the answers differ; empty when an oracle panicked on the case itself.
    pub differences: Vec<Difference>,
    /// What is worth a note although it is no difference: other words, an error twice, another order when the case is judged again.
    pub notes: Vec<Noted>,
    /// Whether the user would get another decision, rather than other words, if the candidate took over what is compared: errors of
    /// the reference that take part would go, and those of the candidate would come. No where nothing differs.
    pub deciding: bool,
    /// Errors of both sides, where they differ or something is worth a note.
    pub said: u64,
    /// What was said that could be compared: errors, or the one decision or object.
    pub comparable: BySide<u64>,
    /// What was said that could not be compared although the oracle did not mark it as not to be compared.
    pub incomparable: BySide<u64>,
    /// What the reference errors look like that are not marked as covered and that no rule says it reports: checks that have
    /// not been migrated. Empty when an oracle panicked.
    pub unmigrated: Vec<ErrorShape>,
    /// What the reference errors look like, each shape once. Empty when an oracle panicked.
    pub refused: Vec<ErrorShape>,
    /// What the case tells of checks that nobody lists; none where they are listed.
    pub observation: Option<Box<Observation>>,
    /// Unknown and repeated fields that decoding dropped from the objects.
    pub dropped: u64,
    /// Oracles that gave no answer; the case is then not compared.
    pub failures: BySide<u64>,
    /// Errors that were left out of the comparison because they lie where the reference does not judge.
    pub delegated: BySide<u64>,
    /// Whether a side was asked once more, to see whether it answers the same: in a sample, or because it reported several errors.
    pub asked_again: bool,
    /// Panics, at most one a side.
    pub panics: Vec<OraclePanic>,
    /// The variant of the case on which an oracle panicked, or gave no answer in time, while the cause of a difference was looked for.
    /// `None` if it panicked on the case itself, or not at all.
    pub panicked_variant: Option<Box<Case<'static>>>,
    pub(super) marks: Vec<(RuleId, RuleMark)>,
    pub(super) nanos: BySide<u64>,
    pub(super) timed: bool,
    /// Where variants of a case that differs are judged; none until one does.
    pub(super) scratch: Option<Box<Scratch>>,
}

impl OraclePanic {
    /// The end of an oracle that gave no answer in time; `None` if it is for another reason that it did not judge, or it did.
    #[must_use]
    pub fn late(judgement: &Judgement) -> Option<Self> {
        match judgement {
            Judgement::Unable { side, failure } if failure.is_late() => {
                let panic = Panic { message: failure.to_string(), place: WORKER_PROCESS.to_owned() };
                Some(Self { side: Some(*side), panic })
            }
            _ => None,
        }
    }
}

impl Judgement {
    /// Whether both sides were asked.
    #[must_use]
    pub fn is_comparison(&self) -> bool {
        matches!(self, Self::Compared(_))
    }
}

impl CaseRecord {
    /// An empty record.
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
        *self.nanos.of(side)
    }

    /// The answer of a side.
    #[must_use]
    pub fn answer(&self, side: Side) -> &Answer {
        match side {
            Side::Reference => &self.reference,
            Side::Candidate => &self.candidate,
        }
    }

    /// Mismatches of the last case, as Kubernetes counts them: errors without partner, and whatever else differs.
    #[must_use]
    pub fn mismatches(&self) -> u64 {
        let errors = self.comparison.mismatch_count();
        u64::try_from(errors.max(self.differences.len())).unwrap_or(u64::MAX)
    }

    /// A copy of what evidence counts of the last case: everything but the errors of the two lists, and the time.
    pub(crate) fn counted(&self) -> Self {
        Self {
            reference: Answer::new(),
            candidate: Answer { reached: self.candidate.reached.clone(), ..Answer::new() },
            comparison: self.comparison.mismatches_alone(),
            differences: self.differences.clone(),
            notes: self.notes.clone(),
            deciding: self.deciding,
            said: self.said,
            comparable: self.comparable,
            incomparable: self.incomparable,
            failures: self.failures,
            unmigrated: self.unmigrated.clone(),
            refused: self.refused.clone(),
            observation: self.observation.clone(),
            dropped: self.dropped,
            delegated: self.delegated,
            asked_again: self.asked_again,
            panics: self.panics.clone(),
            panicked_variant: self.panicked_variant.clone(),
            marks: self.marks.clone(),
            nanos: BySide::default(),
            timed: false,
            scratch: None,
        }
    }

    /// About how many bytes [`CaseRecord::counted`] takes.
    pub(crate) fn weight(&self) -> usize {
        let difference = |of: &Difference| size_of::<Difference>() + 2 * of.what.to_string().len();
        let shape = |shape: &ErrorShape| size_of::<ErrorShape>() + shape.field.len() + shape.origin.len();
        size_of::<Self>()
            + self.differences.iter().map(difference).sum::<usize>()
            + self.unmigrated.iter().chain(&self.refused).map(shape).sum::<usize>()
            + self
                .notes
                .iter()
                .map(|noted| size_of::<Noted>() + shape(&noted.note.shape) + noted.said.len())
                .sum::<usize>()
            + self.observation.as_ref().map_or(0, |of| of.weight())
            + size_of_val(self.marks.as_slice())
            + self.candidate.reached.weight()
    }

    pub(super) fn clear(&mut self) {
        self.reference.clear();
        self.candidate.clear();
        self.comparison.clear();
        self.differences.clear();
        self.notes.clear();
        self.deciding = false;
        self.said = 0;
        self.comparable = BySide::default();
        self.incomparable = BySide::default();
        self.failures = BySide::default();
        self.unmigrated.clear();
        self.refused.clear();
        self.observation = None;
        self.dropped = 0;
        self.delegated = BySide::default();
        self.asked_again = false;
        self.panics.clear();
        self.panicked_variant = None;
        self.marks.clear();
        self.nanos = BySide::default();
    }
}
