//! Comparison of two error lists by type and field, for validators that do not use Kubernetes' marks.

use super::comparison::Comparison;
use crate::error::{ErrorType, FieldError};
use std::collections::HashMap;

type Key<'e> = (ErrorType, &'e str, &'e str);

/// Compares the errors of the two sides and replaces the content of `out`. Every error takes part. Errors with the same type and
/// field (and, if `origin` is set, the same origin) count as one error. When the sides are exchanged, missing errors become
/// extra.
pub(super) fn compare_into(reference: &[FieldError], candidate: &[FieldError], origin: bool, out: &mut Comparison) {
    out.clear();
    if reference.is_empty() && candidate.is_empty() {
        return;
    }
    let (ours, theirs) = (first_of_each(reference, origin), first_of_each(candidate, origin));
    for (at, error) in reference.iter().enumerate() {
        let key = key(error, origin);
        if ours.get(&key) != Some(&at) {
            continue;
        }
        match theirs.get(&key) {
            Some(partner) => out.matched.push((at, *partner)),
            None => out.missing.push(at),
        }
    }
    for (at, error) in candidate.iter().enumerate() {
        let key = key(error, origin);
        if theirs.get(&key) == Some(&at) && !ours.contains_key(&key) {
            out.extra.push(at);
        }
    }
}

pub(super) fn key(error: &FieldError, origin: bool) -> Key<'_> {
    (error.error_type, error.field.as_str(), if origin { error.origin.as_ref() } else { "" })
}

fn first_of_each(errors: &[FieldError], origin: bool) -> HashMap<Key<'_>, usize> {
    let mut first = HashMap::with_capacity(errors.len());
    for (at, error) in errors.iter().enumerate() {
        first.entry(key(error, origin)).or_insert(at);
    }
    first
}
