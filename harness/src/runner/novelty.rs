//! Whether a case showed what no case of its field had shown before in its chunk.

use crate::case::Operation;
use crate::judge::CaseRecord;
use std::hash::{DefaultHasher, Hash, Hasher as _};

/// Bits of memory. Two things may share a bit: the second is then taken for known.
const BITS: u64 = 1 << 16;

/// What the cases of a chunk showed so far. It knows of no other chunk, so that it depends neither on the thread nor on the
/// process that judges. And it does not ask the candidate: a rule that comes or goes would change which cases of other fields are new.
pub(super) struct Novelty {
    /// By judge, so that it does not matter in which order the cases of two of them are judged: one bit for each error of the
    /// reference; empty until there are any.
    shown: Vec<Vec<u64>>,
    /// Whether there are any.
    any: bool,
}

impl Novelty {
    pub(super) fn new(judges: usize) -> Self {
        Self { shown: vec![Vec::new(); judges], any: false }
    }

    /// Forgets everything, at the end of a chunk.
    pub(super) fn clear(&mut self) {
        if std::mem::take(&mut self.any) {
            self.shown.iter_mut().for_each(|shown| shown.fill(0));
        }
    }

    /// Adds what a case about `field` showed that was just compared on `record`, and says whether any of it is new among the cases of that
    /// field: an error of the reference of a new kind or at a new place.
    pub(super) fn add(&mut self, subject: usize, field: u64, operation: Operation, record: &CaseRecord) -> bool {
        let mut new = false;
        for error in record.reference.errors.iter() {
            // Without a seed: the same in every process.
            let mut hasher = DefaultHasher::new();
            (field, operation).hash(&mut hasher);
            (error.error_type, &error.origin).hash(&mut hasher);
            // Indexes and keys do not tell places apart.
            for (index, part) in error.field.split('[').enumerate() {
                let part = if index == 0 { part } else { part.split_once(']').map_or("", |(_, rest)| rest) };
                part.hash(&mut hasher);
            }
            new |= self.show(subject, &hasher);
        }
        new
    }

    fn show(&mut self, subject: usize, hasher: &DefaultHasher) -> bool {
        let Some(shown) = self.shown.get_mut(subject) else { return false };
        if shown.is_empty() {
            shown.resize((BITS / 64) as usize, 0);
        }
        self.any = true;
        let bit = hasher.finish() % BITS;
        let Some(word) = usize::try_from(bit / 64).ok().and_then(|word| shown.get_mut(word)) else { return false };
        let before = *word;
        *word |= 1 << (bit % 64);
        *word != before
    }
}
