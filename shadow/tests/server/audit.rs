//! Batches of audit events: always taken, whatever they are, and counted.

use crate::running::Running;
use crate::things::{allowed, review};
use serde_json::{Value, json};

#[test]
fn batches_of_audit_events_are_always_taken_and_what_they_are_is_counted() {
    let running = Running::start(|setup| setup.settings.limits.body_bytes = 1000);
    let old = json!({"kind": "EventList", "apiVersion": "audit.k8s.io/v1beta1", "items": []});
    let empty = json!({"kind": "EventList", "apiVersion": "audit.k8s.io/v1", "items": [7]});
    for body in ["{".to_owned(), old.to_string(), empty.to_string(), "x".repeat(2000)] {
        assert_eq!(running.webhook().post("/audit", body).unwrap().code, 200);
    }
    let unusable = "takeover_shadow_audit_cases_total{outcome=\"unusable\"}";
    running.until("all of them are read", |running| running.metric(unusable) == 3);
    let because =
        |reason| running.metric(&format!("takeover_shadow_not_compared_total{{reason=\"{reason}\",source=\"audit\"}}"));
    assert_eq!((because("other_version"), because("unreadable")), (1, 2));
    let batches = |outcome| running.metric(&format!("takeover_shadow_audit_batches_total{{outcome=\"{outcome}\"}}"));
    assert_eq!((batches("queued"), batches("too_large")), (3, 1));
    let (evidence, _) = running.server.evidence();
    let reasons: Vec<&str> = evidence.outside().keys().map(String::as_str).collect();
    assert_eq!(
        reasons,
        ["an event or review of another version than v1", "unreadable batch of events", "unreadable: bad case"]
    );
    running.end();
}

#[test]
fn what_is_broken_is_not_quoted_unless_values_are_kept() {
    for keep in [false, true] {
        let running = Running::start(|setup| setup.settings.privacy.keep_samples = keep);
        let list = json!({"kind": "EventList", "apiVersion": "audit.k8s.io/v1", "items": "a-private-name"});
        let event = json!({"auditID": "1", "stage": "a-private-name"});
        let events = json!({"kind": "EventList", "apiVersion": "audit.k8s.io/v1", "items": [event]});
        for batch in [list, events] {
            assert_eq!(running.webhook().post("/audit", batch.to_string()).unwrap().code, 200);
        }
        let unusable = "takeover_shadow_audit_cases_total{outcome=\"unusable\"}";
        running.until("both are counted", |running| running.metric(unusable) == 2);
        let quoted = running.server.evidence().0.to_json().unwrap().matches("a-private-name").count();
        assert_eq!(quoted, if keep { 2 } else { 0 });
        running.end();
    }
}

#[test]
fn what_would_take_many_times_its_length_in_memory_is_not_read() {
    let running = Running::start(|_| {});
    let many = "0,".repeat(1_000_000);
    let body = review("many", 1).to_string().replace("\"a-private-name many\"", &format!("[{many}0]"));
    let said: Value = serde_json::from_slice(&running.post(body).body).unwrap();
    assert_eq!(said, allowed("many"));
    let batch = format!("{{\"kind\":\"EventList\",\"apiVersion\":\"audit.k8s.io/v1\",\"items\":[{many}0]}}");
    assert_eq!(running.webhook().post("/audit", batch).unwrap().code, 200);
    let unusable = "takeover_shadow_audit_cases_total{outcome=\"unusable\"}";
    running.until("both are counted", |running| running.done("unusable") + running.metric(unusable) == 2);
    assert_eq!(running.server.evidence().0.outside()["unreadable: too many values"].count, 2);
    // One text is one value, whatever stands in it.
    let text = format!(
        "{{\"kind\":\"EventList\",\"apiVersion\":\"audit.k8s.io/v1\",\"items\":[\"{}\"]}}",
        ",[{".repeat(400_000)
    );
    assert_eq!(running.webhook().post("/audit", text).unwrap().code, 200);
    running.until("it is counted", |running| running.metric(unusable) == 2);
    assert_eq!(running.server.evidence().0.outside()["unreadable: bad case"].count, 1);
    running.end();
}
