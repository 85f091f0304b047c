//! The stream of choices a case is made from.

use arbitrary::Unstructured;

/// Choices read from bytes. When the bytes run out every choice is the first, which by convention is the plainest.
pub(super) struct Choices<'c, 'b> {
    source: &'c mut Unstructured<'b>,
}

impl<'c, 'b> Choices<'c, 'b> {
    pub(super) fn new(source: &'c mut Unstructured<'b>) -> Self {
        Self { source }
    }

    /// A number below `count`; 0 when `count` is 0.
    pub(super) fn below(&mut self, count: usize) -> usize {
        // Enough bytes that the first numbers are not drawn noticeably more often than the last ones.
        let drawn = match count {
            0 | 1 => return 0,
            2..=8 => self.source.int_in_range(0..=u8::MAX).map(usize::from),
            9..=1024 => self.source.int_in_range(0..=u16::MAX).map(usize::from),
            _ => self.source.int_in_range(0..=u32::MAX).map(|drawn| usize::try_from(drawn).unwrap_or(usize::MAX)),
        };
        drawn.unwrap_or(0) % count
    }

    /// Yes in `hits` of `of` cases; no when the bytes have run out.
    pub(super) fn chance(&mut self, hits: usize, of: usize) -> bool {
        self.below(of) >= of.saturating_sub(hits)
    }

    /// One of `items`.
    pub(super) fn pick<'t, T>(&mut self, items: &'t [T]) -> Option<&'t T> {
        items.get(self.below(items.len()))
    }
}
