//! Finding the partners of an error: by looking at each in turn, or by an index when the lists are long.

use super::Matcher;
use super::matcher::{can_match, comparable};
use crate::error::{ErrorType, FieldError};
use std::borrow::Cow;
use std::collections::HashMap;

/// Above this product of list lengths an index is cheaper than looking at every pair.
const INDEX_FROM: usize = 4096;

type Key<'e> = (ErrorType, &'e str, &'e str);

/// The candidate errors that take part, findable by the reference errors that they match.
pub(super) struct Lookup<'e> {
    errors: &'e [FieldError],
    /// Per error the normalised field where a rule changes it; empty without rules.
    normalized: &'e [Option<String>],
    index: Option<HashMap<Key<'e>, Vec<usize>>>,
}

/// Fields after normalisation, where that changes them; empty when `matcher` has no rules.
pub(super) fn normalized_fields(errors: &[FieldError], matcher: &Matcher) -> Vec<Option<String>> {
    if !matcher.normalizes() {
        return Vec::new();
    }
    let changed = |error: &FieldError| match matcher.normalized(&error.field) {
        Cow::Owned(field) => Some(field),
        Cow::Borrowed(_) => None,
    };
    errors.iter().map(changed).collect()
}

impl<'e> Lookup<'e> {
    /// Prepares `errors` for about `lookups` look-ups.
    pub(super) fn new(errors: &'e [FieldError], normalized: &'e [Option<String>], lookups: usize) -> Self {
        let mut lookup = Self { errors, normalized, index: None };
        if errors.len().saturating_mul(lookups) >= INDEX_FROM {
            let mut index: HashMap<Key<'e>, Vec<usize>> = HashMap::with_capacity(errors.len());
            for (at, error) in errors.iter().enumerate().filter(|(_, error)| can_match(error)) {
                for field in [Some(error.field.as_str()), lookup.alias(at)].into_iter().flatten() {
                    index.entry((error.error_type, error.origin.as_ref(), field)).or_default().push(at);
                }
            }
            lookup.index = Some(index);
        }
        lookup
    }

    /// The other field by which the error at `at` is known.
    pub(super) fn alias(&self, at: usize) -> Option<&'e str> {
        self.normalized.get(at)?.as_deref()
    }

    /// Calls `found` with the index of every error that matches `want`, in order.
    pub(super) fn each_match(&self, want: &FieldError, mut found: impl FnMut(usize)) {
        if let Some(index) = &self.index {
            let key = (want.error_type, want.origin.as_ref(), want.field.as_str());
            index.get(&key).into_iter().flatten().for_each(|at| found(*at));
            return;
        }
        for (at, got) in self.errors.iter().enumerate() {
            if comparable(want, got) && (want.field == got.field || self.alias(at) == Some(want.field.as_str())) {
                found(at);
            }
        }
    }
}
