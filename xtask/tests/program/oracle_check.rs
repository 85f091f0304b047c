//! `oracle check` as a user runs it: on the example of the Python SDK, and on programs that get things wrong.

use assert_cmd::Command;
use regex::Regex;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// `oracle check` in the folder of the project.
fn check(flags: &[&str], command: &[&str]) -> Output {
    let mut program = Command::cargo_bin("takeover").unwrap();
    program.current_dir(root()).args(["oracle", "check", "--color", "never"]).args(flags).arg("--").args(command);
    program.output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// The output without what differs from machine to machine.
fn steady(text: &str) -> String {
    Regex::new("hello after [0-9]+ ms").unwrap().replace_all(text, "hello after N ms").into_owned()
}

/// Whether there is a Python that runs the SDK; says so if not.
fn has_python() -> bool {
    let runs =
        std::process::Command::new("python3").args(["-c", "import sys; sys.exit(sys.version_info < (3, 9))"]).status();
    let has = runs.is_ok_and(|status| status.success());
    if !has {
        println!("skipped: there is no python3 of version 3.9 or newer");
    }
    has
}

const SCALE_POLICY: [&str; 2] = ["python3", "sdk/python/examples/scalepolicy.py"];

/// A program that answers one question a line, with an id and an outcome that `answer` gives for the number of the line.
const FAKE: &str = r#"
import json, re, sys
print('{"hello":{"protocol":1,"name":"fake","version":"0.1"}}', flush=True)
for line in sys.stdin:
    if '"id"' in line:
        number = int(re.search(r'"id":([0-9]+)', line).group(1))
        print(json.dumps({"id": ANSWERED, "failure": "never asked"}), flush=True)
"#;

/// Runs the fake, which answers to `answered` in place of the id `number`.
fn check_fake(flags: &[&str], answered: &str) -> Output {
    check(flags, &["python3", "-c", &FAKE.replace("ANSWERED", answered)])
}

#[test]
fn the_example_of_the_python_sdk_passes() {
    if !has_python() {
        return;
    }
    let output = check(&[], &SCALE_POLICY);
    insta::assert_snapshot!("scalepolicy", steady(&stdout(&output)));
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()));
}

#[test]
fn it_is_asked_about_examples_from_files() {
    if !has_python() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("examples.yaml");
    let policy = "apiVersion: scaling.example.com/v1\nkind: ScalePolicy\nmetadata: {name: a}\nspec: {maxReplicas: 3, targetRef: {apiVersion: apps/v1, kind: Deployment, name: a}}\n";
    fs::write(&file, format!("{policy}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: b}}\n")).unwrap();
    let output = check(&["--example", file.to_str().unwrap()], &SCALE_POLICY);
    let text = stdout(&output);
    assert!(
        text.contains("answers a question: 2 questions\n") && text.contains("before it ends: accepted\n"),
        "{text}"
    );
    let note = "note: examples of `v1 ConfigMap` were left out, because the hello of the oracle does not list it\n";
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), note));
}

#[test]
fn it_is_asked_about_objects_that_are_generated_from_types() {
    if !has_python() {
        return;
    }
    let types = ["--types", "sdk/go/examples/scalepolicy/api/v1", "--kind", "scaling.example.com/v1 ScalePolicy"];
    let output = check(&types, &SCALE_POLICY);
    let text = stdout(&output);
    assert!(text.contains("answers a question: 20 questions\n"), "{text}");
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()));
}

#[test]
fn answers_to_other_questions_fail_the_checks_that_ask() {
    if !has_python() {
        return;
    }
    let output = check_fake(&[], "number + 1");
    let text = stdout(&output);
    let begins = "fake 0.1 gets 10 of 16 checks wrong.\n";
    assert!(text.starts_with(begins), "{text}");
    let fault = "failed   answers a question: the oracle answered question 2, which it was not asked\n";
    assert!(text.contains(fault), "{text}");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn the_json_form_has_the_hello_and_every_check() {
    if !has_python() {
        return;
    }
    let output = check_fake(&["--format", "json", "--timeout", "20s"], "number if number < 3 else 1");
    assert_eq!(output.status.code(), Some(1));
    let mut report: Value = serde_json::from_str(&steady(&stdout(&output))).unwrap();
    report["command"][2] = "…".into();
    insta::assert_snapshot!("json", serde_json::to_string_pretty(&report).unwrap());
}

#[test]
fn a_program_that_does_not_start_or_says_no_hello_is_wrong_usage() {
    for (command, says) in [
        (
            &["./no/such/oracle"][..],
            "`./no/such/oracle` says no hello: it cannot be started: No such file or directory",
        ),
        (&["sh", "-c", "exit 3"], "`sh -c 'exit 3'` says no hello: the process exited with code 3"),
        (&["echo", "hi"], "`echo hi` says no hello: it wrote something else before its hello: `hi`"),
        (&["sleep", "60"], "`sleep 60` says no hello: no hello within 0.2 s"),
    ] {
        let output = check(&["--timeout", "200ms"], command);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(text.starts_with(&format!("error: {says}")) && text.lines().count() == 1, "{text}");
        assert_eq!(stdout(&output), "");
        assert_eq!(output.status.code(), Some(2), "{text}");
    }
    let output = check(&["--format", "json"], &["./no/such/oracle"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["result"], &report["checks"][0]["name"]), (&"notStarted".into(), &"starts".into()));
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn another_version_of_the_protocol_is_a_check_that_fails() {
    let hello = r#"echo '{"hello":{"protocol":2,"name":"new"}}'; cat > /dev/null"#;
    let output = check(&[], &["sh", "-c", hello]);
    let text = stdout(&output);
    let says = "failed   speaks version 1 of the protocol: its hello says `\"protocol\":2`";
    assert!(text.contains(" gets 1 of 16 checks wrong.\n") && text.contains(says), "{text}");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn examples_that_cannot_be_read_or_made_are_wrong_usage() {
    for (flags, says) in [
        (&["--example", "no/such/file.yaml"][..], "failed to read the examples: `no/such/file.yaml`"),
        (&["--kind", "Widget"], "--kind `Widget` must name version and kind, such as 'shop.example.com/v1 Widget'"),
        (&["--kind", "v1 Widget"], "`v1 Widget` is not a built-in kind: name its types"),
        (&["--kind", "v1 A", "--types", "no/such/folder"], "`no/such/folder`"),
        (&["--types", "api"], "--kind"),
    ] {
        let output = check(flags, &["true"]);
        let message = stderr(&output);
        assert!(message.contains(says) && stdout(&output).is_empty(), "{message}");
        assert_eq!(output.status.code(), Some(2), "{message}");
    }
}

#[test]
fn the_page_lists_every_check() {
    let output = check(&["--format", "json"], &["./no/such/oracle"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let row =
        |check: &Value| format!("| `{}` | {} |\n", check["name"].as_str().unwrap(), check["title"].as_str().unwrap());
    let rows: String = report["checks"].as_array().unwrap().iter().map(row).collect();
    let page = fs::read_to_string(root().join("docs/oracle-protocol.md")).unwrap();
    assert!(page.contains(&format!("| check | a program passes that |\n|---|---|\n{rows}\n")), "it lacks:\n{rows}");
}
