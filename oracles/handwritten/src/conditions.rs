//! Conditions of a status, as `metav1.Condition` holds them.

use super::labels::validate_label_key;
use super::report::{not_supported, too_long};
use crate::types::meta::v1::Condition;
use std::collections::BTreeSet;
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::path::Path;

/// Longest reason, in bytes.
const REASON_LIMIT: usize = 1024;
/// Longest message, in bytes.
const MESSAGE_LIMIT: usize = 32 * 1024;
const REASON_SHAPE: &str = "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters \
     or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or \
     'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')";

/// Checks the conditions of the list at `path`; every type may occur once.
pub fn validate_conditions(conditions: &[Condition], path: &Path<'_>, errors: &mut ErrorList) {
    let mut seen = BTreeSet::new();
    for (index, condition) in conditions.iter().enumerate() {
        let at = path.index(index);
        if !seen.insert(condition.type_) {
            errors.push(FieldError::duplicate(&at.child("type"), condition.type_));
        }
        validate_condition(condition, &at, errors);
    }
}

fn validate_condition(condition: &Condition, path: &Path<'_>, errors: &mut ErrorList) {
    validate_label_key(condition.type_, &path.child("type"), errors);
    let status = condition.status;
    if !matches!(status, "True" | "False" | "Unknown") {
        errors.push(not_supported(&path.child("status"), status, &["False", "True", "Unknown"]));
    }
    if let Some(generation) = condition.observed_generation.filter(|generation| *generation < 0) {
        let detail = "must be greater than or equal to zero";
        errors.push(FieldError::invalid(&path.child("observedGeneration"), generation, detail));
    }
    if condition.last_transition_time.is_zero() {
        errors.push(FieldError::required(&path.child("lastTransitionTime"), ""));
    }
    let (reason, at) = (condition.reason, path.child("reason"));
    if reason.is_empty() {
        errors.push(FieldError::required(&at, ""));
    } else {
        if !is_reason(reason) {
            errors.push(FieldError::invalid(&at, reason, REASON_SHAPE));
        }
        if reason.len() > REASON_LIMIT {
            errors.push(too_long(&at, REASON_LIMIT));
        }
    }
    if condition.message.len() > MESSAGE_LIMIT {
        errors.push(too_long(&path.child("message"), MESSAGE_LIMIT));
    }
}

fn is_reason(reason: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    reason.starts_with(|c: char| c.is_ascii_alphabetic())
        && reason.ends_with(word)
        && reason.chars().all(|c| word(c) || matches!(c, ',' | ':'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_member_of_a_condition_is_checked() {
        let good = json!({"type": "example.com/Ready", "status": "True", "reason": "A:b_", "message": "",
            "lastTransitionTime": "2026-01-02T03:04:05Z"});
        for (member, value, expected) in [
            ("type", json!("Ready"), ""),
            ("type", json!("a b"), "Invalid x[0].type"),
            ("status", json!("true"), "NotSupported x[0].status"),
            ("status", json!("Unknown"), ""),
            ("observedGeneration", json!(-1), "Invalid x[0].observedGeneration"),
            ("lastTransitionTime", json!("0001-01-01T00:00:00Z"), "Required x[0].lastTransitionTime"),
            ("reason", json!(""), "Required x[0].reason"),
            ("reason", json!("1st"), "Invalid x[0].reason"),
            ("reason", json!("a:"), "Invalid x[0].reason"),
            ("reason", json!("a".repeat(REASON_LIMIT + 1)), "TooLong x[0].reason"),
            ("message", json!("a".repeat(MESSAGE_LIMIT + 1)), "TooLong x[0].message"),
        ] {
            let mut condition = good.clone();
            if let Some(members) = condition.as_object_mut() {
                members.insert(member.to_owned(), value.clone());
            }
            let conditions: &[Condition<'_>] = crate::types::read_json(&json!([condition]));
            let mut errors = ErrorList::new();
            validate_conditions(conditions, &Path::ROOT.child("x"), &mut errors);
            let line = |error: &FieldError| format!("{:?} {}", error.error_type, error.field);
            assert_eq!(errors.iter().map(line).collect::<Vec<_>>().join("; "), expected, "{member} {value}");
        }
    }
}
