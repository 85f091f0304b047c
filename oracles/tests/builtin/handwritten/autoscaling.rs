//! Autoscalers.

use super::support::Rows;
use serde_json::{Value, json};

const METRICS: &str = "autoscaling.alpha.kubernetes.io/metrics";
const BEHAVIOR: &str = "autoscaling.alpha.kubernetes.io/behavior";

fn autoscaler(version: &str) -> Value {
    json!({"apiVersion": format!("autoscaling/{version}"), "kind": "HorizontalPodAutoscaler",
           "metadata": {"name": "a", "namespace": "n", "resourceVersion": "1"},
           "spec": {"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"}, "maxReplicas": 3}})
}

fn annotated(name: &str, text: &str) -> Value {
    json!({name: text})
}

#[test]
fn targets_have_a_group_but_for_replication_controllers_and_what_is_stored() {
    let stored = json!({"apiVersion": "v1", "kind": "Deployment", "name": "d"});
    let mut base = autoscaler("v2");
    base["spec"]["scaleTargetRef"] = stored.clone();
    let rows = Rows::of("autoscaling/v2", "HorizontalPodAutoscaler", base);
    let controller = json!({"apiVersion": "v1", "kind": "ReplicationController", "name": "d"});
    rows.created(&[
        (&[], &["spec.scaleTargetRef.apiVersion: Invalid value: \"v1\": apiVersion must specify API group"]),
        (&[("/spec/scaleTargetRef", controller)], &[]),
    ]);
    rows.updated(&[
        (&[], &[]),
        (&[("/spec/scaleTargetRef/name", json!("e"))], &[]),
        (
            &[("/spec/scaleTargetRef/kind", json!("StatefulSet"))],
            &["spec.scaleTargetRef.apiVersion: Invalid value…apiVersion must specify API group"],
        ),
    ]);
}

#[test]
fn metrics_of_objects_may_be_of_the_core_group_and_stored_versions_stay() {
    let metric = |version: &str| {
        json!([{"type": "Object", "object": {"metric": {"name": "m"}, "target": {"type": "Value", "value": "1"},
                "describedObject": {"apiVersion": version, "kind": "Service", "name": "s"}}}])
    };
    let mut base = autoscaler("v2");
    base["spec"]["metrics"] = metric("a/b/c");
    let rows = Rows::of("autoscaling/v2", "HorizontalPodAutoscaler", base);
    rows.created(&[
        (&[], &["spec.metrics[0].object.describedObject.apiVersion: Invalid value: \"a/b/c\": unexpected GroupVersion string: a/b/c"]),
        (&[("/spec/metrics", metric("v1"))], &[]),
    ]);
    rows.updated(&[(&[("/spec/metrics", metric("d/e/f"))], &[])]);
}

#[test]
fn tolerances_are_not_negative_and_windows_last_an_hour() {
    let rules = |tolerance: &str, window: i32| json!({"scaleDown": {"tolerance": tolerance, "stabilizationWindowSeconds": window}});
    Rows::of("autoscaling/v2", "HorizontalPodAutoscaler", autoscaler("v2")).created(&[
        (&[("/spec/behavior", rules("0.1", 3600))], &[]),
        (
            &[("/spec/behavior", rules("-0.1", 3601))],
            &[
                "spec.behavior.scaleDown.stabilizationWindowSeconds: Invalid value: 3601",
                "spec.behavior.scaleDown.tolerance: Invalid value: \"-100m\": must be greater than or equal to 0",
            ],
        ),
        (
            &[("/spec/behavior", json!({"scaleUp": {"policies": []}}))],
            &["spec.behavior.scaleUp.policies: Required value"],
        ),
    ]);
}

#[test]
fn annotations_of_v1_hold_metrics_and_behavior() {
    let external = r#"[{"type":"External","external":{"metricName":"m","targetValue":"1","targetAverageValue":"2"}}]"#;
    let pods = r#"[{"type":"Pods","pods":{"metricName":"m"}}]"#;
    let object =
        r#"[{"type":"Object","object":{"target":{"kind":"S","name":"s"},"metricName":"m","targetValue":"1"}}]"#;
    let average = |value: &str| {
        let object =
            json!({"target": {"kind": "S", "name": "s"}, "metricName": "m", "targetValue": value, "averageValue": "2"});
        json!([{"type": "Object", "object": object}]).to_string()
    };
    let resource = r#"[{"type":"Resource","resource":{"name":"cpu"}},{"type":"Resource","resource":{"name":"cpu","targetAverageUtilization":0}}]"#;
    let container =
        r#"[{"type":"ContainerResource","containerResource":{"name":"gpu","container":"c","targetAverageValue":"1"}}]"#;
    let slow =
        r#"{"ScaleDown":{"StabilizationWindowSeconds":-1,"Policies":[{"Type":"Pods","Value":1,"PeriodSeconds":15}]}}"#;
    Rows::of("autoscaling/v1", "HorizontalPodAutoscaler", autoscaler("v1")).created(&[
        (
            &[("/metadata/annotations", annotated(METRICS, external))],
            &["spec.metrics[0].external.target.value: Forbidden"],
        ),
        (
            &[("/metadata/annotations", annotated(METRICS, pods))],
            &["spec.metrics[0].pods.target.averageValue: Invalid value: \"0\": must be positive"],
        ),
        (&[("/metadata/annotations", annotated(METRICS, object))], &[]),
        (&[("/metadata/annotations", annotated(METRICS, &average("0")))], &[]),
        (
            &[("/metadata/annotations", annotated(METRICS, &average("-1")))],
            &["spec.metrics[0].object.target.value: Invalid value: \"-1\": must be positive"],
        ),
        (
            &[("/metadata/annotations", annotated(METRICS, resource))],
            &[
                "spec.metrics[0].resource.target.averageUtilization: Required value",
                "spec.metrics[1].resource.target.averageUtilization: Invalid value: 0",
            ],
        ),
        (
            &[("/metadata/annotations", annotated(METRICS, container))],
            &[
                "spec.metrics[0].containerResource.name: Invalid value…must be a standard resource type",
                "spec.metrics[0].containerResource.name: Invalid value…must be a standard resource for containers",
            ],
        ),
        (&[("/metadata/annotations", annotated(METRICS, r#"[{"type":1}]"#))], &[]),
        (
            &[("/metadata/annotations", annotated(BEHAVIOR, slow))],
            &["spec.behavior.scaleDown.stabilizationWindowSeconds: Invalid value: -1"],
        ),
        (&[("/metadata/annotations", annotated(BEHAVIOR, "{}"))], &[]),
    ]);
}

#[test]
fn annotations_of_v1_are_read_whatever_the_case_of_their_members() {
    let source = r#""metricName":"m","TargetValue":"1","targetaveragevalue":"2""#;
    let metrics = [
        format!(r#"[{{"Type":"External","EXTERNAL":{{{source}}}}}]"#),
        format!(r#"[{{"type":"Pods","TYPE":"External","external":{{{source}}}}}]"#),
    ];
    let rows = Rows::of("autoscaling/v1", "HorizontalPodAutoscaler", autoscaler("v1"));
    for metrics in metrics {
        let target = "spec.metrics[0].external.target.value: Forbidden";
        rows.created(&[(&[("/metadata/annotations", annotated(METRICS, &metrics))], &[target])]);
    }
    let slow =
        r#"{"scaledown":{"STABILIZATIONWINDOWSECONDS":-1,"policies":[{"type":"Pods","value":1,"periodSeconds":15}]}}"#;
    let window = "spec.behavior.scaleDown.stabilizationWindowSeconds: Invalid value: -1";
    rows.created(&[(&[("/metadata/annotations", annotated(BEHAVIOR, slow))], &[window])]);
}
