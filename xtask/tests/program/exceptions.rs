//! A soak with a file of exceptions and nothing else of a project.

use assert_cmd::Command;
use serde_json::Value;
use std::fs;
use tempfile::TempDir;

struct Ran {
    code: i32,
    stdout: String,
    stderr: String,
}

fn soak(folder: &TempDir, more: &[&str]) -> Ran {
    let output = Command::cargo_bin("takeover")
        .unwrap()
        .current_dir(folder.path())
        .args(["soak", "--kind", "v1 ReplicationController", "--seed", "1", "--cases", "1500"])
        .args(more)
        .output()
        .unwrap();
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ran { code: output.status.code().unwrap_or(-1), stdout: said(&output.stdout), stderr: said(&output.stderr) }
}

/// Findings of a JSON report.
fn findings(report: &str) -> Vec<Value> {
    let report: Value = serde_json::from_str(report).unwrap();
    report["subjects"][0]["findings"].as_array().unwrap().clone()
}

#[test]
fn a_soak_that_is_given_exceptions_excuses_what_they_name_until_they_expire() {
    let folder = TempDir::new().unwrap();
    let plain = soak(&folder, &["--format", "json"]);
    let found = findings(&plain.stdout);
    assert_eq!((plain.code, found.is_empty()), (1, false), "{}", plain.stderr);
    let entries = found.iter().map(|finding| {
        let [rule] = finding["rules"].as_array().unwrap().as_slice() else { panic!("{finding}") };
        let rule = format!("{} {}", rule["path"].as_str().unwrap(), rule["chain"].as_str().unwrap());
        let signature = finding["signature"].as_str().unwrap();
        format!(
            "[[exception]]\nsignature = {signature:?}\nrules = [{rule:?}]\nclasses = [\"negative\", \"text\", \"multi-byte text\"]\nshare = 1\nreason = \"as Kubernetes has it\"\n\
             owner = \"sig-apps\"\nissue = \"#7\"\nexpires = 2027-01-31\n"
        )
    });
    fs::write(folder.path().join("mine.toml"), entries.collect::<String>()).unwrap();

    let excused = soak(&folder, &["--exceptions", "mine.toml", "--today", "2027-01-31", "--full"]);
    assert_eq!(excused.code, 0, "{}{}", excused.stdout, excused.stderr);
    let said = "until 2027-01-31 by sig-apps: as Kubernetes has it (#7)";
    assert_eq!(excused.stdout.matches(said).count(), found.len(), "{}", excused.stdout);
    assert!(!excused.stdout.contains("exceptions that need attention"), "{}", excused.stdout);

    let expired = soak(&folder, &["--exceptions", "mine.toml", "--today", "2027-02-01", "--format", "json"]);
    assert_eq!(expired.code, 1, "{}", expired.stderr);
    assert!(findings(&expired.stdout).iter().all(|finding| finding["exception"]["expired"] == true));
}

#[test]
fn exceptions_that_cannot_be_read_are_named_before_anything_is_judged() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("mine.toml"), "[[exception]]\nsignature = \"v1\"\n").unwrap();
    for (file, said) in [("absent.toml", "failed to read `absent.toml`"), ("mine.toml", "2 │ signature = \"v1\"")] {
        let ran = soak(&folder, &["--exceptions", file, "--out", "run"]);
        assert_eq!(ran.code, 2, "{}", ran.stdout);
        assert!(ran.stderr.contains(said), "{}", ran.stderr);
        assert!(!folder.path().join("run/evidence.json").exists());
    }
    // A run that is gone on with keeps the exceptions of its begin.
    let ran = soak(&folder, &["--resume", "run", "--exceptions", "mine.toml"]);
    assert_eq!(ran.code, 2, "{}", ran.stdout);
}
