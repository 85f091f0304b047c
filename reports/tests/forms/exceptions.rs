//! Exceptions in every form of a report.

use super::sample;
use serde_json::{Value, json};
use takeover_reports::run::FORMS;
use takeover_reports::{Form, RunReport, Selection, VerdictKind};

/// A report whose first finding is excused and whose second one was; and exceptions that nobody has to see to, and that somebody has.
fn report() -> RunReport {
    let mut report = sample::report("v1 Apple");
    let findings = &mut report.subjects[0].findings;
    for (finding, name) in findings.iter_mut().zip(["held", "over"]) {
        let exception = finding.exception.as_mut().unwrap();
        exception.reason = format!("reason-{name}");
        exception.owner = format!("owner-{name}");
        exception.issue = format!("issue-{name}");
    }
    for (number, entry) in report.exceptions.iter_mut().enumerate() {
        entry.signature = format!("entry-{number}");
    }
    report
}

#[test]
fn every_form_says_in_which_direction_why_by_whom_where_and_until_when_a_finding_is_excused() {
    // The screen counts those that somebody has to see to.
    for Form { name, .. } in FORMS.iter().filter(|form| form.name != "screen") {
        let text = sample::written(&report(), name);
        for said in ["reason-held", "owner-held", "issue-held", "reason-over", "owner-over", "issue-over"] {
            assert!(text.contains(said), "{name} does not say {said}:\n{text}");
        }
        if *name != "json" {
            assert!(
                text.contains("excused (missing) until 2027-01-31 by owner-held: reason-held (issue-held)"),
                "{name}"
            );
            assert!(text.contains("was excused (missing) until 2027-01-31 by owner-over"), "{name}:\n{text}");
        }
    }
}

#[test]
fn every_form_lists_stale_and_expired_exceptions() {
    assert!(sample::written(&report(), "screen").contains("3 exceptions no longer fit"));
    for Form { name, .. } in FORMS.iter().filter(|form| form.name != "screen") {
        let text = sample::written(&report(), name);
        for due in ["entry-2", "entry-3", "entry-4"] {
            assert!(text.contains(due), "{name} does not list {due}:\n{text}");
        }
        if *name != "json" {
            for said in
                ["expired after 2027-01-31", "the run has no such finding", "states 3 findings, but the run has 4"]
            {
                assert!(text.contains(said), "{name} does not say `{said}`:\n{text}");
            }
        }
    }
}

#[test]
fn an_excused_finding_is_suppressed_in_sarif_and_one_whose_exception_expired_is_not() {
    let log = serde_json::from_str::<Value>(&sample::written(&report(), "sarif")).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    let suppressions: Vec<&Value> = results.iter().map(|result| &result["suppressions"]).collect();
    let excused = json!([{
        "kind": "external", "status": "accepted",
        "justification": "excused (missing) until 2027-01-31 by owner-held: reason-held (issue-held)",
    }]);
    assert_eq!(suppressions[..3], [&excused, &json!([]), &json!([])]);
    let decided = |said: &str| json!([{"kind": "external", "status": "accepted", "justification": said}]);
    let (tolerated, along) = (decided("tolerated: v1 Apple"), decided("brought along by finding 2"));
    assert_eq!(suppressions[3..6], [&tolerated, &json!([]), &along]);
    assert!(
        suppressions[6..].iter().all(|of| **of == json!([])),
        "either all results say it or none: {suppressions:?}"
    );
    let sorts: Vec<&str> = results.iter().filter_map(|result| result["ruleId"].as_str()).collect();
    assert_eq!(sorts[7..], ["expired-exception", "stale-exception", "stale-exception"]);
}

#[test]
fn in_junit_an_excused_finding_is_skipped_and_only_due_exceptions_fail() {
    let text = sample::written(&report(), "junit");
    assert_eq!(text.matches("<skipped message=\"excused (missing) until ").count(), 1, "{text}");
    let (_, exceptions) = text.split_once("<testsuite name=\"exceptions\"").unwrap();
    assert!(exceptions.starts_with(" tests=\"5\" skipped=\"1\" errors=\"0\" failures=\"3\" "), "{exceptions}");
}

#[test]
fn annotations_tell_excused_findings_from_those_that_stand() {
    let text = sample::written(&report(), "github");
    let line = |start: &str| text.lines().filter(|line| line.starts_with(start)).collect::<Vec<_>>();
    let titles = |level: &str| -> Vec<&str> {
        let titled = line(level).into_iter().filter_map(|line| line.split_once("title=")?.1.split_once("::"));
        titled.map(|(title, _)| title).filter(|title| title.contains("finding")).collect()
    };
    // What another finding brings along is not said again.
    assert_eq!(titles("::error "), ["finding 2", "finding 3", "reported finding 5"], "{text}");
    assert_eq!(titles("::notice "), ["excused finding 1", "tolerated finding 4"], "{text}");
    assert_eq!(line("::warning title=exception::").len(), 3, "{text}");
}

#[test]
fn a_part_of_a_report_has_the_exceptions_that_belong_to_it() {
    let mut report = report();
    for (entry, subject) in
        report.exceptions.iter_mut().zip(["v1 Apple", "*/* Pear", "* Apple", "v1 Apple/scale", "v2 Fig"])
    {
        entry.subject = subject.to_owned();
    }
    let kept = |selection: Selection| selection.of(report.clone()).unwrap().exceptions.len();
    assert_eq!(kept(Selection { kind: Some("apple".to_owned()), ..Selection::default() }), 3);
    assert_eq!(kept(Selection { only: vec![VerdictKind::Blocked], ..Selection::default() }), 5);
    assert_eq!(kept(Selection { only: vec![VerdictKind::Ready], ..Selection::default() }), 0);
}
