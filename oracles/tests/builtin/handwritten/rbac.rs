//! Roles and bindings.

use super::support::Rows;
use serde_json::{Value, json};

const GROUP: &str = "rbac.authorization.k8s.io";

fn binding(version: &str) -> Value {
    json!({"apiVersion": format!("{GROUP}/{version}"), "kind": "ClusterRoleBinding",
           "metadata": {"name": "b", "resourceVersion": "1"},
           "subjects": [{"kind": "User", "name": "*"}],
           "roleRef": {"kind": "ClusterRole", "name": "view"}})
}

#[test]
fn roles_of_a_namespace_have_no_urls() {
    let role = json!({"apiVersion": format!("{GROUP}/v1"), "kind": "Role", "metadata": {"name": "r", "namespace": "n"},
                      "rules": []});
    let rows = Rows::of(&format!("{GROUP}/v1"), "Role", role);
    rows.created(&[
        (&[("/rules", Value::Null)], &[]),
        (
            &[("/rules", json!([{"nonResourceURLs": ["/a"], "resourceNames": ["b"]}]))],
            &[
                "rules[0].verbs: Required value: verbs must contain at least one value *",
                "rules[0].nonResourceURLs: Invalid value…namespaced",
                "rules[0].nonResourceURLs: Invalid value…both regular",
            ],
        ),
        (
            &[("/rules", json!([{"verbs": ["get"]}]))],
            &["rules[0].apiGroups: Required value", "rules[0].resources: Required value"],
        ),
    ]);
}

#[test]
fn stored_selector_values_are_tolerated_but_select_nothing() {
    let bad = json!([{"matchExpressions": [{"key": "a", "operator": "In", "values": ["-"]}]}]);
    let role = json!({"apiVersion": format!("{GROUP}/v1"), "kind": "ClusterRole", "metadata": {"name": "r", "resourceVersion": "1"},
                      "aggregationRule": {"clusterRoleSelectors": bad}});
    let rows = Rows::of(&format!("{GROUP}/v1"), "ClusterRole", role);
    let whole = "aggregationRule.clusterRoleSelectors[0]: Invalid value: null: invalid label selector.";
    rows.created(&[(
        &[],
        &["aggregationRule.clusterRoleSelectors[0].matchExpressions[0].values[0]: Invalid value", whole],
    )]);
    rows.updated(&[(&[], &[whole])]);
    let label = [("/aggregationRule/clusterRoleSelectors", json!([{"matchLabels": {"-": ""}}]))];
    rows.changed(&[(&label, (&[], &[whole]))]);
}

#[test]
fn subjects_are_checked_by_kind() {
    let rows = Rows::of(&format!("{GROUP}/v1"), "ClusterRoleBinding", binding("v1"));
    let other = json!([{"kind": "Group", "name": "", "apiGroup": "other"}, {"kind": "Team", "name": "t"}]);
    rows.created(&[
        (&[], &[]),
        (
            &[("/subjects", json!([{"kind": "ServiceAccount", "name": "A", "apiGroup": GROUP}]))],
            &[
                "subjects[0].name: Invalid value",
                "subjects[0].apiGroup: Unsupported value…supported values: \"\"",
                "subjects[0].namespace: Required value",
            ],
        ),
        (
            &[("/subjects", other)],
            &[
                "subjects[0].name: Required value *",
                "subjects[0].apiGroup: Unsupported value: \"other\"",
                "subjects[1].kind: Unsupported value…supported values: \"ServiceAccount\", \"User\", \"Group\"",
            ],
        ),
        (
            &[("/roleRef", json!({"kind": "Role", "name": "a/b"}))],
            &[
                "roleRef.kind: Unsupported value: \"Role\": supported values: \"ClusterRole\"",
                "roleRef.name: Invalid value…may not contain '/'",
            ],
        ),
    ]);
    rows.updated(&[(
        &[("/roleRef", json!({"kind": "ClusterRole", "name": "edit"}))],
        &["roleRef: Invalid value: {\"APIGroup\":\"rbac.authorization.k8s.io\",\"Kind\":\"ClusterRole\",\"Name\":\"edit\"}: cannot change roleRef"],
    )]);
}

#[test]
fn the_first_version_knows_the_groups_of_its_subjects() {
    let rows = Rows::of(&format!("{GROUP}/v1alpha1"), "ClusterRoleBinding", binding("v1alpha1"));
    rows.created(&[
        (&[], &[]),
        (&[("/subjects", json!([{"kind": "User", "name": "a", "apiVersion": "x/y"}]))], &[]),
        (&[("/subjects", json!([{"kind": "Group"}]))], &["subjects[0].name: Required value *"]),
        (
            &[("/subjects", json!([{"kind": "ServiceAccount", "name": "a"}]))],
            &["subjects[0].namespace: Required value"],
        ),
        (&[("/subjects", json!([{"name": "a"}]))], &["subjects[0].kind: Unsupported value: \"\""]),
    ]);
}
