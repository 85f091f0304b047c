//! Taints of devices.

use crate::labels::validate_label_key;
use crate::names::label_value;
use crate::report::{not_supported, text};
use crate::types::resource::v1::DeviceTaint;
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::path::Path;

/// What taints do to pods.
const EFFECTS: [&str; 3] = ["NoExecute", "NoSchedule", "None"];

/// Checks a taint.
pub(super) fn validate_taint(taint: &DeviceTaint, path: &Path<'_>, errors: &mut ErrorList) {
    validate_label_key(taint.key, &path.child("key"), errors);
    let value = text(taint.value);
    for problem in label_value(value) {
        errors.push(FieldError::invalid(&path.child("value"), value, problem));
    }
    let (effect, at) = (taint.effect, path.child("effect"));
    if effect.is_empty() {
        errors.push(FieldError::required(&at, "").covered());
    } else if !EFFECTS.contains(&effect) {
        errors.push(not_supported(&at, effect, &EFFECTS).covered());
    }
}
