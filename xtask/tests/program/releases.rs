//! Pairs of one subject that are named after releases of Kubernetes, as a user meets them.

use assert_cmd::Command;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Output;
use tempfile::TempDir;

fn takeover(folder: &Path, arguments: &[&str]) -> Output {
    Command::cargo_bin("takeover").unwrap().current_dir(folder).args(arguments).output().unwrap()
}

const OBJECT: &str = "
apiVersion: v1
kind: ReplicationController
metadata: {name: a, namespace: default}
spec:
  replicas: -1
  selector: {a: b}
  template:
    metadata: {labels: {a: b}}
    spec:
      containers: [{name: c, image: i}]
      hostAliases: [{ip: 10.0.0.01}]
";

#[test]
fn a_recorded_object_goes_to_the_references_of_every_release_that_is_asked_for() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("object.yaml"), OBJECT).unwrap();
    let kinds = ["--kind=v1 ReplicationController#1.35", "--kind=v1 ReplicationController#1.36"];
    let recorded = ["soak", "--cases=0", "--no-builtin", "--recorded=object.yaml", "--out=run", "--format=json"];
    takeover(folder.path(), &[&recorded[..], &kinds].concat());
    let report: Value = serde_json::from_slice(&fs::read(folder.path().join("run/report.json")).unwrap()).unwrap();
    let subjects = report["subjects"].as_array().unwrap();
    let names: Vec<&str> = subjects.iter().filter_map(|of| of["subject"].as_str()).collect();
    assert_eq!(names, ["v1 ReplicationController#1.35", "v1 ReplicationController#1.36"]);
    // 1.35 does not look at the leading zero of the address.
    let not_migrated = |of: &Value| of["notMigrated"].as_array().map_or(0, |shapes| shapes.len());
    assert_eq!(not_migrated(&subjects[1]), not_migrated(&subjects[0]) + 1, "{report:#}");
}

#[test]
fn a_finding_of_a_named_pair_is_reproduced_with_that_pair() {
    let folder = TempDir::new().unwrap();
    let kind = "--kind=v1 ReplicationController#1.35";
    takeover(folder.path(), &["soak", kind, "--seed=3", "--cases=300", "--out=run"]);
    let finding: Value =
        serde_json::from_slice(&fs::read(folder.path().join("run/findings/001.json")).unwrap()).unwrap();
    let again = finding["reproduce"].as_str().unwrap();
    let arguments = shlex::split(again).unwrap();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).skip_while(|word| *word != "validate").collect();
    let ran = takeover(folder.path(), &arguments);
    // What ratchets is tolerated, and shown.
    assert!(matches!(ran.status.code(), Some(0 | 1)), "{again}");
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(said.contains(" of v1 ReplicationController#1.35 ") && said.contains("only the reference"), "{said}");
}

#[test]
fn the_handwritten_checks_of_two_releases_are_compared_also_where_there_is_no_rule() {
    let folder = TempDir::new().unwrap();
    let service = "
apiVersion: v1
kind: Service
metadata: {name: 1a, namespace: default}
spec: {ports: [{port: 1}]}
";
    fs::write(folder.path().join("object.yaml"), service).unwrap();
    let recorded = ["soak", "--cases=0", "--no-builtin", "--recorded=object.yaml", "--out=run", "--force", "--full"];
    for (pair, says) in [
        ("v1 Service#1.35-1.36", "create new missing reports-less FieldValueInvalid metadata.name"),
        ("v1 Service#1.36-1.35", "create new extra reports-more FieldValueInvalid metadata.name"),
    ] {
        let ran = takeover(folder.path(), &[&recorded[..], &[&format!("--kind={pair}")]].concat());
        let said = String::from_utf8_lossy(&ran.stdout).into_owned();
        assert_eq!(ran.status.code(), Some(1), "{said}");
        assert!(said.contains(&format!("{pair} {says}")), "{said}");
    }
    let ran = takeover(folder.path(), &[&recorded[..], &["--kind=v1 Service#1.36-1.37"]].concat());
    assert_eq!(ran.status.code(), Some(0), "{}", String::from_utf8_lossy(&ran.stdout));
}

#[test]
fn a_pair_without_rules_gets_cases_beside_one_with_rules() {
    let folder = TempDir::new().unwrap();
    let pairs = ["--kind=v1 ReplicationController", "--kind=v1 Service#1.35-1.36"];
    takeover(folder.path(), &[&["soak", "--seed=1", "--cases=4096", "--no-builtin", "--out=run"], &pairs[..]].concat());
    let report: Value = serde_json::from_slice(&fs::read(folder.path().join("run/report.json")).unwrap()).unwrap();
    let compared =
        report["subjects"].as_array().unwrap().iter().map(|of| of["totals"]["compared"].as_u64().unwrap_or(0));
    assert!(
        compared.clone().count() >= 2 && compared.clone().all(|cases| cases > 0),
        "{:?}",
        compared.collect::<Vec<_>>()
    );
}

#[test]
fn a_server_compares_one_pair_of_a_subject() {
    let folder = TempDir::new().unwrap();
    let ran = takeover(
        folder.path(),
        &["shadow", "--self-test", "--kind=v1 ReplicationController#1.35", "--kind=v1 ReplicationController"],
    );
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert_eq!(ran.status.code(), Some(2), "{said}");
    assert!(said.contains("a server compares only one pair per subject"), "{said}");
}

#[test]
fn a_release_that_no_reference_models_is_refused_by_name() {
    let folder = TempDir::new().unwrap();
    let ran = takeover(folder.path(), &["soak", "--cases=1", "--kind=v1 ReplicationController#1.2"]);
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert_eq!(ran.status.code(), Some(2), "{said}");
    assert!(said.contains("there is no pair `v1 ReplicationController#1.2`"), "{said}");
}
