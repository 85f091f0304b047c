//! What operators see.

use crate::running::{Running, watched};
use crate::things::{FLOOD, FLOODS, MISSED, PANICS, review};
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::atomic::Ordering;

#[test]
fn the_live_report_comes_in_every_form() {
    let running = Running::start(|_| {});
    running.review(&review("one", MISSED));
    running.settle(1);
    let (code, json) = running.get("/report?format=json");
    let report: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(code, 200);
    let mut production = report["production"].clone();
    let since = production["since"].take();
    let since = since.as_str().unwrap_or_default();
    assert_eq!(production, json!({"since": null, "days": 1, "replicas": 1, "comparisons": 1, "acceptedOnly": 0}));
    assert_eq!(report["subjects"][0]["totals"]["disagreed"], 1);
    let (_, html) = running.get("/report?format=html");
    assert!(
        html.to_lowercase().starts_with("<!doctype html>")
            && html.contains("v1 Thing")
            && html.contains(&format!("Seen in production since {since}: 1 day")),
        "{html}"
    );
    let (_, text) = running.get("/report");
    assert!(text.contains(&format!("Seen in production since {since}: 1 day, 1 replica, 1 comparison.\n")), "{text}");
    for wrong in ["/report?format=pdf", "/report?fromat=json", "/report?format=json&kind=Thing"] {
        let (code, said) = running.get(wrong);
        assert!(code == 400 && said.contains("html"), "{wrong}: {said}");
    }
    let (code, index) = running.get("/");
    assert_eq!(code, 200);
    for page in index.lines().filter(|line| line.starts_with('/')).filter_map(|line| line.split(' ').next()) {
        assert_eq!(running.get(page).0, 200, "{page}");
    }
    running.end();
}

#[test]
fn what_a_validating_webhook_cannot_see_is_said() {
    let running = Running::start(|_| {});
    running.review(&review("before", MISSED));
    for uid in ["after", "later"] {
        let answered = running.webhook().post("/validate", review(uid, 1).to_string()).unwrap();
        assert_eq!(answered.code, 200);
    }
    running.settle(3);
    let of = |source: &str| running.metric(&format!("takeover_shadow_comparisons_total{{source=\"{source}\"}}"));
    let arrived = ["mutating_webhook", "validating_webhook", "audit_log"].map(of);
    assert_eq!(arrived, [1, 2, 0]);
    let (_, text) = running.get("/report");
    let said = "3 comparisons, 2 of them by a validating webhook, which sees no request that handwritten checks reject";
    assert!(text.contains(said), "{text}");
    let (_, json) = running.get("/report?format=json");
    let report: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(report["production"]["acceptedOnly"], 2);
    assert_eq!(report["subjects"][0]["fields"][0]["rules"][0]["production"]["acceptedOnly"], 2);
    // What was counted before a restart stays known.
    let (_, production) = running.server.evidence();
    let runs: Vec<_> = production.runs.values().collect();
    let arrivals = serde_json::to_value(&runs[0].arrivals).unwrap();
    assert_eq!(arrivals, json!({"v1 Thing": {"mutatingWebhook": 1, "validatingWebhook": 2}}));
    running.end();
}

#[test]
fn values_of_objects_are_nowhere_unless_they_were_asked_for() {
    for keep in [false, true] {
        let running = Running::start(|setup| setup.settings.privacy.keep_samples = keep);
        for (uid, count) in [("missed", MISSED), ("panics", PANICS)] {
            running.review(&review(uid, count));
        }
        let mut undecodable = review("undecodable", 1);
        undecodable["request"]["object"]["count"] = "a-private-name".into();
        running.review(&undecodable);
        running.settle(3);
        let pages = ["/metrics", "/report?format=json", "/config"].map(|page| running.get(page).1).concat();
        let evidence = running.server.evidence().0.to_json().unwrap();
        for private in ["a-private-name", "-42", "planted panic"] {
            assert_eq!(evidence.contains(private), keep, "{private}");
            assert!(keep || !pages.contains(private), "{private}");
        }
        let kept = if keep { 2 } else { 0 };
        assert_eq!(
            (running.metric("takeover_shadow_signatures"), running.metric("takeover_shadow_samples")),
            (2, kept)
        );
        running.end();
    }
}

#[test]
fn samples_come_and_go_with_their_setting_and_are_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("shadow.toml");
    let write = |keep: bool| {
        let part = folder.path().join("part");
        std::fs::write(&part, format!("[privacy]\nkeep-samples = {keep}\n[limits]\nleave-milliseconds = 0\n")).unwrap();
        std::fs::rename(part, &file).unwrap();
    };
    write(false);
    let running = Running::start(|setup| setup.settings_file = watched(&file));
    let mut sent = 0;
    let mut send = |count: i64, bytes: usize| {
        sent += 1;
        let mut review = review(&format!("uid-{sent}"), count);
        review["request"]["object"]["name"] = "p".repeat(bytes).into();
        running.review(&review);
        running.settle(sent);
        let samples = running.metric("takeover_shadow_samples");
        assert_eq!(running.server.evidence().0.to_json().unwrap().contains("ppp"), samples > 0);
        (running.metric("takeover_shadow_signatures"), samples)
    };
    assert_eq!(send(MISSED, 10), (1, 0));
    write(true);
    running.server.reload();
    assert_eq!(send(MISSED, 40_000), (1, 0), "too large");
    assert_eq!(send(MISSED, 20), (1, 1), "the first that may be kept, of a signature that was known");
    assert_eq!(send(MISSED, 40_000), (1, 1), "it stays");
    assert_eq!(send(FLOODS, 30_000), (1 + FLOOD, 1), "so many at once, each with its sample, are more than is kept");
    assert_eq!(send(FLOODS, 25_000), (1 + FLOOD, 1 + FLOOD));
    assert_eq!(send(PANICS, 10), (2 + FLOOD, 2 + FLOOD));
    write(false);
    running.server.reload();
    assert_eq!(running.metric("takeover_shadow_samples"), 0);
    assert_eq!(send(MISSED, 20), (2 + FLOOD, 0));
    running.end();
}

/// The head and the body of the answer to a request for the metrics with this Accept header.
fn metrics_as(running: &Running, accept: &str) -> (String, String) {
    let mut stream = TcpStream::connect(running.server.pages()).unwrap();
    let request = format!("GET /metrics HTTP/1.1\r\nHost: a\r\nAccept: {accept}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut said = String::new();
    stream.read_to_string(&mut said).unwrap();
    let (head, body) = said.split_once("\r\n\r\n").unwrap();
    (head.to_lowercase(), body.to_owned())
}

#[test]
fn metrics_come_as_open_metrics_to_those_who_ask_for_them() {
    let running = Running::start(|_| {});
    let hostile = "a\\\"b\n # {}";
    for (uid, count) in [("one", 1), (hostile, MISSED), ("panics", PANICS)] {
        running.review(&review(uid, count));
    }
    running.settle(3);
    let (head, text) = metrics_as(&running, "text/plain");
    assert!(head.contains("content-type: text/plain; version=0.0.4") && !text.contains("seen_in"), "{text}");
    let (head, open) = metrics_as(&running, "application/openmetrics-text; version=1.0.0, text/plain; q=0.5");
    assert!(head.contains("content-type: application/openmetrics-text; version=1.0.0; charset=utf-8"), "{head}");
    assert!(open.ends_with("\n# EOF\n") && open.matches("# EOF").count() == 1, "{open}");
    for start in [
        "declarative_validation_mismatch_total 1.0 # {seen_in=\"admission review a\\\\\\\"b\\n # {}\",relation=\"new\",cause=\"reports-less\"} 1.0 1",
        "declarative_validation_panics_total{validation_identifier=\"thing_create\"} 1.0 # {seen_in=\"admission review panics\"} 1.0 1",
    ] {
        assert!(open.lines().any(|line| line.starts_with(start)), "{start}\n{open}");
    }
    // The same metrics with the same values, apart from the length of what is between two looks.
    let types = |text: &str| {
        let types = text.lines().filter_map(|line| line.strip_prefix("# TYPE "));
        types.map(|line| line.replace("_total counter", " counter")).collect::<Vec<_>>()
    };
    assert_eq!(types(&open), types(&text));
    let samples = |text: &str| text.lines().filter(|line| !line.starts_with('#')).count();
    assert_eq!(samples(&open), samples(&text));
    running.end();
}

#[test]
fn a_server_that_is_about_to_end_is_alive_but_not_ready() {
    let running = Running::start(|_| {});
    assert_eq!((running.get("/healthz").0, running.get("/readyz").0), (200, 200));
    running.server.state().leaving.store(true, Ordering::Relaxed);
    assert_eq!((running.get("/healthz").0, running.get("/readyz").0), (200, 503));
    running.end();
}

#[test]
fn the_configuration_names_subjects_settings_and_mode() {
    let running = Running::start(|_| {});
    let config: Value = serde_json::from_str(&running.get("/config").1).unwrap();
    assert_eq!((config["mode"].as_str(), config["replica"].as_str()), (Some("shadow"), Some("replica-a")));
    assert_eq!(config["subjects"][0], "v1 Thing");
    assert_eq!(config["settings"]["limits"]["queue"], 4096);
    running.end();
}

#[test]
fn metrics_say_what_was_built_and_which_gates_are_on() {
    let running = Running::start(|setup| setup.metrics_prefix = "apiserver_validation_".to_owned());
    let text = running.get("/metrics").1;
    for line in [
        "apiserver_validation_declarative_validation_mismatch_total 0",
        "apiserver_validation_declarative_validation_panic_total 0",
        "kubernetes_feature_enabled{name=\"DeclarativeValidation\",stage=\"\"} 1",
        "kubernetes_feature_enabled{name=\"DeclarativeValidationBeta\",stage=\"BETA\"} 1",
        "takeover_shadow_queue_capacity 4096",
    ] {
        assert!(text.lines().any(|found| found == line), "{line} is not in\n{text}");
    }
    assert!(text.contains("takeover_build_info{mode=\"shadow\",semantics=\"1.37\","), "{text}");
    running.end();
}
