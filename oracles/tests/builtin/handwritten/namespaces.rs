//! Namespaces, and the accounts in them.

use super::support::Rows;
use serde_json::{Value, json};

fn namespaces() -> Rows {
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "n", "resourceVersion": "1"},
                           "spec": {"finalizers": ["kubernetes"]}});
    Rows::of("v1", "Namespace", namespace)
}

const UNQUALIFIED: &str = "name is neither a standard finalizer name nor is it fully qualified";

#[test]
fn namespaces_are_named_by_labels_and_live_in_none() {
    let label = "metadata.name: Invalid value…a lowercase RFC 1123 label must consist of";
    let unnamed = ("/metadata/name", Value::Null);
    namespaces().created(&[
        (&[], &[]),
        (&[("/metadata/name", json!("A"))], &[label]),
        (&[("/metadata/name", json!("a.b"))], &["metadata.name: Invalid value: \"a.b\": must not contain dots"]),
        (
            &[("/metadata/name", json!("a")), ("/metadata/generateName", json!("A-b-"))],
            &["metadata.generateName: Invalid value"],
        ),
        (&[unnamed, ("/metadata/generateName", json!("a-"))], &["metadata.name: Required value"]),
        (&[("/metadata/namespace", json!("n"))], &["metadata.namespace: Forbidden: not allowed on this type"]),
        // The label of its name is there whatever a manifest says.
        (&[("/metadata/labels", json!({"kubernetes.io/metadata.name": "-"}))], &[]),
    ]);
}

#[test]
fn finalizers_of_namespaces_are_standard_or_have_a_domain() {
    let of = |name: &str| [("/spec/finalizers", json!(["orphan", name]))];
    let shape = "spec.finalizers: Invalid value…name part must consist of";
    let rows = namespaces();
    rows.created(&[
        (&of("a.io/b"), &[]),
        (&of("foregroundDeletion"), &[]),
        (&of("plain"), &[&format!("spec.finalizers: Invalid value: \"plain\": {UNQUALIFIED}")]),
        (&of("-"), &[shape, &format!("spec.finalizers: Invalid value…{UNQUALIFIED}")]),
        (&of("a.io/-"), &[shape]),
    ]);
    rows.updated(&[(&of("plain"), &["spec.finalizers: Invalid value: \"plain\""])]);
    let finalize = rows.at("finalize");
    finalize.updated(&[
        (&of("a.io/b"), &[]),
        (&of("plain"), &[&format!("spec.finalizers[1]: Invalid value: \"plain\": {UNQUALIFIED}")]),
        (&of("a.io/-"), &["spec.finalizers[1]: Invalid value"]),
        (&[("/metadata/name", json!("o"))], &["metadata.name: Invalid value: \"o\": field is immutable"]),
        // The phase is for another endpoint.
        (&[("/status", json!({"phase": "Terminating"}))], &[]),
    ]);
}

#[test]
fn a_namespace_terminates_when_it_is_deleted() {
    let status = namespaces().at("status");
    let phase = |name: &str| ("/status", json!({"phase": name}));
    let deleted = || ("/metadata/deletionTimestamp", json!("2026-01-01T00:00:00Z"));
    status.updated(&[
        (&[phase("Active")], &[]),
        // Finalizers are for another endpoint.
        (&[("/spec/finalizers", json!(["plain"]))], &[]),
        (
            &[phase("Terminating")],
            &["status.Phase: Invalid value: \"Terminating\": may only be 'Active' if `deletionTimestamp` is empty"],
        ),
    ]);
    status.changed(&[
        (&[deleted()], (&[deleted(), phase("Terminating")], &[])),
        (
            &[deleted()],
            (
                &[deleted()],
                &["status.Phase: Invalid value: \"Active\": may only be 'Terminating' if `deletionTimestamp` is not empty"],
            ),
        ),
    ]);
}

#[test]
fn accounts_are_checked_by_their_metadata() {
    let account = json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "a", "namespace": "n", "resourceVersion": "1"},
                         "secrets": [{"name": "A/B"}], "imagePullSecrets": [{}]});
    let rows = Rows::of("v1", "ServiceAccount", account);
    let name = "metadata.name: Invalid value: \"A\": a lowercase RFC 1123 subdomain must consist of";
    rows.created(&[
        (&[], &[]),
        (&[("/metadata/name", json!("A"))], &[name]),
        (&[("/metadata/namespace", Value::Null)], &["metadata.namespace: Required value"]),
        (
            &[("/metadata/finalizers", json!(["plain"]))],
            &[&format!("metadata.finalizers[0]: Invalid value…{UNQUALIFIED}")],
        ),
    ]);
    rows.updated(&[
        (&[], &[]),
        (&[("/metadata/name", json!("A"))], &["metadata.name: Invalid value: \"A\": field is immutable", name]),
        (
            &[("/metadata/labels", json!({"-": ""}))],
            &["metadata.labels: Invalid value", "metadata.labels: Invalid value"],
        ),
    ]);
}
