//! The API server's own counters in the reports of a shadow server.

use super::played::{Faults, Played};
use super::{HOST, Process, takeover};
use crate::pairs::http::{Request, serve};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// The metrics of an API server with so many mismatches of creates of PriorityLevelConfigurations.
fn metrics(version: &str, count: u64) -> String {
    format!(
        "process_start_time_seconds 1.7e+09\nkubernetes_build_info{{git_version=\"{version}\",major=\"1\"}} 1\n\
         apiserver_validation_declarative_validation_parity_discrepancies_total\
         {{validation_identifier=\"prioritylevelconfiguration_create\"}} {count}\n"
    )
}

/// A create on which the two sides report different errors: one mismatch.
fn review() -> String {
    let kind = json!({"group": "flowcontrol.apiserver.k8s.io", "version": "v1", "kind": "PriorityLevelConfiguration"});
    let object = json!({"apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "PriorityLevelConfiguration",
        "metadata": {"name": "batch"}, "spec": {"type": "Other", "exempt": {}}});
    format!(
        "{{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"request\":{{\"uid\":\"one\",\"kind\":{kind},\"operation\":\"CREATE\",\"object\":{object}}}}}"
    )
}

fn prepared(folder: &Path) -> String {
    let tls = folder.join("tls");
    assert_eq!(takeover(&["shadow", "--make-certificate", &tls.to_string_lossy(), "--host", HOST]).0, 0);
    fs::read_to_string(tls.join("ca.crt")).unwrap()
}

#[test]
fn reports_show_what_the_api_server_counted_since_then_beside_ours() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let authority = prepared(here);
    let saved = here.join("metrics.txt");
    fs::write(&saved, metrics("v1.35.4", 5)).unwrap();
    let place = saved.to_string_lossy().into_owned();
    let process = Process::with(&here.join("tls"), &here.join("out"), "one", "", &["--server-metrics", &place]);
    // What it counted before is known by then.
    process.until("its metrics are read", |process| process.page("/config").contains("v1.35.4"));
    assert_eq!(process.client(&authority).post("/mutate", review()).unwrap().code, 200);
    process.settle();
    fs::write(&saved, metrics("v1.35.4", 6)).unwrap();
    let report = process.page("/report?format=text");
    for line in [
        "Mismatches counted by the API server v1.35.4 itself meanwhile: the same as here.",
        "  prioritylevelconfiguration_create: 1 there, 1 here",
        "  WARNING: the API server is of 1.35, the types of 1.36",
    ] {
        assert!(report.lines().any(|known| known == line), "{line} is not in\n{report}");
    }
    assert_eq!(process.metric("takeover_shadow_server_info{version=\"v1.35.4\"}"), 1);
    fs::write(&saved, metrics("v1.35.4", 8)).unwrap();
    for form in ["text", "html"] {
        let report = process.page(&format!("/report?format={form}"));
        assert!(report.contains("prioritylevelconfiguration_create: 3 there, 1 here  differs"), "{report}");
    }
    fs::remove_file(&saved).unwrap();
    let report: Value = serde_json::from_str(&process.page("/report?format=json")).unwrap();
    let seen = &report["production"]["apiServer"];
    assert!(seen["unreadable"].as_str().unwrap().contains("metrics.txt"), "{seen:#}");
    assert_eq!(seen["mismatches"]["prioritylevelconfiguration_create"]["server"], 3, "{seen:#}");
    assert_eq!(process.end(), 0);
    // Whoever merges the evidence sees the same.
    let (one, merged) = (here.join("out").join("one"), here.join("merged"));
    let (_, said, errors) = takeover(&["merge", &one.to_string_lossy(), "--out", &merged.to_string_lossy()]);
    let report: Value = serde_json::from_str(&fs::read_to_string(merged.join("report.json")).unwrap()).unwrap();
    let known = &report["production"]["apiServer"]["mismatches"];
    let counts = json!({"prioritylevelconfiguration_create": {"server": 3, "ours": 1, "unclear": 0}});
    assert_eq!(*known, counts, "{said}{errors}");
}

#[test]
fn an_api_server_that_may_not_be_read_is_said_and_no_error_of_the_report() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    prepared(here);
    let forbids = |_: &(), _: &Request| (403, json!({"reason": "Forbidden"}));
    let place = format!("{}/metrics", serve(&Arc::new(()), forbids));
    let process = Process::with(&here.join("tls"), &here.join("out"), "one", "", &["--server-metrics", &place]);
    let report = process.page("/report?format=text");
    assert!(report.contains("Mismatches counted by the API server itself: unknown (HTTP status 403)."), "{report}");
    assert_eq!(process.end(), 0);
    let (code, _, errors) = takeover(&["shadow", "--tail", "a.log", "--server-metrics", "https://"]);
    assert!(code == 2 && errors.contains("`https://` is neither"), "{errors}");
}

#[test]
fn what_the_api_server_does_not_serve_or_run_stands_apart_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    prepared(here);
    let (url, _played) = Played::start(Faults::default(), false);
    let place = format!("{url}/metrics");
    let process = Process::with(&here.join("tls"), &here.join("out"), "one", "", &["--server-metrics", &place]);
    let page = |form: &str| process.page(&format!("/report?format={form}"));
    let report: Value = serde_json::from_str(&page("json")).unwrap();
    let why = |subject: &str| {
        let of = report["subjects"].as_array().unwrap().iter().find(|of| of["subject"] == subject).unwrap();
        assert_eq!(of["apart"] == json!(true), of.get("unshown").is_some(), "{subject}");
        of["unshown"].as_str().unwrap_or_default().to_owned()
    };
    let group = "rbac.authorization.k8s.io";
    assert_eq!(why(&format!("{group}/v1 Role")), "");
    let other = format!("not served by the API server v1.36.2, which serves {group}/v1");
    assert_eq!(why(&format!("{group}/v1beta1 Role")), other);
    let not_run = "the API server v1.36.2 runs no declarative rules of this kind";
    assert_eq!(why(&format!("{group}/v1 ClusterRoleBinding")), not_run);
    // A cluster of this release may be told not to serve a version that others serve.
    assert_eq!(why("batch/v1beta1 CronJob"), "not served by the API server v1.36.2, which serves batch/v1");
    let unshown = &report["production"]["apiServer"]["unshown"];
    let (all, apart) = (report["subjects"].as_array().unwrap().len(), unshown.as_object().unwrap().len());
    assert_eq!(unshown[format!("{group}/v1beta1 Role")], json!(other));
    let line = format!(
        "The API server v1.36.2 serves and runs the rules of {} of {all} subjects; the others stand apart.",
        all - apart
    );
    for form in ["text", "html"] {
        assert!(page(form).contains(&line), "{line}\n{}", page(form));
    }
    assert!(page("text").contains(&other));
    assert_eq!(process.end(), 0);
    // Whoever merges the evidence sees the same.
    let (one, merged) = (here.join("out").join("one"), here.join("merged"));
    let (_, said, errors) = takeover(&["merge", &one.to_string_lossy(), "--out", &merged.to_string_lossy(), "--full"]);
    assert!(said.contains(&other), "{said}{errors}");
}

#[test]
fn an_api_server_that_does_not_say_what_it_serves_is_said_and_nothing_stands_apart_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    prepared(here);
    for (path, said) in [
        ("/apis", "Which of the subjects the API server v1.36.2 serves is unknown (HTTP status 403)."),
        // The version is known without the metrics.
        ("/metrics", "Mismatches counted by the API server v1.36.2 itself: unknown (HTTP status 403)."),
    ] {
        let (url, _played) = Played::start(Faults { forbidden: Some(("GET", path)), ..Faults::default() }, false);
        let place = format!("{url}/metrics");
        let more = ["--server-metrics", &place, "--kind", "ClusterRole"];
        let process = Process::with(&here.join("tls"), &here.join("out"), path.trim_start_matches('/'), "", &more);
        let report = process.page("/report?format=text");
        assert!(report.lines().any(|line| line == said), "{report}");
        let told = report.contains("not served by the API server");
        assert_eq!(told, path == "/metrics", "{report}");
        assert_eq!(process.end(), 0);
    }
}
