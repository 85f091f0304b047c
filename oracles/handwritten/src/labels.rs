//! Labels and annotations.

use super::names::{annotation_key, label_key, label_value};
use super::report::too_long;
use crate::types::Map;
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::path::Path;

/// Labels as the API types hold them.
pub type Labels<'a> = Map<'a, &'a str>;

/// Total bytes of keys and values that annotations may have.
pub const ANNOTATION_BYTES: usize = 256 * 1024;

/// Checks keys and values of labels. Errors stand at `path` itself, not at the key.
pub fn validate_labels(labels: Option<&Labels>, path: &Path<'_>, errors: &mut ErrorList) {
    for (key, value) in labels.into_iter().flatten() {
        validate_label_key(key, path, errors);
        for problem in label_value(value) {
            errors.push(FieldError::invalid(path, *value, problem).with_origin("format=k8s-label-value"));
        }
    }
}

/// Checks one label key.
pub fn validate_label_key(key: &str, path: &Path<'_>, errors: &mut ErrorList) {
    for problem in label_key(key) {
        errors.push(FieldError::invalid(path, key, problem).with_origin("format=k8s-label-key"));
    }
}

/// Checks keys and total size of annotations. Errors stand at `path` itself, not at the key.
pub fn validate_annotations(annotations: Option<&Labels>, path: &Path<'_>, errors: &mut ErrorList) {
    let mut size = 0_usize;
    for (key, value) in annotations.into_iter().flatten() {
        for problem in annotation_key(key) {
            errors.push(FieldError::invalid(path, key, problem).with_origin("format=k8s-label-key"));
        }
        size = size.saturating_add(key.len()).saturating_add(value.len());
    }
    if size > ANNOTATION_BYTES {
        errors.push(too_long(path, ANNOTATION_BYTES));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn annotations_are_limited_in_total() {
        for (bytes, found) in [(ANNOTATION_BYTES - 1, 0), (ANNOTATION_BYTES, 1)] {
            let text = "v".repeat(bytes);
            let entries = [("k", text.as_str())];
            let annotations = Labels::new(&entries);
            let mut errors = ErrorList::new();
            validate_annotations(Some(&annotations), &Path::ROOT.child("annotations"), &mut errors);
            assert_eq!(errors.len(), found, "{bytes}");
        }
    }

    #[test]
    fn labels_report_keys_and_values_at_the_map() {
        let labels = Labels::new(&[("-", "-")]);
        let mut errors = ErrorList::new();
        validate_labels(Some(&labels), &Path::ROOT.child("labels"), &mut errors);
        let found: Vec<_> = errors.iter().map(|error| (error.field.as_str(), error.origin.as_ref())).collect();
        assert_eq!(found, [("labels", "format=k8s-label-key"), ("labels", "format=k8s-label-value")]);
    }
}
