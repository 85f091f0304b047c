//! Volumes as containers use them: mounted as folders, or as raw devices.

use super::local_path::validate_local_path;
use super::volume::Mountable;
use crate::distinct::Distinct;
use crate::report::{not_supported, text};
use crate::types::core::v1::{Container, VolumeMount};
use std::collections::{BTreeMap, BTreeSet};
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::path::Path;

/// Checks the mounts of a container. Errors of some members stand at the list, without the index.
pub(super) fn validate_mounts(container: &Container, volumes: &Mountable<'_>, path: &Path<'_>, errors: &mut ErrorList) {
    let devices = device_paths(container);
    let mut taken = Distinct::default();
    for (index, mount) in container.volume_mounts.into_iter().flatten().enumerate() {
        let at = path.index(index);
        let (name, folder) = (mount.name, mount.mount_path);
        if name.is_empty() {
            errors.push(FieldError::required(&at.child("name"), ""));
        }
        if volumes.get(name).is_none() {
            errors.push(FieldError::not_found(&at.child("name"), name));
        }
        if folder.is_empty() {
            errors.push(FieldError::required(&at.child("mountPath"), ""));
        }
        if !taken.insert(folder) {
            errors.push(FieldError::invalid(&at.child("mountPath"), folder, "must be unique"));
        }
        if devices.contains_key(name) {
            errors.push(FieldError::invalid(&at.child("name"), name, "must not already exist in volumeDevices"));
        }
        if devices.values().any(|device| *device == folder) {
            let detail = "must not already exist as a path in volumeDevices";
            errors.push(FieldError::invalid(&at.child("mountPath"), folder, detail));
        }
        let (sub, expression) = (text(mount.sub_path), text(mount.sub_path_expr));
        if !sub.is_empty() {
            validate_local_path(sub, &path.child("subPath"), errors);
        }
        if !expression.is_empty() {
            if !sub.is_empty() {
                let detail = "subPathExpr and subPath are mutually exclusive";
                errors.push(FieldError::invalid(&at.child("subPathExpr"), expression, detail));
            }
            validate_local_path(expression, &path.child("subPathExpr"), errors);
        }
        validate_propagation(mount, container, &path.child("mountPropagation"), errors);
        validate_recursive(mount, &path.child("recursiveReadOnly"), errors);
    }
}

fn validate_propagation(mount: &VolumeMount, container: &Container, path: &Path<'_>, errors: &mut ErrorList) {
    let privileged = container.security_context.and_then(|context| context.privileged) == Some(true);
    match mount.mount_propagation {
        Some("Bidirectional") if !privileged => {
            let detail = "Bidirectional mount propagation is available only to privileged containers";
            errors.push(FieldError::forbidden(path, detail));
        }
        None | Some("None" | "HostToContainer" | "Bidirectional") => {}
        Some(other) => errors.push(not_supported(path, other, &["Bidirectional", "HostToContainer", "None"])),
    }
}

fn validate_recursive(mount: &VolumeMount, path: &Path<'_>, errors: &mut ErrorList) {
    match mount.recursive_read_only {
        None | Some("Disabled") => {}
        Some("Enabled" | "IfPossible") => {
            if mount.read_only != Some(true) {
                errors.push(FieldError::forbidden(path, "may only be specified when readOnly is true"));
            }
            if mount.mount_propagation.is_some_and(|propagation| propagation != "None") {
                let detail = "may only be specified when mountPropagation is None or not specified";
                errors.push(FieldError::forbidden(path, detail));
            }
        }
        Some(other) => errors.push(not_supported(path, other, &["Disabled", "Enabled", "IfPossible"])),
    }
}

/// Checks the raw devices of a container.
pub(super) fn validate_devices(
    container: &Container,
    volumes: &Mountable<'_>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    if container.volume_devices.is_none_or(<[_]>::is_empty) {
        return;
    }
    let mounts: BTreeMap<&str, &str> =
        container.volume_mounts.into_iter().flatten().map(|mount| (mount.name, mount.mount_path)).collect();
    let (mut names, mut paths) = (BTreeSet::new(), BTreeSet::new());
    for (index, device) in container.volume_devices.into_iter().flatten().enumerate() {
        let at = path.index(index);
        let (name, file) = (device.name, device.device_path);
        let (name_at, file_at) = (at.child("name"), at.child("devicePath"));
        if name.is_empty() {
            errors.push(FieldError::required(&name_at, ""));
        } else if !names.insert(name) {
            errors.push(FieldError::invalid(&name_at, name, "must be unique"));
        }
        match volumes.get(name) {
            None => errors.push(FieldError::not_found(&name_at, name)),
            Some(volume) if volume.persistent_volume_claim.is_none() && volume.ephemeral.is_none() => {
                let detail = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode";
                errors.push(FieldError::invalid(&name_at, name, detail));
            }
            Some(_) => {}
        }
        if file.is_empty() {
            errors.push(FieldError::required(&file_at, ""));
        }
        if paths.contains(file) {
            errors.push(FieldError::invalid(&file_at, file, "must be unique"));
        }
        if file.split('/').any(|part| part == "..") {
            errors.push(FieldError::invalid(&file_at, file, "can not contain backsteps ('..')"));
        } else {
            paths.insert(file);
        }
        if mounts.contains_key(name) {
            errors.push(FieldError::invalid(&name_at, name, "must not already exist in volumeMounts"));
        }
        if mounts.values().any(|folder| *folder == file) {
            let detail = "must not already exist as a path in volumeMounts";
            errors.push(FieldError::invalid(&file_at, file, detail));
        }
    }
}

/// The devices by name; a later one of the same name counts.
fn device_paths<'a>(container: &Container<'a>) -> BTreeMap<&'a str, &'a str> {
    let devices = container.volume_devices.into_iter().flatten();
    devices.map(|device| (device.name, device.device_path)).collect()
}
