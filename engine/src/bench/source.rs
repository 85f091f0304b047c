//! Cases that are generated for a measurement.

use takeover_corpora::generate;
use takeover_harness::runner::{Base, CaseSource, Cases, Chunk, Input};

/// Cases of one subject.
pub(super) struct Source<'s> {
    pub(super) chunk_len: u64,
    pub(super) cases: Box<dyn Fn(Chunk) -> Box<dyn Cases + 's> + Sync + 's>,
}

/// Cases of the generator.
pub(super) struct Ours<'g>(pub(super) generate::Chunk<'g>);

impl Iterator for Ours<'_> {
    type Item = Input;

    fn next(&mut self) -> Option<Input> {
        let made = self.0.next()?;
        let shows = made.shows();
        Some(Input::Case { subject: 0, case: made.case, shows })
    }
}

impl Cases for Ours<'_> {
    fn ahead(&self) -> u64 {
        self.0.ahead()
    }

    fn field(&self) -> u64 {
        self.0.field()
    }

    fn base(&self) -> Option<&Base> {
        self.0.base()
    }

    fn keep(&mut self, index: u64) {
        self.0.keep(index);
    }
}

impl CaseSource for Source<'_> {
    fn chunk_len(&self) -> u64 {
        self.chunk_len
    }

    fn cases(&self, chunk: Chunk) -> Box<dyn Cases + '_> {
        (self.cases)(chunk)
    }
}
