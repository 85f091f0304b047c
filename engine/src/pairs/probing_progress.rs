//! Shows how far the probing of oracles is. It may take minutes before a command says anything else.

use std::sync::OnceLock;
use takeover_harness::subject::PairId;

/// Shows the progress of probing.
pub trait ProbingProgress: Sync {
    /// The oracles of this pair were asked about `cases` of `most` generated cases. Also called where none is generated, while an
    /// object is mended: `most` is 0 there.
    fn asked(&self, pair: &PairId, cases: u64, most: u64);

    /// Nothing more is asked of this pair.
    fn done(&self) {}

    /// A step of the preparation has come to this one of all pairs.
    fn prepared(&self, _: Preparation, _: u64, _: u64) {}
}

/// A step of the preparation of pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preparation {
    /// Their oracles are made.
    Oracles,
    /// It is planned what is generated, and checked that faults would be noticed.
    Cases,
    /// Faults are planted.
    Faults,
}

/// Shows nothing.
struct Unseen;

impl ProbingProgress for Unseen {
    fn asked(&self, _: &PairId, _: u64, _: u64) {}
}

/// What this process shows progress on.
static SHOWN: OnceLock<&'static dyn ProbingProgress> = OnceLock::new();

/// Shows the progress of whatever this process probes from now on. Only the first call counts.
pub fn show_probing(progress: &'static dyn ProbingProgress) {
    let _ = SHOWN.set(progress);
}

/// What this process shows progress on.
pub(crate) fn shown() -> &'static dyn ProbingProgress {
    SHOWN.get().copied().unwrap_or(&Unseen)
}
