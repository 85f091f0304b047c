//! Findings for tests.

use crate::compare::Signature;
use crate::evidence::SignatureEvidence;
use crate::rule::ErrorShape;
use serde_json::json;

/// A finding of `v1 Web` in this many cases, which these errors stopped. The outcome changes in half of the cases.
pub(super) fn finding(text: &str, cases: u64, stopped_by: &[ErrorShape]) -> (Signature, SignatureEvidence) {
    let signature: Signature = format!("v1 Web {text}").parse().unwrap();
    let place = json!({"stream": "generated", "chunk": 0, "index": 0});
    let provenance = json!({"from": "generated", "seed": 1, "chunk": 0, "index": 0, "planted": ""});
    let case = json!({"operation": signature.operation, "object": null, "options": []});
    let evidence = json!({
        "cases": cases, "errors": cases, "deciding": cases / 2, "classes": {}, "stoppedBy": stopped_by, "rules": [0],
        "first": {"place": place, "provenance": provenance, "message": ""},
        "smallest": {"beside": 0, "size": 2, "place": place, "provenance": provenance, "message": "", "case": case},
    });
    (signature, serde_json::from_value(evidence).unwrap())
}
