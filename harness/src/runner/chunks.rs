//! Parts of a run: shards, and the chunks that are done.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU64;
use std::str::FromStr;

/// A set of numbers from 0 on, kept as ranges: there are as many as there are gaps, and gaps are as many as chunks are under way.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<[u64; 2]>", into = "Vec<[u64; 2]>")]
pub struct Chunks {
    /// First number → first number beyond. Ranges neither overlap nor touch.
    ranges: BTreeMap<u64, u64>,
}

/// Ranges that are empty, out of order, or touch each other.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`[{from}, {to}]` is not a later range of chunks")]
pub struct BadRange {
    from: u64,
    to: u64,
}

impl Chunks {
    /// Adds a number. Says whether it was new.
    pub fn insert(&mut self, number: u64) -> bool {
        let Some(beyond) = number.checked_add(1) else { return false };
        let before = self.ranges.range(..=number).next_back().map(|(from, to)| (*from, *to));
        let from = match before {
            Some((_, to)) if to > number => return false,
            Some((from, to)) if to == number => from,
            _ => number,
        };
        let to = self.ranges.remove(&beyond).unwrap_or(beyond);
        self.ranges.insert(from, to);
        true
    }

    /// Whether the number is in the set.
    #[must_use]
    pub fn contains(&self, number: u64) -> bool {
        self.ranges.range(..=number).next_back().is_some_and(|(_, to)| *to > number)
    }

    /// The first number that is not in the set.
    #[must_use]
    pub fn first_gap(&self) -> u64 {
        self.ranges.get(&0).copied().unwrap_or_default()
    }

    /// The first number beyond all.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.ranges.last_key_value().map_or(0, |(_, to)| *to)
    }

    /// How many numbers.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.ranges.iter().map(|(from, to)| to - from).sum()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// How many ranges hold them.
    #[must_use]
    pub fn ranges(&self) -> usize {
        self.ranges.len()
    }
}

impl From<Chunks> for Vec<[u64; 2]> {
    fn from(chunks: Chunks) -> Self {
        chunks.ranges.into_iter().map(|(from, to)| [from, to]).collect()
    }
}

impl TryFrom<Vec<[u64; 2]>> for Chunks {
    type Error = BadRange;

    fn try_from(ranges: Vec<[u64; 2]>) -> Result<Self, BadRange> {
        let mut chunks = Self::default();
        for [from, to] in ranges {
            let beyond = chunks.ranges.last_key_value().is_none_or(|(_, end)| *end < from);
            if from >= to || !beyond {
                return Err(BadRange { from, to });
            }
            chunks.ranges.insert(from, to);
        }
        Ok(chunks)
    }
}

/// One of several parts that a run is cut into: every so-manieth chunk. Printed and read as `3/16`, counting from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Shard {
    /// From 0.
    index: u64,
    of: NonZeroU64,
}

/// Text that names no shard.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a shard, such as 1/4 (the first of four) to 4/4 (the last)")]
pub struct BadShard(String);

impl Shard {
    /// The run as a whole.
    pub const WHOLE: Self = Self { index: 0, of: NonZeroU64::MIN };

    /// Its number, from 1.
    #[must_use]
    pub fn number(self) -> u64 {
        self.index + 1
    }

    /// How many shards the run has.
    #[must_use]
    pub fn of(self) -> u64 {
        self.of.get()
    }

    /// All shards of the run.
    pub fn all(self) -> impl Iterator<Item = Self> {
        (0..self.of.get()).map(move |index| Self { index, of: self.of })
    }

    /// Whether it is the run as a whole.
    #[must_use]
    pub fn is_whole(self) -> bool {
        self == Self::WHOLE
    }

    /// The number in the run of the shard's chunk number `turn`; none beyond the last number there is.
    #[must_use]
    pub fn chunk(self, turn: u64) -> Option<u64> {
        turn.checked_mul(self.of.get())?.checked_add(self.index)
    }

    /// How many of `cases` cases the shard has, which are cut into chunks of `chunk` cases.
    #[must_use]
    pub fn cases(self, cases: u64, chunk: u64) -> u64 {
        let chunk = chunk.max(1);
        let (full, rest) = (cases / chunk, cases % chunk);
        let own = (full + self.of.get() - 1 - self.index) / self.of;
        own * chunk + if full % self.of == self.index { rest } else { 0 }
    }

    /// The number in the shard of the run's chunk number `chunk`; none when it belongs to another.
    #[must_use]
    pub fn turn(self, chunk: u64) -> Option<u64> {
        (chunk % self.of == self.index).then(|| chunk / self.of)
    }
}

impl Default for Shard {
    fn default() -> Self {
        Self::WHOLE
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number(), self.of)
    }
}

impl FromStr for Shard {
    type Err = BadShard;

    fn from_str(text: &str) -> Result<Self, BadShard> {
        let read = || {
            let (number, of) = text.split_once('/')?;
            let (number, of): (u64, NonZeroU64) = (number.parse().ok()?, of.parse().ok()?);
            (number <= of.get()).then_some(Self { index: number.checked_sub(1)?, of })
        };
        read().ok_or_else(|| BadShard(text.to_owned()))
    }
}

impl TryFrom<String> for Shard {
    type Error = BadShard;

    fn try_from(text: String) -> Result<Self, BadShard> {
        text.parse()
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> Self {
        shard.to_string()
    }
}

/// What of the cases is run: a shard, and of it what was not done before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// The shard.
    pub shard: Shard,
    /// Chunks that are left out, by their number in the shard.
    pub done: Chunks,
}

#[cfg(test)]
mod tests {
    use super::{Chunks, Shard};
    use proptest::prelude::{any, prop};
    use std::collections::BTreeSet;
    use std::num::NonZeroU64;

    #[test]
    fn shards_are_counted_from_1() {
        for (text, number, of) in [("1/1", 1, 1), ("1/16", 1, 16), ("16/16", 16, 16)] {
            let shard: Shard = text.parse().unwrap();
            assert_eq!((shard.number(), shard.of(), shard.to_string()), (number, of, text.to_owned()));
        }
        for text in ["", "1", "/", "0/4", "5/4", "1/0", "-1/4", "1/4/4", "a/b", "1 / 4"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }

    #[test]
    fn every_chunk_belongs_to_exactly_one_shard() {
        let shards: Vec<Shard> = (1..=5).map(|number| format!("{number}/5").parse().unwrap()).collect();
        for chunk in 0..100 {
            let turns: Vec<(Shard, u64)> =
                shards.iter().filter_map(|shard| Some((*shard, shard.turn(chunk)?))).collect();
            assert_eq!(turns.len(), 1, "{chunk}");
            assert_eq!(turns[0].0.chunk(turns[0].1), Some(chunk));
        }
        assert_eq!(shards[1].chunk(u64::MAX / 2), None);
    }

    #[test]
    fn ranges_that_touch_or_turn_back_are_not_read() {
        for text in ["[[0,0]]", "[[3,2]]", "[[0,2],[2,4]]", "[[5,6],[0,1]]", "[[0,4],[3,6]]", "[0,1]"] {
            assert!(serde_json::from_str::<Chunks>(text).is_err(), "{text}");
        }
        let chunks: Chunks = serde_json::from_str("[[0,2],[3,4]]").unwrap();
        assert_eq!((chunks.first_gap(), chunks.end(), chunks.len()), (2, 4, 3));
    }

    proptest::proptest! {
        #[test]
        fn a_set_of_chunks_is_a_set_however_it_came_about(numbers in prop::collection::vec(0..40_u64, 0..60), extra in any::<u64>()) {
            let (mut chunks, mut model) = (Chunks::default(), BTreeSet::new());
            for number in numbers {
                assert_eq!(chunks.insert(number), model.insert(number));
            }
            for number in (0..42).chain([extra]) {
                assert_eq!(chunks.contains(number), model.contains(&number), "{number}");
            }
            assert_eq!(chunks.len(), model.len() as u64);
            assert_eq!(chunks.is_empty(), model.is_empty());
            assert_eq!(Some(chunks.first_gap()), (0..).find(|number| !model.contains(number)));
            assert_eq!(chunks.end(), model.last().map_or(0, |last| last + 1));
            let text = serde_json::to_string(&chunks).unwrap();
            assert_eq!(serde_json::from_str::<Chunks>(&text).unwrap(), chunks);
        }
    }

    #[test]
    fn the_cases_of_all_shards_are_those_of_the_run() {
        for (cases, chunk, of, shares) in [
            (9_000, 1_024, 2, vec![5 * 1_024 - 216, 4 * 1_024]),
            (100, 1_024, 3, vec![100, 0, 0]),
            (6, 2, 3, vec![2; 3]),
        ] {
            let shards = Shard { index: 0, of: NonZeroU64::new(of).unwrap() }.all();
            assert_eq!(shards.map(|shard| shard.cases(cases, chunk)).collect::<Vec<_>>(), shares);
        }
    }
}
