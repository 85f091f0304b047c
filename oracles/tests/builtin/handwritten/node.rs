//! Runtime classes.

use super::support::Rows;
use serde_json::json;

#[test]
fn handlers_are_labels_that_never_change() {
    let class = json!({"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass",
                       "metadata": {"name": "c", "resourceVersion": "1"}, "handler": "runsc"});
    let rows = Rows::of("node.k8s.io/v1", "RuntimeClass", class);
    rows.created(&[
        (&[], &[]),
        (&[("/handler", json!(""))], &["handler: Required value *"]),
        (&[("/handler", json!("a.b"))], &["handler: Invalid value: \"a.b\": must not contain dots *"]),
        (&[("/metadata/finalizers", json!(["plain"]))], &[]),
        // Overhead is not rounded: no defaults are registered for it.
        (
            &[("/overhead", json!({"podFixed": {"cpu": "-0.2505"}}))],
            &["overhead.limits[cpu]: Invalid value: \"-250500u\": must be greater than or equal to 0"],
        ),
    ]);
    rows.updated(&[(
        &[("/handler", json!("A"))],
        &["handler: Invalid value…RFC 1123 label", "handler: Invalid value: \"A\": field is immutable *"],
    )]);
}

#[test]
fn the_first_version_is_judged_without_its_spec() {
    let class = json!({"apiVersion": "node.k8s.io/v1alpha1", "kind": "RuntimeClass", "metadata": {"name": "c", "resourceVersion": "1"},
                       "spec": {"runtimeHandler": "runsc"}});
    let rows = Rows::of("node.k8s.io/v1alpha1", "RuntimeClass", class);
    let toleration = json!({"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 5});
    rows.created(&[
        (&[("/spec/runtimeHandler", json!(null))], &["handler: Required value *"]),
        (&[("/spec/overhead", json!({"podFixed": {"cpu": "-1m"}}))], &["overhead.limits[cpu]: Invalid value: \"-1m\""]),
        (
            &[("/spec/scheduling", json!({"tolerations": [toleration, toleration]}))],
            &["scheduling.tolerations[1]: Duplicate value: {\"Key\":\"a\",\"Operator\":\"Exists\",\"Value\":\"\",\
               \"Effect\":\"NoExecute\",\"TolerationSeconds\":5}"],
        ),
    ]);
    rows.updated(&[(
        &[("/spec/runtimeHandler", json!("kata"))],
        &["handler: Invalid value: \"kata\": field is immutable *"],
    )]);
}
