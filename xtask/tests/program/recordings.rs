//! Recordings of a server as inputs, as a user names them.

use assert_cmd::Command;
use serde_json::Value;
use std::path::PathBuf;

struct Ran {
    code: i32,
    stdout: String,
    stderr: String,
}

fn excerpt(name: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../corpora/tests/recordings");
    folder.join(name).to_string_lossy().into_owned()
}

fn run(arguments: &[&str]) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::cargo_bin("takeover").unwrap().current_dir(folder.path()).args(arguments).output().unwrap();
    Ran {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn a_soak_over_an_audit_log_says_what_was_compared_and_what_was_skipped_why() {
    let log = excerpt("audit");
    let soak =
        ["soak", "--cases", "0", "--no-builtin", "--seed", "1", "--kind", "RuntimeClass", "--full", "--recorded", &log];
    let ran = run(&soak);
    // The server itself complained about one of them: both sides see the handler otherwise.
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    let mut skipped: Vec<&str> = Vec::new();
    for line in ran.stdout.lines() {
        if let Some((what, _)) = line.strip_prefix("not compared: ").and_then(|line| line.split_once("; first ")) {
            skipped.push(what);
        }
    }
    assert_eq!(
        skipped,
        [
            "2 cases, answered with 400 without errors of validation",
            "3 cases, answered with 409 without errors of validation",
            "5 cases, delete",
            "1 case, lost event: the log has no end of the request",
            "5 cases, not selected: autoscaling/v1 HorizontalPodAutoscaler",
            "1 case, not selected: autoscaling/v1 HorizontalPodAutoscaler/status",
            "1 case, not selected: v1 ReplicationController",
            "1 case, not selected: v1 ReplicationController/status",
            "1 case, the old object is not known",
            "2 cases, the patch's type is not in the log",
            "1 case, the subresource takes an object of its own",
        ],
        "{}",
        ran.stdout
    );
    let mut json = soak.to_vec();
    json.retain(|word| *word != "--full");
    json.extend(["--format", "json"]);
    let report: Value = serde_json::from_str(&run(&json).stdout).unwrap();
    let finding = &report["subjects"][0]["findings"][0];
    assert_eq!(
        finding["signature"],
        "node.k8s.io/v1 RuntimeClass update changed missing stopped FieldValueInvalid handler format=k8s-short-name"
    );
    assert!(finding["first"].as_str().unwrap().contains("audit.log:"), "{finding}");
}

#[test]
fn validation_takes_recorded_reviews() {
    let ran = run(&["validate", &excerpt("admissionreviews.jsonl.gz")]);
    assert!(ran.stdout.contains("skipped 4: delete\nskipped 1: repeated review of one request"), "{}", ran.stdout);
    // Webhooks are called for what is valid only.
    let validated = "17 validated: 17 valid, 0 invalid, 0 undecodable; 2 could not be validated";
    assert!(ran.stdout.contains(validated), "{}{}", ran.stdout, ran.stderr);
    let unserved = "jsonl.gz:23: the rules of autoscaling/v1 HorizontalPodAutoscaler/status do not serve `/status`";
    assert!(ran.stderr.contains(unserved), "{}", ran.stderr);
    assert_eq!(ran.code, 2);
}

#[test]
fn recordings_are_held_against_the_truth_beside_them() {
    let ran = run(&["conform", "--recordings", &excerpt("")]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    for line in [
        "  sequential updates: 28; old object right 96.4 % (26 certain, 1 doubtful), wrong 0 certain, 0 doubtful",
        "  sequential updates: 12; old object right 100.0 % (12 certain, 0 doubtful), wrong 0 certain, 0 doubtful",
        "complaints of the server: 3 found, 1 not found",
    ] {
        assert!(ran.stdout.lines().any(|found| found == line), "{line}\n{}", ran.stdout);
    }
    let ran = run(&["conform", "--recordings", &excerpt("audit")]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("is not a folder of recordings"), "{}", ran.stderr);
}
