//! A real Prometheus beside a server: it takes the metrics, and the alerts fire.

use crate::running::Running;
use crate::things::{MISSED, PANICS, allowed, review};
use serde_json::{Value, json};
use std::io::Write as _;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use takeover_shadow::client::Client;

/// Set where Prometheus has to be installed.
const REQUIRED: &str = "TAKEOVER_REQUIRE_PROMETHEUS";

/// The program, or none where it is not installed and not required.
fn installed(program: &str) -> Option<PathBuf> {
    let found = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
        .map(|folder| folder.join(program))
        .find(|path| path.is_file());
    if found.is_none() {
        assert!(std::env::var_os(REQUIRED).is_none(), "{REQUIRED} is set, and `{program}` is not installed");
        eprintln!("skipped: `{program}` is not installed");
    }
    found
}

fn monitoring() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "..", "deploy", "monitoring"].iter().collect()
}

/// Ended with the test.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start_prometheus(program: &Path, folder: &Path, scraped: SocketAddr) -> (Process, SocketAddr) {
    let rules = monitoring().join("rules.yaml").canonicalize().unwrap();
    let config = format!(
        "global: {{scrape_interval: 1s, evaluation_interval: 1s}}\nrule_files: [{:?}]\n\
         scrape_configs: [{{job_name: shadow, static_configs: [{{targets: [\"{scraped}\"]}}]}}]\n",
        rules.to_string_lossy()
    );
    std::fs::write(folder.join("prometheus.yml"), config).unwrap();
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let child = Command::new(program)
        .arg(format!("--config.file={}", folder.join("prometheus.yml").display()))
        .arg(format!("--storage.tsdb.path={}", folder.join("data").display()))
        .arg(format!("--web.listen-address={address}"))
        .arg("--enable-feature=exemplar-storage")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    (Process(child), address)
}

/// What Prometheus answers; null while it does not.
fn ask(address: SocketAddr, path: &str) -> Value {
    let answered = Client::new(format!("http://{address}")).get(path);
    answered.ok().and_then(|answered| serde_json::from_slice(&answered.body).ok()).unwrap_or_default()
}

#[test]
fn prometheus_takes_the_metrics_under_upstream_names_and_alerts_fire() {
    let Some(program) = installed("prometheus") else { return };
    let running = Running::start(|_| {});
    let folder = tempfile::tempdir().unwrap();
    let (_process, address) = start_prometheus(&program, folder.path(), running.server.pages());
    let value = |metric: &str| {
        let said = ask(address, &format!("/api/v1/query?query={metric}"));
        said.pointer("/data/result/0/value/1").and_then(Value::as_str).map(str::to_owned)
    };
    for metric in ["declarative_validation_mismatch_total", "declarative_validation_panic_total"] {
        running.until(metric, |_| value(metric).as_deref() == Some("0"));
    }
    for (uid, count) in [("missed", MISSED), ("panics", PANICS)] {
        assert_eq!(running.review(&review(uid, count)), allowed(uid));
    }
    running.until("the mismatch is there", |_| value("declarative_validation_mismatch_total").as_deref() == Some("1"));
    for alert in ["TakeoverMismatch", "TakeoverPanic"] {
        running.until(alert, |_| {
            let said = ask(address, "/api/v1/alerts");
            said["data"]["alerts"].as_array().is_some_and(|alerts| {
                alerts.iter().any(|fired| {
                    fired["labels"]["alertname"] == alert
                        && fired["labels"]["validation_identifier"] == "thing_create"
                        && fired["state"] == "firing"
                })
            })
        });
    }
    running.end();
}

#[test]
fn prometheus_takes_open_metrics_and_keeps_the_reviews_behind_a_mismatch_and_a_panic() {
    let Some(program) = installed("prometheus") else { return };
    let running = Running::start(|setup| setup.metrics_prefix = "apiserver_validation_".to_owned());
    for (uid, count) in [("fine", 1), ("missed", MISSED), ("panics", PANICS)] {
        running.review(&review(uid, count));
    }
    let folder = tempfile::tempdir().unwrap();
    let (_process, address) = start_prometheus(&program, folder.path(), running.server.pages());
    let now = jiff::Timestamp::now().as_second();
    for (counter, uid) in [
        ("mismatch_total", "missed"),
        ("parity_discrepancies_total", "missed"),
        ("panic_total", "panics"),
        ("panics_total", "panics"),
    ] {
        let counter = format!("apiserver_validation_declarative_validation_{counter}");
        let path = format!("/api/v1/query_exemplars?query={counter}&start={}&end={}", now - 3600, now + 3600);
        running.until(&counter, |_| {
            let said = ask(address, &path);
            said["data"].as_array().is_some_and(|series| {
                series.iter().any(|one| {
                    one["seriesLabels"]["__name__"] == counter
                        && one["exemplars"][0]["labels"]["seen_in"] == format!("admission review {uid}")
                })
            })
        });
    }
    running.end();
}

#[test]
fn promtool_finds_no_fault_with_the_metrics() {
    let Some(program) = installed("promtool") else { return };
    let running = Running::start(|_| {});
    for (uid, count) in [("one", 1), ("missed", MISSED), ("panics", PANICS)] {
        running.review(&review(uid, count));
    }
    running.settle(3);
    let mut child = Command::new(program)
        .args(["check", "metrics"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(running.get("/metrics").1.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success() && said.is_empty(), "{said}");
    running.end();
}

#[test]
fn the_alert_rules_pass_their_tests() {
    let Some(program) = installed("promtool") else { return };
    let output =
        Command::new(program).args(["test", "rules", "rules_test.yaml"]).current_dir(monitoring()).output().unwrap();
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success() && said.contains("SUCCESS"), "{said}");
}

#[test]
fn every_query_of_the_dashboard_is_one() {
    let Some(program) = installed("promtool") else { return };
    let dashboard = std::fs::read_to_string(monitoring().join("dashboard.json")).unwrap();
    let dashboard: Value = serde_json::from_str(&dashboard).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    let queries = panels.iter().flat_map(|panel| panel["targets"].as_array().unwrap()).map(|target| {
        // Grafana puts the time that the reader looks at there.
        target["expr"].as_str().unwrap().replace("$__range", "1h")
    });
    let rules: Vec<Value> =
        queries.enumerate().map(|(at, expr)| json!({"record": format!("query:{at}"), "expr": expr})).collect();
    let check = |rules: &[Value]| {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("queries.yaml");
        std::fs::write(&file, json!({"groups": [{"name": "dashboard", "rules": rules}]}).to_string()).unwrap();
        let output = Command::new(&program).args(["check", "rules"]).arg(&file).output().unwrap();
        let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        (output.status.success() && said.contains(&format!("{} rules found", rules.len())), said)
    };
    assert!(rules.len() > 10, "{}", rules.len());
    let (fine, said) = check(&rules);
    assert!(fine, "{said}");
    assert!(!check(&[json!({"record": "query", "expr": "sum by ("})]).0, "the check would notice");
}
