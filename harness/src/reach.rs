//! Which rules looked at a value of a case: their numbers, and sets of them.

use serde::{Deserialize, Serialize};

/// Index of a rule in the catalogue of its subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RuleId(pub u32);

impl RuleId {
    /// The index as `usize`.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The set of rules that judged a value; cleared and reused from case to case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reached {
    words: Vec<u64>,
}

impl Reached {
    /// Adds a rule.
    #[inline]
    pub fn insert(&mut self, rule: RuleId) {
        let (word, bit) = (rule.index() / 64, 1 << (rule.index() % 64));
        match self.words.get_mut(word) {
            Some(bits) => *bits |= bit,
            None => self.grow(word, bit),
        }
    }

    #[cold]
    fn grow(&mut self, word: usize, bits: u64) {
        self.words.resize(word, 0);
        self.words.push(bits);
    }

    /// Whether the rule judged a value.
    #[must_use]
    pub fn contains(&self, rule: RuleId) -> bool {
        self.words.get(rule.index() / 64).is_some_and(|bits| bits & (1 << (rule.index() % 64)) != 0)
    }

    /// How many bytes its members take.
    pub(crate) fn weight(&self) -> usize {
        size_of_val(self.words.as_slice())
    }

    /// Empties the set and keeps its memory.
    #[inline]
    pub fn clear(&mut self) {
        // A call of `memset` for a few words costs more than judging a small object.
        for word in self.words.iter_mut().filter(|word| **word != 0) {
            *word = 0;
        }
    }

    /// The members in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = RuleId> + '_ {
        self.words.iter().zip((0..).step_by(64)).flat_map(|(&bits, base): (&u64, u32)| {
            let mut rest = bits;
            std::iter::from_fn(move || {
                let bit = rest.trailing_zeros();
                // Clears the lowest bit; none is left of an empty word.
                rest &= rest.checked_sub(1)?;
                Some(RuleId(base.saturating_add(bit)))
            })
        })
    }
}
