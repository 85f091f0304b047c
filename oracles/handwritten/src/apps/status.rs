//! Counters of pods in the status of workloads.

use crate::report::{Covered, non_negative};
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::path::Path;

/// A counter by the name of its member.
pub(super) type Counter = (&'static str, i64);

/// An optional counter; one that is not there is not looked at.
pub(super) fn optional(name: &'static str, value: Option<i32>) -> Option<Counter> {
    value.map(|value| (name, value.into()))
}

/// Counters that are always there.
pub(super) fn counters<const N: usize>(members: [(&'static str, Option<i32>); N]) -> [Counter; N] {
    members.map(|(name, value)| (name, value.unwrap_or(0).into()))
}

/// Nothing is counted below zero.
pub(super) fn validate_counters(counters: impl IntoIterator<Item = Counter>, path: &Path<'_>, errors: &mut ErrorList) {
    for (name, value) in counters {
        non_negative(value, &path.child(name), Covered::No, errors);
    }
}

/// No part of the pods is more than all of them.
pub(super) fn validate_parts(parts: &[Counter], all: Option<i32>, path: &Path<'_>, errors: &mut ErrorList) {
    for (name, value) in parts {
        if *value > all.unwrap_or(0).into() {
            errors.push(FieldError::invalid(&path.child(name), *value, "cannot be greater than status.replicas"));
        }
    }
}

/// Pods are ready before they are available; `ready` is what the messages of a kind call the counter of those.
pub(super) fn validate_available(
    available: Option<i32>,
    ready: (&'static str, Option<i32>),
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let (available, (name, ready)) = (available.unwrap_or(0), ready);
    if available > ready.unwrap_or(0) {
        let detail = format!("cannot be greater than {name}");
        errors.push(FieldError::invalid(&path.child("availableReplicas"), available, detail));
    }
}

/// Collisions of names are counted for life.
pub(super) fn validate_collisions(new: Option<i32>, old: Option<i32>, path: &Path<'_>, errors: &mut ErrorList) {
    if let Some(old) = old
        && new.is_none_or(|new| new < old)
    {
        let path = path.child("collisionCount");
        errors.push(FieldError::invalid(&path, new.unwrap_or(0), "cannot be decremented"));
    }
}
