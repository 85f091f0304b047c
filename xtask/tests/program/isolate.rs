//! Oracles that end their process, or never answer: reported with their cases, at no cost to other evidence.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

struct Ran {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

fn run(arguments: &[&str]) -> Ran {
    let output = Command::new(env!("CARGO_BIN_EXE_takeover")).args(arguments).output().unwrap();
    Ran {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// A soak of a kind, two workers at a time. Debug builds on busy machines need some patience.
fn soak(kind: &str, cases: &str, out: &Path, more: &[&str]) -> Ran {
    let out = out.to_string_lossy();
    let mut arguments = vec!["soak", "--kind", kind, "--seed", "7", "--cases", cases, "--out", &out];
    for (name, usual) in [("--jobs", "2"), ("--worker-memory", "512MiB"), ("--case-timeout", "5s")] {
        if !more.contains(&name) {
            arguments.extend([name, usual]);
        }
    }
    arguments.extend(more);
    run(&arguments)
}

fn json(folder: &Path, file: &str) -> Value {
    serde_json::from_slice(&std::fs::read(folder.join(file)).unwrap()).unwrap()
}

/// The evidence of one subject.
fn of(evidence: &Value, api_version: &str) -> Value {
    let subjects = evidence["subjects"].as_array().unwrap();
    let found =
        subjects.iter().find(|of| of["subject"]["apiVersion"] == api_version && of["subject"]["subresource"] == "");
    found.unwrap().clone()
}

fn sum(evidence: &Value, count: &str) -> u64 {
    ["create", "update"].iter().map(|operation| evidence[operation]["counts"][count].as_u64().unwrap()).sum()
}

/// Cases that were left because those before them ended too many processes.
fn left(evidence: &Value) -> u64 {
    let of = |operation| &evidence[operation]["skipped"]["oracles ended too many processes"]["count"];
    ["create", "update"].iter().map(|operation| of(operation).as_u64().unwrap_or_default()).sum()
}

#[test]
fn isolated_evidence_is_byte_for_byte_that_of_a_run_in_process() {
    let folder = tempfile::tempdir().unwrap();
    let [in_process, isolated] = ["in-process", "isolated"].map(|name| folder.path().join(name));
    let one = soak("ReplicationController", "3000", &in_process, &[]);
    let other = soak("ReplicationController", "3000", &isolated, &["--isolate"]);
    assert_eq!((one.code, one.stderr.as_str()), (other.code, other.stderr.as_str()));
    let bytes = |folder: &Path| std::fs::read_to_string(folder.join("evidence.json")).unwrap();
    assert!(bytes(&in_process) == bytes(&isolated), "the evidence differs");
    assert!(sum(&of(&json(&isolated, "evidence.json"), "v1"), "compared") > 1900);
    let [one, other]: [Vec<String>; 2] = [&in_process, &isolated].map(|folder| {
        let report = std::fs::read_to_string(folder.join("report.txt")).unwrap();
        report.lines().filter(|line| line.starts_with("generated ")).map(str::to_owned).collect()
    });
    assert_eq!(one, other, "what was generated is known in both");
    assert!(!one.is_empty());
    for part in ["% valid", "% undecodable", "rules reached", "classes reached"] {
        assert!(one.iter().all(|line| line.contains(part)), "{part}: {one:?}");
    }
}

#[test]
fn shards_in_worker_processes_merge_to_the_run_in_process() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let (whole, merged) = (at("whole"), at("merged"));
    soak("ReplicationController", "4000", &whole, &[]);
    let shards = ["1/3", "2/3", "3/3"].map(|shard| {
        let out = at(&shard.replace('/', "-of-"));
        let ran = soak("ReplicationController", "4000", &out, &["--isolate", "--shard", shard]);
        assert!(matches!(ran.code, Some(0 | 1 | 3)), "{}", ran.stderr);
        out.to_string_lossy().into_owned()
    });
    let [one, two, three] = shards.each_ref().map(String::as_str);
    let ran = run(&["merge", two, one, three, "--out", &merged.to_string_lossy()]);
    assert!(matches!(ran.code, Some(0 | 1 | 3)), "{}", ran.stderr);
    for file in ["evidence.json", "health.json"] {
        let bytes = |folder: &Path| std::fs::read(folder.join(file)).unwrap();
        assert!(bytes(&whole) == bytes(&merged), "{file} differs");
    }
}

/// Soaks a kind with and without planted faults (subject's version, fault, side, how the process ends), and checks that each is
/// reported with its case and that nothing else changed. The folder of the run with faults.
fn faults_are_reported(kind: &str, cases: &str, folder: &Path, planted: &[(&str, &str, &str, &str)]) -> PathBuf {
    let [sound, ill] = ["sound", "ill"].map(|name| folder.join(name));
    soak(kind, cases, &sound, &["--no-builtin"]);
    let plants: Vec<String> =
        planted.iter().map(|(version, fault, side, _)| format!("{fault}/{side}/300@{version} {kind}")).collect();
    let mut arguments = vec!["--no-builtin", "--isolate"];
    arguments.extend(plants.iter().flat_map(|plant| ["--plant", plant]));
    let ran = soak(kind, cases, &ill, &arguments);
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);

    let [sound, evidence] = [json(&sound, "evidence.json"), json(&ill, "evidence.json")];
    for (version, fault, side, message) in planted {
        let [before, after] = [of(&sound, version), of(&evidence, version)];
        assert_eq!(sum(&before, "cases"), sum(&after, "cases"), "{fault}: every case is accounted for");
        let panics = ["create", "update"].map(|operation| after[operation]["panics"][side].clone());
        let counted: u64 = panics.iter().filter_map(|panics| panics["count"].as_u64()).sum();
        assert!(counted > 0 && counted == sum(&after, "panicked"), "{fault}: {counted}");
        let first = panics.iter().find(|panics| panics.is_object()).unwrap();
        assert_eq!(first["first"]["message"], format!("`{message}` at a worker process"), "{fault}");
        assert!(first["smallest"]["case"]["object"].is_object(), "{fault}: the case is kept");
        assert!(ran.stderr.contains(&format!("the {side} ended its process: {message} on seed 7")), "{}", ran.stderr);
        let again = format!("'--isolate={version} {kind}' --plant '{fault}/{side}/300@{version} {kind}'");
        assert!(reproduction(&ill, message).contains(&again), "{}", reproduction(&ill, message));
        // Where deaths came close together, what lay behind them in the chunk is left; all else comes out as ever.
        let others =
            |of: &Value| ["agreedAccept", "agreedReject", "missing", "extra"].iter().map(|count| sum(of, count)).sum();
        let [sound, ill]: [u64; 2] = [others(&before), others(&after)];
        let left = left(&after);
        assert!(sound <= ill + counted + left, "{fault}: {sound} cases, {ill} {counted} {left}");
        assert!(left > 0 || sound == ill + counted, "{fault}: {sound} cases, {ill} {counted}");
    }
    let untouched = |evidence: &Value| -> Vec<Value> {
        let is_planted = |of: &Value| planted.iter().any(|(version, ..)| of["subject"]["apiVersion"] == **version);
        let subjects = evidence["subjects"].as_array().unwrap().iter();
        subjects.filter(|of| of["subject"]["subresource"] != "" || !is_planted(of)).cloned().collect()
    };
    assert!(!untouched(&sound).is_empty());
    assert_eq!(untouched(&sound), untouched(&evidence), "sound subjects are as they were");
    ill
}

#[test]
fn an_overflow_an_abort_and_an_endless_sleep_are_reported_with_their_cases() {
    let folder = tempfile::tempdir().unwrap();
    let ill = faults_are_reported(
        "PriorityLevelConfiguration",
        "4096",
        folder.path(),
        &[
            ("flowcontrol.apiserver.k8s.io/v1beta1", "overflow", "candidate", "stack overflow"),
            ("flowcontrol.apiserver.k8s.io/v1beta2", "abort", "reference", "abort"),
            ("flowcontrol.apiserver.k8s.io/v1beta3", "sleep", "candidate", "no answer within 5s"),
        ],
    );
    // The command that a report gives shows the case again.
    let again = reproduction(&ill, "stack overflow");
    let (_, arguments) = again.split_once(" soak ").unwrap();
    let again_in = folder.path().join("again");
    let program = env!("CARGO_BIN_EXE_takeover");
    let shell = format!("{program} soak {arguments} --kind PriorityLevelConfiguration --out {}", again_in.display());
    let ran = Command::new("sh").args(["-c", &shell]).output().unwrap();
    assert_eq!(ran.status.code(), Some(1), "{shell}\n{}", String::from_utf8_lossy(&ran.stderr));
    reproduction(&again_in, "stack overflow");
}

#[test]
fn a_flood_of_memory_is_reported_with_its_case() {
    let folder = tempfile::tempdir().unwrap();
    let message = "out of memory (limit: 512 MiB)";
    faults_are_reported("ReplicationController", "3000", folder.path(), &[("v1", "memory", "reference", message)]);
}

/// The command of the finding whose oracle ended so.
fn reproduction(folder: &Path, fate: &str) -> String {
    let mut records = std::fs::read_dir(folder.join("findings")).unwrap().map(|entry| entry.unwrap().path());
    let of = |place: &PathBuf| -> Option<String> {
        let record: Value = serde_json::from_slice(&std::fs::read(place).ok()?).ok()?;
        (record["panics"][0]["message"] == fate).then(|| record["reproduce"].as_str().unwrap().to_owned())
    };
    records.find_map(|place| of(&place)).unwrap()
}

#[test]
fn an_oracle_that_always_aborts_costs_a_few_processes_and_the_rest_is_counted_as_skipped() {
    let folder = tempfile::tempdir().unwrap();
    let plant = "abort/candidate/1@v1 ReplicationController";
    let ran =
        soak("ReplicationController", "1024", folder.path(), &["--isolate=v1 ReplicationController", "--plant", plant]);
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    let evidence = of(&json(folder.path(), "evidence.json"), "v1");
    assert_eq!(sum(&evidence, "agreedAccept") + sum(&evidence, "agreedReject"), 0);
    assert!(left(&evidence) > 0);
    assert_eq!(left(&evidence) + sum(&evidence, "panicked"), sum(&evidence, "cases"));
    assert!(ran.stderr.contains("more worker processes end"), "{}", ran.stderr);
}

#[test]
fn a_process_that_ends_on_a_variant_of_a_case_is_a_finding_as_much_as_one_that_ends_on_the_case() {
    let folder = tempfile::tempdir().unwrap();
    let plant = "abort/candidate/200@flowcontrol.apiserver.k8s.io/v1beta2 PriorityLevelConfiguration";
    let kind = "flowcontrol.apiserver.k8s.io/v1beta2 PriorityLevelConfiguration";
    let ran = soak(kind, "1024", folder.path(), &["--no-builtin", "--isolate", "--plant", plant]);
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    let ends = ran.stderr.lines().filter(|line| line.contains("the candidate ended its process: abort on ")).count();
    assert!(ran.stderr.contains("abort on a variant of seed 7 chunk "), "none ended on a variant: {}", ran.stderr);
    let evidence = of(&json(folder.path(), "evidence.json"), "flowcontrol.apiserver.k8s.io/v1beta2");
    assert_eq!(sum(&evidence, "panicked"), ends as u64, "each end is counted with a case of its own: {}", ran.stderr);
    let again = reproduction(folder.path(), "abort");
    let (_, arguments) = again.split_once(" soak ").unwrap();
    let again_in = folder.path().join("again");
    let program = env!("CARGO_BIN_EXE_takeover");
    let shell = format!("{program} soak {arguments} --kind PriorityLevelConfiguration --out {}", again_in.display());
    let ran = Command::new("sh").args(["-c", &shell]).output().unwrap();
    assert_eq!(ran.status.code(), Some(1), "{shell}\n{}", String::from_utf8_lossy(&ran.stderr));
    reproduction(&again_in, "abort");
}

#[test]
fn lies_panics_and_garbage_are_findings_with_and_without_workers() {
    for isolate in [None, Some("--isolate")] {
        let folder = tempfile::tempdir().unwrap();
        let plants = [
            "lie/candidate/50@flowcontrol.apiserver.k8s.io/v1beta1 PriorityLevelConfiguration",
            "panic/reference/50@flowcontrol.apiserver.k8s.io/v1beta2 PriorityLevelConfiguration",
            "garbage/candidate/50@flowcontrol.apiserver.k8s.io/v1beta3 PriorityLevelConfiguration",
        ];
        let mut arguments: Vec<&str> = plants.iter().flat_map(|plant| ["--plant", plant]).collect();
        arguments.extend(isolate);
        let ran = soak("PriorityLevelConfiguration", "4096", folder.path(), &arguments);
        assert_eq!(ran.code, Some(1), "{}", ran.stderr);
        let evidence = json(folder.path(), "evidence.json");
        let [liar, panicking, babbling] = ["v1beta1", "v1beta2", "v1beta3"]
            .map(|version| of(&evidence, &format!("flowcontrol.apiserver.k8s.io/{version}")));
        assert!(sum(&liar, "extraErrors") + sum(&liar, "missingErrors") > 0);
        assert!(sum(&panicking, "panicked") > 0);
        assert!(sum(&babbling, "extraErrors") >= 5000, "every error is counted");
        let kept = ["create", "update"].map(|operation| babbling[operation]["signatures"].as_array().unwrap().len());
        assert!(kept.iter().all(|kept| *kept <= 1000), "{kept:?}: no more are kept than memory allows");
        assert!(!ran.stdout.contains('\u{1b}'), "what an oracle says does not reach the terminal as it is");
    }
}

#[test]
fn answers_that_get_lost_or_exchanged_in_batches_are_noticed_on_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let evidence = |fault: &str, jobs: &str| {
        let out = folder.path().join(format!("{fault}-{jobs}"));
        let plant = format!("{fault}/reference/10@v1 ReplicationController");
        let mut arguments = vec!["--no-builtin", "--jobs", jobs];
        if fault != "sound" {
            arguments.extend(["--plant", &plant]);
        }
        soak("v1 ReplicationController", "1024", &out, &arguments);
        json(&out, "evidence.json")
    };
    let [sound, lost, swapped] = ["sound", "lose", "swap"].map(|fault| {
        let once = evidence(fault, "1");
        assert!(once == evidence(fault, "3"), "{fault}: the evidence differs");
        of(&once, "v1")
    });
    let unanswered = |of: &Value| {
        ["create", "update"]
            .map(|operation| of[operation]["failures"]["reference"].as_u64().unwrap())
            .iter()
            .sum::<u64>()
    };
    assert_eq!((unanswered(&sound), unanswered(&swapped)), (0, 0));
    assert!(unanswered(&lost) > 10 && lost.to_string().contains("the oracle left the question without an answer"));
    let signatures = |of: &Value| {
        ["create", "update"]
            .map(|operation| of[operation]["signatures"].as_array().unwrap().len())
            .iter()
            .sum::<usize>()
    };
    assert!(signatures(&swapped) > signatures(&sound), "{} {}", signatures(&swapped), signatures(&sound));
}

#[test]
fn a_run_in_process_survives_too_and_goes_on_with_the_subject_in_workers() {
    let folder = tempfile::tempdir().unwrap();
    for (fault, how) in [("abort", "SIGABRT"), ("exit", "exited with code 0")] {
        let [isolated, survivor] = ["isolated", "survivor"].map(|name| folder.path().join(format!("{fault}-{name}")));
        let plant = format!("{fault}/reference/300@v1 ReplicationController");
        let one = soak("ReplicationController", "2048", &isolated, &["--isolate", "--plant", &plant]);
        let other = soak("ReplicationController", "2048", &survivor, &["--plant", &plant]);
        assert_eq!((one.code, other.code), (Some(1), Some(1)), "{}", other.stderr);
        assert!(other.stderr.contains("which worker processes now judge"), "{}", other.stderr);
        assert!(other.stderr.contains(how) || fault == "abort", "{}", other.stderr);
        let bytes = |folder: &Path| std::fs::read_to_string(folder.join("evidence.json")).unwrap();
        assert!(bytes(&isolated) == bytes(&survivor), "{fault}: the evidence differs");
    }
}

#[test]
fn a_run_in_process_that_is_stuck_goes_on_with_the_subject_in_workers() {
    let folder = tempfile::tempdir().unwrap();
    let plant = "spin/candidate/300@v1 ReplicationController/scale";
    let ran = soak("ReplicationController", "2048", folder.path(), &["--case-timeout", "4s", "--plant", plant]);
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert!(ran.stderr.contains("no progress for 12s"), "{}", ran.stderr);
    reproduction(folder.path(), "no answer within 4s");
}

#[test]
fn a_worker_is_of_no_use_by_hand() {
    let ran = run(&["worker"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("started by a run"), "{}", ran.stderr);
}

#[test]
fn whatever_an_oracle_is_doing_its_process_ends_with_the_run() {
    for isolate in [None, Some("--isolate")] {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().to_string_lossy();
        let plant = "spin/candidate/20@v1 ReplicationController";
        let mut command = Command::new(env!("CARGO_BIN_EXE_takeover"));
        command.args([
            "soak",
            "--kind",
            "ReplicationController",
            "--for",
            "60s",
            "--seed",
            "3",
            "--case-timeout",
            "60s",
        ]);
        command.args(["--no-builtin", "--jobs", "1", "--out", &out, "--plant", plant]).args(isolate);
        let mut run = command.spawn().unwrap();
        let list = format!("/proc/{0}/task/{0}/children", run.id());
        // Children of a thread are listed with that thread: the first of a run comes from its main thread.
        let begin = Instant::now();
        let child = loop {
            let children = std::fs::read_to_string(&list).unwrap();
            if let Some(child) = children.split_whitespace().next() {
                break child.to_owned();
            }
            assert!(begin.elapsed() < Duration::from_secs(60), "the run starts no process");
        };
        std::thread::sleep(Duration::from_secs(2));
        run.kill().unwrap();
        run.wait().unwrap();
        let is_gone = || {
            let status = std::fs::read_to_string(format!("/proc/{child}/status"));
            status.map_or(true, |status| status.contains("State:\tZ"))
        };
        let begin = Instant::now();
        while !is_gone() {
            assert!(begin.elapsed() < Duration::from_secs(20), "process {child} lives on");
        }
    }
}
