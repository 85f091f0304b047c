//! Texts of objects and files that would act on whoever reads the output: a terminal, a CI system, a pipe that was closed.

use serde_json::{Value, json};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// What a runner of GitHub Actions would obey at the start of a line, and a terminal anywhere.
const EVIL: &str = "evil\n::error file=x::pwned\n##[error]pwned\n\u{1b}[31m";

/// Inputs with the text wherever a reader looks at one before it knows what an object is.
fn inputs(folder: &Path) -> usize {
    let long = "k".repeat(1 << 20);
    let inputs = [
        json!({"apiVersion": EVIL, "kind": EVIL, "metadata": {"name": EVIL}}),
        json!({"apiVersion": "v1", "kind": long, "metadata": {"name": long}}),
        json!({"apiVersion": "v1", "kind": "ReplicationController", "metadata": {"name": EVIL, "labels": {EVIL: EVIL}}, EVIL: 1,
               "spec": {"replicas": -1, "selector": {EVIL: EVIL}, EVIL: EVIL}}),
        json!({"apiVersion": "v1", "kind": "ReplicationController", "metadata": {"name": EVIL}, "spec": {"replicas": EVIL}}),
        json!({"apiVersion": "takeover.dev/v1alpha1", "kind": EVIL}),
        json!({"apiVersion": "takeover.dev/v1alpha1", "kind": "Case", "operation": EVIL}),
        json!({"apiVersion": "takeover.dev/v1alpha1", "kind": "Case", "operation": "create", "options": [EVIL],
               "subresource": EVIL, "object": {"apiVersion": "v1", "kind": "ReplicationController"}}),
        json!({"apiVersion": "audit.k8s.io/v1", "kind": "Event", "stage": EVIL, "level": EVIL, "verb": EVIL}),
        json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": EVIL, "operation": EVIL}}),
        json!({"apiVersion": format!("admission.k8s.io/{EVIL}"), "kind": "AdmissionReview"}),
    ];
    for (at, input) in inputs.iter().enumerate() {
        std::fs::write(folder.join(format!("{at}.json")), input.to_string()).unwrap();
    }
    inputs.len()
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_takeover")).args(arguments).current_dir(folder).output().unwrap()
}

#[test]
fn nothing_that_is_read_becomes_a_command_or_a_line_without_end() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("objects")).unwrap();
    let number = inputs(&folder.path().join("objects"));
    let settings =
        "[subjects]\nonly = ['v1 ReplicationController']\n[corpora]\nrecorded = ['objects']\n[budget]\ncases = 64\n";
    std::fs::write(folder.path().join("takeover.toml"), settings).unwrap();
    let kind = ["--kind", "v1 ReplicationController"];
    let soak = ["soak", "--recorded", "objects", "--no-builtin", "--cases", "0", "--out", "run"];
    for arguments in [
        [&soak[..], &kind[..]].concat(),
        vec!["gate"],
        vec!["validate", "objects"],
        vec!["corpus", "stats", "objects"],
        vec!["corpus", "import", "objects", "-o", "corpus.jsonl"],
        vec!["report", "run"],
        vec!["report", "run", "--format", "markdown"],
    ] {
        let output = run(folder.path(), &arguments);
        let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert!(
            said.contains("evil") || ["stats", "report"].iter().any(|name| arguments.contains(name)),
            "{arguments:?}: the texts are in it: {said}"
        );
        for line in said.lines() {
            let acts = line.trim_start().starts_with("::") || line.contains("##[") || line.contains('\u{1b}');
            assert!(!acts, "{arguments:?}: {line}");
            assert!(line.chars().count() < 5000, "{arguments:?}: a line of {} characters", line.chars().count());
        }
    }
    let report = std::fs::read_to_string(folder.path().join("run/report.json")).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    assert!(report.to_string().contains("pwned"), "the report for machines keeps what was said of {number} inputs");
}

#[test]
fn a_reader_that_has_gone_is_no_reason_to_panic() {
    let folder = tempfile::tempdir().unwrap();
    let broken = folder.path().join("broken");
    std::fs::create_dir(&broken).unwrap();
    for at in 0..40 {
        std::fs::write(broken.join(format!("{at}.json")), "{").unwrap();
    }
    let mut child = Command::new(env!("CARGO_BIN_EXE_takeover"))
        .args(["soak", "--recorded", "broken", "--kind", "IngressClass", "--cases", "64", "--out", "run"])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop((child.stdout.take(), child.stderr.take()));
    let code = child.wait().unwrap().code();
    assert!(matches!(code, Some(0..=3)), "{code:?}");
    assert!(folder.path().join("run/report.json").exists());
}

/// An object with this many empty containers. Each has several errors.
fn swollen(containers: usize) -> Value {
    json!({"apiVersion": "v1", "kind": "ReplicationController", "metadata": {"name": "a", "namespace": "b"}, "spec": {
        "selector": {"a": "b"},
        "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": vec![json!({}); containers]}},
    }})
}

#[test]
fn an_object_with_an_error_at_every_item_is_not_compared_and_says_why() {
    let folder = tempfile::tempdir().unwrap();
    for (name, containers) in [("many", 12_000), ("large", 60_000)] {
        std::fs::write(folder.path().join(format!("{name}.json")), swollen(containers).to_string()).unwrap();
        let file = format!("{name}.json");
        let kind = "v1 ReplicationController";
        run(
            folder.path(),
            &["soak", "--recorded", &file, "--no-builtin", "--kind", kind, "--cases", "0", "--out", name],
        );
        let evidence = std::fs::read_to_string(folder.path().join(name).join("evidence.json")).unwrap();
        let evidence: Value = serde_json::from_str(&evidence).unwrap();
        let create = &evidence["subjects"][0]["create"];
        let reason = if name == "many" { "too many errors from the reference" } else { "too large" };
        assert_eq!(create["skipped"][reason]["count"], 1, "{create}");
        assert_eq!(create["counts"]["compared"], 0, "{create}");
    }
}

#[test]
fn validate_keeps_a_thousand_errors_of_an_object_and_counts_the_others() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("many.json"), swollen(25_000).to_string()).unwrap();
    let begin = std::time::Instant::now();
    let output = run(folder.path(), &["validate", "many.json", "--format", "json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let object = &report["objects"][0];
    assert_eq!(object["errors"].as_array().unwrap().len(), 1000);
    assert!(object["errorsLeftOut"].as_u64().unwrap() > 20_000, "{}", object["errorsLeftOut"]);
    assert_eq!(object["result"], "invalid");
    let text = String::from_utf8(run(folder.path(), &["validate", "many.json"]).stdout).unwrap();
    assert!(text.lines().any(|line| line.starts_with("and ") && line.ends_with(" more errors")), "no line counts them");
    assert!(begin.elapsed() < std::time::Duration::from_secs(60), "{:?}", begin.elapsed());
}

#[test]
fn what_is_named_for_output_and_no_plain_file_is_written_to_and_links_stay() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    std::fs::write(place("web.json"), swollen(1).to_string()).unwrap();
    run(
        folder.path(),
        &[
            "soak",
            "--recorded",
            "web.json",
            "--no-builtin",
            "--kind",
            "v1 ReplicationController",
            "--cases",
            "0",
            "--out",
            "run",
        ],
    );
    for (arguments, begins) in
        [(&["report", "run", "--format", "json", "-o"][..], "{"), (&["corpus", "import", "web.json", "-o"], "{")]
    {
        std::fs::write(place("target"), "before").unwrap();
        std::os::unix::fs::symlink("target", place("link")).unwrap();
        run(folder.path(), &[arguments, &["link"]].concat());
        assert!(place("link").symlink_metadata().unwrap().is_symlink(), "{arguments:?}");
        let written = std::fs::read_to_string(place("target")).unwrap();
        assert!(written.starts_with(begins), "{arguments:?}: {written}");
        std::fs::remove_file(place("link")).unwrap();

        assert!(Command::new("mkfifo").arg(place("pipe")).status().unwrap().success());
        let reader = {
            let pipe = place("pipe");
            std::thread::spawn(move || std::fs::read_to_string(pipe).unwrap())
        };
        let mut child = Command::new(env!("CARGO_BIN_EXE_takeover"))
            .args([arguments, &["pipe"]].concat())
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let begin = std::time::Instant::now();
        while child.try_wait().unwrap().is_none() {
            if begin.elapsed() > std::time::Duration::from_secs(60) {
                child.kill().unwrap();
                panic!("{arguments:?} waits for a pipe");
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        assert_eq!(reader.join().unwrap().len(), written.len(), "{arguments:?}");
        std::fs::remove_file(place("pipe")).unwrap();

        std::os::unix::fs::symlink("/dev/null", place("null")).unwrap();
        run(folder.path(), &[arguments, &["null"]].concat());
        assert!(place("null").metadata().unwrap().file_type().is_char_device(), "{arguments:?}");
        std::fs::remove_file(place("null")).unwrap();
        // Nobody can write into a socket by its name.
        let socket = std::os::unix::net::UnixListener::bind(place("socket")).unwrap();
        let code = run(folder.path(), &[arguments, &["socket"]].concat()).status.code();
        assert!(code.is_some_and(|code| code > 1), "{arguments:?}: {code:?}");
        assert!(place("socket").metadata().unwrap().file_type().is_socket(), "{arguments:?}");
        drop(socket);
        std::fs::remove_file(place("socket")).unwrap();
    }
}

#[test]
fn settings_without_an_end_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [&["gate", "--config", "/dev/zero"][..], &["soak", "--exceptions", "/dev/zero", "--cases", "1"]] {
        let output = run(folder.path(), arguments);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("it is longer than 16 MiB"), "{arguments:?}: {said}");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
}
