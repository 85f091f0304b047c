//! Cases that are generated for a measurement.

use takeover_corpora::generate::Generator;
use takeover_harness::object::Arena;
use takeover_harness::runner::{CaseSource, Cases, Chunk};

/// The cases of a generator, from a chunk on.
pub(super) struct Ours<'g> {
    pub(super) generator: &'g Generator,
    pub(super) chunk_len: u64,
    pub(super) first: u64,
    pub(super) seed: u64,
}

impl CaseSource for Ours<'_> {
    fn chunk_len(&self) -> u64 {
        self.chunk_len
    }

    fn cases<'c>(&'c self, chunk: Chunk, arena: &'c Arena) -> Box<dyn Cases<'c> + 'c> {
        Box::new(self.generator.chunk(self.first + chunk.number, self.seed).in_arena(arena))
    }
}
