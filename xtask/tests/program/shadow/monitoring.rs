//! What alert rules, recording rules and the dashboard ask for is what a server gives.

use super::{Process, certified, one_rc, post_all};
use regex::Regex;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use takeover_corpora::load::{Input, Limits, load};

/// Labels with their values, by metric.
type Given = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

/// A query, the labels that its result is shown with, and the name under which the result is recorded.
struct Query {
    expression: String,
    legend: String,
    record: Option<String>,
}

fn file(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "..", "deploy", "monitoring", name].iter().collect()
}

/// Every query of the rules and of the dashboard.
fn queries() -> Vec<Query> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let rules = load(vec![Input::named(file("prometheusrule.yaml"))], Limits::default());
    let rules: Vec<Value> = rules.map(|document| document.unwrap().value).collect();
    let groups = rules[0]["spec"]["groups"].as_array().unwrap().iter();
    let rules = groups.flat_map(|group| group["rules"].as_array().unwrap()).map(|rule| Query {
        expression: text(&rule["expr"]),
        legend: rule["annotations"].to_string().replace("$labels.", "").replace("{{ ", "{{").replace(" }}", "}}"),
        record: rule["record"].as_str().map(str::to_owned),
    });
    let dashboard: Value = serde_json::from_str(&fs::read_to_string(file("dashboard.json")).unwrap()).unwrap();
    let panels = dashboard["panels"].as_array().unwrap().iter();
    let shown = panels.flat_map(|panel| panel["targets"].as_array().unwrap()).map(|target| Query {
        expression: text(&target["expr"]),
        legend: text(&target["legendFormat"]),
        record: None,
    });
    rules.chain(shown).collect()
}

/// Names, labels and values of everything in an exposition.
fn given(metrics: &str) -> Given {
    let (line, label) = (Regex::new(r"^(\w+)(?:\{(.*)\})? \S+$").unwrap(), Regex::new(r#"(\w+)="([^"]*)""#).unwrap());
    let mut given = Given::new();
    for found in metrics.lines().filter(|line| !line.starts_with('#')).map(|text| line.captures(text).unwrap()) {
        let labels = given.entry(found[1].to_owned()).or_default();
        for pair in label.captures_iter(found.get(2).map_or("", |labels| labels.as_str())) {
            labels.entry(pair[1].to_owned()).or_default().insert(pair[2].to_owned());
        }
    }
    given
}

/// What a query asks for and a server does not give.
fn missing(query: &Query, given: &Given, recorded: &BTreeMap<String, BTreeSet<String>>) -> Vec<String> {
    let (selector, matcher) = (
        Regex::new(r"\b((?:takeover|declarative_validation)[_:][\w:]*)(?:\{([^}]*)\})?").unwrap(),
        Regex::new(r#"(\w+)(?:=~|!~|!=|=)"([^"]*)""#).unwrap(),
    );
    let mut missing = Vec::new();
    // Prometheus gives every series the place that it was scraped from.
    let mut labels = BTreeSet::from(["instance".to_owned()]);
    // So does kube-state-metrics with the namespace of an object.
    if query.expression.contains("kube_cronjob_") {
        labels.insert("namespace".to_owned());
    }
    for found in selector.captures_iter(&query.expression) {
        if let Some(known) = recorded.get(&found[1]) {
            labels.extend(known.iter().cloned());
            continue;
        }
        let Some(series) = given.get(&found[1]) else {
            missing.push(found[1].to_owned());
            continue;
        };
        labels.extend(series.keys().cloned());
        for pair in matcher.captures_iter(found.get(2).map_or("", |matchers| matchers.as_str())) {
            let values = series.get(&pair[1]).cloned().unwrap_or_default();
            let wanted = pair[2].split('|').filter(|value| !values.contains(*value));
            missing.extend(wanted.map(|value| format!("{}{{{}={value}}}", &found[1], &pair[1])));
        }
    }
    let lost = |names: BTreeSet<String>, among: &BTreeSet<String>| names.difference(among).cloned().collect::<Vec<_>>();
    let by = grouped(&query.expression);
    missing.extend(lost(by.clone(), &labels));
    let shown = Regex::new(r"\{\{(\w+)\}\}").unwrap();
    let shown = shown.captures_iter(&query.legend).map(|name| name[1].to_owned()).collect();
    missing.extend(lost(shown, if by.is_empty() { &labels } else { &by }));
    missing
}

/// The labels that a query sums by.
fn grouped(expression: &str) -> BTreeSet<String> {
    let by = Regex::new(r"\bby \(([^)]*)\)").unwrap();
    let names = by.captures_iter(expression).flat_map(|by| by[1].split(", ").map(str::to_owned).collect::<Vec<_>>());
    names.collect()
}

#[test]
fn rules_and_dashboard_ask_for_metrics_labels_and_values_that_a_server_gives() {
    let folder = tempfile::tempdir().unwrap();
    let (tls, authority) = certified(folder.path());
    let log = folder.path().join("audit.log");
    fs::write(&log, "").unwrap();
    // Some series are there as soon as an oracle did not answer.
    let hangs = "sleep/candidate/1@v1 ReplicationController";
    let more = ["--tail", &log.to_string_lossy(), "--plant", hangs];
    let process = Process::with(&tls, &folder.path().join("evidence"), "one", "oracle-milliseconds = 50\n", &more);
    post_all(&[one_rc("a")], &process, &authority);
    process.until("the subject is switched off", |process| {
        process.metric("takeover_shadow_subject_off{subject=\"v1 ReplicationController\"}") == 1
    });
    let given = given(&process.metrics());
    process.kill();

    let queries = queries();
    let recorded = queries.iter().filter_map(|query| Some((query.record.clone()?, grouped(&query.expression))));
    let recorded: BTreeMap<String, BTreeSet<String>> = recorded.collect();
    assert!(queries.len() > 30 && recorded.len() > 3, "{}, {}", queries.len(), recorded.len());
    for query in &queries {
        let missing = missing(query, &given, &recorded);
        assert!(missing.is_empty(), "`{}` asks for {missing:?}, which no server gives", query.expression);
    }
    for (wrong, what) in [
        ("takeover_shadow_request_total", "takeover_shadow_request_total"),
        ("takeover_shadow_requests_total{outcome=\"dropped\"}", "takeover_shadow_requests_total{outcome=dropped}"),
        ("sum by (kind) (takeover_shadow_requests_total)", "kind"),
    ] {
        let query = Query { expression: wrong.to_owned(), legend: String::new(), record: None };
        assert_eq!(missing(&query, &given, &recorded), [what], "the check would notice");
    }
}
