//! What was seen, held against the list that ships with the validators.

use super::observe::{Checks, Key, RELEASES, Seen};
use std::collections::BTreeMap;
use takeover_harness::check::Check;
use takeover_harness::release::Release;
use takeover_oracles::handwritten::checks::ListedCheck;

/// Most bounds of one error that are listed apart. More are no bounds: they follow from the object.
const MOST_BOUNDS: usize = 4;

/// The list as a file: what it has, and what was seen.
///
/// # Errors
/// Returns an error when a check cannot be written, which no check makes happen.
pub fn current(listed: &[ListedCheck], seen: &Checks) -> serde_json::Result<String> {
    let mut all: Checks = listed.iter().map(known).collect();
    for (key, others) in seen {
        let known = all.entry(key.clone()).or_default();
        known.operations.extend(&others.operations);
        known.releases.extend(&others.releases);
    }
    let mut out = String::new();
    for (key, seen) in settled(all) {
        out.push_str(&serde_json::to_string(&line(key, seen))?);
        out.push('\n');
    }
    Ok(out)
}

/// The checks that were seen and are not listed, as lines of the list.
pub fn missing(listed: &[ListedCheck], seen: &Checks) -> Vec<ListedCheck> {
    let mut by_error: BTreeMap<_, Vec<&ListedCheck>> = BTreeMap::new();
    for known in listed {
        by_error.entry((&known.subject, &known.check.error)).or_default().push(known);
    }
    let none = Vec::new();
    let unlisted = seen.iter().filter(|(key, seen)| {
        let known = by_error.get(&(&key.subject, &key.error)).unwrap_or(&none);
        !known.iter().any(|listed| admits(listed, key, seen))
    });
    unlisted.map(|(key, seen)| line(key.clone(), seen.clone())).collect()
}

fn admits(listed: &ListedCheck, key: &Key, seen: &Seen) -> bool {
    let check = &listed.check;
    let bound =
        (check.limit, &check.values) == (key.limit, &key.values) || check.limit.is_none() && check.values.is_empty();
    let releases = seen.releases.iter().all(|release| listed.releases.is_empty() || listed.releases.contains(release));
    check.covered == key.covered && bound && releases && seen.operations.iter().all(|of| check.operations.contains(of))
}

fn known(listed: &ListedCheck) -> (Key, Seen) {
    let check = &listed.check;
    let key = Key {
        subject: listed.subject.clone(),
        field: check.error.field.clone(),
        error: check.error.clone(),
        covered: check.covered,
        limit: check.limit,
        values: check.values.clone(),
    };
    let releases: Vec<Release> = if listed.releases.is_empty() { RELEASES.to_vec() } else { listed.releases.clone() };
    let seen =
        Seen { operations: check.operations.iter().copied().collect(), releases: releases.into_iter().collect() };
    (key, seen)
}

/// Puts the bounds of an error that has too many of them together.
fn settled(all: Checks) -> Checks {
    let bare = |key: &Key| Key { limit: None, values: Vec::new(), ..key.clone() };
    let mut bounds: BTreeMap<Key, usize> = BTreeMap::new();
    for key in all.keys().filter(|key| key.limit.is_some() || !key.values.is_empty()) {
        *bounds.entry(bare(key)).or_default() += 1;
    }
    let mut out = Checks::new();
    for (key, seen) in all {
        let bare = bare(&key);
        let key = if bounds.get(&bare).is_some_and(|count| *count > MOST_BOUNDS) { bare } else { key };
        let sum = out.entry(key).or_default();
        sum.operations.extend(seen.operations);
        sum.releases.extend(seen.releases);
    }
    out
}

fn line(key: Key, seen: Seen) -> ListedCheck {
    let everywhere = RELEASES.iter().all(|release| seen.releases.contains(release));
    ListedCheck {
        subject: key.subject,
        releases: if everywhere { Vec::new() } else { seen.releases.into_iter().collect() },
        check: Check {
            error: key.error,
            operations: seen.operations.into_iter().collect(),
            covered: key.covered,
            limit: key.limit,
            values: key.values,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::{current, missing};
    use crate::checks::observe::{Checks, Key, RELEASES, Seen};
    use takeover_harness::case::Operation;
    use takeover_harness::error::ErrorType;
    use takeover_harness::release::Release;
    use takeover_harness::rule::ErrorShape;
    use takeover_oracles::handwritten::checks::{ListedCheck, read};

    fn key(field: &str, limit: Option<i64>) -> Key {
        let error = ErrorShape { error_type: ErrorType::Invalid, field: field.into(), origin: "minimum".into() };
        Key { subject: "v1 Web".into(), field: field.into(), error, covered: true, limit, values: Vec::new() }
    }

    fn seen(operations: &[Operation], releases: &[Release]) -> Seen {
        Seen { operations: operations.iter().copied().collect(), releases: releases.iter().copied().collect() }
    }

    fn listed(seen: &Checks) -> Vec<ListedCheck> {
        read(&current(&[], seen).unwrap()).unwrap()
    }

    #[test]
    fn what_was_seen_is_listed_and_then_not_missing() {
        let seen: Checks = [
            (key("spec.a", Some(0)), seen(&[Operation::Create], &RELEASES)),
            (key("spec.b", None), seen(&Operation::ALL, &[Release::V1_35])),
        ]
        .into();
        assert_eq!(missing(&[], &seen).len(), 2);
        let listed = listed(&seen);
        assert_eq!((listed[0].releases.len(), listed[1].releases.as_slice()), (0, &[Release::V1_35][..]));
        assert_eq!(missing(&listed, &seen), []);
    }

    #[test]
    fn another_bound_operation_release_or_mark_is_missing() {
        let known: Checks = [(key("spec.a", Some(0)), seen(&[Operation::Create], &[Release::V1_35]))].into();
        let listed = listed(&known);
        let create = seen(&[Operation::Create], &[Release::V1_35]);
        for (key, seen) in [
            (key("spec.a", Some(1)), create.clone()),
            (key("spec.a", None), create.clone()),
            (key("spec.a", Some(0)), seen(&[Operation::Update], &[Release::V1_35])),
            (key("spec.a", Some(0)), seen(&[Operation::Create], &[Release::V1_36])),
            (Key { covered: false, ..key("spec.a", Some(0)) }, create.clone()),
            (Key { subject: "v1 Other".into(), ..key("spec.a", Some(0)) }, create),
        ] {
            assert_eq!(missing(&listed, &[(key.clone(), seen)].into()).len(), 1, "{key:?}");
        }
    }

    #[test]
    fn listed_checks_stay_and_grow_and_many_bounds_are_none() {
        let first: Checks = [(key("spec.a", Some(0)), seen(&[Operation::Create], &RELEASES))].into();
        let second: Checks = [(key("spec.a", Some(0)), seen(&[Operation::Update], &RELEASES))].into();
        let grown = read(&current(&listed(&first), &second).unwrap()).unwrap();
        assert_eq!(grown.len(), 1);
        assert_eq!(grown[0].check.operations, Operation::ALL);
        assert_eq!(current(&grown, &Checks::new()).unwrap(), current(&grown, &second).unwrap());
        let many: Checks =
            (0..5).map(|bound| (key("spec.a", Some(bound)), seen(&[Operation::Create], &RELEASES))).collect();
        assert_eq!(listed(&many).iter().map(|listed| listed.check.limit).collect::<Vec<_>>(), [None]);
    }
}
