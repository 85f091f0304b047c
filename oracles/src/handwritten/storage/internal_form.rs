//! A spec as Kubernetes shows it in errors: its internal structs have no JSON names, and every member is there.

use crate::handwritten::quantity::canonical;
use crate::handwritten::report::text;
use k8s_openapi::api::core::v1::{CSIPersistentVolumeSource, ObjectReference, PersistentVolumeSpec, SecretReference};
use k8s_openapi::api::core::v1::{NodeSelector, NodeSelectorRequirement};
use k8s_openapi::api::storage::v1::VolumeAttachmentSpec;
use serde_json::{Map, Value, json};

/// The spec of an attachment.
pub(super) fn attachment_spec(spec: &VolumeAttachmentSpec) -> Value {
    json!({
        "Attacher": spec.attacher,
        "Source": {
            "PersistentVolumeName": spec.source.persistent_volume_name,
            "InlineVolumeSpec": spec.source.inline_volume_spec.as_ref().map(volume),
        },
        "NodeName": spec.node_name,
    })
}

fn volume(volume: &PersistentVolumeSpec) -> Value {
    let capacity = volume.capacity.as_ref().map(|capacity| {
        let entries = capacity.iter().map(|(name, quantity)| (name.clone(), canonical(quantity).into()));
        Value::Object(entries.collect())
    });
    let mut shown = json!({
        "Capacity": capacity,
        "AccessModes": volume.access_modes,
        "ClaimRef": volume.claim_ref.as_ref().map(claim),
        "PersistentVolumeReclaimPolicy": text(volume.persistent_volume_reclaim_policy.as_ref()),
        "StorageClassName": text(volume.storage_class_name.as_ref()),
        "MountOptions": volume.mount_options,
        "VolumeMode": volume.volume_mode,
        "NodeAffinity": volume.node_affinity.as_ref().map(|affinity| {
            json!({"Required": affinity.required.as_ref().map(node_selector)})
        }),
        "VolumeAttributesClassName": volume.volume_attributes_class_name,
    });
    if let Some(members) = shown.as_object_mut() {
        sources(volume, members);
    }
    shown
}

/// The sources, of which an attachment that was ever valid has CSI alone. The others are shown with the members that
/// the user set.
fn sources(volume: &PersistentVolumeSpec, members: &mut Map<String, Value>) {
    for (name, value) in [
        ("GCEPersistentDisk", json!(volume.gce_persistent_disk)),
        ("AWSElasticBlockStore", json!(volume.aws_elastic_block_store)),
        ("HostPath", json!(volume.host_path)),
        ("Glusterfs", json!(volume.glusterfs)),
        ("NFS", json!(volume.nfs)),
        ("RBD", json!(volume.rbd)),
        ("Quobyte", json!(volume.quobyte)),
        ("ISCSI", json!(volume.iscsi)),
        ("FlexVolume", json!(volume.flex_volume)),
        ("Cinder", json!(volume.cinder)),
        ("CephFS", json!(volume.cephfs)),
        ("FC", json!(volume.fc)),
        ("Flocker", json!(volume.flocker)),
        ("AzureFile", json!(volume.azure_file)),
        ("VsphereVolume", json!(volume.vsphere_volume)),
        ("AzureDisk", json!(volume.azure_disk)),
        ("PhotonPersistentDisk", json!(volume.photon_persistent_disk)),
        ("PortworxVolume", json!(volume.portworx_volume)),
        ("ScaleIO", json!(volume.scale_io)),
        ("Local", json!(volume.local)),
        ("StorageOS", json!(volume.storageos)),
        ("CSI", json!(volume.csi.as_ref().map(csi))),
    ] {
        members.insert(name.to_owned(), value);
    }
}

fn csi(csi: &CSIPersistentVolumeSource) -> Value {
    let secret = |secret: &Option<SecretReference>| {
        secret
            .as_ref()
            .map(|secret| json!({"Name": text(secret.name.as_ref()), "Namespace": text(secret.namespace.as_ref())}))
    };
    json!({
        "Driver": csi.driver,
        "VolumeHandle": csi.volume_handle,
        "ReadOnly": csi.read_only.unwrap_or(false),
        "FSType": text(csi.fs_type.as_ref()),
        "VolumeAttributes": csi.volume_attributes,
        "ControllerPublishSecretRef": secret(&csi.controller_publish_secret_ref),
        "NodeStageSecretRef": secret(&csi.node_stage_secret_ref),
        "NodePublishSecretRef": secret(&csi.node_publish_secret_ref),
        "ControllerExpandSecretRef": secret(&csi.controller_expand_secret_ref),
        "NodeExpandSecretRef": secret(&csi.node_expand_secret_ref),
    })
}

fn claim(claim: &ObjectReference) -> Value {
    json!({
        "Kind": text(claim.kind.as_ref()),
        "Namespace": text(claim.namespace.as_ref()),
        "Name": text(claim.name.as_ref()),
        "UID": text(claim.uid.as_ref()),
        "APIVersion": text(claim.api_version.as_ref()),
        "ResourceVersion": text(claim.resource_version.as_ref()),
        "FieldPath": text(claim.field_path.as_ref()),
    })
}

fn node_selector(selector: &NodeSelector) -> Value {
    let requirements = |list: Option<&Vec<NodeSelectorRequirement>>| {
        list.map(|list| {
            let one =
                |one: &NodeSelectorRequirement| json!({"Key": one.key, "Operator": one.operator, "Values": one.values});
            list.iter().map(one).collect::<Vec<Value>>()
        })
    };
    let terms = selector.node_selector_terms.iter().map(|term| {
        json!({
            "MatchExpressions": requirements(term.match_expressions.as_ref()),
            "MatchFields": requirements(term.match_fields.as_ref()),
        })
    });
    json!({"NodeSelectorTerms": terms.collect::<Vec<Value>>()})
}
