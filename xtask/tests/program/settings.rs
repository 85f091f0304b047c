//! `--config` and `takeover.toml`, as the commands read them that ask no oracle for long.

use assert_cmd::Command;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// Exit code, standard output, standard error.
fn run(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::cargo_bin("takeover").unwrap().current_dir(folder).args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

const TYPES: &str = "\
package v1

import metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"

type Scale struct {
\tmetav1.TypeMeta
\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`
\tSpec ScaleSpec `json:\"spec,omitempty\"`
}

type ScaleSpec struct {
\t// +k8s:optional
\t// +k8s:minimun=0
\tReplicas int32 `json:\"replicas,omitempty\"`
}
";

/// A project whose settings are in a folder of their own.
fn project() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let at = |file: &str| folder.path().join("team").join(file);
    fs::create_dir_all(at("api/autoscaling/v1")).unwrap();
    fs::write(at("api/autoscaling/v1/types.go"), TYPES).unwrap();
    fs::write(at("w.yaml"), "apiVersion: autoscaling/v1\nkind: Scale\nmetadata: {name: w}\n").unwrap();
    let settings = "[subjects]\nonly = [\"Scale\"]\ntypes = \"api\"\n[corpora]\nrecorded = [\"w.yaml\"]\n";
    fs::write(at("takeover.toml"), settings).unwrap();
    folder
}

#[test]
fn types_and_objects_of_the_settings_are_read_where_none_are_named() {
    let folder = project();
    let (here, team) = (folder.path(), folder.path().join("team"));
    let settings = ["--config", "team/takeover.toml"];
    for (from, settings, api) in [(here, &settings[..], "team/api"), (team.as_path(), &[], "api")] {
        let (code, found, said) = run(from, &[&["lint"], settings].concat());
        assert_eq!(code, Some(1), "{said}");
        assert!(said.contains(&format!("note: these are the types in `{api}`, which the settings name")), "{said}");
        assert!(found.contains(&format!("{api}/autoscaling/v1/types.go:13:")), "{found}");
        let (code, counts, said) = run(from, &[&["corpus", "stats"], settings].concat());
        assert_eq!(code, Some(0), "{said}");
        assert!(counts.ends_with("\n2 cases\n"), "{counts}");
    }
    let (code, _, said) = run(here, &["corpus", "stats"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("no input: give files"), "{said}");
    let (code, _, said) = run(here, &["types"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("no types are named, neither here nor in the settings"), "{said}");
    for command in [&["skew"][..], &["apply", "generate"], &["apply", "zeroes"]] {
        let (code, _, said) = run(here, command);
        assert_eq!(code, Some(2));
        assert!(said.contains("no types are named, neither here nor in the settings"), "{said}");
        let (code, _, said) = run(here, &[command, &settings[..]].concat());
        assert!(code.is_some_and(|code| code != 2), "{command:?} {said}");
    }
    let (code, _, said) = run(here, &["lint"]);
    assert_eq!(code, Some(0));
    assert!(said.starts_with("note: these are the built-in types"), "{said}");
}

#[test]
fn every_command_that_reads_settings_takes_the_file() {
    let folder = project();
    let missing = ["--config", "gone.toml"];
    for command in [
        &["apply", "generate"][..],
        &["apply", "zeroes"],
        &["bench", "--for", "1ms"],
        &["config"],
        &["conform"],
        &["corpus", "import", "team/w.yaml", "-o", "w.jsonl"],
        &["corpus", "min", "team/w.yaml", "-o", "w.jsonl"],
        &["corpus", "redact", "team/w.yaml"],
        &["corpus", "stats", "team/w.yaml"],
        &["corpus", "verify", "team/w.yaml"],
        &["gate"],
        &["lint"],
        &["selftest"],
        &["shadow", "--self-test"],
        &["skew"],
        &["soak"],
        &["subjects"],
        &["types"],
        &["validate", "team/w.yaml"],
    ] {
        let (code, _, said) = run(folder.path(), &[command, &missing].concat());
        assert_eq!(code, Some(2), "{command:?}");
        assert!(said.contains("failed to read `gone.toml`"), "{command:?}: {said}");
    }
}

#[test]
fn kinds_that_the_settings_choose_are_the_only_ones() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    fs::write(here.join("takeover.toml"), "[subjects]\nonly = [\"ReplicationController\", \"CronJob\"]\n").unwrap();
    let (code, found, said) = run(here, &["conform", "--format", "json"]);
    assert_eq!(code, Some(0), "{said}");
    let agreement: serde_json::Value = serde_json::from_str(&found).unwrap();
    let kinds: Vec<&String> = agreement["kinds"].as_object().unwrap().keys().collect();
    assert!(kinds.iter().all(|kind| kind.contains("ReplicationController") || kind.contains("CronJob")), "{kinds:?}");
    assert!(kinds.len() > 1, "{kinds:?}");
    let (code, _, said) = run(here, &["lint"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("note: `[subjects]` chooses 3 of "), "{said}");
    // A kind of the command line takes the place of the choice.
    let (code, found, said) = run(here, &["conform", "--kind", "RuntimeClass", "--format", "json"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(found.contains("RuntimeClass") && !found.contains("CronJob"), "{found}");
}
