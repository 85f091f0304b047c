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
    /// By number of the pattern, what begins with it; the longest first.
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
        for list in by_prefix.values_mut() {
            list.sort_by(|one, other| other.len().cmp(&one.len()).then(one.cmp(other)));
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
            list.iter().any(|original| rest.starts_with(original.as_bytes()))
        })
    }

    /// Where originals stand in `text`, in order, apart from each other, the leftmost and longest of those that overlap.
    pub(super) fn all_spans(&self, text: &str) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = Vec::new();
        for hit in self.automaton.find_overlapping_iter(text) {
            let Some(rest) = text.get(hit.start()..) else { continue };
            let list = self.originals.get(hit.pattern().as_usize()).map(Vec::as_slice).unwrap_or_default();
            for original in list.iter().filter(|original| rest.starts_with(original.as_str())) {
                let span = hit.start()..hit.start() + original.len();
                if !self.bounded || is_bounded(text, &span) {
                    found.push(span);
                    break;
                }
            }
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

fn is_bounded(text: &str, span: &Range<usize>) -> bool {
    let before = text.get(..span.start).and_then(|before| before.chars().next_back());
    let after = text.get(span.end..).and_then(|after| after.chars().next());
    !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
}
