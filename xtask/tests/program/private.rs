//! What a run folder holds of recorded objects: no secrets, unless somebody asks for them.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

/// An update that keeps its invalid number is rejected by one side; it holds a password twice.
const OBJECT: &str = "\
apiVersion: v1
kind: ReplicationController
metadata: {name: a, namespace: shop}
spec:
  replicas: -1
  selector: {app: web}
  template:
    metadata: {labels: {app: web}, annotations: {hint: \"log in with hunter2-hunter2\"}}
    spec:
      containers: [{name: web, image: \"nginx:1.27\", env: [{name: DB_PASSWORD, value: hunter2-hunter2}]}]
";

/// Every file below a folder, as text.
fn texts(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        match entry.file_type().unwrap().is_dir() {
            true => found.extend(texts(&entry.path())),
            false => found.push((
                entry.path().display().to_string(),
                String::from_utf8_lossy(&fs::read(entry.path()).unwrap()).into_owned(),
            )),
        }
    }
    found
}

#[test]
fn a_run_keeps_no_secret_of_a_recorded_object_unless_it_is_asked_to() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("web.yaml"), OBJECT).unwrap();
    let run = |out: &str, more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_takeover"));
        command.args([
            "soak",
            "--recorded",
            "web.yaml",
            "--no-builtin",
            "--kind",
            "v1 ReplicationController",
            "--cases",
            "0",
        ]);
        let output = command.args(["--out", out]).args(more).current_dir(folder.path()).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        folder.path().join(out)
    };
    let kept = run("kept", &["--raw"]);
    let holds = |text: &str| text.contains("hunter2");
    assert!(holds(&fs::read_to_string(kept.join("evidence.json")).unwrap()), "the secret is in the smallest case");
    let redacted = run("redacted", &[]);
    for (file, text) in texts(&redacted) {
        assert!(!holds(&text), "{file}: {text}");
    }
    let signatures = |folder: &Path| {
        let evidence: Value = serde_json::from_str(&fs::read_to_string(folder.join("evidence.json")).unwrap()).unwrap();
        let update = &evidence["subjects"][0]["update"]["signatures"];
        update.as_array().unwrap().iter().map(|found| found["path"].to_string()).collect::<Vec<_>>()
    };
    assert!(!signatures(&kept).is_empty());
    assert_eq!(signatures(&kept), signatures(&redacted));
    let finding = fs::read_to_string(redacted.join("findings/001.yaml")).unwrap();
    assert!(finding.contains("# secrets are replaced; the case still shows the finding"), "{finding}");
    assert!(!fs::read_to_string(kept.join("findings/001.yaml")).unwrap().contains("secrets are replaced"));
    // The redacted case shows the same.
    let again = Command::new(env!("CARGO_BIN_EXE_takeover"))
        .args(["soak", "--recorded", "redacted/findings/001.yaml", "--no-builtin", "--cases", "0", "--out", "again"])
        .args(["--kind", "v1 ReplicationController"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert_eq!(again.status.code(), Some(0), "{}", String::from_utf8_lossy(&again.stderr));
    assert_eq!(signatures(&folder.path().join("again")), signatures(&redacted));
}

#[test]
fn a_checkpoint_is_for_its_owner_alone_and_the_report_of_a_killed_run_keeps_no_secret() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("web.yaml"), OBJECT).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_takeover"))
        .args(["soak", "--recorded", "web.yaml", "--no-builtin", "--kind", "v1 ReplicationController"])
        .args(["--cases", "90000000", "--checkpoint-every", "1ms", "--out", "run"])
        .current_dir(folder.path())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let checkpoint = folder.path().join("run/checkpoint");
    let begin = std::time::Instant::now();
    let text = || String::from_utf8_lossy(&fs::read(&checkpoint).unwrap_or_default()).into_owned();
    while !text().contains("hunter2") && begin.elapsed() < std::time::Duration::from_secs(120) {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(text().contains("hunter2"), "the original is made smaller at the end");
    assert_eq!(fs::metadata(&checkpoint).unwrap().permissions().mode() & 0o777, 0o600);
    for format in ["json", "markdown", "html", "full"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_takeover"));
        match format {
            "full" => command.args(["report", "run", "--full"]),
            _ => command.args(["report", "run", "--format", format]),
        };
        let output = command.current_dir(folder.path()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(said.contains("ReplicationController"), "{format}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(!said.contains("hunter2"), "{format}: {said}");
    }
}
