//! Volumes of files that the kubelet writes: secrets, configuration maps and what a pod reads about itself.

use super::downward_api::{validate_field_selector, validate_resource_selector};
use super::local_path::validate_file_path;
use super::volume_sources::require;
use crate::report::text;
use crate::types::core::v1::{
    ConfigMapVolumeSource, DownwardAPIVolumeFile, DownwardAPIVolumeSource, KeyToPath, SecretVolumeSource,
};
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::path::Path;

/// Fields of the pod that files may hold.
const FIELDS: [&str; 5] =
    ["metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"];

pub(super) fn validate_secret(source: &SecretVolumeSource, path: &Path<'_>, errors: &mut ErrorList) {
    require(text(source.secret_name), "secretName", path, errors);
    validate_mode(source.default_mode, &path.child("defaultMode"), errors);
    validate_items(source.items.unwrap_or_default(), path, errors);
}

pub(super) fn validate_config_map(source: &ConfigMapVolumeSource, path: &Path<'_>, errors: &mut ErrorList) {
    require(text(source.name), "name", path, errors);
    validate_mode(source.default_mode, &path.child("defaultMode"), errors);
    validate_items(source.items.unwrap_or_default(), path, errors);
}

fn validate_items(items: &[KeyToPath], path: &Path<'_>, errors: &mut ErrorList) {
    let path = path.child("items");
    for (index, item) in items.iter().enumerate() {
        validate_item(item, &path.index(index), errors);
    }
}

/// Checks which key goes to which file.
pub(super) fn validate_item(item: &KeyToPath, path: &Path<'_>, errors: &mut ErrorList) {
    require(item.key, "key", path, errors);
    require(item.path, "path", path, errors);
    validate_file_path(item.path, &path.child("path"), errors);
    validate_mode(item.mode, &path.child("mode"), errors);
}

pub(super) fn validate_downward_api(source: &DownwardAPIVolumeSource, path: &Path<'_>, errors: &mut ErrorList) {
    validate_mode(source.default_mode, &path.child("defaultMode"), errors);
    for file in source.items.into_iter().flatten() {
        validate_downward_file(file, path, errors);
    }
}

/// Checks a file of what the pod reads about itself. Its errors stand at the source of the file, without an index.
pub(super) fn validate_downward_file(file: &DownwardAPIVolumeFile, path: &Path<'_>, errors: &mut ErrorList) {
    require(file.path, "path", path, errors);
    validate_file_path(file.path, &path.child("path"), errors);
    match (file.field_ref, file.resource_field_ref) {
        (Some(field), resource) => {
            validate_field_selector(field, &FIELDS, &path.child("fieldRef"), errors);
            if resource.is_some() {
                let detail = "fieldRef and resourceFieldRef can not be specified simultaneously";
                errors.push(FieldError::invalid(path, "resource", detail));
            }
        }
        (None, Some(resource)) => validate_resource_selector(resource, &path.child("resourceFieldRef"), errors),
        (None, None) => errors.push(FieldError::required(path, "one of fieldRef and resourceFieldRef is required")),
    }
    validate_mode(file.mode, &path.child("mode"), errors);
}

/// Checks the permissions of a file.
pub(super) fn validate_mode(mode: Option<i32>, path: &Path<'_>, errors: &mut ErrorList) {
    if let Some(mode) = mode.filter(|mode| !(0..=0o777).contains(mode)) {
        let detail = "must be a number between 0 and 0777 (octal), both inclusive";
        errors.push(FieldError::invalid(path, i64::from(mode), detail));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn files_have_a_path_and_permissions() {
        let (mode, field) = ("must be a number between 0 and 0777", "one of fieldRef and resourceFieldRef is required");
        let rows: [(Value, &[(&str, &str)]); 5] = [
            (json!({"items": [{"path": "a", "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.uid"}}]}), &[]),
            (json!({"defaultMode": 512, "items": [{}]}), &[("d.defaultMode", mode), ("d.path", ""), ("d", field)]),
            (
                json!({"items": [{"path": "..a", "mode": -1, "resourceFieldRef": {"resource": "limits.cpu"}}]}),
                &[("d.path", "must not start with '..'"), ("d.resourceFieldRef.containerName", ""), ("d.mode", mode)],
            ),
            (
                json!({"items": [{"path": "a", "fieldRef": {"apiVersion": "v1", "fieldPath": "status.podIP"}}]}),
                &[("d.fieldRef.fieldPath", "supported values: \"metadata.annotations\"")],
            ),
            (
                json!({"items": [{"path": "a", "resourceFieldRef": {}, "fieldRef": {"apiVersion": "v1"}}]}),
                &[("d.fieldRef.fieldPath", ""), ("d", "fieldRef and resourceFieldRef can not be")],
            ),
        ];
        for (source, expected) in rows {
            let mut errors = ErrorList::new();
            let decoded: DownwardAPIVolumeSource<'_> = crate::types::read_json(&source);
            validate_downward_api(&decoded, &Path::ROOT.child("d"), &mut errors);
            assert_eq!(errors.len(), expected.len(), "{source}: {errors:?}");
            for (error, (field, detail)) in errors.iter().zip(expected) {
                assert!(error.field == *field && error.detail.starts_with(detail), "{source}: {error:?}");
            }
        }
    }

    #[test]
    fn items_name_a_key_and_a_path() {
        let source = json!({"items": [{"key": "k", "path": "p", "mode": 0o777}, {"path": "/p", "mode": 0o1000}]});
        let fields = ["s.items[1].key", "s.items[1].path", "s.items[1].mode"];
        let at = Path::ROOT.child("s");
        let mut errors = ErrorList::new();
        validate_secret(&crate::types::read_json(&source), &at, &mut errors);
        let found: Vec<&str> = errors.iter().map(|error| error.field.as_str()).collect();
        assert_eq!(found, [&["s.secretName"], &fields[..]].concat());
        let mut errors = ErrorList::new();
        validate_config_map(&crate::types::read_json(&source), &at, &mut errors);
        let found: Vec<&str> = errors.iter().map(|error| error.field.as_str()).collect();
        assert_eq!(found, [&["s.name"], &fields[..]].concat());
    }
}
