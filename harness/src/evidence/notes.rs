//! What is counted of notes: of what is no difference, and worth a look all the same.

use super::entries::merge_entry;
use super::sample::{CasePlace, Example, Sighting, size};
use crate::case::Case;
use crate::compare::{Note, Noted};
use crate::judge::CaseRecord;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// All cases with one note.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NoteEvidence {
    /// How many cases.
    pub cases: u64,
    /// The first in the run.
    pub first: Sighting,
    /// The case that shows it best: with the fewest errors, then by bytes of JSON, then by place.
    pub smallest: Example,
}

impl NoteEvidence {
    pub(super) fn merge(&mut self, other: Self) {
        self.cases += other.cases;
        self.first.merge(other.first);
        self.smallest.merge(other.smallest);
    }

    /// Whether a case with so many errors is neither the first nor the smallest. Notes are common, so that the objects are measured only
    /// if the number of errors does not tell.
    fn surpasses(&self, place: CasePlace, case: &Case, beside: u64) -> bool {
        let nothing_kept = case.object.is_null();
        let (empty, least, ..) = self.smallest.order();
        self.first.place < place
            && ((empty, least) < (nothing_kept, beside)
                || self.smallest.order() < (nothing_kept, beside, size(case), place))
    }
}

/// Counts the notes of a case.
pub(super) fn record_notes(
    known: &mut BTreeMap<Note, NoteEvidence>,
    place: CasePlace,
    case: &Case,
    record: &CaseRecord,
) {
    for Noted { note, said } in &record.notes {
        let beside = record.said;
        match known.get_mut(note) {
            Some(evidence) if evidence.surpasses(place, case, beside) => evidence.cases += 1,
            _ => {
                let first = Sighting::of(place, case, said.clone());
                let smallest = Example::of(case, beside, first.clone());
                merge_entry(known, note.clone(), NoteEvidence { cases: 1, first, smallest }, NoteEvidence::merge);
            }
        }
    }
}
