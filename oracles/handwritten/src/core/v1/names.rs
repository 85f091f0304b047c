//! Names of parts of a pod, reported with the origin of their format.

use crate::names::{dns_label, label_key};
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::path::Path;

/// Checks a name that may have a domain before it.
pub(super) fn qualified(value: &str, path: &Path<'_>, errors: &mut ErrorList) {
    for problem in label_key(value) {
        errors.push(FieldError::invalid(path, value, problem).with_origin("format=qualified-name"));
    }
}

/// Checks a name that must be a DNS label.
pub(super) fn validate_short_name(name: &str, path: &Path<'_>, errors: &mut ErrorList) {
    for problem in dns_label(name) {
        errors.push(FieldError::invalid(path, name, problem).with_origin("format=k8s-short-name"));
    }
}
