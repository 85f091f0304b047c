//! Storage classes and volume attachments.

use crate::support::Rows;
use serde_json::{Value, json};

#[test]
fn storage_classes_are_checked_member_by_member() {
    let class = json!({"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "c", "resourceVersion": "1"},
                       "provisioner": "a.b/C"});
    let rows = Rows::of("storage.k8s.io/v1", "StorageClass", class);
    let many: serde_json::Map<String, Value> = (0..513).map(|at| (format!("k{at}"), json!(""))).collect();
    let expression = |values: Value| json!([{"matchLabelExpressions": [{"key": "z", "values": values}]}]);
    rows.created(&[
        (&[], &[]),
        (&[("/provisioner", json!("É"))], &["provisioner: Invalid value: \"é\": name part must consist"]),
        (&[("/provisioner", json!("\u{212a}"))], &[]),
        (&[("/reclaimPolicy", json!(""))], &[]),
        (&[("/reclaimPolicy", json!("Recycle"))], &["supported values: \"Delete\", \"Retain\""]),
        (&[("/volumeBindingMode", json!(""))], &["volumeBindingMode: Unsupported value: \"\""]),
        (&[("/parameters", Value::Object(many))], &["parameters: Too long: may not be more than 512 bytes"]),
        (&[("/parameters", json!({"a": "x".repeat(256 * 1024)}))], &["may not be more than 262144 bytes"]),
        (
            &[("/allowedTopologies", json!([{}, {}]))],
            &["[0].match", "[0].match", "[1].match", "[1].match", "[1].match"],
        ),
        (&[("/allowedTopologies", expression(json!(["a", "a"])))], &["values[1]: Duplicate value: \"a\""]),
        (&[("/allowedTopologies", expression(json!([])))], &["values: Required value"]),
    ]);
    rows.updated(&[(
        &[("/provisioner", json!("d")), ("/parameters", json!({"a": "b"})), ("/reclaimPolicy", json!("Retain"))],
        &["parameters: Invalid value: {\"a\":\"b\"}: field is immutable *", "provisioner: Inv", "reclaimPolicy: Inv"],
    )]);
}

fn attachment() -> Value {
    json!({"apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment", "metadata": {"name": "a", "resourceVersion": "1"},
           "spec": {"attacher": "CSI.example.com", "nodeName": "n", "source": {"persistentVolumeName": "v"}}})
}

#[test]
fn attachments_name_a_driver_a_node_and_one_volume() {
    let rows = Rows::of("storage.k8s.io/v1", "VolumeAttachment", attachment());
    rows.created(&[
        (&[], &[]),
        (&[("/spec/attacher", json!(""))], &["spec.attacher: Required value *"]),
        (
            &[("/spec/attacher", json!("ü".repeat(32)))],
            &["spec.attacher: Too long: may not be more than 63 bytes *", "RFC"],
        ),
        (&[("/spec/source", json!({}))], &["spec.source: Required value: must specify exactly one"]),
        (&[("/spec/nodeName", json!("A"))], &["spec.nodeName: Invalid value: \"A\""]),
    ]);
    let shown = "{\"Attacher\":\"CSI.example.com\",\"Source\":{\"PersistentVolumeName\":\"v\",\"InlineVolumeSpec\":null},\"NodeName\":\"m\"}";
    rows.updated(&[(&[("/spec/nodeName", json!("m"))], &[shown])]);
}

#[test]
fn errors_show_every_member_of_an_inline_volume() {
    let rows = Rows::of("storage.k8s.io/v1", "VolumeAttachment", attachment());
    let mut changed = attachment();
    changed["spec"]["source"] =
        json!({"inlineVolumeSpec": {"iscsi": {"targetPortal": "p", "iqn": "q", "lun": 1, "secretRef": {"name": "s"}}}});
    let found = rows.judge(&changed, Some(&attachment()));
    let shown = "\"ISCSI\":{\"TargetPortal\":\"p\",\"IQN\":\"q\",\"Lun\":1,\"ISCSIInterface\":\"default\",\"FSType\":\"\",\
                 \"ReadOnly\":false,\"Portals\":null,\"DiscoveryCHAPAuth\":false,\"SessionCHAPAuth\":false,\
                 \"SecretRef\":{\"Name\":\"s\",\"Namespace\":\"\"},\"InitiatorName\":null},\"FlexVolume\":null";
    assert!(found.iter().any(|error| error.contains(shown)), "{found:#?}");
}

#[test]
fn the_first_version_has_no_defaults_of_inline_volumes() {
    for (version, kind, pool) in
        [("v1", json!(""), json!("rbd")), ("v1beta1", json!(""), json!("rbd")), ("v1alpha1", Value::Null, Value::Null)]
    {
        let mut attachment = attachment();
        attachment["apiVersion"] = json!(format!("storage.k8s.io/{version}"));
        attachment["spec"]["source"] =
            json!({"inlineVolumeSpec": {"hostPath": {"path": "/"}, "rbd": {"monitors": ["m"], "image": "i"}}});
        let rows = Rows::of(&format!("storage.k8s.io/{version}"), "VolumeAttachment", attachment.clone());
        let at = ["/spec/source/inlineVolumeSpec/hostPath/type", "/spec/source/inlineVolumeSpec/rbd/pool"];
        assert_eq!(rows.seen_at(&attachment, None, &at), Ok(vec![kind, pool]), "{version}");
    }
}

#[test]
fn inline_volumes_are_csi_volumes_of_no_claim() {
    let rows = Rows::of("storage.k8s.io/v1", "VolumeAttachment", attachment());
    let csi = json!({"driver": "d.example.com", "volumeHandle": "h"});
    let volume = |more: Value| {
        let mut volume = json!({"accessModes": ["ReadWriteOnce"], "csi": csi});
        for (name, value) in more.as_object().into_iter().flatten() {
            volume[name] = value.clone();
        }
        json!({"inlineVolumeSpec": volume})
    };
    let context = "may not be specified in the context of inline volumes";
    let secret =
        json!({"driver": "", "volumeHandle": "", "nodeStageSecretRef": {}, "nodePublishSecretRef": {"name": "A"}});
    for (more, expected) in [
        (json!({}), &[][..]),
        (json!({"volumeMode": "Filesystem"}), &[]),
        (json!({"volumeMode": "Block"}), &["volumeMode other than Filesystem"]),
        (json!({"claimRef": {"name": "c"}, "capacity": {"storage": "1"}}), &[context, context]),
        (json!({"persistentVolumeReclaimPolicy": "Retain", "nodeAffinity": {}}), &["nodeAffinity: Forbidden"]),
        (
            json!({"persistentVolumeReclaimPolicy": "Delete"}),
            &["persistentVolumeReclaimPolicy: Forbidden: may only be Retain in the context of inline volumes"],
        ),
        (json!({"storageClassName": "c", "volumeAttributesClassName": ""}), &[context]),
        (json!({"accessModes": ["ReadWriteOncePod", "ReadOnlyMany"]}), &["may not use ReadWriteOncePod with other"]),
        (json!({"accessModes": null}), &["inlineVolumeSpec.accessModes: Required value"]),
        (
            json!({"nfs": {"server": "s", "path": "/"}}),
            &["inlineVolumeSpec.csi: Forbidden: may not specify more than 1"],
        ),
        (
            json!({"csi": null, "local": {"path": "/a"}}),
            &["csi: Required value: has to be", "inlineVolumeSpec.nodeAffinity: Required value: Local volume requires"],
        ),
        (json!({"csi": null}), &["csi: Required value: has to be", "inlineVolumeSpec: Required value: must specify"]),
        (
            json!({"csi": null, "hostPath": {"path": "/./"}, "persistentVolumeReclaimPolicy": "Recycle"}),
            &["csi: Required value", "may only be Retain", "hostPath mount of '/'"],
        ),
        (
            json!({"csi": secret}),
            &["driver: Required", "volumeHandle: Required", "nodePublishSecretRef.name: Inv", "namespace: Required"],
        ),
    ] {
        rows.created(&[(&[("/spec/source", volume(more))], expected)]);
    }
}

#[test]
fn the_status_endpoint_changes_the_status_alone() {
    let rows = Rows::of("storage.k8s.io/v1", "VolumeAttachment", attachment()).at("status");
    let failure =
        json!({"attached": false, "attachError": {"errorCode": -1}, "detachError": {"message": "x".repeat(1025)}});
    rows.updated(&[
        (&[("/spec/nodeName", json!("m")), ("/metadata/labels", json!({"a": "-"}))], &[]),
        (&[("/status", failure)], &["attachError.errorCode: Invalid value: -1", "detachError.message: Too long"]),
        (
            &[("/status", json!({"attached": true, "attachmentMetadata": {"a": "x".repeat(256 * 1024)}}))],
            &["status.attachmentMetadata: Too long: may not be more than 262144 bytes"],
        ),
    ]);
}
