//! A spec as Kubernetes shows it in errors: its internal structs have no JSON names, and every member is there.

use super::source_forms::{self as forms, source, source_without};
use crate::kind::Request;
use crate::quantity::canonical;
use crate::report::text;
use k8s_openapi::api::core::v1::{
    CSIPersistentVolumeSource, NodeSelector, NodeSelectorRequirement, NodeSelectorTerm, ObjectReference,
    PersistentVolumeSpec, SecretReference, VolumeNodeAffinity,
};
use k8s_openapi::api::storage::v1::VolumeAttachmentSpec;
use serde::Serialize;
use serde_json::{Value, json};
use takeover_harness::error::BadValue;
use takeover_harness::path::Path;

/// The spec of an attachment, which is at `path` in the object of the request.
pub(super) fn attachment_spec(spec: &VolumeAttachmentSpec, request: &Request<'_>, path: &Path<'_>) -> BadValue {
    let at = path.child("source");
    let at = at.child("inlineVolumeSpec");
    let inline = spec.source.inline_volume_spec.as_ref().map(|spec| volume(spec, request, &at));
    let source = BadValue::Struct(vec![
        ("PersistentVolumeName", plain(&spec.source.persistent_volume_name)),
        ("InlineVolumeSpec", inline.into()),
    ]);
    BadValue::Struct(vec![
        ("Attacher", spec.attacher.as_str().into()),
        ("Source", source),
        ("NodeName", spec.node_name.as_str().into()),
    ])
}

/// Texts, lists of them and maps, which have no members to be named.
fn plain(value: &impl Serialize) -> BadValue {
    json!(value).into()
}

/// The sources stand between the capacity and the rest.
fn volume(volume: &PersistentVolumeSpec, request: &Request<'_>, path: &Path<'_>) -> BadValue {
    let capacity = volume.capacity.as_ref().map(|capacity| {
        let entries = capacity.iter().map(|(name, quantity)| (name.clone(), Value::from(canonical(quantity))));
        BadValue::Json(entries.collect())
    });
    // The structs have these members also where they are not given.
    let absent = |source: &str, member: &'static str| {
        Some(member).filter(|member| !request.has_at(&path.child(source).child(member)))
    };
    let has_terms = request.has_at(&path.child("nodeAffinity").child("required").child("nodeSelectorTerms"));
    BadValue::Struct(vec![
        ("Capacity", capacity.into()),
        ("GCEPersistentDisk", source(volume.gce_persistent_disk.as_ref(), forms::GCE_DISK)),
        ("AWSElasticBlockStore", source(volume.aws_elastic_block_store.as_ref(), forms::AWS_STORE)),
        ("HostPath", source(volume.host_path.as_ref(), forms::HOST_PATH)),
        ("Glusterfs", source(volume.glusterfs.as_ref(), forms::GLUSTERFS)),
        ("NFS", source(volume.nfs.as_ref(), forms::NFS)),
        ("RBD", source_without(volume.rbd.as_ref(), forms::RBD, absent("rbd", "monitors"))),
        ("Quobyte", source(volume.quobyte.as_ref(), forms::QUOBYTE)),
        ("ISCSI", source(volume.iscsi.as_ref(), forms::ISCSI)),
        ("FlexVolume", source(volume.flex_volume.as_ref(), forms::FLEX)),
        ("Cinder", source(volume.cinder.as_ref(), forms::CINDER)),
        ("CephFS", source_without(volume.cephfs.as_ref(), forms::CEPH, absent("cephfs", "monitors"))),
        ("FC", source(volume.fc.as_ref(), forms::FIBRE_CHANNEL)),
        ("Flocker", source(volume.flocker.as_ref(), forms::FLOCKER)),
        ("AzureFile", source(volume.azure_file.as_ref(), forms::AZURE_FILE)),
        ("VsphereVolume", source(volume.vsphere_volume.as_ref(), forms::VSPHERE)),
        ("AzureDisk", source(volume.azure_disk.as_ref(), forms::AZURE_DISK)),
        ("PhotonPersistentDisk", source(volume.photon_persistent_disk.as_ref(), forms::PHOTON)),
        ("PortworxVolume", source(volume.portworx_volume.as_ref(), forms::PORTWORX)),
        ("ScaleIO", source_without(volume.scale_io.as_ref(), forms::SCALE_IO, absent("scaleIO", "secretRef"))),
        ("Local", source(volume.local.as_ref(), forms::LOCAL)),
        ("StorageOS", source(volume.storageos.as_ref(), forms::STORAGE_OS)),
        ("CSI", volume.csi.as_ref().map(csi).into()),
        ("AccessModes", plain(&volume.access_modes)),
        ("ClaimRef", volume.claim_ref.as_ref().map(claim).into()),
        ("PersistentVolumeReclaimPolicy", text(volume.persistent_volume_reclaim_policy.as_ref()).into()),
        ("StorageClassName", text(volume.storage_class_name.as_ref()).into()),
        ("MountOptions", plain(&volume.mount_options)),
        ("VolumeMode", plain(&volume.volume_mode)),
        ("NodeAffinity", volume.node_affinity.as_ref().map(|affinity| node_affinity(affinity, has_terms)).into()),
        ("VolumeAttributesClassName", plain(&volume.volume_attributes_class_name)),
    ])
}

fn csi(csi: &CSIPersistentVolumeSource) -> BadValue {
    BadValue::Struct(vec![
        ("Driver", csi.driver.as_str().into()),
        ("VolumeHandle", csi.volume_handle.as_str().into()),
        ("ReadOnly", csi.read_only.unwrap_or(false).into()),
        ("FSType", text(csi.fs_type.as_ref()).into()),
        ("VolumeAttributes", plain(&csi.volume_attributes)),
        ("ControllerPublishSecretRef", csi.controller_publish_secret_ref.as_ref().map(secret).into()),
        ("NodeStageSecretRef", csi.node_stage_secret_ref.as_ref().map(secret).into()),
        ("NodePublishSecretRef", csi.node_publish_secret_ref.as_ref().map(secret).into()),
        ("ControllerExpandSecretRef", csi.controller_expand_secret_ref.as_ref().map(secret).into()),
        ("NodeExpandSecretRef", csi.node_expand_secret_ref.as_ref().map(secret).into()),
    ])
}

fn secret(secret: &SecretReference) -> BadValue {
    let (name, namespace) = (text(secret.name.as_ref()), text(secret.namespace.as_ref()));
    BadValue::Struct(vec![("Name", name.into()), ("Namespace", namespace.into())])
}

fn claim(claim: &ObjectReference) -> BadValue {
    BadValue::Struct(vec![
        ("Kind", text(claim.kind.as_ref()).into()),
        ("Namespace", text(claim.namespace.as_ref()).into()),
        ("Name", text(claim.name.as_ref()).into()),
        ("UID", text(claim.uid.as_ref()).into()),
        ("APIVersion", text(claim.api_version.as_ref()).into()),
        ("ResourceVersion", text(claim.resource_version.as_ref()).into()),
        ("FieldPath", text(claim.field_path.as_ref()).into()),
    ])
}

fn node_affinity(affinity: &VolumeNodeAffinity, has_terms: bool) -> BadValue {
    let selector = |selector: &NodeSelector| {
        let terms = Some(&selector.node_selector_terms).filter(|_| has_terms);
        BadValue::Struct(vec![("NodeSelectorTerms", list(terms, term))])
    };
    BadValue::Struct(vec![("Required", affinity.required.as_ref().map(selector).into())])
}

fn term(term: &NodeSelectorTerm) -> BadValue {
    BadValue::Struct(vec![
        ("MatchExpressions", list(term.match_expressions.as_ref(), requirement)),
        ("MatchFields", list(term.match_fields.as_ref(), requirement)),
    ])
}

fn requirement(one: &NodeSelectorRequirement) -> BadValue {
    let (key, operator) = (one.key.as_str(), one.operator.as_str());
    BadValue::Struct(vec![("Key", key.into()), ("Operator", operator.into()), ("Values", plain(&one.values))])
}

fn list<T>(items: Option<&Vec<T>>, show: fn(&T) -> BadValue) -> BadValue {
    items.map(|items| BadValue::Json(items.iter().map(|item| show(item).to_json()).collect())).into()
}
