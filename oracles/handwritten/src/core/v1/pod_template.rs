//! The pod template that workload kinds embed.

use super::annotations::validate_pod_annotations;
use super::pod_spec::{self, validate_pod_spec};
use super::scheduling::stored_values;
use super::security_agreement::{validate_apparmor_agreement, validate_seccomp_agreement};
use super::tolerations::Comparisons;
use crate::kind::Request;
use crate::labels::{validate_annotations, validate_labels};
use crate::report::{not_supported, text};
use crate::selector::SelectorValues;
use crate::types::core::v1::{PodSpec, PodTemplateSpec};
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::object::{Edit, Node};
use takeover_harness::pair::Delegated;
use takeover_harness::path::Path;

/// Annotations that held init containers, and what had become of them, before pods had members for both.
const INIT_CONTAINERS: [&str; 4] = [
    "pod.alpha.kubernetes.io/init-containers",
    "pod.alpha.kubernetes.io/init-container-statuses",
    "pod.beta.kubernetes.io/init-containers",
    "pod.beta.kubernetes.io/init-container-statuses",
];

/// Checks a pod template; `old` is the stored one on updates. Metadata errors stand at `<path>.labels` and
/// `<path>.annotations`, without `metadata`.
pub fn validate_pod_template(
    template: &PodTemplateSpec,
    old: Option<&PodTemplateSpec>,
    request: &Request<'_>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    validate_pod_template_with(template, old, stored_selector_values(old), request, path, errors);
}

/// As [`validate_pod_template`], where more than the stored template decides about the values in selectors of pod affinity.
pub fn validate_pod_template_with(
    template: &PodTemplateSpec,
    old: Option<&PodTemplateSpec>,
    values: SelectorValues,
    request: &Request<'_>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let none = PodSpec::default();
    let spec = template.spec.unwrap_or(&none);
    validate_pod_metadata(template, old, path, errors);
    let at = path.child("spec");
    let stored = old.and_then(|old| old.spec);
    validate_pod_spec(spec, stored, values, request.addresses(), &at, errors);
    if let Some(annotations) = template.metadata.and_then(|meta| meta.annotations.as_ref()) {
        validate_seccomp_agreement(annotations, spec, &at, errors);
        validate_apparmor_agreement(annotations, spec, &at, errors);
    }
    if spec.ephemeral_containers.is_some_and(|containers| !containers.is_empty()) {
        let detail = "ephemeral containers not allowed in pod template";
        errors.push(FieldError::forbidden(&at.child("ephemeralContainers"), detail));
    }
}

/// Checks the labels and annotations of a pod template, as [`validate_pod_template`] does among others.
pub fn validate_pod_metadata(
    template: &PodTemplateSpec,
    old: Option<&PodTemplateSpec>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let none = PodSpec::default();
    let spec = template.spec.unwrap_or(&none);
    let labels = template.metadata.and_then(|meta| meta.labels.as_ref());
    let annotations = template.metadata.and_then(|meta| meta.annotations.as_ref());
    let before = old.and_then(|old| old.metadata).and_then(|meta| meta.annotations.as_ref());
    validate_labels(labels, &path.child("labels"), errors);
    let at = path.child("annotations");
    validate_annotations(annotations, &at, errors);
    let stored = old.and_then(|old| old.spec);
    validate_pod_annotations(annotations, before, spec, Comparisons::of(stored), &at, errors);
}

/// What a stored template makes of values in selectors of pod affinity.
#[must_use]
pub fn stored_selector_values(old: Option<&PodTemplateSpec>) -> SelectorValues {
    stored_values(old.and_then(|old| old.spec))
}

/// Checks that the pods of a template of `owner` are there to stay.
pub fn validate_restarts(template: &PodTemplateSpec, owner: &str, path: &Path<'_>, errors: &mut ErrorList) {
    let spec = template.spec;
    let at = path.child("spec");
    let policy = text(spec.and_then(|spec| spec.restart_policy));
    if policy != "Always" {
        errors.push(not_supported(&at.child("restartPolicy"), policy, &["Always"]));
    }
    if spec.is_some_and(|spec| spec.active_deadline_seconds.is_some()) {
        let detail = format!("activeDeadlineSeconds in {owner} is not Supported");
        errors.push(FieldError::forbidden(&at.child("activeDeadlineSeconds"), detail));
    }
}

/// Changes a pod template as the way through the server's internal version does. Annotations of old that held init containers
/// go. Both names of the service account get one value: `serviceAccountName` counts, and the deprecated `serviceAccount` when
/// that is empty.
pub fn convert_template(template: &mut Edit<'_>) {
    template.edit_if_set("metadata", |meta| {
        let notes = meta.get("annotations").entries();
        if notes.iter().any(|(key, _)| INIT_CONTAINERS.contains(key)) {
            let rest = notes.iter().copied().filter(|(key, _)| !INIT_CONTAINERS.contains(key)).collect::<Vec<_>>();
            meta.set("annotations", Node::Map(meta.arena().alloc_slice_copy(&rest)));
        }
    });
    template.edit_if_set("spec", |spec| {
        if spec.text("serviceAccountName").is_empty() {
            spec.set("serviceAccountName", spec.get("serviceAccount"));
        }
        if spec.text("serviceAccount") != spec.text("serviceAccountName") {
            spec.set("serviceAccount", spec.get("serviceAccountName"));
        }
    });
}

/// The parts of a pod template at `path` that are not judged.
#[must_use]
pub fn delegated(path: &str) -> Vec<Delegated> {
    pod_spec::DELEGATED
        .iter()
        .map(|(member, reason)| Delegated { path: format!("{path}.spec.{member}"), reason: (*reason).to_owned() })
        .collect()
}
