//! Cron jobs.

use super::support::Rows;
use serde_json::{Value, json};

fn rows() -> Rows {
    let job = json!({"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "c", "namespace": "n", "resourceVersion": "1"},
                     "spec": {"schedule": "@daily", "timeZone": "Mars", "jobTemplate": {"spec": {"template": {"spec": {
                         "restartPolicy": "Never", "containers": [{"name": "a", "image": "b"}]}}}}}});
    Rows::of("batch/v1", "CronJob", job)
}

#[test]
fn a_stored_time_zone_is_not_looked_at_again() {
    rows().created(&[(&[], &["spec.timeZone: Invalid value: \"Mars\": unknown time zone Mars"])]);
    rows().updated(&[
        (&[("/spec/suspend", json!(true))], &[]),
        (
            &[("/spec/timeZone", json!("local"))],
            &[
                "spec.timeZone: Invalid value…must be an explicit time zone",
                "spec.timeZone: Invalid value…unknown time zone local",
            ],
        ),
        (
            &[("/spec/schedule", json!("TZ=UTC @daily")), ("/spec/timeZone", Value::Null)],
            &["spec.schedule: Invalid value…use timeZone field instead"],
        ),
    ]);
}

#[test]
fn numbered_completions_are_limited() {
    let job = |mut members: Value| {
        members["template"] = json!({"spec": {"restartPolicy": "Never", "containers": [{"name": "a", "image": "b"}]}});
        [("/spec/timeZone", Value::Null), ("/spec/jobTemplate/spec", members)]
    };
    rows().created(&[
        (&job(json!({"completionMode": "Indexed", "completions": 200_000, "backoffLimitPerIndex": 1, "maxFailedIndexes": 10_000})), &[]),
        (
            &job(json!({"completionMode": "Indexed", "completions": 200_000, "backoffLimitPerIndex": 1, "parallelism": 10_001})),
            &["spec.jobTemplate.spec.maxFailedIndexes: Required value: must be specified when completions is above 100000", "spec.jobTemplate.spec.parallelism: Invalid value: 10001"],
        ),
        (
            &job(json!({"completionMode": "Indexed", "parallelism": 100_001})),
            &["spec.jobTemplate.spec.completions: Required value", "spec.jobTemplate.spec.parallelism: Invalid value: 100001"],
        ),
        (
            &job(json!({"managedBy": "Example.com/a b"})),
            &["spec.jobTemplate.spec.managedBy: Invalid value: \"Example.com\": a lowercase RFC 1123", "spec.jobTemplate.spec.managedBy: Invalid value: \"a b\": Invalid path"],
        ),
        (&job(json!({"maxFailedIndexes": 1})), &["spec.jobTemplate.spec.backoffLimitPerIndex: Required value", "spec.jobTemplate.spec.maxFailedIndexes: Invalid value…requires indexed completion mode"]),
    ]);
}

#[test]
fn an_interval_of_indexes_is_read_to_its_end_before_it_is_compared() {
    let job = |indexes: &str| {
        let template = json!({"spec": {"restartPolicy": "Never", "containers": [{"name": "a", "image": "b"}]}});
        let policy = json!({"rules": [{"succeededIndexes": indexes}]});
        let job = json!({"completionMode": "Indexed", "completions": 9, "successPolicy": policy, "template": template});
        [("/spec/timeZone", Value::Null), ("/spec/jobTemplate/spec", job)]
    };
    rows().created(&[
        (&job("0,2-4"), &[]),
        (&job("3,2-x"), &["spec.jobTemplate.spec.successPolicy.rules[0].succeededIndexes: Invalid value…error parsing succeededIndexes: cannot convert string to integer for index: \"x\""]),
        (&job("3,2-4"), &["spec.jobTemplate.spec.successPolicy.rules[0].succeededIndexes: Invalid value…error parsing succeededIndexes: non-increasing order, previous: 3, current: 2"]),
    ]);
}
