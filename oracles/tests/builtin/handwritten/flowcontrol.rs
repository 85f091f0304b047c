//! Priority levels.

use super::support::Rows;
use serde_json::json;

#[test]
fn the_levels_of_every_server_are_fixed() {
    let level = json!({"apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "PriorityLevelConfiguration",
                       "metadata": {"name": "catch-all", "resourceVersion": "1"},
                       "spec": {"type": "Limited", "limited": {"nominalConcurrencyShares": 5, "limitResponse": {"type": "Reject"}}}});
    let rows = Rows::of("flowcontrol.apiserver.k8s.io/v1", "PriorityLevelConfiguration", level);
    rows.created(&[
        (&[], &[]),
        (&[("/metadata/name", json!("other")), ("/spec/limited/nominalConcurrencyShares", json!(0))], &[]),
        (&[("/spec/limited/nominalConcurrencyShares", json!(6))], &["spec: Invalid value: {"]),
        (
            &[("/metadata/name", json!("exempt"))],
            &[
                "spec.type: Invalid value: \"Limited\": must be 'Exempt' if and only if",
                "spec: Invalid value…spec of 'exempt' except",
            ],
        ),
        (
            &[
                ("/metadata/name", json!("exempt")),
                ("/spec", json!({"type": "Exempt", "exempt": {"lendablePercent": 9}})),
            ],
            &[],
        ),
    ]);
}

#[test]
fn zero_shares_are_a_choice_that_an_older_version_says_in_an_annotation() {
    let level = json!({"apiVersion": "flowcontrol.apiserver.k8s.io/v1beta3", "kind": "PriorityLevelConfiguration",
                       "metadata": {"name": "catch-all", "resourceVersion": "1"},
                       "spec": {"type": "Limited", "limited": {"limitResponse": {"type": "Reject"}}}});
    let zero = json!({"flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares": ""});
    let rows = Rows::of("flowcontrol.apiserver.k8s.io/v1beta3", "PriorityLevelConfiguration", level);
    rows.created(&[
        (&[], &["spec: Invalid value…\"NominalConcurrencyShares\":30"]),
        (&[("/metadata/annotations", zero)], &["spec: Invalid value…\"NominalConcurrencyShares\":0"]),
    ]);
}

#[test]
fn the_annotation_of_the_older_version_is_for_that_version_alone() {
    let level = json!({"apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "PriorityLevelConfiguration",
                       "metadata": {"name": "a", "resourceVersion": "1"},
                       "spec": {"type": "Limited", "limited": {"limitResponse": {"type": "Reject"}}},
                       "status": {"conditions": [{"type": ""}]}});
    let zero = json!({"flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares": ""});
    let forbidden = "metadata.annotations: Forbidden: annotation \
                     'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares' is forbidden";
    let rows = Rows::of("flowcontrol.apiserver.k8s.io/v1", "PriorityLevelConfiguration", level);
    rows.created(&[
        (&[("/metadata/annotations", zero.clone()), ("/status", json!({}))], &[forbidden]),
        (&[], &["status.conditions[0].type: Required value"]),
    ]);
    let older = "flowcontrol.apiserver.k8s.io/v1beta3";
    let older = Rows::of(
        older,
        "PriorityLevelConfiguration",
        rows.with(&[("/apiVersion", json!(older)), ("/status", json!({}))]),
    );
    older.created(&[(&[("/metadata/annotations", zero)], &[])]);
}

#[test]
fn errors_name_the_shares_as_the_version_does() {
    for (version, shares) in [
        ("v1beta1", "assuredConcurrencyShares"),
        ("v1beta2", "assuredConcurrencyShares"),
        ("v1beta3", "nominalConcurrencyShares"),
        ("v1", "nominalConcurrencyShares"),
    ] {
        let version = format!("flowcontrol.apiserver.k8s.io/{version}");
        let level = json!({"apiVersion": version, "kind": "PriorityLevelConfiguration",
                           "metadata": {"name": "a", "resourceVersion": "1"},
                           "spec": {"type": "Limited", "limited": {shares: -1, "limitResponse": {"type": "Reject"}}}});
        let rows = Rows::of(&version, "PriorityLevelConfiguration", level);
        let expected = format!("spec.limited.{shares}: Invalid value: -1: must be a non-negative integer");
        rows.created(&[(&[], &[&expected])]);
    }
}
