//! How many samples are kept of disagreements and panics, and how much memory they may take.

use crate::metrics::Meters;
use std::sync::atomic::{AtomicU64, Ordering};
use takeover_harness::case::Operation;
use takeover_harness::evidence::{OperationEvidence, PairEvidence};

/// Most bytes of cases that are kept: in the ledger, and in what the workers gathered since that was last added to it.
pub(crate) const MOST_BYTES: u64 = 8 << 20;

/// How much is known of disagreements and panics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Samples {
    /// How many there are.
    signatures: i64,
    /// Of how many a case is kept.
    kept: i64,
    /// Bytes of JSON of these cases.
    pub(crate) bytes: u64,
}

impl Samples {
    /// Those of one operation.
    pub(crate) fn of(evidence: &OperationEvidence) -> Self {
        let mut samples = Self::default();
        let found = evidence.signatures.values().map(|found| &found.smallest);
        for example in found.chain(evidence.panics.values().map(|found| &found.smallest)) {
            samples.signatures += 1;
            if !example.is_empty() {
                samples.kept += 1;
                samples.bytes += example.size;
            }
        }
        // Notes are no disagreements, but their cases take memory as well.
        samples.bytes += evidence
            .notes
            .values()
            .map(|noted| &noted.smallest)
            .filter(|of| !of.is_empty())
            .map(|of| of.size)
            .sum::<u64>();
        samples
    }

    /// Those of subjects.
    pub(crate) fn of_all<'e>(subjects: impl IntoIterator<Item = &'e PairEvidence>) -> Self {
        let mut all = Self::default();
        for subject in subjects {
            for of in Operation::ALL.map(|operation| Self::of(subject.operation(operation))) {
                all.signatures += of.signatures;
                all.kept += of.kept;
                all.bytes += of.bytes;
            }
        }
        all
    }

    /// The sum, in which those of a subject were `before` and are `after`.
    pub(crate) fn replace(&mut self, before: Self, after: Self) {
        self.signatures += after.signatures - before.signatures;
        self.kept += after.kept - before.kept;
        self.bytes = self.bytes.saturating_sub(before.bytes) + after.bytes;
    }

    pub(crate) fn show(self, meters: &Meters) {
        meters.signatures.set(self.signatures);
        meters.samples.set(self.kept);
    }
}

/// The memory for samples that workers have until what they gathered is added to the ledger.
#[derive(Debug)]
pub(crate) struct SampleRoom(AtomicU64);

impl Default for SampleRoom {
    fn default() -> Self {
        Self(AtomicU64::new(MOST_BYTES))
    }
}

impl SampleRoom {
    /// Leaves room for so many bytes.
    pub(crate) fn set(&self, room: u64) {
        self.0.store(room, Ordering::Relaxed);
    }

    /// Takes room for so many bytes, if there is that much.
    pub(crate) fn take(&self, bytes: u64) -> bool {
        let taken = |room: u64| room.checked_sub(bytes);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, taken).is_ok()
    }

    /// Gives back what was not needed.
    pub(crate) fn give_back(&self, bytes: u64) {
        let given = |room: u64| Some(room.saturating_add(bytes).min(MOST_BYTES));
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, given);
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST_BYTES, SampleRoom};

    #[test]
    fn room_for_samples_is_bounded_and_comes_back() {
        let sample_room = SampleRoom::default();
        assert_eq!(
            [sample_room.take(MOST_BYTES - 1), sample_room.take(2), sample_room.take(1), sample_room.take(1)],
            [true, false, true, false]
        );
        sample_room.give_back(3);
        assert_eq!([sample_room.take(4), sample_room.take(3)], [false, true]);
        sample_room.set(0);
        assert!(!sample_room.take(1));
    }
}
