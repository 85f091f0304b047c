//! A kind with a reference and without built-in rules, as a user meets it.

use crate::scratch;
use assert_cmd::Command;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

struct Ran {
    code: i32,
    stdout: String,
    stderr: String,
}

fn run(folder: &Path, arguments: &str) -> Ran {
    let output = Command::cargo_bin("takeover")
        .unwrap()
        .current_dir(folder)
        .args(arguments.split_whitespace())
        .output()
        .unwrap();
    Ran {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn a_soak_says_that_there_is_no_rule_to_compare() {
    let folder = TempDir::new().unwrap();
    let ran = run(folder.path(), "soak --kind ConfigMap --seed 1 --cases 1 --out run");
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    let said = "`v1 ConfigMap` has no declarative rules, so there is nothing to compare; `takeover validate` validates its objects";
    assert!(ran.stderr.contains(said), "{}", ran.stderr);
}

#[test]
fn a_soak_compares_once_own_types_declare_a_rule() {
    let folder = TempDir::new().unwrap();
    let field = "\tData       map[string]string";
    let rule = format!("\t// +k8s:alpha(since: \"1.37\")=+k8s:maxProperties=2\n{field}");
    scratch::idl(&folder.path().join("idl"), "core/v1/config_map.go", field, &rule);
    let ran = run(folder.path(), "soak --kind ConfigMap --types idl --seed 1 --cases 512 --out run --full");
    // The reference has no such limit.
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.stdout.contains("v1 ConfigMap create new extra reports-more FieldValueTooMany data"), "{}", ran.stdout);
    let report: Value = serde_json::from_slice(&fs::read(folder.path().join("run/report.json")).unwrap()).unwrap();
    let subjects = report["subjects"].as_array().unwrap();
    assert_eq!(subjects.iter().map(|subject| &subject["subject"]).collect::<Vec<_>>(), ["v1 ConfigMap"]);
}

#[test]
fn validate_judges_its_manifests() {
    let folder = TempDir::new().unwrap();
    let manifest = |name: &str, key: &str| {
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {key: "1"}}).to_string()
    };
    fs::write(folder.path().join("good.json"), manifest("good", "a.conf")).unwrap();
    fs::write(folder.path().join("bad.json"), manifest("bad", "..a.conf")).unwrap();
    assert_eq!(run(folder.path(), "validate good.json").code, 0);
    let ran = run(folder.path(), "validate good.json bad.json");
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let said =
        "The ConfigMap \"bad\" is invalid: data[..a.conf]: Invalid value: \"..a.conf\": must not start with '..'";
    assert!(ran.stdout.contains(said) && ran.stdout.contains("1 valid, 1 invalid"), "{}", ran.stdout);
    assert!(ran.stdout.contains("handwritten, no rule covers it"), "{}", ran.stdout);
}
