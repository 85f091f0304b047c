//! A search for many texts at once.

use super::forms::Form;
use aho_corasick::{AhoCorasick, BuildError, MatchKind, PatternID};
use std::cell::LazyCell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Bytes of an original by which it is found; the others are compared then. Keeps the automaton small.
const PREFIX: usize = 48;

/// Bytes of an original from which it is compared by its hash first: a text that nearly repeats it everywhere would take for ever.
const LONG: usize = 1024;

/// Originals of one sort.
pub(super) struct Quarry {
    automaton: AhoCorasick,
    /// By number of the pattern, what begins with it.
    originals: Vec<Alike>,
    pub(super) whole: BTreeSet<String>,
    /// Whether an original counts only where no letter or digit continues it.
    bounded: bool,
}

/// Originals that begin alike.
#[derive(Default)]
struct Alike {
    /// Those of up to [`LONG`] bytes, in order.
    short: Vec<String>,
    /// The others, the longest first.
    long: BTreeSet<Reverse<Long>>,
}

/// What is compared of a long original first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Long {
    length: usize,
    hash: u64,
    /// [`Hashes::power`] of the length.
    power: u64,
}

impl Quarry {
    /// A search for these.
    pub(super) fn new(originals: BTreeSet<String>, bounded: bool) -> Result<Self, BuildError> {
        let mut by_prefix: BTreeMap<String, Alike> = BTreeMap::new();
        for original in &originals {
            let end = (0..=PREFIX.min(original.len())).rev().find(|end| original.is_char_boundary(*end));
            let prefix = original.get(..end.unwrap_or_default()).unwrap_or_default();
            let alike = by_prefix.entry(prefix.to_owned()).or_default();
            if original.len() > LONG {
                let (length, power) = (original.len(), Hashes::power(original.len()));
                let hash = Hashes::of(original.as_bytes()).hash(0..length, power);
                alike.long.insert(Reverse(Long { length, hash, power }));
            } else {
                alike.short.push(original.clone());
            }
        }
        let automaton = AhoCorasick::builder().match_kind(MatchKind::Standard).build(by_prefix.keys())?;
        Ok(Self { automaton, originals: by_prefix.into_values().collect(), whole: originals, bounded })
    }

    /// Where originals stand in `text` that are to be replaced.
    pub(super) fn spans(&self, text: &str) -> Vec<Range<usize>> {
        let mut found = self.all_spans(text);
        if !found.is_empty() {
            let form = Form::of(text);
            found.retain(|span| !form.keeps(span));
        }
        found
    }

    /// Whether an original stands in bytes that are no text, bounded or not.
    pub(super) fn is_in(&self, bytes: &[u8]) -> bool {
        let hashes = LazyCell::new(|| Hashes::of(bytes));
        let mut hits = self.automaton.find_overlapping_iter(bytes);
        hits.any(|hit| self.longest(hit.pattern(), bytes, hit.start(), &hashes, |_| true).is_some())
    }

    /// Where originals stand in `text`, in order, apart from each other, the leftmost and longest of those that overlap.
    pub(super) fn all_spans(&self, text: &str) -> Vec<Range<usize>> {
        let hits = self.automaton.find_overlapping_iter(text).map(|hit| (hit.start(), hit.pattern()));
        let mut hits: Vec<_> = hits.filter(|(start, _)| !self.bounded || ends_before(text, *start)).collect();
        hits.sort();
        let hashes = LazyCell::new(|| Hashes::of(text.as_bytes()));
        let mut found: Vec<Range<usize>> = Vec::new();
        for alike in hits.chunk_by(|one, other| one.0 == other.0) {
            let Some((start, _)) = alike.first().copied() else { continue };
            if found.last().is_some_and(|before| start < before.end) {
                continue;
            }
            let counts = |length: usize| !self.bounded || begins_after(text, start + length);
            let lengths =
                alike.iter().filter_map(|(_, pattern)| self.longest(*pattern, text.as_bytes(), start, &hashes, counts));
            found.extend(lengths.max().map(|length| start..start + length));
        }
        found
    }

    /// The length of the longest original with this beginning that stands at `start` and `counts`.
    fn longest<F: FnOnce() -> Hashes>(
        &self,
        pattern: PatternID,
        text: &[u8],
        start: usize,
        hashes: &LazyCell<Hashes, F>,
        counts: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let Alike { short, long } = self.originals.get(pattern.as_usize())?;
        let is_one = |Long { length, hash, power }: Long| {
            let span = start..start.checked_add(length)?;
            let part = text.get(span.clone())?;
            let is = hashes.hash(span, power) == hash
                && std::str::from_utf8(part).is_ok_and(|part| self.whole.contains(part))
                && counts(length);
            is.then_some(length)
        };
        let long = long.iter().find_map(|Reverse(long)| is_one(*long));
        let part = text.get(start..).unwrap_or_default();
        long.or_else(|| beginning(short, part.get(..LONG).unwrap_or(part), counts))
    }
}

/// Hashes of the parts of a text.
struct Hashes(Vec<u64>);

impl Hashes {
    const MODULUS: u64 = (1 << 61) - 1;
    const BASE: u64 = 0x0123_4567_89ab_cdef;

    /// Takes time for each byte, and for each part of it no more than for any other.
    fn of(text: &[u8]) -> Self {
        let mut sum = 0;
        let sums = text.iter().map(|byte| {
            sum = Self::plus(Self::times(sum, Self::BASE), u64::from(*byte) + 1);
            sum
        });
        Self(std::iter::once(0).chain(sums).collect())
    }

    /// The hash of a part, which has to be one; `power` is that of its length.
    fn hash(&self, span: Range<usize>, power: u64) -> u64 {
        let [from, to] = [span.start, span.end].map(|at| self.0.get(at).copied().unwrap_or_default());
        Self::plus(to, Self::MODULUS - Self::times(from, power))
    }

    fn power(mut exponent: usize) -> u64 {
        let (mut power, mut base) = (1, Self::BASE);
        while exponent > 0 {
            if exponent % 2 == 1 {
                power = Self::times(power, base);
            }
            base = Self::times(base, base);
            exponent /= 2;
        }
        power
    }

    fn plus(one: u64, other: u64) -> u64 {
        let sum = one + other;
        if sum >= Self::MODULUS { sum - Self::MODULUS } else { sum }
    }

    /// The product, whose upper bits count as much as its lower ones.
    fn times(one: u64, other: u64) -> u64 {
        let product = u128::from(one) * u128::from(other);
        let [low, high] =
            [product & u128::from(Self::MODULUS), product >> 61].map(|part| u64::try_from(part).unwrap_or_default());
        Self::plus(low, high)
    }
}

/// The length of the longest original of an ordered list that `text` begins with and that `counts`. Of originals that begin alike,
/// there may be as many as objects: none but those that could be it are compared.
fn beginning(list: &[String], mut text: &[u8], counts: impl Fn(usize) -> bool) -> Option<usize> {
    loop {
        let after = list.partition_point(|original| original.as_bytes() <= text);
        let last = list.get(after.checked_sub(1)?)?.as_bytes();
        let common = last.iter().zip(text).take_while(|(one, other)| one == other).count();
        // What `text` begins with comes before it in order, and is no longer than what the last one before it has in common with it.
        let shorter = match common == last.len() {
            true if counts(common) => return Some(common),
            true => common.checked_sub(1)?,
            false => common,
        };
        text = text.get(..shorter)?;
    }
}

/// Whether no letter or digit stands before `start`.
fn ends_before(text: &str, start: usize) -> bool {
    !text.get(..start).and_then(|before| before.chars().next_back()).is_some_and(char::is_alphanumeric)
}

/// Whether no letter or digit stands at `end`.
fn begins_after(text: &str, end: usize) -> bool {
    !text.get(end..).and_then(|after| after.chars().next()).is_some_and(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::{Quarry, beginning};
    use proptest::prelude::*;
    use std::time::{Duration, Instant};

    proptest! {
        #[test]
        fn the_longest_beginning_that_counts_is_found(mut list in prop::collection::vec("[ab]{0,5}", 0..20), text in "[ab]{0,6}", odd in any::<bool>()) {
            list.sort();
            let counts = |length: usize| !odd || length % 2 == 1;
            let longest = list.iter().filter(|one| text.starts_with(one.as_str()) && counts(one.len())).map(String::len).max();
            prop_assert_eq!(beginning(&list, text.as_bytes(), counts), longest);
        }
    }

    #[test]
    fn originals_that_begin_alike_are_found_in_time() {
        let list: Vec<String> = (0..40_000).map(|number| format!("{}{number:05}", "x".repeat(48))).collect();
        let start = Instant::now();
        for original in &list {
            assert_eq!(beginning(&list, original.as_bytes(), |_| true), Some(original.len()));
        }
        // One by one, it takes 1.6 billion comparisons.
        assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    }

    /// Every original at every place, as far as they are apart.
    fn one_by_one(originals: &[String], text: &str, bounded: bool) -> Vec<std::ops::Range<usize>> {
        let stands = |start: usize, one: &String| {
            let outside = |c: Option<char>| !bounded || !c.is_some_and(char::is_alphanumeric);
            text.get(start..).is_some_and(|rest| rest.starts_with(one.as_str()))
                && outside(text[..start].chars().next_back())
                && outside(text[start + one.len()..].chars().next())
        };
        let mut found: Vec<std::ops::Range<usize>> = Vec::new();
        for start in 0..text.len() {
            let longest = originals.iter().filter(|one| stands(start, one)).map(String::len).max();
            if let Some(length) = longest
                && found.last().is_none_or(|before| before.end <= start)
            {
                found.push(start..start + length);
            }
        }
        found
    }

    proptest! {
        #[test]
        fn originals_of_any_length_are_found_where_they_stand(
            originals in prop::collection::btree_set("[ab-]{1,4}", 1..6),
            times in 1_usize..700,
            text in "[ab -]{0,20}",
            bounded in any::<bool>(),
        ) {
            let mut originals: Vec<String> = originals.into_iter().collect();
            let long = originals[0].repeat(times);
            let text = [text.as_str(), &long, &text, &long[..long.len() - 1]].concat();
            originals.push(long);
            let quarry = Quarry::new(originals.iter().cloned().collect(), bounded).unwrap();
            prop_assert_eq!(quarry.all_spans(&text), one_by_one(&originals, &text, bounded));
        }
    }

    #[test]
    fn a_text_that_nearly_repeats_an_original_everywhere_is_searched_in_time() {
        let start = Instant::now();
        let long = "x".repeat(400_000);
        let nearly = Quarry::new([format!("{}y", &long[..200_000])].into(), false).unwrap();
        assert!(nearly.all_spans(&long).is_empty() && !nearly.is_in(long.as_bytes()));
        let whole = Quarry::new([long[..160_000].to_owned(), "xxxxxx".to_owned()].into(), false).unwrap();
        assert_eq!(whole.all_spans(&long).len(), 2 + 80_000 / 6);
        // Nearly half a million times as many bytes are compared otherwise.
        assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    }
}
