//! A webhook on loopback against a process.

use super::http::{Reply, Request, serve};
use super::lab::{Lab, has_python};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What a webhook says of a Widget that it refuses.
#[derive(Clone, Copy)]
enum Says {
    /// A message, and a cause for each field.
    Causes,
    /// A message alone.
    Message,
    /// The first cause as a message.
    Reason,
}

/// What a webhook says, and how much it was asked.
struct Asked {
    says: Says,
    connections: AtomicU64,
    requests: AtomicU64,
}

/// Starts a webhook that judges Widgets as `oracle.py` does, but for their colours. Returns where it listens.
fn webhook(says: Says) -> (String, Arc<Asked>) {
    let asked = Arc::new(Asked { says, connections: AtomicU64::new(0), requests: AtomicU64::new(0) });
    (format!("{}/validate", serve(&asked, answer)), asked)
}

fn answer(asked: &Asked, request: &Request) -> Reply {
    asked.connections.fetch_add(u64::from(request.first), Ordering::Relaxed);
    asked.requests.fetch_add(1, Ordering::Relaxed);
    let review: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    (200, reviewed(&review["request"], asked.says))
}

/// The review with its response.
fn reviewed(request: &Value, says: Says) -> Value {
    let (new, old) = (&request["object"]["spec"], &request["oldObject"]);
    let mut causes = Vec::new();
    let mut refuse = |reason: &str, field: &str, message: &str| {
        causes.push(json!({"reason": reason, "field": field, "message": message}));
    };
    let owner = |spec: &Value| spec["owner"].as_str().unwrap_or_default().to_owned();
    if owner(new).is_empty() {
        refuse("FieldValueRequired", "spec.owner", "Required value");
    }
    let size = new["size"].as_i64().unwrap_or_default();
    if !(1..=1000).contains(&size) {
        let message = format!("Invalid value: {size}: must be between 1 and 1000, inclusive");
        refuse("FieldValueInvalid", "spec.size", &message);
    }
    if !old.is_null() && owner(&old["spec"]) != owner(new) {
        refuse("FieldValueInvalid", "spec.owner", "Invalid value: field is immutable");
    }
    let mut response = json!({"uid": request["uid"], "allowed": causes.is_empty()});
    if !causes.is_empty() {
        let all = format!("refused: {} faults", causes.len());
        let told = |member: &str| causes[0][member].as_str().unwrap_or_default().replace("Invalid value: ", "");
        let message = if matches!(says, Says::Reason) { told("field") + " " + &told("message") } else { all };
        response["status"] = json!({"code": 422, "message": message});
        if matches!(says, Says::Causes) {
            response["status"]["reason"] = "Invalid".into();
            response["status"]["details"] = json!({"causes": causes});
        }
    }
    json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response})
}

#[test]
fn a_webhook_with_causes_is_compared_by_field() {
    if !has_python() {
        return;
    }
    let lab = Lab::new();
    let (url, asked) = webhook(Says::Causes);
    let ran = lab.soak(&format!("webhook {url}"), "exec python3 oracle.py", &["--cases", "512", "--out", "run"]);
    assert_eq!(ran.code, 1, "{}", ran.said());
    for finding in lab.findings("run") {
        let about = super::lab::about(&finding);
        assert_eq!(about, ["extra", "FieldValueNotSupported", "spec.colour", "reports-more"].map(str::to_owned));
    }
    assert!(!lab.findings("run").is_empty());
    assert_eq!(lab.json("run/report.json")["semantics"], "by field");
    let (connections, requests) = (asked.connections.load(Ordering::Relaxed), asked.requests.load(Ordering::Relaxed));
    assert!(requests > 512 && connections <= 64, "{connections} connections for {requests} requests");
}

#[test]
fn a_webhook_with_messages_alone_is_compared_by_decision() {
    if !has_python() {
        return;
    }
    let lab = Lab::new();
    let (url, _) = webhook(Says::Message);
    let ran = lab.soak(&format!("webhook {url}"), "exec python3 oracle.py", &["--cases", "512", "--out", "run"]);
    assert_eq!(ran.code, 1, "{}", ran.said());
    assert_eq!(lab.json("run/report.json")["semantics"], "by decision");
    for finding in lab.findings("run") {
        assert_eq!(finding["signature"]["direction"], "extra", "{finding}");
        let object = finding["minimal"]["object"].to_string();
        assert!(object.contains("colour"), "{object}");
    }
    assert!(!lab.findings("run").is_empty());
}

#[test]
fn each_denial_in_plain_text_is_a_check_with_an_answer_and_a_suggestion() {
    let lab = Lab::new();
    let (url, _) = webhook(Says::Reason);
    // The bound of the CRD is the webhook's; that the owner has to be set and kept is not in it.
    let sizes = "size: {type: integer, format: int32, minimum: 1, maximum: 1000}\n            required: [size]";
    let crd = lab.read("widget.yaml").replace("size: {type: integer, format: int32}", "");
    lab.write(
        "crd.yaml",
        &crd.replace("owner: {type: string}", &format!("owner: {{type: string}}\n              {sizes}")),
    );
    let hook = format!("webhook:{url}");
    let ran =
        lab.run(&["soak", "--crd", "crd.yaml", "--reference", &hook, "--seed", "1", "--cases", "2000", "--out", "run"]);
    assert_eq!(ran.code, 1, "{}", ran.said());
    let report = lab.json("run/report.json");
    let observed = report["subjects"][0]["observed"].as_array().unwrap();
    let said: Vec<[&str; 5]> = observed
        .iter()
        .map(|check| {
            ["errorType", "field", "message", "candidateRefuses", "suggestion"]
                .map(|member| check[member].as_str().unwrap_or(""))
        })
        .collect();
    let kept =
        "`rule: has(self.owner) == has(oldSelf.owner) && (!has(self.owner) || self.owner == oldSelf.owner)` on spec";
    let required = "`required: [owner]` on spec and `minLength: 1` on spec.owner";
    for expected in [
        ["Denied", "spec.owner", "field is immutable", "less", kept],
        ["Denied", "spec.owner", "Required value", "less", required],
        ["Denied", "spec.size", "N: must be between N and N, inclusive", "same", ""],
    ] {
        assert!(said.contains(&expected), "{expected:?} is not among {said:?}: {}", ran.said());
    }
    let messages = lab.findings("run").into_iter().map(|finding| finding["signature"]["origin"].to_string());
    assert!(messages.filter(|message| message.contains("immutable")).count() > 0, "a finding of its own");
}
