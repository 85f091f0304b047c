//! The choices a case is made from.

use arbitrary::Unstructured;
use std::cell::Cell;

/// Choices, read from bytes or derived from a key.
///
/// When bytes run out every choice is the first, which by convention is the plainest.
pub(super) struct Choices<'c, 'b> {
    source: Source<'c, 'b>,
}

enum Source<'c, 'b> {
    /// One stream for all places.
    Bytes(&'c mut Unstructured<'b>),
    /// A stream of its own for every place; see [`Choices::fork`].
    Keyed { key: u64, next: u64, log: &'c Log },
}

/// How many choices a case made, and which of them are to fall out otherwise than its key has it.
#[derive(Debug, Default)]
pub(super) struct Log {
    drawn: Cell<u32>,
    changes: Vec<Change>,
}

/// Choices that fall out otherwise: one, or all from one on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    pub(super) first: u32,
    pub(super) all_from: bool,
    pub(super) salt: u64,
}

impl Log {
    pub(super) fn new(changes: Vec<Change>) -> Self {
        Self { drawn: Cell::new(0), changes }
    }

    /// How many choices were made.
    pub(super) fn drawn(&self) -> u32 {
        self.drawn.get()
    }

    pub(super) fn into_changes(self) -> Vec<Change> {
        self.changes
    }

    /// What the choice that is made next is drawn as, if nothing is changed as `value`.
    fn draw(&self, value: u64) -> u64 {
        let number = self.drawn.get();
        self.drawn.set(number.saturating_add(1));
        let applies = |change: &&Change| change.first == number || change.all_from && change.first < number;
        self.changes.iter().filter(applies).fold(value, |value, change| mix(value ^ change.salt))
    }
}

impl<'c, 'b> Choices<'c, 'b> {
    /// Choices that are read from `source`, one after the other.
    pub(super) fn new(source: &'c mut Unstructured<'b>) -> Self {
        Self { source: Source::Bytes(source) }
    }

    /// Choices that follow from `key`.
    pub(super) fn keyed(key: u64, log: &'c Log) -> Self {
        Self { source: Source::Keyed { key, next: 0, log } }
    }

    /// The choices of the part called `part`: with a key they depend on those names alone that lead there, not on what was chosen
    /// elsewhere.
    pub(super) fn fork(&mut self, part: &str) -> Choices<'_, 'b> {
        Choices {
            source: match &mut self.source {
                Source::Bytes(source) => Source::Bytes(source),
                Source::Keyed { key, log, .. } => Source::Keyed { key: mix(*key ^ hash(part)), next: 0, log },
            },
        }
    }

    /// A number below `count`; 0 when `count` is 0.
    pub(super) fn below(&mut self, count: usize) -> usize {
        if count < 2 {
            return 0;
        }
        match &mut self.source {
            Source::Bytes(source) => {
                // Enough bytes that the first numbers are not drawn noticeably more often than the last ones.
                let drawn = match count {
                    2..=8 => source.int_in_range(0..=u8::MAX).map(usize::from),
                    9..=1024 => source.int_in_range(0..=u16::MAX).map(usize::from),
                    _ => source.int_in_range(0..=u32::MAX).map(|drawn| usize::try_from(drawn).unwrap_or(usize::MAX)),
                };
                drawn.unwrap_or(0) % count
            }
            Source::Keyed { key, next, log } => {
                *next += 1;
                let drawn = log.draw(mix(key.wrapping_add(next.wrapping_mul(STEP))));
                usize::try_from(drawn % count as u64).unwrap_or(0)
            }
        }
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

/// The step of a Weyl sequence: odd, and its bits have no pattern.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// A number in which every bit depends on every bit of `value`: the finisher of SplitMix64.
pub(super) fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// A number for a text, the same in every process: FNV-1a.
pub(super) fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
