//! Disruption budgets.

use super::support::Rows;
use serde_json::{Value, json};

fn budget() -> Value {
    json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
           "metadata": {"name": "b", "namespace": "n", "resourceVersion": "1"},
           "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "web"}}}})
}

fn rows() -> Rows {
    Rows::of("policy/v1", "PodDisruptionBudget", budget())
}

#[test]
fn a_budget_has_one_bound_that_is_a_number_or_a_share() {
    rows().created(&[
        (&[], &[]),
        (&[("/spec", json!({}))], &[]),
        (&[("/spec", json!({"maxUnavailable": "100%"}))], &[]),
        (
            &[("/spec/maxUnavailable", json!("<5%"))],
            &[
                "spec: Invalid value: {\"MinAvailable\":1,\"Selector\":{\"matchLabels\":{\"app\":\"web\"}},\
                 \"MaxUnavailable\":\"\\u003c5%\",\"UnhealthyPodEvictionPolicy\":null}: minAvailable and maxUnavailable cannot be both set",
                "spec.maxUnavailable: Invalid value: \"<5%\": a valid percent string must be",
            ],
        ),
        (
            &[
                ("/spec/maxUnavailable", json!(0)),
                ("/spec/unhealthyPodEvictionPolicy", json!("AlwaysAllow")),
                ("/spec/selector", json!({"matchLabels": {}, "matchExpressions": [{"key": "a", "operator": "Exists", "values": []}]})),
            ],
            &["spec: Invalid value…\"Selector\":{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"Exists\"}]},\"MaxUnavailable\":0,\
               \"UnhealthyPodEvictionPolicy\":\"AlwaysAllow\"}: minAvailable"],
        ),
        (
            &[("/spec/minAvailable", json!(-1))],
            &["spec.minAvailable: Invalid value: -1: must be greater than or equal to 0"],
        ),
        (
            &[("/spec/minAvailable", json!("101%"))],
            &["spec.minAvailable: Invalid value: \"101%\": must not be greater than 100%"],
        ),
        (
            &[("/spec/unhealthyPodEvictionPolicy", json!(""))],
            &["spec.unhealthyPodEvictionPolicy: Unsupported value: \"\": supported values: \"AlwaysAllow\", \"IfHealthyBudget\""],
        ),
        (&[("/status", json!({"expectedPods": -1}))], &[]),
        (&[("/metadata/name", json!("No Subdomain"))], &[]),
    ]);
}

#[test]
fn bad_values_of_a_stored_selector_excuse_others() {
    let bad = |value: &str| json!({"matchExpressions": [{"key": "a", "operator": "In", "values": [value]}]});
    let error: &[&str] = &["spec.selector.matchExpressions[0].values[0]: Invalid value: \"-\": a valid label"];
    rows().created(&[(&[("/spec/selector", bad("-"))], error)]);
    rows().changed(&[
        (&[], (&[("/spec/selector", bad("-"))], error)),
        (&[("/spec/selector", bad("_"))], (&[("/spec/selector", bad("-"))], &[])),
        (
            &[("/spec/selector", bad("_"))],
            (
                &[("/spec/selector", json!({"matchLabels": {"a": "-"}}))],
                &["spec.selector.matchLabels: Invalid value: \"-\": a valid label"],
            ),
        ),
    ]);
}

#[test]
fn a_status_update_judges_the_status_alone() {
    let status = json!({"disruptedPods": {"p": "2026-01-02T03:04:05Z", "q": null}, "disruptionsAllowed": -1, "currentHealthy": -2,
                        "desiredHealthy": -3, "expectedPods": -4, "conditions": [{"type": "", "status": "Yes"}]});
    rows().at("status").updated(&[
        (&[("/spec/minAvailable", json!("x"))], &[]),
        (
            &[("/status", status.clone())],
            &[
                "status.conditions[0].type: Invalid value: \"\": name part must be non-empty",
                "status.conditions[0].type: Invalid value: \"\": name part must consist",
                "status.conditions[0].status: Unsupported value: \"Yes\"",
                "status.conditions[0].lastTransitionTime: Required value",
                "status.conditions[0].reason: Required value",
                "status.disruptionsAllowed: Invalid value: -1: must be greater than or equal to 0",
                "status.currentHealthy: Invalid value: -2",
                "status.desiredHealthy: Invalid value: -3",
                "status.expectedPods: Invalid value: -4",
            ],
        ),
    ]);
    rows().updated(&[(&[("/status", status)], &[])]);
}

#[test]
fn a_request_changes_either_the_budget_or_its_status() {
    let counted: &[(&str, Value)] = &[("/status", json!({"expectedPods": 3})), ("/metadata/generation", json!(4))];
    let members = |object: &Value| {
        ["/metadata/generation", "/spec/minAvailable", "/status/expectedPods"]
            .map(|pointer| object.pointer(pointer).cloned().unwrap_or(Value::Null))
    };
    assert_eq!(members(&rows().seen(counted, None)), [json!(1), json!(1), Value::Null]);
    let changes: &[(&str, Value)] = &[("/spec/minAvailable", json!(2)), ("/status", json!({"expectedPods": 9}))];
    assert_eq!(members(&rows().seen(changes, Some(counted))), [json!(5), json!(2), json!(3)]);
    assert_eq!(members(&rows().seen(&[], Some(counted))), [json!(4), json!(1), json!(3)]);
    assert_eq!(members(&rows().at("status").seen(changes, Some(counted))), [json!(4), json!(1), json!(9)]);
}

#[test]
fn the_empty_selector_of_the_older_version_is_combined_with_nothing() {
    let key = "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match";
    let old = |operator: &str| json!({"key": key, "operator": operator});
    let other = json!({"key": "a", "operator": "Exists"});
    for (selector, seen) in [
        (json!({"matchExpressions": [old("Exists")]}), json!({"matchExpressions": [old("Exists")]})),
        (json!({"matchExpressions": [old("DoesNotExist")]}), json!({})),
        (json!({"matchExpressions": [old("Exists"), other, old("Gt")]}), json!({"matchExpressions": [other]})),
        (json!({"matchExpressions": [other]}), json!({"matchExpressions": [other]})),
        (json!({"matchLabels": {"a": "b"}, "matchExpressions": [old("Exists")]}), json!({"matchLabels": {"a": "b"}})),
    ] {
        let found = rows().seen(&[("/spec/selector", selector.clone())], None);
        assert_eq!(found.pointer("/spec/selector"), Some(&seen), "{selector}");
    }
}
