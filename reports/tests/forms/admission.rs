//! What admission policies would answer, as people read it.

use super::texts::assert_forms;
use std::collections::{BTreeMap, BTreeSet};
use takeover_harness::case::{Operation, Provenance};
use takeover_reports::Look;
use takeover_reports::admission::{AdmissionReport, FORMS, Refusal, RequestedObject};
use takeover_reports::validate::{Problem, ProblemKind};

fn report() -> AdmissionReport {
    let allowed = RequestedObject {
        source: Provenance::File { path: "web.yaml".to_owned(), document: 1, line: 1 },
        subject: "apps/v1 Deployment".to_owned(),
        name: "small".to_owned(),
        namespace: "shop".to_owned(),
        operation: Operation::Create,
        allowed: true,
        refusal: None,
        untold: Vec::new(),
        warnings: Vec::new(),
        audit_annotations: BTreeMap::new(),
        evaluated: 0,
    };
    let message = "deployments.apps \"web\" is forbidden: ValidatingAdmissionPolicy 'sizes' with binding 'shop' denied request: at most 3";
    let denied = RequestedObject {
        source: Provenance::File { path: "web.yaml".to_owned(), document: 2, line: 9 },
        name: "web".to_owned(),
        operation: Operation::Update,
        allowed: false,
        refusal: Some(Refusal { code: 403, reason: "Forbidden".to_owned(), message: message.to_owned() }),
        untold: vec![
            "ValidatingAdmissionPolicy 'sizes' with binding 'shop' denied request: say whose it is".to_owned(),
        ],
        warnings: vec!["a warning with an escape \u{1b}[31m".to_owned()],
        audit_annotations: BTreeMap::from([("sizes/replicas".to_owned(), "5".to_owned())]),
        evaluated: 2,
        ..allowed.clone()
    };
    let problem = Problem {
        kind: ProblemKind::Failed,
        file: Some("web.yaml".to_owned()),
        line: Some(20),
        message: "is no `apps/v1 Deployment`".to_owned(),
    };
    let mut report =
        AdmissionReport { objects: vec![allowed, denied], problems: vec![problem], ..AdmissionReport::new() };
    report.finish();
    report
}

#[test]
fn what_policies_would_answer() {
    let report = report();
    assert_forms("admission", &report, FORMS);
    assert_eq!(report.problems_text(), "error: web.yaml:20: is no `apps/v1 Deployment`\n");
    let assumed = AdmissionReport { assumed_namespaces: BTreeSet::from(["shop".to_owned()]), ..report.clone() };
    assert!(
        assumed.problems_text().contains("note: no file describes the namespace shop"),
        "{}",
        assumed.problems_text()
    );
    let json = (FORMS[1].write)(&report, Look::plain(120)).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let totals = serde_json::json!({"objects": 2, "allowed": 1, "denied": 1, "problems": 1});
    assert_eq!((&json["totals"], json["objects"][0].get("refusal")), (&totals, None));
}
