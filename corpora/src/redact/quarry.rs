//! A search for many texts at once.

use super::forms;
use aho_corasick::{AhoCorasick, BuildError, MatchKind};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Bytes of an original by which it is found; the others are compared then. Keeps the automaton small.
const PREFIX: usize = 48;

/// Originals of one sort.
pub(super) struct Quarry {
    automaton: AhoCorasick,
    /// By number of the pattern, what begins with it, in order.
    originals: Vec<Vec<String>>,
    pub(super) whole: BTreeSet<String>,
    /// Whether an original counts only where no letter or digit continues it.
    bounded: bool,
}

impl Quarry {
    /// A search for these.
    pub(super) fn new(originals: BTreeSet<String>, bounded: bool) -> Result<Self, BuildError> {
        let mut by_prefix: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for original in &originals {
            let end = (0..=PREFIX.min(original.len())).rev().find(|end| original.is_char_boundary(*end));
            let prefix = original.get(..end.unwrap_or_default()).unwrap_or_default();
            by_prefix.entry(prefix.to_owned()).or_default().push(original.clone());
        }
        let automaton = AhoCorasick::builder().match_kind(MatchKind::Standard).build(by_prefix.keys())?;
        Ok(Self { automaton, originals: by_prefix.into_values().collect(), whole: originals, bounded })
    }

    /// Where originals stand in `text` that are to be replaced.
    pub(super) fn spans(&self, text: &str) -> Vec<Range<usize>> {
        let mut found = self.all_spans(text);
        found.retain(|span| !forms::keeps(text, span));
        found
    }

    /// Whether an original stands in bytes that are no text, bounded or not.
    pub(super) fn is_in(&self, bytes: &[u8]) -> bool {
        self.automaton.find_overlapping_iter(bytes).any(|hit| {
            let rest = bytes.get(hit.start()..).unwrap_or_default();
            let list = self.originals.get(hit.pattern().as_usize()).map(Vec::as_slice).unwrap_or_default();
            beginning(list, rest, |_| true).is_some()
        })
    }

    /// Where originals stand in `text`, in order, apart from each other, the leftmost and longest of those that overlap.
    pub(super) fn all_spans(&self, text: &str) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = Vec::new();
        for hit in self.automaton.find_overlapping_iter(text) {
            let Some(rest) = text.get(hit.start()..) else { continue };
            let list = self.originals.get(hit.pattern().as_usize()).map(Vec::as_slice).unwrap_or_default();
            let span = |length: usize| hit.start()..hit.start() + length;
            let counts = |length: usize| !self.bounded || is_bounded(text, &span(length));
            found.extend(beginning(list, rest.as_bytes(), counts).map(span));
        }
        found.sort_by(|one, other| one.start.cmp(&other.start).then(other.end.cmp(&one.end)));
        let mut end = 0;
        found.retain(|span| {
            let apart = span.start >= end;
            if apart {
                end = span.end;
            }
            apart
        });
        found
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

fn is_bounded(text: &str, span: &Range<usize>) -> bool {
    let before = text.get(..span.start).and_then(|before| before.chars().next_back());
    let after = text.get(span.end..).and_then(|after| after.chars().next());
    !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::beginning;
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
}
