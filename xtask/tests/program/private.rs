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
