//! Updates that do not say what they are based on.

use super::support::Rows;
use serde_json::{Value, json};

/// An object that neither side would take for other reasons, in this version of what is stored.
fn object(version: &Value) -> Value {
    json!({"metadata": {"name": "a", "namespace": "n", "labels": {"-": ""}, "resourceVersion": version}})
}

fn said(api_version: &str, kind: &str, subresource: &str, new: &Value, old: &Value) -> Vec<String> {
    Rows::of(api_version, kind, Value::Null).in_requests().at(subresource).judge(&object(new), Some(&object(old)))
}

#[test]
fn some_kinds_refuse_an_update_without_a_version() {
    let group = "admissionregistration.k8s.io/v1";
    for (api_version, kind, subresources) in [
        ("policy/v1", "PodDisruptionBudget", &["", "status"] as &[&str]),
        (group, "ValidatingWebhookConfiguration", &[""]),
        (group, "MutatingWebhookConfiguration", &[""]),
        (group, "ValidatingAdmissionPolicyBinding", &[""]),
        ("node.k8s.io/v1", "RuntimeClass", &[""]),
        ("storage.k8s.io/v1", "VolumeAttachment", &["", "status"]),
    ] {
        let refused = ["metadata.resourceVersion: Invalid value: 0: must be specified for an update"];
        for subresource in subresources {
            for none in [Value::Null, json!(""), json!("0")] {
                assert_eq!(said(api_version, kind, subresource, &none, &json!("7")), refused, "{kind}/{subresource}");
            }
        }
        let based = said(api_version, kind, "", &json!("7"), &json!("7"));
        assert!(based.iter().all(|line| !line.contains("resourceVersion")), "{kind}: {based:#?}");
        assert!(!based.is_empty(), "{kind}");
        // What was never stored has no version, and is judged.
        assert!(said(api_version, kind, "", &Value::Null, &Value::Null).len() > 1, "{kind}");
    }
}

#[test]
fn other_kinds_go_on_from_what_is_stored() {
    for (api_version, kind) in [("v1", "Secret"), ("apps/v1", "Deployment"), ("storage.k8s.io/v1", "StorageClass")] {
        let based = said(api_version, kind, "", &json!("7"), &json!("7"));
        assert!(!based.is_empty(), "{kind}");
        for none in [Value::Null, json!("0")] {
            assert_eq!(said(api_version, kind, "", &none, &json!("7")), based, "{kind}");
        }
    }
}
