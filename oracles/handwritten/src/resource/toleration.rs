//! Tolerations of device taints.

use crate::labels::validate_label_key;
use crate::names::label_value;
use crate::report::{not_supported, text};
use crate::types::resource::v1::DeviceToleration;
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::path::Path;

/// Checks the tolerations of a request.
pub fn validate_tolerations(tolerations: &[DeviceToleration], path: &Path<'_>, errors: &mut ErrorList) {
    for (index, toleration) in tolerations.iter().enumerate() {
        validate_toleration(toleration, &path.index(index), errors);
    }
}

fn validate_toleration(toleration: &DeviceToleration, path: &Path<'_>, errors: &mut ErrorList) {
    let key = text(toleration.key);
    if !key.is_empty() {
        let from = errors.len();
        validate_label_key(key, &path.child("key"), errors);
        errors.since_mut(from).iter_mut().for_each(|error| error.covered_by_declarative = true);
    }
    let (value, at) = (text(toleration.value), path.child("value"));
    let operator = text(toleration.operator);
    match operator {
        "Exists" if !value.is_empty() => {
            errors.push(FieldError::invalid(&at, value, "must be empty for operator `Exists`"));
        }
        "Exists" => {}
        "Equal" => {
            for problem in label_value(value) {
                errors.push(FieldError::invalid(&at, value, problem));
            }
        }
        "" => errors.push(FieldError::required(&path.child("operator"), "").covered()),
        _ => errors.push(not_supported(&path.child("operator"), operator, &["Equal", "Exists"]).covered()),
    }
    let effect = text(toleration.effect);
    if !matches!(effect, "" | "NoSchedule" | "NoExecute" | "None") {
        let supported = ["NoExecute", "NoSchedule", "None"];
        errors.push(not_supported(&path.child("effect"), effect, &supported).covered());
    }
}
