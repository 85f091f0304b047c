//! What was replaced.

use std::collections::BTreeSet;

/// Shorter originals, in bytes, are replaced where they are found by place, but not looked for elsewhere: as parts of other
/// texts they say nothing.
const SHORTEST: usize = 6;
/// Shortest name that is looked for.
const SHORTEST_NAME: usize = 3;

/// The texts that a [`super::Redactor`] replaced. They are as secret as the objects.
#[derive(Clone, Debug, Default)]
pub struct Originals {
    pub(super) texts: BTreeSet<String>,
    pub(super) names: BTreeSet<String>,
}

impl Originals {
    pub(super) fn text(&mut self, original: &str) {
        if original.len() >= SHORTEST && original.chars().any(char::is_alphanumeric) && !self.texts.contains(original) {
            self.texts.insert(original.to_owned());
        }
    }

    pub(super) fn name(&mut self, original: &str) {
        if original.len() >= SHORTEST_NAME && !self.names.contains(original) {
            self.names.insert(original.to_owned());
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
