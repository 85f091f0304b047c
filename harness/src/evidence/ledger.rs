//! The evidence of a run: that of every pair, and the inputs that belong to no pair.

use super::entries::merge_entry;
use super::laws::Unlawful;
use super::operation::note;
use super::pair::PairEvidence;
use super::sample::{ReasonCount, Sighting};
use crate::case::Operation;
use crate::compare::ComparedBy;
use crate::format::{Format, FormatError, FormatMark};
use crate::subject::PairId;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The format of `evidence.json`.
pub const FORMAT: Format = Format { name: "evidence", major: 2, minor: 1, remedy: "gather the evidence again" };

/// The evidence of a run, or of a part of it. Parts merge in any order to the same whole.
///
/// Holds no times and nothing that depends on the number of threads, so that the same cases give the same bytes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    pub(super) pairs: BTreeMap<PairId, PairEvidence>,
    pub(super) outside: BTreeMap<String, ReasonCount>,
}

/// The file form.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct File {
    format: FormatMark,
    #[serde(rename = "subjects")]
    pairs: Vec<PairEvidence>,
    outside: BTreeMap<String, ReasonCount>,
}

/// Evidence that cannot be read or merged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EvidenceError {
    /// Not JSON, cut off, or of another shape.
    #[error("the evidence is damaged: {0}")]
    Damaged(#[from] serde_json::Error),
    /// The file has a format that this program does not read.
    #[error("the evidence cannot be read: {0}")]
    Format(FormatError),
    /// The counters do not add up.
    #[error(transparent)]
    Unlawful(#[from] Unlawful),
    /// A pair is listed twice.
    #[error("the evidence lists `{0}` twice")]
    Repeated(PairId),
    /// The two parts have different rules or were compared in different ways, so that their sum would mean nothing.
    #[error("the parts of the evidence differ in the rules of `{0}`")]
    OtherRules(PairId),
    /// Two parts compared by different algorithms.
    #[error("the parts of the evidence compare `{pair}` differently: {known:?}, and {given:?}")]
    OtherComparator {
        /// The pair.
        pair: PairId,
        /// How the first part compared.
        known: Option<ComparedBy>,
        /// How the other compared.
        given: Option<ComparedBy>,
    },
}

impl From<FormatError> for EvidenceError {
    fn from(error: FormatError) -> Self {
        match error {
            FormatError::Damaged(error) => Self::Damaged(error),
            error => Self::Format(error),
        }
    }
}

impl Evidence {
    /// No evidence yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns how answers were compared. There is one way, unless pairs were compared in different ways.
    #[must_use]
    pub fn compared_by(&self) -> BTreeSet<ComparedBy> {
        self.pairs.values().filter_map(PairEvidence::compared_by).collect()
    }

    /// Every pair in the order of ids.
    pub fn pairs(&self) -> impl Iterator<Item = &PairEvidence> {
        self.pairs.values()
    }

    /// Returns the evidence of each pair, and drops the inputs that belong to no pair.
    pub fn into_pairs(self) -> impl Iterator<Item = PairEvidence> {
        self.pairs.into_values()
    }

    /// The same counts without any value of an object, as [`PairEvidence::without_values`] has it; of what belongs to no pair, the
    /// reason alone.
    #[must_use]
    pub fn without_values(mut self) -> Self {
        self.pairs = self.pairs.into_iter().map(|(id, part)| (id, part.without_values())).collect();
        for (reason, evidence) in &mut self.outside {
            evidence.first.message.clone_from(reason);
        }
        self
    }

    /// The evidence of one pair.
    #[must_use]
    pub fn pair(&self, id: &PairId) -> Option<&PairEvidence> {
        self.pairs.get(id)
    }

    /// Inputs that belong to no pair, by reason.
    #[must_use]
    pub fn outside(&self) -> &BTreeMap<String, ReasonCount> {
        &self.outside
    }

    /// Returns the number of inputs: the cases of all pairs and the inputs that belong to no pair.
    #[must_use]
    pub fn cases(&self) -> u64 {
        self.sum(|evidence| evidence.counts.cases) + self.outside.values().map(|reason| reason.count).sum::<u64>()
    }

    /// Cases that both sides judged.
    #[must_use]
    pub fn compared(&self) -> u64 {
        self.sum(|evidence| evidence.counts.compared)
    }

    /// Cases that disagreed or panicked.
    #[must_use]
    pub fn disagreed(&self) -> u64 {
        self.sum(|evidence| evidence.counts.disagreed() + evidence.counts.panicked)
    }

    /// Signatures and panics.
    #[must_use]
    pub fn findings(&self) -> u64 {
        self.sum(|evidence| (evidence.signatures.len() + evidence.panics.len()) as u64)
    }

    /// Signatures and panics that `other` has not seen.
    #[must_use]
    pub fn findings_beside(&self, other: &Self) -> u64 {
        let beside = |of: &PairEvidence| -> usize {
            let known = other.pair(of.pair());
            let beside = |operation| {
                let (now, known) = (of.operation(operation), known.map(|known| known.operation(operation)));
                let signatures =
                    now.signatures.keys().filter(|key| !known.is_some_and(|of| of.signatures.contains_key(*key)));
                let panics = now.panics.keys().filter(|key| !known.is_some_and(|of| of.panics.contains_key(*key)));
                signatures.count() + panics.count()
            };
            Operation::ALL.map(beside).iter().sum()
        };
        self.pairs().map(beside).sum::<usize>() as u64
    }

    /// Errors of findings whose signatures were too many to keep.
    #[must_use]
    pub fn beyond(&self) -> u64 {
        let operations = self.pairs().flat_map(|of| Operation::ALL.map(|operation| of.operation(operation).beyond));
        operations.map(|beyond| beyond.missing + beyond.extra + beyond.differs).sum()
    }

    fn sum(&self, count: impl Fn(&super::OperationEvidence) -> u64) -> u64 {
        let operations = |pair| Operation::ALL.map(|operation| PairEvidence::operation(pair, operation));
        self.pairs.values().flat_map(operations).map(count).sum()
    }

    /// Counts an input that belongs to no pair.
    pub fn record_outside(&mut self, reason: &str, sighting: Sighting) {
        note(&mut self.outside, reason.to_owned(), sighting);
    }

    /// Adds evidence of one pair.
    ///
    /// # Errors
    /// Returns an error when the pair is known with other rules, or compared otherwise; nothing is added then.
    pub fn add(&mut self, mut part: PairEvidence) -> Result<(), EvidenceError> {
        part.settle();
        match self.pairs.get_mut(part.pair()) {
            None => {
                self.pairs.insert(part.pair().clone(), part);
            }
            Some(known) if known.is_like(&part) => known.merge(part),
            Some(known) if known.compared_by() != part.compared_by() => {
                let (known, given) = (known.compared_by(), part.compared_by());
                return Err(EvidenceError::OtherComparator { pair: part.pair().clone(), known, given });
            }
            Some(known) => return Err(EvidenceError::OtherRules(known.pair().clone())),
        }
        Ok(())
    }

    /// Adds another part of the run. Commutative and associative.
    ///
    /// # Errors
    /// Returns an error when the parts compared by different algorithms or rules; part of `other` may have been added then.
    pub fn merge(&mut self, other: Self) -> Result<(), EvidenceError> {
        for part in other.pairs.into_values() {
            self.add(part)?;
        }
        for (reason, evidence) in other.outside {
            merge_entry(&mut self.outside, reason, evidence, ReasonCount::merge);
        }
        Ok(())
    }

    /// Whether the counters of every pair add up.
    ///
    /// # Errors
    /// Returns an error when a law is broken; names the first.
    pub fn check(&self) -> Result<(), Unlawful> {
        self.pairs.values().try_for_each(PairEvidence::check)
    }

    /// Returns the evidence as JSON that ends in a line break. The same evidence and program give the same bytes.
    ///
    /// # Errors
    /// Returns an error when a law is broken: inconsistent evidence is not written.
    pub fn to_json(&self) -> Result<String, EvidenceError> {
        self.check()?;
        let file = File {
            format: FORMAT.mark(),
            pairs: self.pairs.values().cloned().collect(),
            outside: self.outside.clone(),
        };
        let mut text = serde_json::to_string_pretty(&file)?;
        text.push('\n');
        Ok(text)
    }

    /// Reads the file form.
    ///
    /// # Errors
    /// Returns an error when the text is damaged, of another format, or its counters do not add up.
    pub fn from_json(text: &str) -> Result<Self, EvidenceError> {
        FORMAT.check_json(text)?;
        let file: File = serde_json::from_str(text)?;
        let mut pairs = BTreeMap::new();
        for pair in file.pairs {
            pair.check()?;
            if let Some(repeated) = pairs.insert(pair.pair().clone(), pair) {
                return Err(EvidenceError::Repeated(repeated.pair().clone()));
            }
        }
        Ok(Self { pairs, outside: file.outside })
    }
}
