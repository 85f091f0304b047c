//! The evidence of a run: every subject, and what belonged to none.

use super::laws::Unlawful;
use super::operation::{merge_entry, note};
use super::sample::{Reason, Sighting};
use super::subject::SubjectEvidence;
use crate::case::Operation;
use crate::compare::{Candidates, Matcher, Semantics};
use crate::format::{Format, FormatError, FormatMark};
use crate::subject::SubjectId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The format of `evidence.json`.
pub const FORMAT: Format = Format { name: "evidence", major: 1, minor: 1, remedy: "gather the evidence again" };

/// The evidence of a run, or of a part of it. Parts merge in any order to the same whole.
///
/// Holds no times and nothing that depends on the number of threads, so that the same cases give the same bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Evidence {
    semantics: Semantics,
    candidates: Candidates,
    subjects: BTreeMap<SubjectId, SubjectEvidence>,
    outside: BTreeMap<String, Reason>,
}

/// The file form.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct File {
    format: FormatMark,
    semantics: Semantics,
    candidates: Candidates,
    subjects: Vec<SubjectEvidence>,
    outside: BTreeMap<String, Reason>,
}

/// Evidence that cannot be read or merged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EvidenceError {
    /// Not JSON, cut off, or of another shape.
    #[error("the evidence is damaged: {0}")]
    Damaged(#[from] serde_json::Error),
    /// Of a format that this program does not read.
    #[error("the evidence cannot be read: {0}")]
    Format(FormatError),
    /// The counters do not add up.
    #[error(transparent)]
    Unlawful(#[from] Unlawful),
    /// A subject is listed twice.
    #[error("the evidence lists `{0}` twice")]
    Repeated(SubjectId),
    /// Two parts compared by different rules, and their sum would mean nothing.
    #[error("the parts of the evidence differ in the rules of `{0}`")]
    OtherRules(SubjectId),
    /// Two parts compared by different algorithms.
    #[error("the parts of the evidence compare by different semantics: {0}")]
    OtherSemantics(String),
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
    /// No evidence yet, to be gathered with `matcher`.
    #[must_use]
    pub fn new(matcher: &Matcher<'_>) -> Self {
        Self {
            semantics: matcher.semantics(),
            candidates: matcher.compared_candidates(),
            subjects: BTreeMap::new(),
            outside: BTreeMap::new(),
        }
    }

    /// Whose algorithm compared.
    #[must_use]
    pub fn semantics(&self) -> Semantics {
        self.semantics
    }

    /// Which candidate errors took part.
    #[must_use]
    pub fn candidates(&self) -> Candidates {
        self.candidates
    }

    /// Every subject in the order of ids.
    pub fn subjects(&self) -> impl Iterator<Item = &SubjectEvidence> {
        self.subjects.values()
    }

    /// Takes it apart: what was gathered of each subject, without what belongs to none.
    pub fn into_subjects(self) -> impl Iterator<Item = SubjectEvidence> {
        self.subjects.into_values()
    }

    /// The same counts without any value of an object, as [`SubjectEvidence::without_values`] has it; of what belongs to no subject, the
    /// reason alone.
    #[must_use]
    pub fn without_values(mut self) -> Self {
        self.subjects = self.subjects.into_iter().map(|(id, part)| (id, part.without_values())).collect();
        for (reason, evidence) in &mut self.outside {
            evidence.first.message.clone_from(reason);
        }
        self
    }

    /// The evidence of one subject.
    #[must_use]
    pub fn subject(&self, id: &SubjectId) -> Option<&SubjectEvidence> {
        self.subjects.get(id)
    }

    /// Inputs that belong to no subject, by reason.
    #[must_use]
    pub fn outside(&self) -> &BTreeMap<String, Reason> {
        &self.outside
    }

    /// Every input: cases of all subjects and what belongs to none.
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
        self.sum(|evidence| evidence.counts.missing + evidence.counts.extra + evidence.counts.panicked)
    }

    /// Errors of findings whose signatures were too many to keep.
    #[must_use]
    pub fn beyond(&self) -> u64 {
        let operations = self.subjects().flat_map(|of| Operation::ALL.map(|operation| of.operation(operation).beyond));
        operations.map(|beyond| beyond.missing + beyond.extra).sum()
    }

    fn sum(&self, count: impl Fn(&super::OperationEvidence) -> u64) -> u64 {
        let operations = |subject| Operation::ALL.map(|operation| SubjectEvidence::operation(subject, operation));
        self.subjects.values().flat_map(operations).map(count).sum()
    }

    /// Counts an input that belongs to no subject.
    pub fn record_outside(&mut self, reason: &str, sighting: Sighting) {
        note(&mut self.outside, reason.to_owned(), sighting);
    }

    /// Adds evidence of one subject.
    ///
    /// # Errors
    /// When the subject is known with other rules; nothing is added then.
    pub fn add(&mut self, mut part: SubjectEvidence) -> Result<(), EvidenceError> {
        part.settle();
        match self.subjects.get_mut(part.subject()) {
            None => {
                self.subjects.insert(part.subject().clone(), part);
            }
            Some(known) if known.rules() == part.rules() && known.controls() == part.controls() => known.merge(part),
            Some(known) => return Err(EvidenceError::OtherRules(known.subject().clone())),
        }
        Ok(())
    }

    /// Adds another part of the run. Commutative and associative.
    ///
    /// # Errors
    /// When the parts compared by different algorithms or rules; part of `other` may have been added then.
    pub fn merge(&mut self, other: Self) -> Result<(), EvidenceError> {
        if (self.semantics, self.candidates) != (other.semantics, other.candidates) {
            let said =
                format!("{} {:?}, and {} {:?}", self.semantics, self.candidates, other.semantics, other.candidates);
            return Err(EvidenceError::OtherSemantics(said));
        }
        for part in other.subjects.into_values() {
            self.add(part)?;
        }
        for (reason, evidence) in other.outside {
            merge_entry(&mut self.outside, reason, evidence, Reason::merge);
        }
        Ok(())
    }

    /// Whether the counters of every subject add up.
    ///
    /// # Errors
    /// When a law is broken; names the first.
    pub fn check(&self) -> Result<(), Unlawful> {
        self.subjects.values().try_for_each(SubjectEvidence::check)
    }

    /// The file form: JSON, the same bytes for the same evidence and program, ending in a line break.
    ///
    /// # Errors
    /// When a law is broken: evidence that does not add up is not written.
    pub fn to_json(&self) -> Result<String, EvidenceError> {
        self.check()?;
        let file = File {
            format: FORMAT.mark(),
            semantics: self.semantics,
            candidates: self.candidates,
            subjects: self.subjects.values().cloned().collect(),
            outside: self.outside.clone(),
        };
        let mut text = serde_json::to_string_pretty(&file)?;
        text.push('\n');
        Ok(text)
    }

    /// Reads the file form.
    ///
    /// # Errors
    /// When the text is damaged, of another format, or its counters do not add up.
    pub fn from_json(text: &str) -> Result<Self, EvidenceError> {
        FORMAT.check_json(text)?;
        let file: File = serde_json::from_str(text)?;
        let mut subjects = BTreeMap::new();
        for subject in file.subjects {
            subject.check()?;
            if let Some(repeated) = subjects.insert(subject.subject().clone(), subject) {
                return Err(EvidenceError::Repeated(repeated.subject().clone()));
            }
        }
        Ok(Self { semantics: file.semantics, candidates: file.candidates, subjects, outside: file.outside })
    }
}
