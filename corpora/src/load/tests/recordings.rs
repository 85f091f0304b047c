//! Audit logs and AdmissionReviews as inputs beside others.

use super::stream;
use crate::load::{Input, Limits, LoadErrorKind, LoadedCase, load};
use crate::requests::Skip;
use serde_json::json;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use takeover_harness::case::Operation;

fn excerpt() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings")
}

/// Cases, and how many requests gave none, by reason.
fn read(inputs: Vec<Input>, doubtful: bool) -> (Vec<LoadedCase>, BTreeMap<String, u64>) {
    let (mut cases, mut skipped) = (Vec::new(), BTreeMap::new());
    for case in load(inputs, Limits::default()).cases().doubtful(doubtful) {
        match case {
            Ok(case) => cases.push(case),
            Err(error) => {
                assert!(matches!(error.kind(), LoadErrorKind::NoCase(_)), "{error}");
                *skipped.entry(error.kind().to_string()).or_default() += 1;
            }
        }
    }
    (cases, skipped)
}

#[test]
fn a_folder_of_rotated_logs_is_read_in_the_order_of_writing() {
    let (cases, skipped) = read(vec![Input::named(excerpt().join("audit"))], false);
    let updates = cases.iter().filter(|case| case.case.operation == Operation::Update).count();
    assert_eq!((cases.len(), updates), (25, 21));
    assert_eq!(
        skipped.into_iter().map(|(reason, count)| format!("{count} {reason}")).collect::<Vec<_>>(),
        [
            "2 answered with 400 without errors of validation",
            "3 answered with 409 without errors of validation",
            "5 delete",
            "1 lost event: the log has no end of the request",
            "1 the old object is not known",
            "2 the patch's type is not in the log",
            "1 the subresource takes an object of its own",
        ]
    );
    // The old object of this one is in the file before.
    let first = cases.iter().find(|case| case.case.provenance.to_string().contains("audit.log:")).unwrap();
    let old = first.case.old.as_ref().unwrap().to_value().unwrap();
    assert_eq!(old.pointer("/metadata/resourceVersion"), Some(&json!("1378")));

    // Without that file, it is not known.
    let (alone, skipped) = read(vec![Input::named(excerpt().join("audit/audit.log"))], false);
    assert_eq!(skipped.get("the old object is not known"), Some(&1), "{skipped:?}");
    assert!(alone.iter().all(|case| case.case.provenance != first.case.provenance));
}

#[test]
fn reviews_are_read_from_lines_files_and_streams() {
    let file = excerpt().join("admissionreviews.jsonl.gz");
    let (cases, skipped) = read(vec![Input::named(&file)], false);
    assert_eq!((cases.len(), skipped.values().sum::<u64>()), (19, 5));

    // One a file, and not on one line; the same folder holds other objects.
    let folder = tempfile::tempdir().unwrap();
    let documents = load(vec![Input::named(&file)], Limits::default()).take(3);
    for (number, document) in documents.enumerate() {
        let text = serde_json::to_string_pretty(&document.unwrap().value).unwrap();
        fs::write(folder.path().join(format!("review-{number}.json")), text).unwrap();
    }
    fs::write(folder.path().join("service.yaml"), "apiVersion: v1\nkind: Service\n").unwrap();
    let (mixed, _) = read(vec![Input::named(folder.path())], false);
    assert_eq!(mixed.len(), 3 + 2);
    assert_eq!(mixed[0].case.object, cases[0].case.object);
}

#[test]
fn requests_without_the_review_around_them_give_the_same_cases() {
    let file = excerpt().join("admissionreviews.jsonl.gz");
    let (of_reviews, skipped_of_reviews) = read(vec![Input::named(&file)], true);
    let reviews = load(vec![Input::named(&file)], Limits::default());
    let requests: Vec<String> = reviews.map(|review| review.unwrap().value["request"].to_string()).collect();
    let (of_requests, skipped_of_requests) = read(vec![stream("requests.jsonl", requests.join("\n"))], true);
    let cases = |cases: &[LoadedCase]| {
        cases
            .iter()
            .map(|case| (case.kind.clone(), case.case.object.clone(), case.case.old.clone()))
            .collect::<Vec<_>>()
    };
    assert!(!of_reviews.is_empty());
    assert_eq!(cases(&of_reviews), cases(&of_requests));
    assert_eq!(skipped_of_reviews, skipped_of_requests);
    // What merely looks like one is no object, as before.
    let text = json!({"uid": "u", "operation": "CREATE", "kind": {"kind": "A"}, "resource": "things"}).to_string();
    let fault = load(vec![stream("other.json", text)], Limits::default()).next().unwrap().unwrap_err();
    assert!(fault.to_string().contains("no Kubernetes object"), "{fault}");
}

#[test]
fn a_batch_of_events_gives_the_cases_that_its_lines_give() {
    let log = fs::read_to_string(excerpt().join("audit/audit.log")).unwrap();
    let items: Vec<serde_json::Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let batch = json!({"kind": "EventList", "apiVersion": "audit.k8s.io/v1", "metadata": {}, "items": items});
    let (of_batch, skipped_of_batch) = read(vec![stream("batch.json", batch.to_string())], false);
    let (of_lines, skipped_of_lines) = read(vec![stream("audit.log", log)], false);
    let objects = |cases: &[LoadedCase]| {
        cases.iter().map(|case| (case.case.object.clone(), case.case.old.clone())).collect::<Vec<_>>()
    };
    assert!(!of_lines.is_empty());
    assert_eq!(objects(&of_batch), objects(&of_lines));
    assert_eq!(skipped_of_batch, skipped_of_lines);
}

#[test]
fn a_line_that_breaks_off_costs_itself_and_other_logs_are_left_alone() {
    let log = fs::read_to_string(excerpt().join("audit/audit.log")).unwrap();
    let mut lines: Vec<&str> = log.lines().collect();
    lines[3] = &lines[3][..200];
    let broken: Vec<_> = load(vec![stream("audit.log", lines.join("\n"))], Limits::default()).collect();
    assert_eq!((broken.len(), broken.iter().filter(|read| read.is_err()).count()), (lines.len(), 1));
    assert_eq!(broken[3].as_ref().unwrap_err().line(), Some(4));

    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("install.log"), "2026-01-01 all is well\n").unwrap();
    fs::write(folder.path().join("audit.log"), &log).unwrap();
    let read = load(vec![Input::named(folder.path())], Limits::default());
    assert_eq!(read.filter(Result::is_err).count(), 0);
}

#[test]
fn events_and_reviews_of_other_versions_are_counted() {
    let text = "{\"kind\": \"Event\", \"apiVersion\": \"audit.k8s.io/v1beta1\"}\n\
                {\"kind\": \"AdmissionReview\", \"apiVersion\": \"admission.k8s.io/v1beta1\"}\n";
    let (cases, skipped) = read(vec![stream("old.jsonl", text)], true);
    assert_eq!((cases.len(), skipped.get(&Skip::OtherVersion.to_string())), (0, Some(&2)));
}
