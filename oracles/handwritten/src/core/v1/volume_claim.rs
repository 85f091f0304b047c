//! Volumes that are claimed for one pod and go with it.

use crate::meta::validate_template_metadata;
use crate::names::{Problems, dns_label, subdomain_name};
use crate::quantity::{bad_value, sign};
use crate::report::{not_supported, text};
use crate::selector::{SelectorValues, validate_label_selector};
use crate::types::core::v1::{EphemeralVolumeSource, PersistentVolumeClaimSpec};
use serde_json::json;
use std::cmp::Ordering;
use takeover_harness::error::{BadValue, ErrorList, FieldError};
use takeover_harness::path::Path;

/// Ways to use a persistent volume, in the order in which they are printed.
const MODES: [&str; 4] = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
/// The mode that bears no other beside it.
const ALONE: &str = "ReadWriteOncePod";

pub(super) fn validate_ephemeral(source: &EphemeralVolumeSource, path: &Path<'_>, errors: &mut ErrorList) {
    let path = path.child("volumeClaimTemplate");
    let Some(template) = source.volume_claim_template else {
        errors.push(FieldError::required(&path, ""));
        return;
    };
    if let Some(meta) = template.metadata {
        validate_template_metadata(meta, &path.child("metadata"), errors);
    }
    validate_claim(&template.spec, &path.child("spec"), errors);
}

/// Checks what a claim asks of storage.
pub fn validate_claim(spec: &PersistentVolumeClaimSpec, path: &Path<'_>, errors: &mut ErrorList) {
    let modes = spec.access_modes.unwrap_or_default();
    let at = path.child("accessModes");
    if modes.is_empty() {
        errors.push(FieldError::required(&at, "at least 1 access mode is required"));
    }
    validate_label_selector(spec.selector, SelectorValues::Checked, &path.child("selector"), errors);
    validate_modes(modes, &at, errors);
    validate_storage(spec, path, errors);
    let class = text(spec.storage_class_name);
    validate_name(class, subdomain_name, &path.child("storageClassName"), errors);
    if let Some(mode) = spec.volume_mode.filter(|mode| !matches!(*mode, "Block" | "Filesystem")) {
        errors.push(not_supported(&path.child("volumeMode"), mode, &["Block", "Filesystem"]));
    }
    validate_data_sources(spec, path, errors);
    let class = text(spec.volume_attributes_class_name);
    validate_name(class, subdomain_name, &path.child("volumeAttributesClassName"), errors);
}

fn validate_modes(modes: &[&str], path: &Path<'_>, errors: &mut ErrorList) {
    for mode in modes.iter().filter(|mode| !MODES.contains(mode)) {
        errors.push(not_supported(path, *mode, &MODES));
    }
    let has_others = modes.iter().any(|mode| *mode != ALONE && MODES.contains(mode));
    if has_others && modes.contains(&ALONE) {
        errors.push(FieldError::forbidden(path, "may not use ReadWriteOncePod with other access modes"));
    }
}

/// A claim says how much it wants. The path goes without `requests`.
fn validate_storage(spec: &PersistentVolumeClaimSpec, path: &Path<'_>, errors: &mut ErrorList) {
    let path = path.child("resources");
    let path = path.key("storage");
    let requests = spec.resources.and_then(|resources| resources.requests.as_ref());
    match requests.and_then(|requests| requests.get("storage")) {
        None => errors.push(FieldError::required(&path, "")),
        Some(storage) if sign(storage) == Ordering::Greater => {}
        Some(storage) => errors.push(FieldError::invalid(&path, bad_value(storage), "must be greater than zero")),
    }
}

fn validate_data_sources(spec: &PersistentVolumeClaimSpec, path: &Path<'_>, errors: &mut ErrorList) {
    let (source, reference) = (spec.data_source, spec.data_source_ref);
    if let Some(source) = source {
        let object = (source.api_group, source.kind, source.name);
        validate_origin(object, &path.child("dataSource"), errors);
    }
    let namespace = text(reference.and_then(|reference| reference.namespace));
    if let Some(reference) = reference {
        let at = path.child("dataSourceRef");
        let object = (reference.api_group, reference.kind, reference.name);
        validate_origin(object, &at, errors);
        validate_name(namespace, dns_label, &at.child("namespace"), errors);
    }
    let (Some(source), Some(reference)) = (source, reference) else { return };
    let same =
        source.api_group == reference.api_group && source.kind == reference.kind && source.name == reference.name;
    let detail = match (namespace, same) {
        ("", true) => return,
        ("", false) => "must match dataSourceRef",
        _ => "may not be specified when dataSourceRef.namespace is specified",
    };
    // Kubernetes gives the path where the value belongs, and a path shows nothing of itself.
    errors.push(FieldError::invalid(path, BadValue::json(json!({})), detail));
}

/// Checks the object that a volume is filled from: its group, kind and name.
fn validate_origin((group, kind, name): (Option<&str>, &str, &str), path: &Path<'_>, errors: &mut ErrorList) {
    for (value, member) in [(name, "name"), (kind, "kind")] {
        if value.is_empty() {
            errors.push(FieldError::required(&path.child(member), ""));
        }
    }
    let group = text(group);
    if group.is_empty() && kind != "PersistentVolumeClaim" {
        let detail = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
        errors.push(FieldError::invalid(path, kind.to_owned(), detail));
    }
    validate_name(group, subdomain_name, &path.child("apiGroup"), errors);
}

/// Checks a name that may be missing.
fn validate_name(name: &str, check: fn(&str) -> Problems, path: &Path<'_>, errors: &mut ErrorList) {
    if name.is_empty() {
        return;
    }
    for problem in check(name) {
        errors.push(FieldError::invalid(path, name, problem));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn claims_are_checked_member_by_member() {
        let good = json!({"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}});
        let pod = json!({"kind": "PersistentVolumeClaim", "name": "a"});
        let snapshot = json!({"apiGroup": "snapshot.storage.k8s.io", "kind": "VolumeSnapshot", "name": "a"});
        let elsewhere = json!({"kind": "PersistentVolumeClaim", "name": "a", "namespace": "other"});
        let rows: [(Value, &[&str]); 18] = [
            (json!({"volumeMode": "Block", "storageClassName": "", "selector": {}}), &[]),
            (json!({"accessModes": []}), &["accessModes at least 1 access mode is required"]),
            (json!({"accessModes": ["X", "ReadWriteOncePod"]}), &["accessModes supported values: \"ReadOnlyMany\""]),
            (
                json!({"accessModes": ["ReadWriteOncePod", "ReadOnlyMany"]}),
                &["accessModes may not use ReadWriteOncePod with other"],
            ),
            (json!({"resources": {}}), &["resources[storage] "]),
            (json!({"resources": {"requests": {"storage": "0"}}}), &["resources[storage] must be greater than zero"]),
            (json!({"storageClassName": "-"}), &["storageClassName a lowercase RFC 1123 subdomain"]),
            (json!({"volumeAttributesClassName": "A"}), &["volumeAttributesClassName a lowercase"]),
            (json!({"volumeMode": "X"}), &["volumeMode supported values: \"Block\", \"Filesystem\""]),
            (json!({"selector": {"matchLabels": {"a b": ""}}}), &["selector.matchLabels name part must consist"]),
            (json!({"dataSource": pod, "dataSourceRef": pod}), &[]),
            (json!({"dataSource": {}}), &["dataSource.name ", "dataSource.kind ", "dataSource must be 'Persistent"]),
            (json!({"dataSource": {"kind": "Pod", "name": "a"}}), &["dataSource must be 'PersistentVolumeClaim'"]),
            (json!({"dataSource": {"apiGroup": "A", "kind": "a", "name": "a"}}), &["dataSource.apiGroup a lowercase"]),
            (json!({"dataSource": pod, "dataSourceRef": snapshot}), &[" must match dataSourceRef"]),
            (json!({"dataSourceRef": elsewhere}), &[]),
            (json!({"dataSource": pod, "dataSourceRef": elsewhere}), &[" may not be specified when dataSourceRef"]),
            (
                json!({"dataSourceRef": {"kind": "PersistentVolumeClaim", "name": "a", "namespace": "A"}}),
                &["dataSourceRef.namespace a lowercase RFC 1123 label"],
            ),
        ];
        for (members, expected) in rows {
            let mut spec = good.clone();
            for (member, value) in members.as_object().into_iter().flatten() {
                spec[member] = value.clone();
            }
            let source = json!({"volumeClaimTemplate": {"metadata": {"labels": {"a": "b"}}, "spec": spec}});
            let source: EphemeralVolumeSource<'_> = crate::types::read_json(&source);
            let mut errors = ErrorList::new();
            validate_ephemeral(&source, &Path::ROOT, &mut errors);
            let lines: Vec<String> = errors.iter().map(|error| format!("{} {}", error.field, error.detail)).collect();
            assert_eq!(lines.len(), expected.len(), "{members}: {lines:?}");
            for (line, expected) in lines.iter().zip(expected) {
                let line = line.strip_prefix("volumeClaimTemplate.spec").expect("a path in the spec");
                let line = line.strip_prefix('.').unwrap_or(line);
                assert!(line.starts_with(expected), "{members}: {line}");
            }
        }
    }

    #[test]
    fn templates_of_claims_hold_labels_and_annotations_alone() {
        let spec = json!({"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1"}}});
        for (template, expected) in [
            (Value::Null, "volumeClaimTemplate"),
            (json!({"metadata": {"name": "a"}, "spec": spec}), "volumeClaimTemplate.metadata.name"),
            (json!({"metadata": {"uid": "a"}, "spec": spec}), "volumeClaimTemplate.metadata.uID"),
        ] {
            let source: EphemeralVolumeSource<'_> = crate::types::read_json(&json!({"volumeClaimTemplate": template}));
            let mut errors = ErrorList::new();
            validate_ephemeral(&source, &Path::ROOT, &mut errors);
            let found: Vec<&str> = errors.iter().map(|error| error.field.as_str()).collect();
            assert_eq!(found, [expected]);
        }
    }
}
