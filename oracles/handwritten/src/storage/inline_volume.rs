//! A persistent volume that is written into its attachment rather than named.

use crate::core::v1::part_defaults::default_resources;
use crate::core::v1::volume_defaults::default_shared_sources;
use crate::driver::validate_driver_name;
use crate::names::{dns_label, subdomain_name};
use crate::report::{Covered, not_supported, text};
use crate::types::core::v1::{CSIPersistentVolumeSource, PersistentVolumeSpec, SecretReference};
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::object::Edit;
use takeover_harness::pair::Delegated;
use takeover_harness::path::Path;

const MODES: [&str; 4] = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
const ALONE: &str = "ReadWriteOncePod";
const NOT_INLINE: &str = "may not be specified in the context of inline volumes";

/// The name of a source, and whether a volume has it.
type Source = (&'static str, fn(&PersistentVolumeSpec) -> bool);

/// Sources that need another volume than an inline one, in the order of Kubernetes.
const OTHER_SOURCES: [Source; 21] = [
    ("hostPath", |volume| volume.host_path.is_some()),
    ("gcePersistentDisk", |volume| volume.gce_persistent_disk.is_some()),
    ("awsElasticBlockStore", |volume| volume.aws_elastic_block_store.is_some()),
    ("glusterfs", |volume| volume.glusterfs.is_some()),
    ("flocker", |volume| volume.flocker.is_some()),
    ("nfs", |volume| volume.nfs.is_some()),
    ("rbd", |volume| volume.rbd.is_some()),
    ("quobyte", |volume| volume.quobyte.is_some()),
    ("cephFS", |volume| volume.cephfs.is_some()),
    ("iscsi", |volume| volume.iscsi.is_some()),
    ("cinder", |volume| volume.cinder.is_some()),
    ("fc", |volume| volume.fc.is_some()),
    ("flexVolume", |volume| volume.flex_volume.is_some()),
    ("azureFile", |volume| volume.azure_file.is_some()),
    ("vsphereVolume", |volume| volume.vsphere_volume.is_some()),
    ("photonPersistentDisk", |volume| volume.photon_persistent_disk.is_some()),
    ("portworxVolume", |volume| volume.portworx_volume.is_some()),
    ("azureDisk", |volume| volume.azure_disk.is_some()),
    ("scaleIO", |volume| volume.scale_io.is_some()),
    ("local", |volume| volume.local.is_some()),
    ("storageos", |volume| volume.storageos.is_some()),
];

/// What errors inside of `gcePersistentDisk` and `cephFS` call them.
const OTHER_NAMES: [&str; 2] = ["persistentDisk", "cephfs"];

/// What is inside of the other sources, at `path`.
pub(super) fn delegated_sources(path: &str) -> Vec<Delegated> {
    let reason =
        "a volume without CSI source is rejected as a whole; what is wrong inside of another source is not judged";
    let at = |source| Delegated { path: format!("{path}.{source}"), reason: reason.to_owned() };
    OTHER_SOURCES.iter().map(|(source, _)| *source).chain(OTHER_NAMES).map(at).collect()
}

/// Defaults of the volume.
pub(super) fn default_inline_volume(volume: &mut Edit<'_>) {
    default_resources(volume, "capacity");
    default_shared_sources(volume);
}

/// Checks the volume: only CSI volumes may be inline, without what binds volumes to claims.
pub(super) fn validate_inline_volume(volume: &PersistentVolumeSpec, path: &Path<'_>, errors: &mut ErrorList) {
    let forbid = |set: bool, member: &str, errors: &mut ErrorList| {
        if set {
            errors.push(FieldError::forbidden(&path.child(member), NOT_INLINE));
        }
    };
    forbid(volume.claim_ref.is_some(), "claimRef", errors);
    forbid(volume.capacity.is_some_and(|capacity| !capacity.is_empty()), "capacity", errors);
    if volume.csi.is_none() {
        errors.push(FieldError::required(&path.child("csi"), "has to be specified in the context of inline volumes"));
    }
    validate_modes(volume.access_modes.unwrap_or_default(), &path.child("accessModes"), errors);
    let reclaim = text(volume.persistent_volume_reclaim_policy);
    if !matches!(reclaim, "" | "Retain") {
        let detail = "may only be Retain in the context of inline volumes";
        errors.push(FieldError::forbidden(&path.child("persistentVolumeReclaimPolicy"), detail));
    }
    forbid(volume.node_affinity.is_some(), "nodeAffinity", errors);
    validate_sources(volume, path, errors);
    forbid(!text(volume.storage_class_name).is_empty(), "storageClassName", errors);
    if volume.volume_mode.is_some_and(|mode| mode != "Filesystem") {
        let detail = "may not specify volumeMode other than Filesystem in the context of inline volumes";
        errors.push(FieldError::forbidden(&path.child("volumeMode"), detail));
    }
}

fn validate_modes(modes: &[&str], path: &Path<'_>, errors: &mut ErrorList) {
    if modes.is_empty() {
        errors.push(FieldError::required(path, ""));
    }
    for mode in modes.iter().copied().filter(|mode| !MODES.contains(mode)) {
        errors.push(not_supported(path, mode, &MODES));
    }
    let has_others = modes.iter().any(|mode| *mode != ALONE && MODES.contains(mode));
    if has_others && modes.contains(&ALONE) {
        let detail = "may not use ReadWriteOncePod with other access modes";
        errors.push(FieldError::forbidden(path, detail));
    }
}

fn validate_sources(volume: &PersistentVolumeSpec, path: &Path<'_>, errors: &mut ErrorList) {
    let mut found = false;
    let mut count = |member: &str, errors: &mut ErrorList| {
        if found {
            errors.push(FieldError::forbidden(&path.child(member), "may not specify more than 1 volume type"));
        }
        !std::mem::replace(&mut found, true)
    };
    for (member, is_set) in OTHER_SOURCES {
        if is_set(volume) && count(member, errors) && member == "local" {
            let detail = "Local volume requires node affinity";
            errors.push(FieldError::required(&path.child("nodeAffinity"), detail));
        }
    }
    if let Some(csi) = volume.csi
        && count("csi", errors)
    {
        validate_csi(csi, &path.child("csi"), errors);
    }
    if !found {
        errors.push(FieldError::required(path, "must specify a volume type"));
    }
    let root = |path: &str| path.starts_with('/') && path.split('/').all(|part| matches!(part, "" | "."));
    let recycled = volume.persistent_volume_reclaim_policy == Some("Recycle");
    if recycled && volume.host_path.is_some_and(|host| root(host.path)) {
        let detail = "may not be 'recycle' for a hostPath mount of '/'";
        errors.push(FieldError::forbidden(&path.child("persistentVolumeReclaimPolicy"), detail));
    }
}

fn validate_csi(csi: &CSIPersistentVolumeSource, path: &Path<'_>, errors: &mut ErrorList) {
    validate_driver_name(csi.driver, Covered::No, &path.child("driver"), errors);
    if csi.volume_handle.is_empty() {
        errors.push(FieldError::required(&path.child("volumeHandle"), ""));
    }
    // Kubernetes does not look at the secret for staging.
    for (secret, member) in [
        (csi.controller_publish_secret_ref, "controllerPublishSecretRef"),
        (csi.controller_expand_secret_ref, "controllerExpandSecretRef"),
        (csi.node_publish_secret_ref, "nodePublishSecretRef"),
        (csi.node_expand_secret_ref, "nodeExpandSecretRef"),
    ] {
        if let Some(secret) = secret {
            validate_secret(secret, &path.child(member), errors);
        }
    }
}

fn validate_secret(secret: &SecretReference, path: &Path<'_>, errors: &mut ErrorList) {
    let (name, namespace) = (text(secret.name), text(secret.namespace));
    let rows: [(_, _, fn(&str) -> _, _); 2] = [
        (name, "name", subdomain_name, "format=k8s-long-name"),
        (namespace, "namespace", dns_label, "format=k8s-short-name"),
    ];
    for (value, member, check, origin) in rows {
        let at = path.child(member);
        if value.is_empty() {
            errors.push(FieldError::required(&at, ""));
            continue;
        }
        for problem in check(value) {
            errors.push(FieldError::invalid(&at, value, problem).with_origin(origin));
        }
    }
}
