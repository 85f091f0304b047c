//! Storage classes and volume attachments.

use super::support::Rows;
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
        (
            &[("/reclaimPolicy", json!("Recycle"))],
            &["reclaimPolicy: Unsupported value…supported values: \"Delete\", \"Retain\""],
        ),
        (&[("/volumeBindingMode", json!(""))], &["volumeBindingMode: Unsupported value: \"\""]),
        (&[("/parameters", Value::Object(many))], &["parameters: Too long: may not be more than 512 bytes"]),
        (
            &[("/parameters", json!({"a": "x".repeat(256 * 1024)}))],
            &["parameters: Too long: may not be more than 262144 bytes"],
        ),
        (
            &[("/allowedTopologies", json!([{}, {}]))],
            &[
                "allowedTopologies[0].matchLabelExpressions: Duplicate value",
                "allowedTopologies[0].matchLabelExpressions: Duplicate value",
                "allowedTopologies[1].matchLabelExpressions: Duplicate value",
                "allowedTopologies[1].matchLabelExpressions: Duplicate value",
                "allowedTopologies[1].matchLabelExpressions: Duplicate value",
            ],
        ),
        (
            &[("/allowedTopologies", expression(json!(["a", "a"])))],
            &["allowedTopologies[0].matchLabelExpressions[0].values[1]: Duplicate value: \"a\""],
        ),
        (
            &[("/allowedTopologies", expression(json!([])))],
            &["allowedTopologies[0].matchLabelExpressions[0].values: Required value"],
        ),
    ]);
    rows.updated(&[(
        &[("/provisioner", json!("d")), ("/parameters", json!({"a": "b"})), ("/reclaimPolicy", json!("Retain"))],
        &[
            "parameters: Invalid value: {\"a\":\"b\"}: field is immutable *",
            "provisioner: Invalid value",
            "reclaimPolicy: Invalid value",
        ],
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
            &["spec.attacher: Too long: may not be more than 63 bytes *", "spec.attacher: Invalid value…RFC"],
        ),
        (&[("/spec/source", json!({}))], &["spec.source: Required value: must specify exactly one"]),
        (&[("/spec/nodeName", json!("A"))], &["spec.nodeName: Invalid value: \"A\""]),
    ]);
    let shown = "spec: Invalid value: {\"Attacher\":\"CSI.example.com\",\"Source\":{\"PersistentVolumeName\":\"v\",\"InlineVolumeSpec\":null},\"NodeName\":\"m\"}";
    rows.updated(&[(&[("/spec/nodeName", json!("m"))], &[shown])]);
}

#[test]
fn errors_show_every_member_of_an_inline_volume() {
    let rows = Rows::of("storage.k8s.io/v1", "VolumeAttachment", attachment());
    let iscsi = json!({"targetPortal": "p", "iqn": "q", "lun": 1, "secretRef": {"name": "s"}});
    let shown = "spec: Invalid value…\"ISCSI\":{\"TargetPortal\":\"p\",\"IQN\":\"q\",\"Lun\":1,\"ISCSIInterface\":\"default\",\
                 \"FSType\":\"\",\"ReadOnly\":false,\"Portals\":null,\"DiscoveryCHAPAuth\":false,\"SessionCHAPAuth\":false,\
                 \"SecretRef\":{\"Name\":\"s\",\"Namespace\":\"\"},\"InitiatorName\":null},\"FlexVolume\":null";
    rows.updated(&[(
        &[("/spec/source", json!({"inlineVolumeSpec": {"iscsi": iscsi}}))],
        &[
            "spec.source.inlineVolumeSpec.csi: Required value",
            "spec.source.inlineVolumeSpec.accessModes: Required value",
            shown,
        ],
    )]);
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
    let inline = |member: &str| {
        format!(
            "spec.source.inlineVolumeSpec.{member}: Forbidden: may not be specified in the context of inline volumes"
        )
    };
    let (claim, capacity, class) = (inline("claimRef"), inline("capacity"), inline("storageClassName"));
    let secret =
        json!({"driver": "", "volumeHandle": "", "nodeStageSecretRef": {}, "nodePublishSecretRef": {"name": "A"}});
    for (more, expected) in [
        (json!({}), &[][..]),
        (json!({"volumeMode": "Filesystem"}), &[]),
        (
            json!({"volumeMode": "Block"}),
            &["spec.source.inlineVolumeSpec.volumeMode: Forbidden…volumeMode other than Filesystem"],
        ),
        (json!({"claimRef": {"name": "c"}, "capacity": {"storage": "1"}}), &[&claim, &capacity]),
        (
            json!({"persistentVolumeReclaimPolicy": "Retain", "nodeAffinity": {}}),
            &["spec.source.inlineVolumeSpec.nodeAffinity: Forbidden"],
        ),
        (
            json!({"persistentVolumeReclaimPolicy": "Delete"}),
            &[
                "spec.source.inlineVolumeSpec.persistentVolumeReclaimPolicy: Forbidden: may only be Retain in the context of inline volumes",
            ],
        ),
        (json!({"storageClassName": "c", "volumeAttributesClassName": ""}), &[&class]),
        (
            json!({"accessModes": ["ReadWriteOncePod", "ReadOnlyMany"]}),
            &["spec.source.inlineVolumeSpec.accessModes: Forbidden: may not use ReadWriteOncePod with other"],
        ),
        (json!({"accessModes": null}), &["spec.source.inlineVolumeSpec.accessModes: Required value"]),
        (
            json!({"nfs": {"server": "s", "path": "/"}}),
            &["spec.source.inlineVolumeSpec.csi: Forbidden: may not specify more than 1"],
        ),
        (
            json!({"csi": null, "local": {"path": "/a"}}),
            &[
                "spec.source.inlineVolumeSpec.csi: Required value: has to be",
                "spec.source.inlineVolumeSpec.nodeAffinity: Required value: Local volume requires",
            ],
        ),
        (
            json!({"csi": null}),
            &[
                "spec.source.inlineVolumeSpec.csi: Required value: has to be",
                "spec.source.inlineVolumeSpec: Required value: must specify",
            ],
        ),
        (
            json!({"csi": null, "hostPath": {"path": "/./"}, "persistentVolumeReclaimPolicy": "Recycle"}),
            &[
                "spec.source.inlineVolumeSpec.csi: Required value",
                "spec.source.inlineVolumeSpec.persistentVolumeReclaimPolicy: Forbidden: may only be Retain",
                "spec.source.inlineVolumeSpec.persistentVolumeReclaimPolicy: Forbidden…hostPath mount of '/'",
            ],
        ),
        (
            json!({"csi": secret}),
            &[
                "spec.source.inlineVolumeSpec.csi.driver: Required value",
                "spec.source.inlineVolumeSpec.csi.volumeHandle: Required value",
                "spec.source.inlineVolumeSpec.csi.nodePublishSecretRef.name: Invalid value",
                "spec.source.inlineVolumeSpec.csi.nodePublishSecretRef.namespace: Required value",
            ],
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
        (
            &[("/status", failure)],
            &["status.attachError.errorCode: Invalid value: -1", "status.detachError.message: Too long"],
        ),
        (
            &[("/status", json!({"attached": true, "attachmentMetadata": {"a": "x".repeat(256 * 1024)}}))],
            &["status.attachmentMetadata: Too long: may not be more than 262144 bytes"],
        ),
    ]);
}
