//! A report in which every text is the same.

use serde_json::{Value, json};
use takeover_harness::error::{BadValue, ErrorType, FieldError};
use takeover_harness::path::Path;
use takeover_reports::run::FORMS;
use takeover_reports::{Form, Look, RunReport, Selection};

/// States of exceptions, and how many findings of three they are about.
const EXCEPTIONS: [(&str, usize); 5] = [("used", 3), ("notJudged", 0), ("expired", 3), ("stale", 0), ("stale", 4)];

fn exception(text: &str, expired: bool) -> Value {
    json!({
        "direction": "missing", "reason": text, "owner": text, "issue": text, "expires": "2027-01-31", "expired": expired,
    })
}

/// A report with one subject that has a rule of every verdict, a finding that is excused and one that was, a panic, and everything else
/// that a report can hold. Every text that could come from objects or types is `text`.
pub(crate) fn report(text: &str) -> RunReport {
    let error = || {
        let mut error = FieldError::invalid(&Path::ROOT, BadValue::Null, text.to_owned());
        error.field = text.to_owned();
        error.origin = text.to_owned().into();
        error.bad_value = serde_json::from_value(json!({ text: [text] })).unwrap();
        error.covered_by_declarative = true;
        serde_json::to_value(error).unwrap()
    };
    let counts = json!({
        "compared": 7, "agreedAccept": 4, "agreedReject": 1, "missing": 1, "extra": 1, "panicked": 0, "notReached": 2
    });
    let rule = |verdict: &str| {
        json!({
            "rule": {"path": text, "chain": text},
            "lifecycle": {"level": "alpha", "since": text},
            "reports": [{"errorType": "FieldValueInvalid", "field": text, "origin": text}],
            "twin": "seen",
            "source": {"file": text, "line": 7},
            "create": counts, "update": counts,
            "verdict": {"verdict": verdict, "reasons": [text, text]},
            "criteria": [
                {"name": text, "operation": "create", "met": false, "blocking": true, "found": text, "remedy": text},
                {"name": text, "met": true, "blocking": false, "found": text},
            ],
            "upperBound": 0.25,
            "next": {"level": "beta", "allowed": verdict == "ready", "because": [text]},
            "classes": [{"class": text, "breaks": true, "create": 0, "update": 0}],
            "unreachable": [{"name": text, "reason": text}],
            "kept": 1,
            "controls": {"telling": 2, "exposed": 1, "survivors": [text], "equivalent": [{"name": text, "reason": text}],
                "hidden": [{"name": text, "reason": text}]},
        })
    };
    let verdicts = ["ready", "blocked", "insufficientEvidence", "outOfReach"];
    let finding = |number: usize, case: Value| {
        json!({
            "number": number, "signature": text, "count": 3, "cause": "stopped", "relation": "kept", "deciding": 1,
            "classes": {text: 3}, "stoppedBy": [{"errorType": "FieldValueInvalid", "field": text, "origin": text}],
            "standing": {"is": "blocking"}, "why": text, "remedy": text, "rules": [{"path": text, "chain": text, "level": "alpha"}],
            "first": text, "minimalLines": 4, "file": text, "reproduce": text, "case": case,
        })
    };
    let excuse = |mut finding: Value, expired: bool| {
        finding.as_object_mut().unwrap().insert("exception".to_owned(), exception(text, expired));
        finding
    };
    let standing = |mut finding: Value, standing: Value| {
        finding["standing"] = standing;
        finding
    };
    let signature = json!({
        "subject": {"apiVersion": text, "kind": text, "subresource": text},
        "operation": "update", "relation": "kept", "direction": "missing", "cause": "stopped",
        "errorType": ErrorType::Invalid, "path": text, "origin": text,
    });
    let case = |signature: Value, panics: Value| {
        json!({
            "signature": signature,
            "minimal": {
                "apiVersion": "takeover.dev/v1alpha1", "kind": "Case", "operation": "update",
                "object": {text: {text: [text]}}, "oldObject": {"kind": text}, "subresource": text,
                "options": {text: true},
            },
            "reference": [error()], "candidate": [], "panics": panics,
        })
    };
    let report = json!({
        "formatVersion": 3,
        "seed": 7,
        "semantics": text,
        "missingShards": [text],
        "policy": {
            "min-accepts": 100, "min-rejects": 20, "min-per-class": 1, "min-kept": 1, "min-exposed": 1.0,
            "max-mismatch-rate": 0.01, "max-failures": 0.01, "confidence": 0.95,
            "causes": {"ratchets": {"treat": "tolerate", "reason": text}},
        },
        "outside": [{"reason": text, "count": 2, "first": text}],
        "exceptions": EXCEPTIONS.map(|(state, found)| {
            let mut entry = exception(text, state == "expired");
            let about = json!({
                "subject": text, "signature": text, "rules": [text], "signatures": 3, "found": found, "state": state, "line": 7,
            });
            entry.as_object_mut().unwrap().extend(about.as_object().unwrap().clone());
            entry
        }),
        "subjects": [{
            "subject": text,
            "totals": {
                "cases": 18, "compared": 14, "agreedAccept": 8, "agreedReject": 2, "disagreed": 3, "panicked": 1,
                "undecodable": {text: 2}, "withDroppedFields": 1, "skipped": {text: 2},
            },
            "fields": [{
                "field": text,
                "verdict": {"verdict": "blocked", "reasons": [text]},
                "rules": verdicts.map(rule),
            }],
            "notMigrated": [{"errorType": text, "field": text, "origin": text, "create": 1, "update": 2}],
            "delegated": [{"path": text, "reason": text}],
            "findings": [
                excuse(finding(1, case(signature.clone(), json!([]))), false),
                excuse(finding(2, case(signature.clone(), json!([]))), true),
                finding(3, case(Value::Null, json!([{"message": text, "place": text}]))),
                standing(finding(4, case(signature.clone(), json!([]))), json!({"is": "tolerated", "reason": text})),
                standing(finding(5, case(signature.clone(), json!([]))), json!({"is": "reported", "reason": text})),
                standing(finding(6, case(signature, json!([]))), json!({"is": "broughtAlong", "by": 2})),
            ],
        }],
    });
    let report = serde_json::from_value(report).unwrap();
    // Rows by cause are made of the findings.
    Selection::default().of(report).unwrap()
}

/// The report in the form of this name, as it is written to a file.
pub(crate) fn written(report: &RunReport, form: &str) -> String {
    let form = Form::find(FORMS, form).unwrap();
    (form.write)(report, Look::plain(120)).unwrap()
}
