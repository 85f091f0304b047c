//! Looks for what was replaced in one place everywhere else.

use super::cipher::Key;
use super::forms;
use super::originals::Originals;
use super::places::{self, Place};
use super::public;
use aho_corasick::{AhoCorasick, BuildError, MatchKind};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Bytes of an original by which it is found; the others are compared then. Keeps the automaton small.
const PREFIX: usize = 48;

/// Finds originals, and puts their replacements.
pub struct Hunt {
    key: Key,
    texts: Quarry,
    names: Quarry,
    left_alone: usize,
}

/// Originals of one sort.
struct Quarry {
    automaton: AhoCorasick,
    /// By number of the pattern, what begins with it; the longest first.
    originals: Vec<Vec<String>>,
    whole: BTreeSet<String>,
    /// Whether an original counts only where no letter or digit continues it.
    bounded: bool,
}

impl Quarry {
    fn new(originals: BTreeSet<String>, bounded: bool) -> Result<Self, BuildError> {
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
    fn spans(&self, text: &str) -> Vec<Range<usize>> {
        let mut found = self.all_spans(text);
        found.retain(|span| !forms::keeps(text, span));
        found
    }

    /// Where originals stand in `text`, in order, apart from each other, the leftmost and longest of those that overlap.
    fn all_spans(&self, text: &str) -> Vec<Range<usize>> {
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

/// What is left of the originals in an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Survivors {
    /// Originals in texts that were not replaced as a whole: each is a leak.
    pub found: u64,
    /// Originals within moments in time, addresses, quantities and longer numbers, which keep their form.
    pub in_forms: u64,
    /// Texts that were replaced as a whole and became, by chance, the original of another.
    pub by_chance: u64,
}

impl Hunt {
    /// A hunt for these originals. `known` tells words that are nobody's secret.
    ///
    /// # Errors
    /// When they are too many to look for.
    pub fn new(key: Key, originals: Originals, known: &dyn Fn(&str) -> bool) -> Result<Self, BuildError> {
        let Originals { mut texts, mut names } = originals;
        let before = texts.len() + names.len();
        texts.retain(|text| !public::is_public(text) && !known(text));
        names.retain(|name| !public::is_public_name(name) && !known(name));
        let left_alone = before - texts.len() - names.len();
        Ok(Self { key, texts: Quarry::new(texts, false)?, names: Quarry::new(names, true)?, left_alone })
    }

    /// Originals that are not looked for, because they are words that everybody knows.
    #[must_use]
    pub fn left_alone(&self) -> usize {
        self.left_alone
    }

    /// Originals that are looked for.
    #[must_use]
    pub fn quarry(&self) -> usize {
        self.texts.whole.len() + self.names.whole.len()
    }

    /// Replaces the originals in a redacted object, and says how many texts changed. Names of fields, `apiVersion` and `kind`
    /// stay.
    pub fn object(&self, object: &mut Value) -> u64 {
        let mut changed = 0;
        places::walk(object, &mut |place, text| {
            if is_open(place) && self.text(text) {
                changed += 1;
            }
        });
        changed
    }

    /// Replaces the originals in a text that is no part of an object, and says whether there were any.
    pub fn text(&self, text: &mut String) -> bool {
        let mut changed = false;
        for quarry in [&self.texts, &self.names] {
            let spans = quarry.spans(text);
            changed |= !spans.is_empty();
            for span in spans.into_iter().rev() {
                let replacement = self.key.text(text.get(span.clone()).unwrap_or_default());
                text.replace_range(span, &replacement);
            }
        }
        changed
    }

    /// What is left of the originals in an object that was redacted and hunted through.
    #[must_use]
    pub fn survivors(&self, object: &mut Value) -> Survivors {
        let mut survivors = Survivors::default();
        places::walk(object, &mut |place, text| {
            if is_open(place) {
                for quarry in [&self.texts, &self.names] {
                    let spans = quarry.all_spans(text);
                    let kept = spans.iter().filter(|span| forms::keeps(text, span)).count();
                    survivors.in_forms += kept as u64;
                    survivors.found += (spans.len() - kept) as u64;
                }
            } else if self.texts.whole.contains(text.as_str()) {
                survivors.by_chance += u64::from(matches!(place, Place::Data(_) | Place::Base64(_)));
            }
        });
        survivors
    }
}

/// Whether texts of this place were not replaced as a whole, and are nobody's to change.
fn is_open(place: Place) -> bool {
    matches!(place, Place::Annotation | Place::Name | Place::Key | Place::Plain | Place::Environment)
}
