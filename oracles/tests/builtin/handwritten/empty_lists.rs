//! Lists and maps that are given and empty, which Kubernetes tells from those that are not given where it shows them.

use super::support::Rows;
use serde_json::{Value, json};

#[test]
fn a_slice_shows_its_terms_as_they_were_given() {
    let slice = json!({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "s"},
        "spec": {"driver": "d.example.com", "pool": {"name": "p", "generation": 1, "resourceSliceCount": 1}}});
    let required = "spec.nodeSelector.nodeSelectorTerms: Required value: must have at least one node selector term";
    let rows = Rows::of("resource.k8s.io/v1", "ResourceSlice", slice);
    for (selector, shown) in
        [(json!({}), "null"), (json!({"nodeSelectorTerms": null}), "null"), (json!({"nodeSelectorTerms": []}), "[]")]
    {
        let one = format!("spec.nodeSelector.nodeSelectorTerms: Invalid value: {shown}: must have exactly one");
        rows.created(&[(&[("/spec/nodeSelector", selector)], &[required, &one])]);
    }
}

#[test]
fn an_allocation_shows_its_terms_as_they_were_given() {
    for version in ["v1beta1", "v1beta2", "v1"] {
        let version = format!("resource.k8s.io/{version}");
        let claim = json!({"apiVersion": version, "kind": "ResourceClaim",
            "metadata": {"name": "c", "namespace": "n", "resourceVersion": "1"}, "spec": {},
            "status": {"allocation": {"devices": {}}}});
        let rows = Rows::of(&version, "ResourceClaim", claim).at("status");
        for (selector, shown) in [(json!({}), "null"), (json!({"nodeSelectorTerms": []}), "[]")] {
            let changed =
                format!("status.allocation: Invalid value…{{\"NodeSelectorTerms\":{shown}}}}}: field is immutable *");
            rows.updated(&[(&[("/status/allocation/nodeSelector", selector)], &[&changed])]);
        }
    }
}

#[test]
fn an_inline_volume_shows_its_lists_as_they_were_given() {
    let attachment = json!({"apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment",
        "metadata": {"name": "a", "resourceVersion": "1"},
        "spec": {"attacher": "a", "nodeName": "n", "source": {"inlineVolumeSpec": {}}}});
    let rows = Rows::of("storage.k8s.io/v1", "VolumeAttachment", attachment);
    for (volume, shown) in [
        (json!({"rbd": {"image": "i"}}), "\"CephMonitors\":null"),
        (json!({"rbd": {"image": "i", "monitors": []}}), "\"CephMonitors\":[]"),
        (json!({"rbd": {"image": "i", "monitors": ["m"]}}), "\"CephMonitors\":[\"m\"]"),
        (json!({"cephfs": {"path": "/"}}), "\"Monitors\":null"),
        (json!({"cephfs": {"path": "/", "monitors": []}}), "\"Monitors\":[]"),
        (json!({"nodeAffinity": {"required": {}}}), "\"NodeSelectorTerms\":null"),
        (json!({"nodeAffinity": {"required": {"nodeSelectorTerms": []}}}), "\"NodeSelectorTerms\":[]"),
    ] {
        let found = rows.judge(&rows.with(&[("/spec/source/inlineVolumeSpec", volume.clone())]), Some(&rows.with(&[])));
        let printed = found.iter().find(|line| line.ends_with("field is immutable *")).expect("a changed spec");
        assert!(printed.contains(shown), "{volume}: {printed}");
    }
}

#[test]
fn a_job_shows_its_policies_as_they_were_given() {
    let job = json!({"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "c", "namespace": "n"},
        "spec": {"schedule": "@daily", "jobTemplate": {"spec": {"template": {"spec": {
            "restartPolicy": "Never", "containers": [{"name": "a", "image": "b"}]}}}}}});
    let rows = Rows::of("batch/v1", "CronJob", job);
    let codes = |codes: Value| json!({"rules": [{"action": "FailJob", "onExitCodes": codes}]});
    for (policy, shown) in
        [(codes(json!({"operator": "In"})), "null"), (codes(json!({"operator": "In", "values": []})), "[]")]
    {
        let values = format!(
            "spec.jobTemplate.spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value: {shown}: at least one"
        );
        rows.created(&[(&[("/spec/jobTemplate/spec/podFailurePolicy", policy)], &[&values])]);
    }
    for (policy, shown) in [(json!({}), "null"), (json!({"rules": []}), "[]")] {
        let rules =
            format!("spec.jobTemplate.spec.successPolicy: Invalid value: {{\"Rules\":{shown}}}: requires indexed");
        rows.created(&[(&[("/spec/jobTemplate/spec/successPolicy", policy)], &[&rules])]);
    }
}

#[test]
fn a_selector_of_a_job_loses_what_is_empty() {
    let job = json!({"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "c", "namespace": "n"},
        "spec": {"schedule": "@daily", "jobTemplate": {"spec": {"template": {"spec": {
            "restartPolicy": "Never", "containers": [{"name": "a", "image": "b"}]}}}}}});
    let selector = json!({"matchLabels": {}, "matchExpressions": [{"key": "a", "operator": "Exists", "values": []}]});
    let shown = "spec.jobTemplate.spec.selector: Invalid value: \
                 {\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"Exists\"}]}: `selector` will be auto-generated";
    Rows::of("batch/v1", "CronJob", job).created(&[(&[("/spec/jobTemplate/spec/selector", selector)], &[shown])]);
}

#[test]
fn endpoints_that_gain_or_lose_empty_lists_are_left_alone() {
    let endpoint = |more: Value| {
        let mut endpoint = json!({"addresses": ["10.0.0.1"], "nodeName": "Not A Node"});
        endpoint.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
        json!([endpoint])
    };
    for version in ["discovery.k8s.io/v1", "discovery.k8s.io/v1beta1"] {
        let slice = json!({"apiVersion": version, "kind": "EndpointSlice", "metadata": {"name": "s", "namespace": "n"},
            "addressType": "IPv4", "ports": [], "endpoints": endpoint(json!({"hints": {}}))});
        let rows = Rows::of(version, "EndpointSlice", slice);
        let node = "endpoints[0].nodeName: Invalid value: \"Not A Node\": a lowercase RFC 1123 subdomain…";
        for (kept, given) in [
            (true, json!({"hints": {"forNodes": []}})),
            (true, json!({"hints": {"forZones": []}})),
            (false, json!({})),
            (false, json!({"hints": {}, "hostname": "h"})),
        ] {
            let errors: &[&str] = if kept { &[] } else { &[node] };
            rows.updated(&[(&[("/endpoints", endpoint(given))], errors)]);
        }
    }
}

#[test]
fn a_template_of_claims_loses_what_is_empty() {
    let spec = |metadata: Value| json!({"metadata": metadata, "spec": {}});
    let rows = Rows::of(
        "resource.k8s.io/v1",
        "ResourceClaimTemplate",
        json!({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate",
            "metadata": {"name": "t", "namespace": "n", "resourceVersion": "1"}, "spec": spec(json!({"labels": {"a": "b"}}))}),
    );
    let shown = "spec: Invalid value…\"labels\":{\"a\":\"c\"}}: field is immutable";
    let fields = "spec.metadata.managedFields: Forbidden: cannot be set";
    // Typed objects cannot hold the last day of the year 9999, and have another moment in its place.
    let late = "9999-12-31T23:59:59Z";
    let created = "spec.metadata.creationTimestamp: Forbidden: cannot be set";
    let times = "spec: Invalid value…,\"creationTimestamp\":\"9999-12-31T23:59:59Z\",\
                 \"managedFields\":[{\"time\":\"9999-12-31T23:59:59Z\"}]}: field is immutable";
    rows.updated(&[
        (&[("/spec", spec(json!({"labels": {"a": "b"}, "managedFields": [], "annotations": {}})))], &[fields]),
        (&[("/spec", spec(json!({"labels": {"a": "c"}, "managedFields": []})))], &[fields, shown]),
        (
            &[("/spec", spec(json!({"creationTimestamp": late, "managedFields": [{"time": late}]})))],
            &[created, fields, times],
        ),
    ]);
}

#[test]
fn terms_of_a_slice_are_shown_in_go_s_form() {
    let slice = json!({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "s"},
        "spec": {"driver": "d.example.com", "pool": {"name": "p", "generation": 1, "resourceSliceCount": 1}}});
    let term = json!({"matchExpressions": [{"key": "a", "operator": "Exists"}]});
    let shown = "spec.nodeSelector.nodeSelectorTerms: Invalid value: [\
                 {\"MatchExpressions\":[{\"Key\":\"a\",\"Operator\":\"Exists\",\"Values\":null}],\"MatchFields\":null},\
                 {\"MatchExpressions\":null,\"MatchFields\":null}]: must have exactly one";
    Rows::of("resource.k8s.io/v1", "ResourceSlice", slice)
        .created(&[(&[("/spec/nodeSelector", json!({"nodeSelectorTerms": [term, {}]}))], &[shown])]);
}

#[test]
fn specs_of_attachments_are_equal_where_lists_and_maps_are_empty() {
    let attachment = |volume: &Value| {
        json!({"apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment",
            "metadata": {"name": "a", "resourceVersion": "1"},
            "spec": {"attacher": "a", "nodeName": "n", "source": {"inlineVolumeSpec": volume}}})
    };
    let csi = json!({"driver": "d", "volumeHandle": "h"});
    let with_attributes = json!({"driver": "d", "volumeHandle": "h", "volumeAttributes": {}});
    for (new, old, same) in [
        (json!({}), json!({"accessModes": []}), true),
        (json!({"capacity": {}}), json!({}), true),
        (json!({"capacity": {"storage": "1Gi"}}), json!({"capacity": {"storage": "1024Mi"}}), true),
        (json!({"capacity": {"storage": "1Gi"}}), json!({"capacity": {"storage": "2Gi"}}), false),
        (json!({ "csi": csi }), json!({ "csi": with_attributes }), true),
        (json!({"claimRef": {}}), json!({}), false),
        (json!({"accessModes": ["ReadWriteOnce"]}), json!({}), false),
        (json!({"scaleIO": {"secretRef": {}}}), json!({"scaleIO": {"secretRef": null}}), false),
    ] {
        let rows = Rows::of("storage.k8s.io/v1", "VolumeAttachment", attachment(&old));
        let found = rows.judge(&attachment(&new), Some(&attachment(&old)));
        assert_eq!(!found.iter().any(|line| line.ends_with("field is immutable *")), same, "{new} {old}: {found:?}");
    }
    let rows = Rows::of("storage.k8s.io/v1", "VolumeAttachment", attachment(&json!({})));
    for (secret, shown) in
        [(json!({}), r#""SecretRef":{"Name":"","Namespace":""}"#), (Value::Null, r#""SecretRef":null"#)]
    {
        let volume = json!({"scaleIO": {"gateway": "g", "secretRef": secret}});
        let found = rows.judge(&attachment(&volume), Some(&attachment(&json!({}))));
        assert!(found.iter().any(|line| line.contains(shown)), "{shown}: {found:?}");
    }
}
