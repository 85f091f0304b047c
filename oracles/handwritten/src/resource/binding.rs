//! The conditions that must hold before a device is bound to a pod.

use super::lists::{no_duplicates, within};
use crate::labels::validate_label_key;
use crate::report::Covered;
use serde_json::json;
use takeover_harness::error::{BadValue, ErrorList, FieldError};
use takeover_harness::path::Path;

/// Most conditions of either sort.
const LIMIT: usize = 4;

/// Checks `bindingConditions` and `bindingFailureConditions` of the device at `path`: both or neither, all different.
pub fn validate_binding(
    conditions: Option<&[&str]>,
    failures: Option<&[&str]>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    // An empty list is shown as it was written: as nothing, or as a list.
    let shown = |list: Option<&[&str]>| list.map_or(BadValue::Null, |_| BadValue::from(json!([])));
    let (found, found_failures) = (shown(conditions), shown(failures));
    let conditions = conditions.unwrap_or_default();
    let failures = failures.unwrap_or_default();
    let (at, at_failures) = (path.child("bindingConditions"), path.child("bindingFailureConditions"));
    for (list, at) in [(conditions, &at), (failures, &at_failures)] {
        if within(list.len(), LIMIT, Covered::Yes, at, errors) {
            for (index, condition) in list.iter().enumerate() {
                validate_label_key(condition, &at.index(index), errors);
            }
        }
        no_duplicates(list.iter().copied(), BadValue::from, Covered::No, at, errors);
    }
    for (index, condition) in failures.iter().enumerate().filter(|(_, failure)| conditions.contains(failure)) {
        let detail = "bindingFailureConditions must not overlap with bindingConditions";
        errors.push(FieldError::invalid(&at_failures.index(index), *condition, detail));
    }
    if conditions.is_empty() && !failures.is_empty() {
        let detail = "bindingConditions are required to use bindingFailureConditions";
        errors.push(FieldError::invalid(&at, found, detail));
    }
    if failures.is_empty() && !conditions.is_empty() {
        let detail = "bindingFailureConditions are required to use bindingConditions";
        errors.push(FieldError::invalid(&at_failures, found_failures, detail));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_come_in_two_lists_without_overlap() {
        for (conditions, failures, expected) in [
            (&[][..], &[][..], &[][..]),
            (&["a"], &["b"], &[]),
            (&["a"], &[], &["Invalid x.bindingFailureConditions"]),
            (&[], &["a"], &["Invalid x.bindingConditions"]),
            (&["a", "a"], &["a", "b"], &["Duplicate x.bindingConditions[1]", "Invalid x.bindingFailureConditions[0]"]),
            (&["-"], &["b"], &["Invalid x.bindingConditions[0]"]),
            (
                &["a"; 5],
                &["b"],
                &[
                    "TooMany x.bindingConditions",
                    "Duplicate x.bindingConditions[1]",
                    "Duplicate x.bindingConditions[2]",
                    "Duplicate x.bindingConditions[3]",
                    "Duplicate x.bindingConditions[4]",
                ],
            ),
        ] {
            let mut errors = ErrorList::new();
            validate_binding(Some(conditions), Some(failures), &Path::ROOT.child("x"), &mut errors);
            let line = |error: &FieldError| format!("{:?} {}", error.error_type, error.field);
            assert_eq!(errors.iter().map(line).collect::<Vec<_>>(), expected, "{conditions:?} {failures:?}");
        }
    }
}
