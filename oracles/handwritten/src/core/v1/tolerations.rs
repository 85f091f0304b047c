//! Taints that pods tolerate.

use crate::labels::validate_label_key;
use crate::names::label_value;
use crate::report::{not_supported, text};
use crate::strconv::parse_int;
use crate::types::core::v1::{PodSpec, Toleration};
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::path::Path;

/// Whether tolerations may compare numbers, which is off by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparisons {
    /// They may not.
    Refused,
    /// They may, as those of the stored pod do.
    Stored,
}

impl Comparisons {
    /// What an update of this stored pod may do.
    #[must_use]
    pub fn of(stored: Option<&PodSpec>) -> Self {
        let mut tolerations = stored.into_iter().flat_map(|spec| spec.tolerations.into_iter().flatten());
        let stored = tolerations.any(|toleration| matches!(text(toleration.operator), "Lt" | "Gt"));
        if stored { Self::Stored } else { Self::Refused }
    }
}

/// Checks tolerations, of a spec or of an annotation.
pub fn validate_tolerations(
    tolerations: &[Toleration],
    comparisons: Comparisons,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    for (index, toleration) in tolerations.iter().enumerate() {
        let at = path.index(index);
        let (key, operator) = (text(toleration.key), text(toleration.operator));
        let (value, effect) = (text(toleration.value), text(toleration.effect));
        let operator_at = at.child("operator");
        if !key.is_empty() {
            validate_label_key(key, &at.child("key"), errors);
        } else if operator != "Exists" {
            let detail = "operator must be Exists when `key` is empty, which means \"match all values and all keys\"";
            errors.push(FieldError::invalid(&operator_at, operator, detail));
        }
        if toleration.toleration_seconds.is_some() && effect != "NoExecute" {
            let detail = "effect must be 'NoExecute' when `tolerationSeconds` is set";
            errors.push(FieldError::invalid(&at.child("effect"), effect, detail));
        }
        match operator {
            "" | "Equal" => {
                let problems = label_value(value);
                if !problems.is_empty() {
                    errors.push(FieldError::invalid(&operator_at, value, problems.join(";")));
                }
            }
            "Exists" if value.is_empty() => {}
            "Exists" => {
                let detail = "value must be empty when `operator` is 'Exists'";
                errors.push(FieldError::invalid(&operator_at, value, detail));
            }
            "Lt" | "Gt" if comparisons == Comparisons::Stored => validate_number(value, &at.child("value"), errors),
            "Lt" | "Gt" => errors.push(not_supported(&operator_at, operator, &["Equal", "Exists", "Lt", "Gt"])),
            _ => errors.push(not_supported(&operator_at, operator, &["Equal", "Exists"])),
        }
        if !matches!(effect, "" | "NoSchedule" | "PreferNoSchedule" | "NoExecute") {
            let supported = ["NoSchedule", "PreferNoSchedule", "NoExecute"];
            errors.push(not_supported(&at.child("effect"), effect, &supported));
        }
    }
}

/// Checks the number that a taint is compared with.
fn validate_number(value: &str, path: &Path<'_>, errors: &mut ErrorList) {
    let digits = value.strip_prefix('-').unwrap_or(value);
    let is_canonical = value == "0"
        || (!digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.is_empty());
    if value.is_empty() {
        errors.push(FieldError::invalid(path, value, "must be non-empty"));
    } else if !is_canonical {
        errors.push(FieldError::invalid(path, value, "must be a valid decimal integer in canonical form"));
    }
    if let Err(problem) = parse_int(value) {
        errors.push(FieldError::invalid(path, value, problem));
    }
}
