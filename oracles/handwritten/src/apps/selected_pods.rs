//! The selector of a workload, and the pods that it makes.

use crate::core::v1::pod_template::{validate_pod_template, validate_restarts};
use crate::kind::Request;
use crate::report::IMMUTABLE;
use crate::selector::{
    SelectorValues, can_select, is_empty, labels_form, selector_form, selects, validate_label_selector,
};
use crate::types::core::v1::PodTemplateSpec;
use crate::types::meta::v1::LabelSelector;
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::path::Path;

/// What Kubernetes says of a selector that selects everything.
pub(super) const EMPTY_FOR_DEPLOYMENT: &str = "empty selector is invalid for deployment";

/// Checks a selector that a workload must have; false when it cannot be applied to labels.
pub(super) fn validate_selector(
    selector: Option<&LabelSelector>,
    empty: &'static str,
    path: &Path<'_>,
    errors: &mut ErrorList,
) -> bool {
    let Some(found) = selector else {
        errors.push(FieldError::required(path, ""));
        return true;
    };
    validate_label_selector(selector, SelectorValues::Checked, path, errors);
    validate_not_empty(found, empty, path, errors);
    can_select(found)
}

/// A selector that selects everything is a mistake.
pub(super) fn validate_not_empty(
    selector: &LabelSelector,
    detail: &'static str,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    if is_empty(selector) {
        errors.push(FieldError::invalid(path, selector_form(Some(selector)), detail));
    }
}

/// Checks that a workload finds the pods that it makes. No selector at all finds none.
pub(super) fn validate_match(
    selector: Option<&LabelSelector>,
    template: &PodTemplateSpec,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let labels = template.metadata.and_then(|meta| meta.labels.as_ref());
    if !selector.is_some_and(|selector| selects(selector, labels)) {
        let meta = path.child("metadata");
        let detail = "`selector` does not match template `labels`";
        errors.push(FieldError::invalid(&meta.child("labels"), labels_form(labels), detail));
    }
}

/// Checks selector and template of a workload that keeps a number of equal pods; `old` is the stored template on updates.
pub(super) fn validate_replicated(
    selector: Option<&LabelSelector>,
    template: &PodTemplateSpec,
    old: Option<&PodTemplateSpec>,
    request: &Request<'_>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let at = path.child("selector");
    if !validate_selector(selector, EMPTY_FOR_DEPLOYMENT, &at, errors) {
        errors.push(FieldError::invalid(&at, selector_form(selector), "invalid label selector"));
        return;
    }
    let at = path.child("template");
    validate_match(selector, template, &at, errors);
    validate_pod_template(template, old, request, &at, errors);
    // Deployments have their pods made by replica sets.
    validate_restarts(template, "ReplicaSet", &at, errors);
}

/// A workload keeps its selector for life.
pub(super) fn validate_same_selector(
    new: Option<&LabelSelector>,
    old: Option<&LabelSelector>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let form = selector_form(new);
    if form != selector_form(old) {
        errors.push(FieldError::invalid(path, form, IMMUTABLE));
    }
}
