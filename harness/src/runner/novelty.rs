//! Whether a case showed what no case of its chunk had shown before.

use crate::case::Operation;
use crate::judge::CaseRecord;
use crate::rule::Reached;
use std::hash::{DefaultHasher, Hash, Hasher as _};

/// Bits of memory for what is not a rule that looked. Two things may share a bit: the second is then taken for known.
const BITS: u64 = 1 << 14;

/// What the cases of a chunk showed so far. It knows of no other chunk, so that it depends neither on the thread nor on the
/// process that judges: the faults that a worker has seen exposed would.
pub(super) struct Novelty {
    /// By judge and operation: the rules that looked.
    reached: Vec<[Reached; 2]>,
    /// By judge, so that it does not matter in which order the cases of two of them are judged: one bit each for the ways in
    /// which rules fared, and for the errors of references; empty until there are any.
    shown: Vec<Vec<u64>>,
}

impl Novelty {
    pub(super) fn new(judges: usize) -> Self {
        Self { reached: vec![Default::default(); judges], shown: vec![Vec::new(); judges] }
    }

    /// Forgets everything, at the end of a chunk.
    pub(super) fn clear(&mut self) {
        self.reached.iter_mut().flatten().for_each(Reached::clear);
        self.shown.iter_mut().for_each(|shown| shown.fill(0));
    }

    /// Adds what a case showed that was just compared on `record`, and says whether any of it is new: a rule that looked for the
    /// first time, or fared in a new way, or an error of the reference of a new kind or at a new place.
    pub(super) fn add(&mut self, subject: usize, operation: Operation, record: &CaseRecord) -> bool {
        let Some(reached) = self.reached.get_mut(subject) else { return false };
        let [create, update] = reached;
        let reached = match operation {
            Operation::Create => create,
            Operation::Update => update,
        };
        let mut new = reached.absorb(&record.candidate.reached);
        // Without a seed: the same in every process.
        let hasher = || {
            let mut hasher = DefaultHasher::new();
            (subject, operation).hash(&mut hasher);
            hasher
        };
        for mark in record.marks() {
            let mut hasher = hasher();
            mark.hash(&mut hasher);
            new |= self.show(subject, &hasher);
        }
        for error in record.reference.errors.iter() {
            let mut hasher = hasher();
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
        let bit = hasher.finish() % BITS;
        let Some(word) = usize::try_from(bit / 64).ok().and_then(|word| shown.get_mut(word)) else { return false };
        let before = *word;
        *word |= 1 << (bit % 64);
        *word != before
    }
}
