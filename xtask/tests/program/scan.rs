//! `scan`: a cluster that a program plays over HTTP, files, and runs that are stopped.

use assert_cmd::Command;
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

mod large;

/// A cluster that stores objects of two kinds and serves ReplicationControllers in pages.
struct Cluster {
    address: String,
    asked: Arc<Mutex<Vec<String>>>,
    /// The number of requests that are answered.
    until: Arc<AtomicUsize>,
}

/// A stored ReplicationController.
fn controller(name: &str, spec: &Value) -> Value {
    let labels = json!({"app": name});
    let mut spec = spec.clone();
    spec["selector"] = labels.clone();
    spec["template"] = json!({"metadata": {"labels": labels}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    json!({"metadata": {"name": name, "namespace": "default", "uid": "u", "resourceVersion": "7"}, "spec": spec})
}

/// Two hundred and fifty objects. Two were stored before there were rules.
fn controllers() -> Vec<Value> {
    (0..250)
        .map(|number| match number {
            120 => controller("negative", &json!({"replicas": -1})),
            220 => controller("late", &json!({"minReadySeconds": -5})),
            _ => controller(&format!("rc-{number}"), &json!({"replicas": 1})),
        })
        .collect()
}

impl Cluster {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let (asked, until) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicUsize::new(usize::MAX)));
        let (heard, limit) = (Arc::clone(&asked), Arc::clone(&until));
        thread::spawn(move || {
            for connection in listener.incoming().map_while(Result::ok) {
                let _ = answer(connection, &heard, &limit);
            }
        });
        Self { address, asked, until }
    }

    /// A folder with a kubeconfig whose context `play` is this cluster.
    fn project(&self) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let text = format!(
            "contexts: [{{name: play, context: {{cluster: c, user: u}}}}]\nclusters: [{{name: c, cluster: {{server: '{}'}}}}]\n\
             users: [{{name: u, user: {{}}}}]\n",
            self.address
        );
        fs::write(folder.path().join("kubeconfig"), text).unwrap();
        folder
    }
}

fn answer(mut connection: TcpStream, asked: &Mutex<Vec<String>>, until: &AtomicUsize) -> std::io::Result<()> {
    let mut reader = BufReader::new(connection.try_clone()?);
    loop {
        let mut head = String::new();
        if reader.read_line(&mut head)? == 0 {
            return Ok(());
        }
        let mut line = String::new();
        while reader.read_line(&mut line)? > 2 {
            line.clear();
        }
        let target = head.split(' ').nth(1).unwrap_or_default().to_owned();
        let number = {
            let mut asked = asked.lock().unwrap();
            asked.push(head.trim().to_owned());
            asked.len()
        };
        if number > until.load(Ordering::Relaxed) {
            return Ok(());
        }
        let (code, body) = served(&target);
        let body = body.to_string();
        write!(connection, "HTTP/1.1 {code} x\r\nContent-Length: {}\r\n\r\n{body}", body.len())?;
    }
}

fn served(target: &str) -> (u16, Value) {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let parameter = |name: &str| query.split('&').find_map(|pair| pair.strip_prefix(&format!("{name}=")));
    let resource = |name: &str, kind: &str| json!({"name": name, "kind": kind, "namespaced": true});
    match path {
        "/api/v1" => (200, json!({"resources": [resource("replicationcontrollers", "ReplicationController")]})),
        "/apis/batch/v1" => (200, json!({"resources": [resource("cronjobs", "CronJob")]})),
        "/apis/batch/v1/cronjobs" => (403, json!({"message": "no"})),
        "/api/v1/replicationcontrollers" => {
            // The list expires once, as after a compaction.
            if parameter("continue") == Some("100") {
                return (410, json!({"metadata": {"continue": "newer%3D100"}, "code": 410}));
            }
            let from = parameter("continue").map_or(0, |text| text.rsplit(['D', '=']).next().unwrap().parse().unwrap());
            let most: usize = parameter("limit").unwrap().parse().unwrap();
            let all = controllers();
            let items: Vec<Value> = all.iter().skip(from).take(most).cloned().collect();
            let next = if from + most < all.len() { (from + most).to_string() } else { String::new() };
            (200, json!({"metadata": {"continue": next}, "items": items}))
        }
        _ => (404, json!({"message": "not here"})),
    }
}

fn run(folder: &Path, arguments: &str) -> (Option<i32>, String, String) {
    let output =
        Command::cargo_bin("takeover").unwrap().current_dir(folder).args(arguments.split(' ')).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

const CONTROLLERS: &str =
    "scan --context play --kubeconfig kubeconfig --kind ReplicationController --kind CronJob --rate 1000 --page 100";

#[test]
fn stored_objects_that_rules_reject_are_counted_and_named() {
    let cluster = Cluster::start();
    let project = cluster.project();
    let (code, found, said) = run(project.path(), &format!("{CONTROLLERS} --format json"));
    assert_eq!(code, Some(1), "{said}");
    let report: Value = serde_json::from_str(&found).unwrap();
    let of = &report["subjects"]["v1 ReplicationController"];
    assert_eq!((&of["objects"], &of["rejected"], &of["stuck"]), (&json!(250), &json!(2), &json!(0)), "{report:#}");
    let first = |rule: usize| &of["rules"][rule]["first"][0];
    assert_eq!(first(0)["name"], "default/negative");
    assert_eq!(first(0)["field"], "spec.replicas");
    assert_eq!(first(0)["error"], "Invalid value: must be greater than or equal to 0");
    assert_eq!(first(1)["name"], "default/late");
    assert_eq!(report["notScanned"]["not allowed to list"]["batch/v1 CronJob"], 1, "{report:#}");
    assert_eq!(report["notScanned"]["not served"]["batch/v1beta1 CronJob"], 1, "{report:#}");
    let asked = cluster.asked.lock().unwrap().clone();
    assert!(asked.iter().all(|request| request.starts_with("GET ")), "{asked:?}");
    let (_, text, _) = run(project.path(), &format!("{CONTROLLERS} --values"));
    assert!(text.starts_with("Rules reject 2 of 250 stored objects of 1 kind.\n2 can still be updated"), "{text}");
    assert!(text.contains("  default/negative: spec.replicas: Invalid value: -1: must be"), "{text}");
}

#[test]
fn a_scan_that_broke_off_is_resumed_and_counts_nothing_twice() {
    let cluster = Cluster::start();
    let project = cluster.project();
    let here = project.path();
    // The versions of one kind, then a page of a hundred objects, then silence.
    cluster.until.store(3, Ordering::Relaxed);
    let (code, _, said) = run(here, &format!("{CONTROLLERS} --out scan"));
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("failed to list") && said.contains("add --resume to the same command"), "{said}");
    let (code, _, said) = run(here, &format!("{CONTROLLERS} --out scan"));
    assert!(code == Some(2) && said.contains("--resume"), "{said}");
    cluster.until.store(usize::MAX, Ordering::Relaxed);
    let (code, _, said) = run(here, &format!("{CONTROLLERS} --out scan --resume --kind Role"));
    assert!(code == Some(2) && said.contains("other objects or kinds"), "{said}");
    let (code, found, said) = run(here, &format!("{CONTROLLERS} --out scan --resume --format json"));
    assert_eq!(code, Some(1), "{said}");
    let whole: Value = serde_json::from_str(&found).unwrap();
    assert_eq!(whole["finished"], true);
    assert_eq!(whole["subjects"]["v1 ReplicationController"]["objects"], 250, "{whole:#}");
    let written: Value = serde_json::from_str(&fs::read_to_string(here.join("scan/scan.json")).unwrap()).unwrap();
    assert_eq!(written, whole);
}

#[test]
fn files_and_crds_are_scanned_too() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    fs::write(here.join("crd.yaml"), include_str!("pairs/widget.yaml")).unwrap();
    let mut items = controllers();
    for item in &mut items {
        item["apiVersion"] = "v1".into();
        item["kind"] = "ReplicationController".into();
    }
    items.push(json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}}));
    let list = json!({"apiVersion": "v1", "kind": "List", "items": items});
    fs::write(here.join("all.json"), list.to_string()).unwrap();
    let (code, found, said) = run(here, "scan all.json");
    assert_eq!(code, Some(1), "{said}");
    assert!(found.starts_with("Rules reject 2 of 250 stored objects of 1 kind.\n"), "{found}");
    assert!(found.contains("\nNot scanned:\n  no rules: v1 ConfigMap\n"), "{found}");
    // What holds nothing to scan is no success.
    fs::write(here.join("other.yaml"), "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n").unwrap();
    assert_eq!(run(here, "scan other.yaml").0, Some(3));
    for (only, code) in [("ReplicationController", 1), ("CronJob", 3)] {
        fs::write(here.join("takeover.toml"), format!("[subjects]\nonly = [\"{only}\"]\n")).unwrap();
        let ran = run(here, "scan all.json");
        assert_eq!(ran.0, Some(code), "{only}: {}{}", ran.1, ran.2);
    }
    fs::remove_file(here.join("takeover.toml")).unwrap();
    let (code, _, said) = run(here, "scan");
    assert!(code == Some(2) && said.contains("pass --context"), "{said}");
    assert_eq!(run(here, "scan all.json --crd crd.yaml").0, Some(3));
    // The next version of a CRD bounds what is stored.
    let crd = fs::read_to_string(here.join("crd.yaml")).unwrap();
    fs::write(here.join("crd.yaml"), crd.replace("format: int32}", "format: int32, maximum: 5}")).unwrap();
    let widget = |name: &str, size: u32| {
        let head = "apiVersion: shop.example.com/v1\nkind: Widget\n";
        format!("{head}metadata: {{name: {name}, namespace: shop}}\nspec: {{size: {size}}}\n---\n")
    };
    fs::write(here.join("widgets.yaml"), widget("small", 5) + &widget("large", 6)).unwrap();
    let (code, found, said) = run(here, "scan widgets.yaml --crd crd.yaml");
    assert_eq!(code, Some(1), "{found}{said}");
    assert!(found.starts_with("Rules reject 1 of 2 stored objects of 1 kind.\n1 can still be updated"), "{found}");
    assert!(found.contains("\nshop.example.com/v1 Widget: `maximum"), "{found}");
    assert!(found.contains("  shop/large: spec.size: Invalid value: "), "{found}");
}
