//! A server on loopback in the place of an API server: whatever ends a command, its scratch namespace goes.

use super::http::{Reply, Request, serve};
use super::lab::{Lab, WIDGET, has_python};
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// What a server has, and was asked.
#[derive(Default)]
struct Cluster {
    namespaces: BTreeSet<String>,
    made: usize,
    dry_runs: usize,
}

/// Starts a server; returns its address and what it has.
fn cluster() -> (String, Arc<Mutex<Cluster>>) {
    let cluster: Arc<Mutex<Cluster>> = Arc::default();
    (serve(&cluster, answer), cluster)
}

fn answer(cluster: &Mutex<Cluster>, request: &Request) -> Reply {
    let mut cluster = cluster.lock().unwrap();
    let (method, target) = (request.method.as_str(), request.target.as_str());
    let mut object: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    let path = target.split('?').next().unwrap_or_default();
    match (method, path.strip_prefix("/api/v1/namespaces")) {
        ("POST", Some("")) => {
            let name = object["metadata"]["name"].as_str().unwrap_or_default().to_owned();
            cluster.namespaces.insert(name.clone());
            cluster.made += 1;
            object["metadata"]["uid"] = json!(format!("uid-of-{name}"));
            (201, object)
        }
        ("DELETE", Some(name)) if !name.trim_start_matches('/').contains('/') => {
            cluster.namespaces.remove(name.trim_start_matches('/'));
            (200, json!({"kind": "Status", "status": "Success"}))
        }
        ("GET", None) => {
            let widgets = json!({"name": "widgets", "kind": "Widget", "namespaced": true});
            (200, json!({"kind": "APIResourceList", "resources": [widgets]}))
        }
        ("DELETE" | "GET", _) => (200, json!({})),
        _ => {
            cluster.dry_runs += usize::from(target.contains("dryRun"));
            object["metadata"]["uid"] = json!("stored");
            object["metadata"]["resourceVersion"] = json!("1");
            (if method == "POST" { 201 } else { 200 }, object)
        }
    }
}

/// A command about a pair whose reference is the server, in a process group of its own, once it has asked.
fn begun(lab: &Lab, command: &[&str], cluster: &Mutex<Cluster>) -> Child {
    let (asked, made) = {
        let before = cluster.lock().unwrap();
        (before.dry_runs, before.made)
    };
    let pair = ["--types", "widget.yaml", "--kind", WIDGET, "--reference", "server config dev"];
    let mut run = lab
        .takeover(&[command, &pair, &["--candidate", "exec python3 oracle.py"]].concat())
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while cluster.lock().unwrap().dry_runs < asked + 5 {
        assert!(run.try_wait().unwrap().is_none(), "{command:?} ended");
        assert!(start.elapsed() < Duration::from_secs(60), "{command:?} asks nothing");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(cluster.lock().unwrap().made > made, "{command:?} made no namespace");
    run
}

fn assert_empty(cluster: &Mutex<Cluster>, how: &str) {
    let start = Instant::now();
    while !cluster.lock().unwrap().namespaces.is_empty() {
        assert!(start.elapsed() < Duration::from_secs(10), "{how} leaves a namespace");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn whatever_ends_a_command_its_scratch_namespace_goes() {
    if !has_python() {
        return;
    }
    let lab = Lab::new();
    let (url, cluster) = cluster();
    lab.write(
        "config",
        &format!(
            "clusters: [{{name: c, cluster: {{server: \"{url}\"}}}}]\nusers: [{{name: u, user: {{}}}}]\n\
             contexts: [{{name: dev, context: {{cluster: c, user: u}}}}]\n"
        ),
    );
    let soak = ["soak", "--seed", "1", "--cases", "100000", "--force", "--out", "run"];
    let apart = [&soak[..], &["--isolate", "--jobs", "1"]].concat();
    let explain = ["explain", "spec.size"];
    // The second Ctrl-C ends at once what the first one asks to stop; SIGKILL leaves the workers to themselves.
    for (command, signals, how) in [
        (&soak[..], &[Signal::INT, Signal::INT][..], "a run that is stopped at once"),
        (&apart, &[Signal::KILL], "a run whose oracles run apart"),
        (&explain, &[Signal::TERM], "a command that knows no stop"),
    ] {
        let mut run = begun(&lab, command, &cluster);
        for (number, signal) in signals.iter().enumerate() {
            if number > 0 {
                std::thread::sleep(Duration::from_millis(700));
            }
            // It may have ended meanwhile.
            let _ = kill_process_group(Pid::from_child(&run), *signal);
        }
        run.wait().unwrap();
        assert_empty(&cluster, how);
    }
}
