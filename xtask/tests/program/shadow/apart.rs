//! Oracles that end their processes, or never answer, while a server answers.

use super::{Process, counts, post_all, takeover};
use serde_json::{Value, json};
use std::fs;

/// Reviews of each kind.
const MANY: usize = 24;

/// The reviews of the creation of objects that differ in their names.
fn reviews(group: &str, version: &str, kind: &str, rest: &Value) -> Vec<String> {
    let api_version = if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") };
    let review = |number: usize| {
        let mut object = json!({
            "apiVersion": api_version, "kind": kind,
            "metadata": {"name": format!("a-private-name-{number}"), "namespace": "a"},
        });
        object.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        let uid = format!("{kind}-{number}");
        let kind = json!({"group": group, "version": version, "kind": kind});
        // The uid comes first, as API servers send it.
        format!(
            "{{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"request\":{{\"uid\":\"{uid}\",\"kind\":{kind},\"operation\":\"CREATE\",\"object\":{object}}}}}"
        )
    };
    (0..MANY).map(review).collect()
}

#[test]
fn an_abort_an_overflow_and_a_hang_cost_one_comparison_each_and_too_many_the_subject() {
    let folder = tempfile::tempdir().unwrap();
    let (tls, out) = (folder.path().join("tls"), folder.path().join("evidence"));
    assert_eq!(takeover(&["shadow", "--make-certificate", &tls.to_string_lossy(), "--host", super::HOST]).0, 0);
    let authority = fs::read_to_string(tls.join("ca.crt")).unwrap();
    let kinds = [
        ("", "v1", "ReplicationController", json!({}), "abort/candidate/10", "candidate"),
        ("storage.k8s.io", "v1", "StorageClass", json!({"provisioner": "a"}), "overflow/reference/10", "reference"),
        ("discovery.k8s.io", "v1", "EndpointSlice", json!({"addressType": "IPv4"}), "sleep/candidate/12", "candidate"),
        ("batch", "v1", "CronJob", json!({}), "abort/candidate/1", "candidate"),
    ];
    let name = |group: &str, version: &str, kind: &str| {
        if group.is_empty() { format!("{version} {kind}") } else { format!("{group}/{version} {kind}") }
    };
    let plants: Vec<String> = kinds
        .iter()
        .map(|(group, version, kind, _, fault, _)| format!("--plant={fault}@{}", name(group, version, kind)))
        .collect();
    let mut arguments = vec!["--isolate", "--worker-memory", "512MiB"];
    for (_, _, kind, ..) in &kinds {
        arguments.extend(["--kind", kind]);
    }
    arguments.extend(plants.iter().map(String::as_str));
    let limits = "oracle-milliseconds = 5000\nprocesses-per-hour = 12\n";
    let process = Process::with(&tls, &out, "one", limits, &arguments);
    let all: Vec<String> =
        kinds.iter().flat_map(|(group, version, kind, rest, ..)| reviews(group, version, kind, rest)).collect();
    post_all(&all, &process, &authority);
    let work = |process: &Process, outcome: &str| {
        process.metric(&format!("takeover_shadow_work_total{{outcome=\"{outcome}\"}}"))
    };
    process.until("everything that was queued is compared", |process| {
        let done: u64 = ["judged", "unusable", "failed", "hung"].iter().map(|outcome| work(process, outcome)).sum();
        done == process.metric("takeover_shadow_requests_total{outcome=\"queued\"}")
    });
    assert_eq!((work(&process, "failed"), work(&process, "hung")), (0, 0));
    assert!(process.metric("takeover_shadow_processes_ended_total") > 12);
    let off = |process: &Process, subject: &str| {
        process.metric(&format!("takeover_shadow_subject_off{{subject=\"{subject}\"}}"))
    };
    assert_eq!((off(&process, "batch/v1 CronJob"), off(&process, "v1 ReplicationController")), (1, 0));
    let refused = process.metric("takeover_shadow_requests_total{outcome=\"switched_off\"}");
    process.signal(rustix::process::Signal::TERM);
    let (code, log) = process.wait();
    assert_eq!(code, 0);
    for fate in
        ["ended its process: abort", "ended its process: stack overflow", "ended its process: no answer within 5s"]
    {
        assert!(log.iter().any(|line| line["message"].as_str().unwrap().contains(fate)), "{fate}: {log:?}");
    }

    let text = fs::read_to_string(out.join("one/evidence.json")).unwrap();
    assert!(!text.contains("a-private-name"), "nothing of the objects is kept");
    let evidence: Value = serde_json::from_str(&text).unwrap();
    for (group, version, kind, _, fault, side) in &kinds {
        let subjects = evidence["subjects"].as_array().unwrap();
        let is = |of: &&Value| {
            name("", of["subject"]["apiVersion"].as_str().unwrap(), of["subject"]["kind"].as_str().unwrap())
                == name(group, version, kind)
                && of["subject"]["subresource"] == ""
        };
        let create = subjects.iter().find(is).unwrap()["create"].clone();
        let count = |name: &str| create["counts"][name].as_u64().unwrap();
        let (cases, compared, panicked) = (count("cases"), count("compared"), count("panicked"));
        assert_eq!(create["panics"][side]["count"], panicked, "{fault}");
        if *kind == "CronJob" {
            assert_eq!((compared, panicked, cases + refused), (13, 13, MANY as u64), "{create}");
        } else {
            assert_eq!((cases, compared), (MANY as u64, MANY as u64), "{fault}");
            assert!(panicked > 0 && panicked < compared, "{fault}: {panicked}");
        }
    }
    assert!(counts(&out.join("one")).1.is_empty());
}

#[test]
fn a_large_object_whose_oracles_hang_is_counted_with_its_reason_and_not_held_against_its_subject() {
    let folder = tempfile::tempdir().unwrap();
    let (tls, authority) = super::certified(folder.path());
    let out = folder.path().join("evidence");
    let arguments = [
        "--isolate",
        "--worker-memory",
        "512MiB",
        "--kind",
        "ReplicationController",
        "--plant=sleep/candidate/1@v1 ReplicationController",
    ];
    // One that hangs counts for more than one.
    let limits = "oracle-milliseconds = 2000\nprocesses-per-hour = 3\n";
    let process = Process::with(&tls, &out, "one", limits, &arguments);
    let review = |number: usize, containers: usize| {
        let rest = json!({"spec": {"template": {"spec": {"containers": vec![json!({}); containers]}}}});
        reviews("", "v1", "ReplicationController", &rest).remove(number)
    };
    let off = |process: &Process| process.metric("takeover_shadow_subject_off{subject=\"v1 ReplicationController\"}");
    post_all(&[review(0, 6_000)], &process, &authority);
    let too_large = "takeover_shadow_not_compared_total{reason=\"too_large\",source=\"reviews\"}";
    process.until("the large object is given up", |process| process.metric(too_large) == 1);
    assert_eq!(process.metric("takeover_shadow_work_total{outcome=\"hung\"}"), 1);
    assert_eq!(off(&process), 0, "a large object is no fault of an oracle");
    // A small one is.
    assert_eq!(process.client(&authority).post("/mutate", review(1, 1)).unwrap().code, 200);
    process.until("its subject is off", |process| off(process) == 1);
    process.signal(rustix::process::Signal::TERM);
    let (code, log) = process.wait();
    assert_eq!(code, 0);
    let said = |part: &str| log.iter().any(|line| line["message"].as_str().unwrap_or_default().contains(part));
    assert!(said("not compared, for its size: no answer within 4s") && said("no answer within 2s"), "{log:?}");
    let evidence: Value = serde_json::from_str(&fs::read_to_string(out.join("one/evidence.json")).unwrap()).unwrap();
    let of = evidence["subjects"].as_array().unwrap().iter().find(|of| of["subject"]["subresource"] == "").unwrap();
    let create = &of["create"];
    let reason = "too large: its oracles did not answer in time, or took too much memory";
    assert_eq!(
        (&create["skipped"][reason]["count"], &create["counts"]["panicked"]),
        (&json!(1), &json!(1)),
        "{create}"
    );
}
