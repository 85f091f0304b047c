//! What came of cases that came before: the same content need not be judged twice, for oracles give the same answer twice.

use crate::case::Operation;
use crate::judge::{CaseRecord, Judgement};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// Bytes of judgements that a thread keeps, roughly. Nothing is given up for what comes later: of contents that come in turns, those kept
/// would else always be the others.
const KEPT: usize = 4 << 20;

/// Largest judgement that is kept.
const LARGEST: usize = KEPT / 32;

/// Judgements by subject, operation and content. Belongs to one thread and one run.
#[derive(Default)]
pub(super) struct Memory {
    judged: HashMap<(usize, Operation, u64), (Judgement, CaseRecord)>,
    bytes: usize,
}

impl Memory {
    /// The judgement of a content that was kept.
    pub(super) fn get(&self, subject: usize, operation: Operation, content: u64) -> Option<&(Judgement, CaseRecord)> {
        self.judged.get(&(subject, operation, content))
    }

    /// Keeps a judgement, if it is not known yet and there is room. Panics are not kept, nor is what an oracle declined: both may be of the
    /// moment.
    pub(super) fn keep(
        &mut self,
        subject: usize,
        operation: Operation,
        content: u64,
        verdict: &Judgement,
        record: &CaseRecord,
    ) {
        if !record.panics.is_empty() || matches!(verdict, Judgement::Unable { .. }) {
            return;
        }
        let bytes = record.weight();
        let Entry::Vacant(free) = self.judged.entry((subject, operation, content)) else { return };
        if bytes <= LARGEST && self.bytes + bytes <= KEPT {
            self.bytes += bytes;
            free.insert((verdict.clone(), record.counted()));
        }
    }
}
