//! What was replaced.

use super::{decoded, tokens};
use std::collections::BTreeSet;

/// Shorter originals, in bytes, are replaced where they are found by place, but not looked for elsewhere: as parts of other
/// texts they say nothing.
const SHORTEST: usize = 6;
/// Shortest name that is looked for.
const SHORTEST_NAME: usize = 3;
/// Shortest text that is taken out of base64: a shorter one may be one by chance.
const SHORTEST_READING: usize = 8;

/// The texts that a [`super::Redactor`] replaced. They are as secret as the objects.
#[derive(Clone, Debug, Default)]
pub struct Originals {
    pub(super) texts: BTreeSet<String>,
    pub(super) names: BTreeSet<String>,
    /// Those that are too short to look for.
    pub(super) short: BTreeSet<String>,
    /// Words of the versions and kinds of all objects, which say where an object is from.
    pub(super) kinds: BTreeSet<String>,
}

impl Originals {
    /// A text that was replaced.
    pub(super) fn text(&mut self, original: &str) {
        if !original.chars().any(char::is_alphanumeric) {
            return;
        }
        let list = if original.len() < SHORTEST { &mut self.short } else { &mut self.texts };
        if !list.contains(original) {
            list.insert(original.to_owned());
        }
    }

    /// A value that was replaced, with what in it may stand elsewhere for itself: tokens, what is assigned, and what its base64
    /// stands for.
    pub(super) fn value(&mut self, original: &str) {
        self.text(original);
        for span in tokens::spans(original) {
            self.part(original.get(span).unwrap_or_default());
        }
        for part in original.split([';', ',', '&', ' ', '\n']) {
            if let Some((_, assigned)) = part.split_once('=') {
                self.part(assigned);
            }
        }
        for run in decoded::runs(original) {
            let readings = decoded::readings(original.get(run).unwrap_or_default());
            let texts = readings.iter().filter_map(|reading| decoded::as_text(reading));
            for text in texts.filter(|text| text.len() >= SHORTEST_READING) {
                self.part(text);
                if let Some((_, password)) = text.split_once(':') {
                    self.part(password);
                }
            }
        }
    }

    /// A part of a value; a short one says nothing.
    fn part(&mut self, part: &str) {
        if part.len() >= SHORTEST {
            self.text(part);
        }
    }

    pub(super) fn name(&mut self, original: &str) {
        if original.len() >= SHORTEST_NAME && !self.names.contains(original) {
            self.names.insert(original.to_owned());
        }
    }

    /// Remembers the words of an object's version or kind.
    pub(super) fn kind(&mut self, text: &str) {
        for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            if !self.kinds.contains(word) {
                self.kinds.insert(word.to_owned());
            }
        }
    }

    /// How many texts and names were replaced, each counted once; short ones are not.
    #[must_use]
    pub fn len(&self) -> usize {
        self.texts.len() + self.names.len()
    }

    /// Whether none was.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
