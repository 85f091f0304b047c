//! `shadow --check-cluster`: whole checks against a cluster that is played.

use super::played::{COUNTS, Faults, Played, REJECTED};
use crate::pairs::lab::{Ran, ran};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A check of objects that the test wrote down, by the rules of their kinds alone: all others take time to read.
const WRITTEN: &[&str] = &[
    "--objects",
    "objects.json",
    "--rate",
    "2000",
    "--kind",
    "ReplicationController",
    "--kind",
    "Scale",
    "--kind",
    "ResourceClaim",
    "--kind",
    "RuntimeClass",
    "--kind",
    "PriorityLevelConfiguration",
    "--kind",
    "VolumeAttachment",
];

fn metadata(name: &str, rejected: bool, counts: &str) -> Value {
    let mut metadata = json!({"name": name, "annotations": {REJECTED: rejected.to_string()}});
    if !counts.is_empty() {
        metadata["annotations"][COUNTS] = json!(counts);
    }
    metadata
}

fn controller(name: &str, replicas: i32, rejected: bool) -> Value {
    let labels = json!({"app": "web"});
    let template = json!({"metadata": {"labels": labels}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    json!({"apiVersion": "v1", "kind": "ReplicationController", "metadata": metadata(name, rejected, ""),
        "spec": {"replicas": replicas, "selector": labels, "template": template}})
}

fn claim(name: &str, spec: &Value, rejected: bool, counts: &str) -> Value {
    json!({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": metadata(name, rejected, counts),
        "spec": {"devices": spec}})
}

fn case(operation: &str, subresource: &str, old: Option<Value>, object: Value) -> Value {
    let mut case =
        json!({"apiVersion": "takeover.dev/v1alpha1", "kind": "Case", "operation": operation, "object": object});
    if !subresource.is_empty() {
        case["subresource"] = json!(subresource);
    }
    if let Some(old) = old {
        case["oldObject"] = old;
    }
    case
}

/// Creates and updates of eight resources. What a real API server says and counts of each is in docs/kubernetes-1.36-findings.md.
fn written() -> Vec<Value> {
    let exactly = json!({"deviceClassName": "gpu.example.com", "allocationMode": "ExactCount", "count": 1});
    let any = json!({"name": "any", "deviceClassName": "", "allocationMode": "ExactCount", "count": 1});
    let request = json!({"name": "gpu", "exactly": exactly});
    let both = json!({"requests": [{"name": "gpu", "exactly": exactly, "firstAvailable": [any]}]});
    let upper = json!({"requests": [request], "constraints": [{"requests": ["gpu"], "matchAttribute": "GPU.example.com/numa"}]});
    let plain = claim("gpu", &json!({"requests": [request]}), false, "");
    let mut allocated = claim("gpu", &json!({"requests": [request]}), false, "resourceclaim_status_update=1");
    let result = json!({"request": "gpu", "driver": "gpu.example.com", "pool": "node-1", "device": "gpu-0",
        "tolerations": [{"key": "a b", "operator": "Exists"}]});
    allocated["status"] = json!({"allocation": {"devices": {"results": [result]}}});
    let class = |handler: &str, rejected, counts: &str| json!({"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": metadata("gvisor", rejected, counts), "handler": handler});
    let level = json!({"apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "PriorityLevelConfiguration",
        "metadata": metadata("batch", true, "prioritylevelconfiguration_create=1"), "spec": {"type": "Other", "exempt": {}}});
    let attachment = json!({"apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment",
        "metadata": metadata("a", false, "volumeattachment_create=1"),
        "spec": {"attacher": "İ", "source": {"persistentVolumeName": "pv-1"}, "nodeName": "node-1"}});
    let scale = |replicas: i32| json!({"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "web"}, "spec": {"replicas": replicas}});
    vec![
        case("create", "", None, controller("web", 2, false)),
        case("create", "", None, controller("negative", -1, true)),
        case("update", "", Some(controller("web", 2, false)), controller("web", 3, false)),
        case("update", "", Some(controller("web", 2, false)), controller("web", -3, true)),
        case("update", "scale", Some(scale(1)), scale(2)),
        case("create", "", None, claim("both", &both, true, "resourceclaim_create=1")),
        case("create", "", None, claim("upper", &upper, false, "resourceclaim_create=1")),
        case("update", "status", Some(plain.clone()), allocated),
        case("update", "", Some(class("runsc", false, "")), class("Runsc", true, "runtimeclass_update=1")),
        case("create", "", None, level),
        case("create", "", None, attachment),
        // Of a kind that the cluster does not serve.
        case("create", "", None, json!({"apiVersion": "batch/v1beta1", "kind": "CronJob", "metadata": {"name": "c"}})),
    ]
}

/// A folder with those objects and a kubeconfig whose context `play` is a cluster.
fn project(url: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let kubeconfig = format!(
        "contexts: [{{name: play, context: {{cluster: c, user: tester}}}}]\nclusters: [{{name: c, cluster: {{server: '{url}'}}}}]\n\
         users: [{{name: tester, user: {{}}}}]\n"
    );
    fs::write(folder.path().join("kubeconfig"), kubeconfig).unwrap();
    let lines: Vec<String> = written().iter().map(Value::to_string).collect();
    fs::write(folder.path().join("objects.json"), lines.join("\n")).unwrap();
    folder
}

fn command(folder: &Path, more: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_takeover"));
    command.current_dir(folder).args(["shadow", "--check-cluster", "--kubeconfig", "kubeconfig", "--context", "play"]);
    command.args(more);
    command
}

/// What came of a check of a cluster with these faults, and the cluster.
fn checked(faults: Faults, more: &[&str]) -> (Ran, Arc<Played>) {
    let (url, played) = Played::start(faults, false);
    let folder = project(&url);
    (ran(&mut command(folder.path(), &[WRITTEN, more].concat())), played)
}

/// Asserts that nothing is left, and that configurations of webhooks went before the namespace.
fn assert_clean(played: &Played) {
    let now = played.now.lock().unwrap();
    assert_eq!(now.objects.keys().collect::<Vec<_>>(), Vec::<&String>::new());
    let deleted = |what: &str| now.changes.iter().rposition(|(method, path)| method == "DELETE" && path.contains(what));
    assert!(deleted("webhookconfigurations") < deleted("/namespaces/takeover-check-"), "{:?}", now.changes);
}

fn report(ran: &Ran) -> Value {
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {}", ran.said()))
}

#[test]
fn a_server_that_counts_what_is_known_of_the_objects_agrees_and_nothing_is_left() {
    let (ran, played) = checked(Faults::default(), &["--format", "json"]);
    assert_eq!(ran.code, 0, "{}", ran.said());
    let report = report(&ran);
    let [mutating, validating] = [&report["variants"][0], &report["variants"][1]];
    let counts = |server: u64, ours: u64| json!({"server": server, "ours": ours, "unclear": 0});
    assert_eq!(
        mutating["mismatches"],
        json!({
            "prioritylevelconfiguration_create": counts(1, 1), "resourceclaim_create": counts(2, 2),
            "resourceclaim_status_update": counts(1, 1), "runtimeclass_update": counts(1, 1), "volumeattachment_create": counts(1, 1),
        })
    );
    // A validating webhook sees nothing of what was rejected.
    assert_eq!(
        validating["mismatches"],
        json!({
            "prioritylevelconfiguration_create": counts(1, 0), "resourceclaim_create": counts(2, 1),
            "resourceclaim_status_update": counts(1, 1), "runtimeclass_update": counts(1, 0), "volumeattachment_create": counts(1, 1),
        })
    );
    // Eleven cases; of the five updates, the old object too.
    let all = json!({"accepted": 11, "rejected": 5, "failed": {}});
    assert_eq!((&mutating["requests"], &validating["requests"]), (&all, &all), "{report:#}");
    let reviews = |arrived: u64, missed: u64| json!({"arrived": arrived, "compared": arrived, "missed": {"accepted": 0, "rejected": missed, "failed": {}}, "notCompared": {}});
    assert_eq!((&mutating["reviews"], &validating["reviews"]), (&reviews(16, 0), &reviews(11, 5)), "{report:#}");
    assert_eq!((&report["verdict"], &report["serverVersion"]), (&json!("agree"), &json!("v1.36.2")));
    assert_eq!(report["resources"]["v1 replicationcontrollers/scale"]["accepted"], 2, "{report:#}");
    let left_out = &report["leftOut"];
    assert!(
        left_out["not served by this API server"].as_array().unwrap().contains(&json!("batch/v1beta1 cronjobs")),
        "{left_out:#}"
    );
    assert_eq!(left_out["objects of the files"], json!(["batch/v1beta1 CronJob is not served, or has no rules (1)"]));
    assert_clean(&played);
    let now = played.now.lock().unwrap();
    let outside = |object: &Value| {
        object["metadata"]["labels"]["takeover.dev/check-cluster"].as_str().unwrap_or_default().to_owned()
    };
    for (_, review) in now.reviews.iter().filter(|(_, review)| review["request"]["subResource"] == "") {
        assert!(outside(&review["request"]["object"]).starts_with("takeover-check-"), "{review:#}");
    }
    // Creates and new objects are dry runs; only old objects, the namespace, its quota and the configurations are stored.
    let written = now.changes.iter().filter(|(method, _)| method != "DELETE").count();
    assert_eq!(written, 2 * 5 + 2 + 2, "{:?}", now.changes);
}

#[test]
fn the_page_shows_what_a_check_prints() {
    let (ran, _) = checked(Faults::default(), &[]);
    let shown = without_addresses(&ran.stdout);
    insta::assert_snapshot!("check_cluster", shown);
    let page = [env!("CARGO_MANIFEST_DIR"), "..", "docs", "shadow.md"].iter().collect::<std::path::PathBuf>();
    let page = fs::read_to_string(page).unwrap();
    let table: Vec<&str> = shown.lines().filter(|line| line.starts_with(['│', '├', '╭', '╰'])).collect();
    assert!(page.contains(&table.join("\n")), "docs/shadow.md lacks:\n{shown}");
}

/// The text without the address of the cluster, which differs from run to run.
fn without_addresses(text: &str) -> String {
    let line = |line: &str| match line.split_once(", Kubernetes v") {
        Some((_, rest)) => format!("https://192.0.2.10:6443, Kubernetes v{rest}\n"),
        None => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

#[test]
fn a_server_that_counts_something_else_is_found_out_by_identifier() {
    let faults = Faults { more: Some(("resourceclaim_create", 2)), ..Faults::default() };
    let (ran, played) = checked(faults, &["--variant", "mutating"]);
    assert_eq!(ran.code, 1, "{}", ran.said());
    let first = ran.stdout.lines().next().unwrap();
    assert!(first.contains("DISAGREES") && first.ends_with(": resourceclaim_create."), "{first}");
    let row = ran.stdout.lines().find(|line| line.contains("resourceclaim_create ")).unwrap();
    assert!(row.contains(" 6 ") && row.contains(" 2 ! "), "{row}");
    assert_clean(&played);
    // What never arrived is counted, and what the server counted of it is missing.
    let faults = Faults { unheard: Some("/runtimeclasses"), ..Faults::default() };
    let (ran, _) = checked(faults, &["--variant", "mutating", "--format", "json"]);
    let report = report(&ran);
    assert_eq!((ran.code, &report["verdict"]), (1, &json!("disagree")), "{}", ran.said());
    let of = &report["variants"][0];
    assert_eq!(of["reviews"]["missed"], json!({"accepted": 1, "rejected": 1, "failed": {}}));
    assert_eq!(of["mismatches"]["runtimeclass_update"], json!({"server": 1, "ours": 0, "unclear": 0}));
}

#[test]
fn an_update_that_came_too_late_is_sent_again_and_makes_a_range_of_the_count() {
    let faults = Faults { meddling: Some("/runtimeclasses"), ..Faults::default() };
    let (ran, played) = checked(faults, &["--variant", "mutating", "--format", "json"]);
    assert_eq!(ran.code, 0, "{}", ran.said());
    let of = &report(&ran)["variants"][0];
    assert_eq!(of["requests"], json!({"accepted": 11, "rejected": 5, "failed": {"409 Conflict": 1}}));
    // The review of the first attempt arrived, and nobody knows whether the API server would have counted it.
    assert_eq!(of["mismatches"]["runtimeclass_update"], json!({"server": 1, "ours": 1, "unclear": 1}));
    assert_clean(&played);
}

#[test]
fn without_the_counters_of_the_server_ours_stand_alone_and_are_no_success() {
    let faults = Faults { forbidden: Some(("GET", "/metrics")), ..Faults::default() };
    let (ran, played) = checked(faults, &[]);
    assert_eq!(ran.code, 2, "{}", ran.said());
    assert!(ran.stdout.contains("user `tester` may not `get` the path `/metrics`"), "{}", ran.said());
    assert!(ran.stdout.contains("resourceclaim_create") && !ran.stdout.contains("│ server │"), "{}", ran.said());
    assert_clean(&played);
    // Counters of another process say nothing of these requests.
    let (ran, played) = checked(Faults { restarts: true, ..Faults::default() }, &["--variant", "mutating"]);
    assert_eq!(ran.code, 2, "{}", ran.said());
    assert!(ran.stdout.contains("two processes answered for it"), "{}", ran.said());
    assert_clean(&played);
}

#[test]
fn a_missing_permission_is_named_and_what_was_created_before_is_deleted() {
    for (path, named) in [
        (
            "/apis/admissionregistration.k8s.io/v1/validating",
            "create` validatingwebhookconfigurations.admissionregistration.k8s.io",
        ),
        (
            "/apis/admissionregistration.k8s.io/v1/mutating",
            "create` mutatingwebhookconfigurations.admissionregistration.k8s.io",
        ),
        ("/api/v1/namespaces", "create` namespaces"),
    ] {
        let (ran, played) = checked(Faults { forbidden: Some(("POST", path)), ..Faults::default() }, &[]);
        assert_eq!(ran.code, 2, "{}", ran.said());
        assert!(ran.stderr.contains(&format!("user `tester` may not `{named}")), "{}", ran.said());
        assert!(played.now.lock().unwrap().objects.is_empty(), "{path}");
    }
    // Of one resource among many, the rest is compared.
    let forbidden = Some(("POST", "/apis/node.k8s.io/v1/runtimeclasses"));
    let (ran, played) = checked(Faults { forbidden, ..Faults::default() }, &["--variant", "mutating"]);
    assert_eq!(ran.code, 0, "{}", ran.said());
    assert!(ran.stdout.contains("user `tester` may not: create runtimeclasses.node.k8s.io"), "{}", ran.said());
    assert_clean(&played);
}

#[test]
fn an_error_in_the_middle_leaves_nothing() {
    let (ran, played) = checked(Faults { broken_metrics: Some(2), ..Faults::default() }, &[]);
    assert_eq!(ran.code, 2, "{}", ran.said());
    assert!(ran.stderr.contains("/metrics`: the server answered with HTTP status 500"), "{}", ran.said());
    let created = |now: &super::played::Now| now.changes.iter().filter(|(method, _)| method == "CREATE").count();
    assert!(created(&played.now.lock().unwrap()) > 5);
    assert_clean(&played);
}

#[test]
fn ctrl_c_in_the_middle_leaves_nothing_and_prints_what_is_known() {
    let (url, played) = Played::start(Faults::default(), false);
    let folder = project(&url);
    let mut child =
        command(folder.path(), &[]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let begun = Instant::now();
    while played.now.lock().unwrap().reviews.len() < 6 {
        assert!(child.try_wait().unwrap().is_none(), "it ended");
        assert!(begun.elapsed() < super::PATIENCE, "it sends nothing");
        std::thread::sleep(Duration::from_millis(20));
    }
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(130), "{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("Stopped before the end."), "{text}");
    assert_clean(&played);
}

#[test]
fn the_built_in_objects_are_sent_to_what_is_served_and_a_tenth_of_them_is_rejected() {
    let (url, played) = Played::start(Faults::default(), true);
    let folder = project(&url);
    let ran = ran(&mut command(
        folder.path(),
        &["--variant", "mutating", "--requests", "1000", "--rate", "2000", "--format", "json"],
    ));
    let report = report(&ran);
    let of = &report["variants"][0];
    let count = |name: &str| of["requests"][name].as_u64().unwrap();
    let (accepted, rejected) = (count("accepted"), count("rejected"));
    assert!(accepted + rejected >= 900 && rejected * 10 >= accepted + rejected, "{}", ran.said());
    let resources = report["resources"].as_object().unwrap();
    // All that are served and whose rules 1.36 runs.
    assert_eq!(resources.len(), 25, "{resources:#?}");
    for (resource, sent) in resources {
        assert!(sent["accepted"].as_u64().unwrap() > 0, "{resource}: {sent}");
    }
    let not_run = ["rbac.authorization.k8s.io/v1 clusterrolebindings", "resource.k8s.io/v1 resourceclaimtemplates"];
    assert_eq!(report["leftOut"]["whose rules this release does not run"], json!(not_run));
    let reviews = &of["reviews"];
    let not_compared: u64 = reviews["notCompared"].as_object().unwrap().values().map(|of| of.as_u64().unwrap()).sum();
    assert_eq!(
        reviews["arrived"].as_u64().unwrap(),
        reviews["compared"].as_u64().unwrap() + not_compared,
        "{reviews:#}"
    );
    assert_eq!(reviews["missed"], json!({"accepted": 0, "rejected": 0, "failed": {}}), "{reviews:#}");
    // This cluster counts nothing, and so the mismatches of broken objects are ours alone.
    assert_eq!((ran.code, &report["verdict"]), (1, &json!("disagree")), "{}", ran.said());
    assert_clean(&played);
}

#[test]
fn wrong_usage_says_what_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| {
        ran(Command::new(env!("CARGO_BIN_EXE_takeover")).current_dir(folder.path()).arg("shadow").args(arguments))
    };
    for (arguments, named) in [
        (&["--check-cluster"][..], "--context"),
        (&["--context", "a"], "--check-cluster"),
        (&["--check-cluster", "--context", "a", "--kubeconfig", "none"], "`none`"),
        (&["--check-cluster", "--context", "a", "--enforce"], "--enforce"),
    ] {
        let ran = run(arguments);
        assert!(ran.code == 2 && ran.stderr.contains(named), "{arguments:?}: {}", ran.said());
    }
}
