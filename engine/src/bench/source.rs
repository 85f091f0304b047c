//! Cases that are generated for a measurement.

use takeover_corpora::generate::{ArenaChunk, Generator};
use takeover_harness::object::Arena;
use takeover_harness::runner::{Base, CaseSource, Cases, Chunk, Input};

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
        Box::new(OursChunk(self.generator.chunk(self.first + chunk.number, self.seed).in_arena(arena)))
    }
}

/// The cases of a chunk.
struct OursChunk<'c>(ArenaChunk<'c>);

impl<'c> Cases<'c> for OursChunk<'c> {
    fn next<'a>(&mut self, arena: &'a Arena) -> Option<Input<'a>>
    where
        'c: 'a,
    {
        let made = self.0.next(arena)?;
        let shows = made.shows();
        Some(Input::Case { subject: 0, case: made.case, shows })
    }

    fn ahead(&self) -> u64 {
        self.0.ahead()
    }

    fn field(&self) -> u64 {
        self.0.field()
    }

    fn base(&self) -> Option<&Base<'c>> {
        self.0.base()
    }

    fn keep(&mut self, index: u64) {
        self.0.keep(index);
    }
}
