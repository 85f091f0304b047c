//! A spec as Kubernetes shows it in errors: its internal structs have no JSON names, and every member is there.

use super::source_forms::{self as forms, source, source_without};
use crate::kind::Request;
use crate::quantity::canonical;
use crate::report::text;
use crate::types::core::v1::{
    CSIPersistentVolumeSource, NodeSelector, NodeSelectorRequirement, NodeSelectorTerm, ObjectReference,
    PersistentVolumeSpec, SecretReference, VolumeNodeAffinity,
};
use crate::types::storage::v1::VolumeAttachmentSpec;
use serde::Serialize;
use serde_json::json;
use takeover_harness::error::BadValue;
use takeover_harness::path::Path;

/// The spec of an attachment, which is at `path` in the object of the request.
pub(super) fn attachment_spec(spec: &VolumeAttachmentSpec, request: &Request<'_>, path: &Path<'_>) -> BadValue {
    let at = path.child("source");
    let at = at.child("inlineVolumeSpec");
    let inline = spec.source.inline_volume_spec.map(|spec| volume(spec, request, &at));
    let source = BadValue::Struct(vec![
        ("PersistentVolumeName", plain(&spec.source.persistent_volume_name)),
        ("InlineVolumeSpec", inline.into()),
    ]);
    BadValue::Struct(vec![("Attacher", spec.attacher.into()), ("Source", source), ("NodeName", spec.node_name.into())])
}

/// Texts, lists of them and maps, which have no members to be named.
fn plain(value: &impl Serialize) -> BadValue {
    json!(value).into()
}

/// The sources stand between the capacity and the rest.
fn volume(volume: &PersistentVolumeSpec, request: &Request<'_>, path: &Path<'_>) -> BadValue {
    let capacity = volume
        .capacity
        .map(|capacity| BadValue::json(capacity.iter().map(|(name, quantity)| (name, canonical(quantity))).collect()));
    // The structs have these members also where they are not given.
    let absent = |source: &str, member: &'static str| {
        Some(member).filter(|member| !request.has_at(&path.child(source).child(member)))
    };
    let has_terms = request.has_at(&path.child("nodeAffinity").child("required").child("nodeSelectorTerms"));
    BadValue::Struct(vec![
        ("Capacity", capacity.into()),
        ("GCEPersistentDisk", source(volume.gce_persistent_disk, forms::GCE_DISK)),
        ("AWSElasticBlockStore", source(volume.aws_elastic_block_store, forms::AWS_STORE)),
        ("HostPath", source(volume.host_path, forms::HOST_PATH)),
        ("Glusterfs", source(volume.glusterfs, forms::GLUSTERFS)),
        ("NFS", source(volume.nfs, forms::NFS)),
        ("RBD", source_without(volume.rbd, forms::RBD, absent("rbd", "monitors"))),
        ("Quobyte", source(volume.quobyte, forms::QUOBYTE)),
        ("ISCSI", source(volume.iscsi, forms::ISCSI)),
        ("FlexVolume", source(volume.flex_volume, forms::FLEX)),
        ("Cinder", source(volume.cinder, forms::CINDER)),
        ("CephFS", source_without(volume.cephfs, forms::CEPH, absent("cephfs", "monitors"))),
        ("FC", source(volume.fc, forms::FIBRE_CHANNEL)),
        ("Flocker", source(volume.flocker, forms::FLOCKER)),
        ("AzureFile", source(volume.azure_file, forms::AZURE_FILE)),
        ("VsphereVolume", source(volume.vsphere_volume, forms::VSPHERE)),
        ("AzureDisk", source(volume.azure_disk, forms::AZURE_DISK)),
        ("PhotonPersistentDisk", source(volume.photon_persistent_disk, forms::PHOTON)),
        ("PortworxVolume", source(volume.portworx_volume, forms::PORTWORX)),
        ("ScaleIO", source(volume.scale_io, forms::SCALE_IO)),
        ("Local", source(volume.local, forms::LOCAL)),
        ("StorageOS", source(volume.storageos, forms::STORAGE_OS)),
        ("CSI", volume.csi.map(csi).into()),
        ("AccessModes", plain(&volume.access_modes)),
        ("ClaimRef", volume.claim_ref.map(claim).into()),
        ("PersistentVolumeReclaimPolicy", text(volume.persistent_volume_reclaim_policy).into()),
        ("StorageClassName", text(volume.storage_class_name).into()),
        ("MountOptions", plain(&volume.mount_options)),
        ("VolumeMode", plain(&volume.volume_mode)),
        ("NodeAffinity", volume.node_affinity.map(|affinity| node_affinity(affinity, has_terms)).into()),
        ("VolumeAttributesClassName", plain(&volume.volume_attributes_class_name)),
    ])
}

fn csi(csi: &CSIPersistentVolumeSource) -> BadValue {
    BadValue::Struct(vec![
        ("Driver", csi.driver.into()),
        ("VolumeHandle", csi.volume_handle.into()),
        ("ReadOnly", csi.read_only.unwrap_or(false).into()),
        ("FSType", text(csi.fs_type).into()),
        ("VolumeAttributes", plain(&csi.volume_attributes)),
        ("ControllerPublishSecretRef", csi.controller_publish_secret_ref.map(secret).into()),
        ("NodeStageSecretRef", csi.node_stage_secret_ref.map(secret).into()),
        ("NodePublishSecretRef", csi.node_publish_secret_ref.map(secret).into()),
        ("ControllerExpandSecretRef", csi.controller_expand_secret_ref.map(secret).into()),
        ("NodeExpandSecretRef", csi.node_expand_secret_ref.map(secret).into()),
    ])
}

fn secret(secret: &SecretReference) -> BadValue {
    let (name, namespace) = (text(secret.name), text(secret.namespace));
    BadValue::Struct(vec![("Name", name.into()), ("Namespace", namespace.into())])
}

fn claim(claim: &ObjectReference) -> BadValue {
    BadValue::Struct(vec![
        ("Kind", text(claim.kind).into()),
        ("Namespace", text(claim.namespace).into()),
        ("Name", text(claim.name).into()),
        ("UID", text(claim.uid).into()),
        ("APIVersion", text(claim.api_version).into()),
        ("ResourceVersion", text(claim.resource_version).into()),
        ("FieldPath", text(claim.field_path).into()),
    ])
}

fn node_affinity(affinity: &VolumeNodeAffinity, has_terms: bool) -> BadValue {
    let selector = |selector: &NodeSelector| {
        let terms = Some(selector.node_selector_terms).filter(|_| has_terms);
        BadValue::Struct(vec![("NodeSelectorTerms", list(terms, term))])
    };
    BadValue::Struct(vec![("Required", affinity.required.map(selector).into())])
}

fn term(term: &NodeSelectorTerm) -> BadValue {
    BadValue::Struct(vec![
        ("MatchExpressions", list(term.match_expressions, requirement)),
        ("MatchFields", list(term.match_fields, requirement)),
    ])
}

fn requirement(one: &NodeSelectorRequirement) -> BadValue {
    let (key, operator) = (one.key, one.operator);
    BadValue::Struct(vec![("Key", key.into()), ("Operator", operator.into()), ("Values", plain(&one.values))])
}

fn list<T>(items: Option<&[T]>, show: fn(&T) -> BadValue) -> BadValue {
    items.map(|items| BadValue::json(items.iter().map(|item| show(item).to_json()).collect())).into()
}
