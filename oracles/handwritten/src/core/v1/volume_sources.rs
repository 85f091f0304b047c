//! Sources of volumes that are neither files of the kubelet nor claims.

use super::local_path::{validate_local_path, validate_no_backsteps};
use super::names::validate_short_name;
use crate::driver::validate_driver_name;
use crate::names::subdomain_name;
use crate::quantity::sign;
use crate::report::{Covered, not_supported, text};
use crate::types::core::v1::{
    AWSElasticBlockStoreVolumeSource, AzureDiskVolumeSource, AzureFileVolumeSource, CSIVolumeSource,
    CephFSVolumeSource, CinderVolumeSource, EmptyDirVolumeSource, FCVolumeSource, FlexVolumeSource,
    FlockerVolumeSource, GCEPersistentDiskVolumeSource, GitRepoVolumeSource, GlusterfsVolumeSource,
    HostPathVolumeSource, ISCSIVolumeSource, ImageVolumeSource, LocalObjectReference, NFSVolumeSource,
    QuobyteVolumeSource, RBDVolumeSource, ScaleIOVolumeSource, StorageOSVolumeSource,
};
use serde_json::json;
use std::cmp::Ordering;
use takeover_harness::error::{BadValue, ErrorList, FieldError};
use takeover_harness::path::Path;

const HOST_PATH_TYPES: [&str; 8] =
    ["", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"];
/// Longest tenant of a Quobyte volume, in bytes.
const TENANT_LIMIT: usize = 64;

/// Reports a text that is missing.
pub(super) fn require(value: &str, member: &str, path: &Path<'_>, errors: &mut ErrorList) {
    if value.is_empty() {
        errors.push(FieldError::required(&path.child(member), ""));
    }
}

pub(super) fn validate_empty_dir(source: &EmptyDirVolumeSource, path: &Path<'_>, errors: &mut ErrorList) {
    if source.size_limit.as_ref().is_some_and(|limit| sign(limit) == Ordering::Less) {
        let detail = "SizeLimit field must be a valid resource quantity";
        errors.push(FieldError::forbidden(&path.child("sizeLimit"), detail));
    }
}

pub(super) fn validate_host_path(source: &HostPathVolumeSource, path: &Path<'_>, errors: &mut ErrorList) {
    let at = path.child("path");
    if source.path.is_empty() {
        errors.push(FieldError::required(&at, ""));
        return;
    }
    validate_no_backsteps(source.path, &at, errors);
    if let Some(kind) = source.type_.filter(|kind| !HOST_PATH_TYPES.contains(kind)) {
        errors.push(not_supported(&path.child("type"), kind, &HOST_PATH_TYPES));
    }
}

pub(super) fn validate_git_repo(source: &GitRepoVolumeSource, path: &Path<'_>, errors: &mut ErrorList) {
    require(source.repository, "repository", path, errors);
    validate_local_path(text(source.directory), &path.child("directory"), errors);
}

pub(super) fn validate_gce_disk(source: &GCEPersistentDiskVolumeSource, path: &Path<'_>, errors: &mut ErrorList) {
    require(source.pd_name, "pdName", path, errors);
    validate_partition(source.partition, path, errors);
}

pub(super) fn validate_aws_disk(source: &AWSElasticBlockStoreVolumeSource, path: &Path<'_>, errors: &mut ErrorList) {
    require(source.volume_id, "volumeID", path, errors);
    validate_partition(source.partition, path, errors);
}

/// Zero stands for no partition, whatever the message says.
fn validate_partition(partition: Option<i32>, path: &Path<'_>, errors: &mut ErrorList) {
    if let Some(partition) = partition.filter(|partition| !(0..=255).contains(partition)) {
        let detail = "must be between 1 and 255, inclusive";
        errors.push(FieldError::invalid(&path.child("partition"), partition, detail));
    }
}

pub(super) fn validate_nfs(source: &NFSVolumeSource, path: &Path<'_>, errors: &mut ErrorList) {
    require(source.server, "server", path, errors);
    require(source.path, "path", path, errors);
    if !source.path.starts_with('/') {
        errors.push(FieldError::invalid(&path.child("path"), source.path, "must be an absolute path"));
    }
}

pub(super) fn validate_iscsi(source: &ISCSIVolumeSource, path: &Path<'_>, errors: &mut ErrorList) {
    require(source.target_portal, "targetPortal", path, errors);
    require(source.iqn, "iqn", path, errors);
    if !source.iqn.is_empty() {
        validate_iscsi_name(source.iqn, &path.child("iqn"), errors);
    }
    validate_lun(source.lun, path, errors);
    let authenticates = source.chap_auth_discovery == Some(true) || source.chap_auth_session == Some(true);
    if authenticates && source.secret_ref.is_none() {
        errors.push(FieldError::required(&path.child("secretRef"), ""));
    }
    if let Some(name) = source.initiator_name {
        // The path is not the name of the member.
        validate_iscsi_name(name, &path.child("initiatorname"), errors);
    }
}

fn validate_iscsi_name(name: &str, path: &Path<'_>, errors: &mut ErrorList) {
    if !["iqn", "eui", "naa"].iter().any(|kind| name.starts_with(kind)) {
        errors.push(FieldError::invalid(path, name, "must be valid format starting with iqn, eui, or naa"));
    } else if !is_iscsi_name(name) {
        errors.push(FieldError::invalid(path, name, "must be valid format"));
    }
}

fn validate_lun(lun: i32, path: &Path<'_>, errors: &mut ErrorList) {
    if !(0..=255).contains(&lun) {
        errors.push(FieldError::invalid(&path.child("lun"), lun, "must be between 0 and 255, inclusive"));
    }
}

/// Whether this is the name of a target or an initiator, in one of its three formats.
fn is_iscsi_name(name: &str) -> bool {
    if name.starts_with("iqn") {
        // Kubernetes does not mind what is before the last part that has the shape.
        return name.match_indices("iqn.").any(|(at, start)| name.get(at + start.len()..).is_some_and(is_dated_name));
    }
    let numbered = |rest: &str, digits: usize| {
        let mut rest = rest.chars();
        rest.next().is_some_and(|separator| separator != '\n')
            && rest.as_str().len() == digits
            && rest.all(|c| c.is_ascii_alphanumeric())
    };
    match (name.strip_prefix("eui"), name.strip_prefix("naa")) {
        (Some(rest), _) => numbered(rest, 16),
        (_, Some(rest)) => numbered(rest, 32),
        _ => false,
    }
}

/// Whether this is `yyyy-mm.`, a domain, `:` and a name.
fn is_dated_name(rest: &str) -> bool {
    let Some((date, named)) = rest.split_at_checked("yyyy-mm.".len()) else { return false };
    let dated = date.bytes().enumerate().all(|(at, byte)| match at {
        4 => byte == b'-',
        7 => byte == b'.',
        _ => byte.is_ascii_digit(),
    });
    let Some((domain, name)) = named.split_once(':') else { return false };
    let in_domain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.');
    let in_name = |c: char| !matches!(c, ',' | ';' | '*' | '&' | '$' | '|' | '\t' | '\n' | '\u{c}' | '\r' | ' ');
    dated && !domain.is_empty() && domain.chars().all(in_domain) && !name.is_empty() && name.chars().all(in_name)
}

pub(super) fn validate_glusterfs(source: &GlusterfsVolumeSource, path: &Path<'_>, errors: &mut ErrorList) {
    require(source.endpoints, "endpoints", path, errors);
    require(source.path, "path", path, errors);
}

pub(super) fn validate_flocker(source: &FlockerVolumeSource, path: &Path<'_>, errors: &mut ErrorList) {
    let (name, id) = (text(source.dataset_name), text(source.dataset_uuid));
    match (name, id) {
        ("", "") => errors.push(FieldError::required(path, "one of datasetName and datasetUUID is required")),
        ("", _) | (_, "") => {}
        _ => {
            let detail = "datasetName and datasetUUID can not be specified simultaneously";
            errors.push(FieldError::invalid(path, "resource", detail));
        }
    }
    if name.contains('/') {
        errors.push(FieldError::invalid(&path.child("datasetName"), name.to_owned(), "must not contain '/'"));
    }
}

pub(super) fn validate_rbd(source: &RBDVolumeSource, path: &Path<'_>, errors: &mut ErrorList) {
    if source.monitors.is_empty() {
        errors.push(FieldError::required(&path.child("monitors"), ""));
    }
    require(source.image, "image", path, errors);
}

pub(super) fn validate_cinder(source: &CinderVolumeSource, path: &Path<'_>, errors: &mut ErrorList) {
    require(source.volume_id, "volumeID", path, errors);
    validate_named(source.secret_ref, path, errors);
}

/// A secret that is given has a name.
fn validate_named(secret: Option<&LocalObjectReference>, path: &Path<'_>, errors: &mut ErrorList) {
    if let Some(secret) = secret {
        require(text(secret.name), "name", &path.child("secretRef"), errors);
    }
}

pub(super) fn validate_cephfs(source: &CephFSVolumeSource, path: &Path<'_>, errors: &mut ErrorList) {
    if source.monitors.is_empty() {
        errors.push(FieldError::required(&path.child("monitors"), ""));
    }
}

pub(super) fn validate_quobyte(source: &QuobyteVolumeSource, path: &Path<'_>, errors: &mut ErrorList) {
    let detail = "must be a host:port pair or multiple pairs separated by commas";
    let at = path.child("registry");
    if source.registry.is_empty() {
        errors.push(FieldError::required(&at, detail));
    } else if text(source.tenant).len() > TENANT_LIMIT {
        let detail = "must be a UUID and may not exceed a length of 64 characters";
        errors.push(FieldError::required(&path.child("tenant"), detail));
    } else {
        for _ in source.registry.split(',').filter(|pair| !is_host_and_port(pair)) {
            errors.push(FieldError::invalid(&at, source.registry, detail));
        }
    }
    require(source.volume, "volume", path, errors);
}

/// Whether this has the shape `host:port`, `[host]:port` for a host with colons. Either part may be empty.
fn is_host_and_port(pair: &str) -> bool {
    let Some((host, port)) = pair.rsplit_once(':') else { return false };
    let host = match host.strip_prefix('[') {
        Some(host) => match host.strip_suffix(']') {
            Some(host) => host,
            None => return false,
        },
        None if host.contains(':') => return false,
        None => host,
    };
    !host.contains(['[', ']']) && !port.contains(['[', ']'])
}

pub(super) fn validate_fc(source: &FCVolumeSource, path: &Path<'_>, errors: &mut ErrorList) {
    let names = source.target_wwns.unwrap_or_default();
    let ids = source.wwids.unwrap_or_default();
    let at = path.child("targetWWNs");
    if names.is_empty() && ids.is_empty() {
        errors.push(FieldError::required(&at, "must specify either targetWWNs or wwids, but not both"));
    }
    if !names.is_empty() && !ids.is_empty() {
        let detail = "targetWWNs and wwids can not be specified simultaneously";
        errors.push(FieldError::invalid(&at, BadValue::json(json!(names)), detail));
    }
    match source.lun {
        _ if names.is_empty() => {}
        Some(lun) => validate_lun(lun, path, errors),
        None => {
            let detail = "lun is required if targetWWNs is specified";
            errors.push(FieldError::required(&path.child("lun"), detail));
        }
    }
}

/// Options of a vendor's driver may not look like Kubernetes' own.
pub(super) fn validate_flex_volume(source: &FlexVolumeSource, path: &Path<'_>, errors: &mut ErrorList) {
    require(source.driver, "driver", path, errors);
    let at = path.child("options");
    for option in source.options.iter().flat_map(|options| options.keys()) {
        let domain = option.split_once('/').map_or(option, |(domain, _)| domain);
        let domain = format!(".{}", domain.to_lowercase());
        if domain.ends_with(".kubernetes.io") || domain.ends_with(".k8s.io") {
            let detail = "kubernetes.io and k8s.io namespaces are reserved";
            errors.push(FieldError::invalid(&at.key(option), option, detail));
        }
    }
}

pub(super) fn validate_azure_file(source: &AzureFileVolumeSource, path: &Path<'_>, errors: &mut ErrorList) {
    require(source.secret_name, "secretName", path, errors);
    require(source.share_name, "shareName", path, errors);
}

pub(super) fn validate_azure_disk(source: &AzureDiskVolumeSource, path: &Path<'_>, errors: &mut ErrorList) {
    require(source.disk_name, "diskName", path, errors);
    require(source.disk_uri, "diskURI", path, errors);
    let modes = ["None", "ReadOnly", "ReadWrite"];
    if let Some(mode) = source.caching_mode.filter(|mode| !modes.contains(mode)) {
        errors.push(not_supported(&path.child("cachingMode"), mode, &modes));
    }
    let Some(kind) = source.kind else { return };
    let kinds = ["Dedicated", "Managed", "Shared"];
    if !kinds.contains(&kind) {
        errors.push(not_supported(&path.child("kind"), kind, &kinds));
    }
    let (start, form) = if kind == "Managed" {
        let form = "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}";
        ("/subscriptions/", form)
    } else {
        ("https://", "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd")
    };
    if !source.disk_uri.starts_with(start) {
        errors.push(not_supported(&path.child("diskURI"), source.disk_uri, &[form]));
    }
}

pub(super) fn validate_storageos(source: &StorageOSVolumeSource, path: &Path<'_>, errors: &mut ErrorList) {
    let (name, namespace) = (text(source.volume_name), text(source.volume_namespace));
    let at = path.child("volumeName");
    if name.is_empty() {
        errors.push(FieldError::required(&at, ""));
    } else {
        validate_short_name(name, &at, errors);
    }
    if !namespace.is_empty() {
        validate_short_name(namespace, &path.child("volumeNamespace"), errors);
    }
    validate_named(source.secret_ref, path, errors);
}

pub(super) fn validate_scale_io(source: &ScaleIOVolumeSource, path: &Path<'_>, errors: &mut ErrorList) {
    require(source.gateway, "gateway", path, errors);
    require(source.system, "system", path, errors);
    require(text(source.volume_name), "volumeName", path, errors);
}

/// The name of the secret is checked at a path beside the secret.
pub(super) fn validate_csi(source: &CSIVolumeSource, path: &Path<'_>, errors: &mut ErrorList) {
    validate_driver_name(source.driver, Covered::No, &path.child("driver"), errors);
    let Some(secret) = source.node_publish_secret_ref else { return };
    let name = text(secret.name);
    if name.is_empty() {
        require(name, "name", &path.child("nodePublishSecretRef"), errors);
    } else {
        for problem in subdomain_name(name) {
            errors.push(FieldError::invalid(&path.child("name"), name, problem));
        }
    }
}

/// A template may leave the image to the one who makes pods from it.
pub(super) fn validate_image(source: &ImageVolumeSource, path: &Path<'_>, errors: &mut ErrorList) {
    let policies = ["Always", "IfNotPresent", "Never"];
    let at = path.child("pullPolicy");
    match text(source.pull_policy) {
        "" => errors.push(FieldError::required(&at, "")),
        policy if policies.contains(&policy) => {}
        policy => errors.push(not_supported(&at, policy, &policies)),
    }
}
