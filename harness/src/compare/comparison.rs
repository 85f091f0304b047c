//! The result of comparing two error lists.

/// The result of comparing two error lists, as indexes into them. It is reused from case to case to save allocations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Errors that say the same: index of the reference error, index of the candidate error.
    pub matched: Vec<(usize, usize)>,
    /// Reference errors that a short-circuited candidate error at an ancestor excuses.
    pub excused: Vec<usize>,
    /// Reference errors that take part and that no candidate error answers.
    pub missing: Vec<usize>,
    /// Candidate errors that take part and answer no reference error.
    pub extra: Vec<usize>,
    pub(super) kept: Vec<usize>,
    pub(super) used: Vec<bool>,
}

impl Comparison {
    /// Whether the two sides agree.
    #[must_use]
    pub fn agrees(&self) -> bool {
        self.missing.is_empty() && self.extra.is_empty()
    }

    /// Returns a copy that has the mismatches only.
    pub(crate) fn mismatches_alone(&self) -> Self {
        Self { missing: self.missing.clone(), extra: self.extra.clone(), ..Self::default() }
    }

    /// Number of mismatches that Kubernetes counts for this case.
    #[must_use]
    pub fn mismatch_count(&self) -> usize {
        self.missing.len() + self.extra.len()
    }

    /// Clears the result and keeps its memory.
    pub fn clear(&mut self) {
        self.matched.clear();
        self.excused.clear();
        self.missing.clear();
        self.extra.clear();
        self.kept.clear();
        self.used.clear();
    }
}
