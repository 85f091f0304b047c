//! The real binary, as a user runs it.

use crate::scratch;
use assert_cmd::Command;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn takeover() -> Command {
    Command::cargo_bin("takeover").unwrap()
}

struct Ran {
    code: i32,
    stdout: String,
    stderr: String,
}

fn run(arguments: &[&str]) -> Ran {
    let output = takeover().args(arguments).output().unwrap();
    Ran {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn golden(name: &str) -> String {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "..", "corpora", "golden", name].iter().collect();
    path.to_string_lossy().into_owned()
}

/// A soak of ReplicationControllers in recorded files only.
fn soak_recorded(out: &Path, inputs: &[&Path]) -> Ran {
    let out = out.to_string_lossy();
    let mut arguments = vec!["soak", "--kind", "ReplicationController", "--seed", "1", "--cases", "0", "--no-builtin"];
    arguments.extend(["--out", &out, "--recorded"]);
    let inputs: Vec<String> = inputs.iter().map(|input| input.to_string_lossy().into_owned()).collect();
    arguments.extend(inputs.iter().map(String::as_str));
    run(&arguments)
}

fn soak(out: &Path, more: &[&str]) -> Ran {
    let out = out.to_string_lossy();
    let mut arguments = vec!["soak", "--out", &out];
    arguments.extend(more);
    run(&arguments)
}

const VALID: &str = "\
apiVersion: v1
kind: ReplicationController
metadata: {name: web, namespace: shop}
spec:
  replicas: 2
  selector: {app: web}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: nginx:1.27}]
";

#[test]
fn every_help_shows_examples() {
    for arguments in [
        &["--help"][..],
        &["soak", "--help"],
        &["conform", "--help"],
        &["bench", "--help"],
        &["docs", "--help"],
        &["validate", "--help"],
        &["test", "--help"],
    ] {
        let ran = run(arguments);
        assert_eq!(ran.code, 0, "{arguments:?}");
        assert!(
            ran.stdout.contains("Examples:") && ran.stdout.contains("cargo xtask "),
            "{arguments:?}\n{}",
            ran.stdout
        );
    }
    assert!(run(&["soak", "--help"]).stdout.contains("Exit codes"));
}

#[test]
fn bench_and_selftest_judge_the_subjects_of_the_settings() {
    let folder = tempfile::tempdir().unwrap();
    let settings = folder.path().join("takeover.toml");
    fs::write(&settings, "[subjects]\nonly = [\"networking.k8s.io/v1 IPAddress\"]\n").unwrap();
    let settings = settings.to_str().unwrap();
    let ran = run(&["bench", "--config", settings, "--for", "0s", "--format", "json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let rows: Vec<Value> = serde_json::from_str(&ran.stdout).unwrap();
    assert!(!rows.is_empty(), "{}", ran.stdout);
    assert!(rows.iter().all(|row| row["subject"] == "networking.k8s.io/v1 IPAddress"), "{}", ran.stdout);
    let named = ["bench", "--config", settings, "--kind", "rbac.authorization.k8s.io/v1 Role", "--for", "0s"];
    let ran = run(&named);
    assert!(ran.stdout.contains("v1 Role") && !ran.stdout.contains("IPAddress"), "--kind wins: {}", ran.stdout);
    let ran = run(&["selftest", "--config", settings, "--no-fakes", "--cases", "512", "--format", "json"]);
    let told: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(told["subjects"], 1, "{told}");
}

#[test]
fn wrong_usage_ends_with_2() {
    for arguments in [&["soak", "--no-such-flag"][..], &["no-such-command"], &["soak", "--cases", "many"], &[]] {
        assert_eq!(run(arguments).code, 2, "{arguments:?}");
    }
}

#[test]
fn an_unknown_kind_is_named_with_the_one_that_was_meant_or_with_the_command_that_lists_them() {
    let out = TempDir::new().unwrap();
    for (asked, said) in [
        ("ReplicaController", "`ReplicaController`: did you mean `ReplicationController`? `takeover subjects` lists"),
        ("resource.k8s.io/v1 ResourceClaims", "did you mean `resource.k8s.io/v1 ResourceClaim`?"),
        ("Podd", "`Podd`; `takeover subjects` lists"),
    ] {
        let ran = soak(out.path(), &["--kind", asked]);
        assert_eq!(ran.code, 2);
        assert!(ran.stderr.contains(said) && ran.stderr.lines().count() <= 2, "{}", ran.stderr);
    }
}

#[test]
fn a_short_soak_writes_its_folder_and_names_seed_and_place() {
    let out = TempDir::new().unwrap();
    let ran = soak(out.path(), &["--seed", "5", "--cases", "3000"]);
    assert_eq!(ran.code, 1, "Kubernetes' own sides disagree: {}\n{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("handwritten checks that have a rule may be deleted"), "{}", ran.stdout);
    assert!(ran.stdout.contains("spec.minReadySeconds") && ran.stdout.contains("(seed 5)"), "{}", ran.stdout);
    assert!(ran.stdout.contains(&*out.path().to_string_lossy()), "{}", ran.stdout);
    let run_record: Value = serde_json::from_slice(&fs::read(out.path().join("run.json")).unwrap()).unwrap();
    assert_eq!(
        (&run_record["seed"], &run_record["cases"], &run_record["finished"]),
        (&5.into(), &3000.into(), &true.into())
    );
    for file in ["evidence.json", "report.json", "report.txt"] {
        assert!(out.path().join(file).is_file(), "{file}");
    }
    assert!(!ran.stderr.contains('\u{1b}'), "no progress display when piped");
}

#[test]
fn the_same_seed_gives_the_same_evidence_for_any_number_of_jobs() {
    let evidence: Vec<Vec<u8>> = ["1", "2", "1", "2"]
        .iter()
        .map(|jobs| {
            let out = TempDir::new().unwrap();
            soak(out.path(), &["--seed", "9", "--cases", "2500", "--jobs", jobs]);
            fs::read(out.path().join("evidence.json")).unwrap()
        })
        .collect();
    assert!(!evidence[0].is_empty());
    assert!(evidence.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn every_finding_is_small_and_its_command_shows_it_again() {
    let out = TempDir::new().unwrap();
    soak(out.path(), &["--kind", "ReplicationController", "--seed", "5", "--cases", "4000"]);
    let report: Value = serde_json::from_slice(&fs::read(out.path().join("report.json")).unwrap()).unwrap();
    let findings = report["subjects"][0]["findings"].as_array().unwrap();
    assert!(!findings.is_empty());
    for finding in findings {
        let file = out.path().join(finding["file"].as_str().unwrap());
        let again = TempDir::new().unwrap();
        let ran = soak_recorded(again.path(), &[&file]);
        // What the policy tolerates fails no run.
        let code = i32::from(finding["standing"]["is"] != "tolerated");
        assert_eq!(ran.code, code, "{finding}\n{}\n{}", ran.stdout, ran.stderr);
        let second: Value = serde_json::from_slice(&fs::read(again.path().join("report.json")).unwrap()).unwrap();
        let signatures: Vec<&Value> =
            second["subjects"][0]["findings"].as_array().unwrap().iter().map(|finding| &finding["signature"]).collect();
        assert!(signatures.contains(&&finding["signature"]), "{finding} not among {signatures:?}");
    }
}

#[test]
fn plain_objects_lists_and_compressed_files_are_compared() {
    use std::io::Write as _;
    let folder = TempDir::new().unwrap();
    let object: String = VALID.lines().map(|line| format!("  {line}\n")).collect();
    let list = format!("apiVersion: v1\nkind: List\nitems:\n- {}", object.trim_start());
    fs::write(folder.path().join("a.yaml"), format!("{VALID}---\n{list}")).unwrap();
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gz.write_all(VALID.as_bytes()).unwrap();
    fs::write(folder.path().join("b.yaml.gz"), gz.finish().unwrap()).unwrap();
    let out = TempDir::new().unwrap();
    let ran = soak_recorded(out.path(), &[folder.path()]);
    assert_eq!(ran.code, 0, "{}\n{}", ran.stdout, ran.stderr);
    let report: Value = serde_json::from_slice(&fs::read(out.path().join("report.json")).unwrap()).unwrap();
    assert_eq!(report["subjects"][0]["totals"]["compared"], 6, "three objects, each created and updated");
}

#[test]
fn nothing_compared_has_its_own_exit_code() {
    let empty = TempDir::new().unwrap();
    let out = TempDir::new().unwrap();
    let ran = soak_recorded(out.path(), &[empty.path()]);
    assert_eq!(ran.code, 3, "{}\n{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains(&*empty.path().to_string_lossy()), "{}", ran.stderr);
}

#[test]
fn broken_inputs_are_named_and_the_rest_of_the_run_goes_on() {
    let folder = TempDir::new().unwrap();
    let place = |name: &str| folder.path().join(name);
    fs::write(place("good.yaml"), VALID).unwrap();
    fs::write(place("broken.yaml"), "kind: [\n").unwrap();
    fs::write(place("deep.json"), "[".repeat(10_000)).unwrap();
    fs::write(place("deep.yaml"), format!("a: {}", "[".repeat(10_000))).unwrap();
    fs::write(place("latin1.yaml"), b"kind: caf\xe9\n").unwrap();
    fs::write(place("duplicate.json"), "{\"kind\": 1, \"kind\": 2}").unwrap();
    let mut laughs = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for level in 1..12 {
        let before = level - 1;
        let aliases = vec![format!("*a{before}"); 9].join(", ");
        laughs.push_str(&format!("a{level}: &a{level} [{aliases}]\n"));
    }
    fs::write(place("laughs.yaml"), laughs).unwrap();
    let out = TempDir::new().unwrap();
    let ran = soak_recorded(out.path(), &[folder.path()]);
    assert_eq!(ran.code, 2, "unreadable input is not passed over: {}\n{}", ran.stdout, ran.stderr);
    for name in ["broken.yaml", "deep.json", "deep.yaml", "latin1.yaml", "duplicate.json", "laughs.yaml"] {
        assert!(ran.stderr.contains(name), "{name} is not named in\n{}", ran.stderr);
    }
    assert!(!ran.stderr.contains("good.yaml"), "{}", ran.stderr);
    let report: Value = serde_json::from_slice(&fs::read(out.path().join("report.json")).unwrap()).unwrap();
    assert_eq!(report["subjects"][0]["totals"]["compared"], 2, "the good file was compared");
}

#[test]
fn a_huge_single_line_is_refused_by_name() {
    let folder = TempDir::new().unwrap();
    let huge = folder.path().join("huge.json");
    fs::write(&huge, format!("{{\"apiVersion\": \"{}\"}}", "x".repeat(100 << 20))).unwrap();
    let out = TempDir::new().unwrap();
    let ran = soak_recorded(out.path(), &[&huge]);
    assert!(ran.stderr.contains("huge.json") && ran.stderr.contains("limit"), "{}", ran.stderr);
    assert_eq!(ran.code, 3, "nothing else was there to compare");
}

#[test]
fn metrics_carry_upstream_names_and_a_denominator() {
    let out = TempDir::new().unwrap();
    let metrics = out.path().join("soak.prom");
    let run_folder = out.path().join("run");
    let ran = soak(
        &run_folder,
        &[
            "--seed",
            "5",
            "--cases",
            "3000",
            "--metrics-prefix",
            "apiserver_validation_",
            "--metrics-file",
            &metrics.to_string_lossy(),
        ],
    );
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let text = fs::read_to_string(metrics).unwrap();
    for name in [
        "apiserver_validation_declarative_validation_mismatch_total ",
        "apiserver_validation_declarative_validation_panic_total 0",
        "apiserver_validation_declarative_validation_parity_discrepancies_total{validation_identifier=\"replicationcontroller_update\"}",
        "takeover_comparisons_total{outcome=\"agreed_accept\",validation_identifier=\"replicationcontroller_create\"}",
        "takeover_rule_comparisons_total{",
    ] {
        assert!(text.lines().any(|line| line.starts_with(name)), "{name} is not in\n{text}");
    }
}

#[test]
fn conform_agrees_with_the_recorded_verdicts_of_kubernetes() {
    let ran = run(&["conform", "--format", "json"]);
    let agreement: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(agreement["signatures"], Value::Array(Vec::new()));
    for side in ["decode", "defaulted", "declarative", "handwritten", "mismatches", "causes", "stored", "matcher v1_36"]
    {
        assert!(agreement["sides"][side]["compared"].as_u64() > Some(0), "{side}");
    }
    let kinds = agreement["kinds"].as_object().unwrap();
    assert!(kinds.values().filter(|sides| sides.get("handwritten").is_some()).count() >= 34, "{kinds:#?}");
}

#[test]
fn conform_counts_what_it_cannot_judge_as_skipped() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("foreign.jsonl");
    fs::write(
        &file,
        "{\"id\":\"1\",\"apiVersion\":\"v1\",\"kind\":\"Nope\",\"operation\":\"create\",\"object\":{},\"expect\":{\"declarative\":[]}}\nnot json\n",
    )
    .unwrap();
    let ran = run(&["conform", &file.to_string_lossy(), "--format", "json"]);
    assert_eq!(ran.code, 3, "{}", ran.stdout);
    let agreement: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(agreement["skipped"].as_object().unwrap().values().filter_map(Value::as_u64).sum::<u64>(), 2);
}

#[test]
fn a_bound_that_is_off_by_one_is_found_with_a_small_object_and_a_command() {
    let folder = TempDir::new().unwrap();
    let idl = folder.path().join("idl");
    scratch::idl(&idl, "core/v1/types.go", "+k8s:minimum=0", "+k8s:minimum=1");
    let run_folder = folder.path().join("run");
    let idl = idl.to_string_lossy();
    let ran =
        soak(&run_folder, &["--kind", "ReplicationController", "--seed", "1", "--cases", "1024", "--types", &idl]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let report: Value = serde_json::from_slice(&fs::read(run_folder.join("report.json")).unwrap()).unwrap();
    let planted: Vec<&Value> = report["subjects"][0]["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|finding| {
            finding["signature"]
                == "v1 ReplicationController create new extra reports-more FieldValueInvalid spec.replicas minimum"
        })
        .collect();
    assert_eq!(planted.len(), 1, "{:#}", report["subjects"][0]["findings"]);
    assert!(planted[0]["minimalLines"].as_u64() <= Some(20), "{:#}", planted[0]);
    let command = planted[0]["reproduce"].as_str().unwrap();
    let words: Vec<&str> = command.split(' ').skip(2).collect();
    let ran = run(&words);
    assert_eq!(ran.code, 0, "users get no error of an alpha rule: {command}\n{}\n{}", ran.stdout, ran.stderr);
    for said in ["must be greater than or equal to 1", "the declarative side rejects what the handwritten side accepts"]
    {
        assert!(ran.stdout.contains(said), "{command}\n{}", ran.stdout);
    }
    assert!(ran.stdout.lines().count() <= 24, "{command}\n{}", ran.stdout);
}

#[test]
fn an_assumed_mark_lets_a_check_be_compared_and_the_report_says_so() {
    let folder = TempDir::new().unwrap();
    let of_name = |run: &str, more: &[&str]| {
        let place = folder.path().join(run);
        let usual = ["--kind", "ReplicationController", "--seed", "1", "--cases", "1500"];
        let ran = soak(&place, &[&usual[..], more].concat());
        let report: Value = serde_json::from_slice(&fs::read(place.join("report.json")).unwrap()).unwrap();
        let findings = report["subjects"].as_array().unwrap().iter().flat_map(|of| of["findings"].as_array().unwrap());
        let unmarked = findings.filter(|finding| finding["cause"] == "unmarked").cloned().collect::<Vec<_>>();
        (ran.stdout, report["assumedCovered"].clone(), unmarked)
    };
    let (_, assumed, unmarked) = of_name("without", &[]);
    assert!(assumed.is_null() && !unmarked.is_empty(), "{assumed} {unmarked:?}");
    assert!(
        unmarked.iter().all(|finding| finding["signature"].to_string().contains("FieldValueInvalid metadata.name")),
        "{unmarked:?}"
    );
    assert!(
        unmarked.iter().all(|finding| finding["trial"].is_null()),
        "the check of the format is marked, and that of immutability has no rule: {unmarked:?}"
    );
    let misspelt =
        ["--kind", "ReplicationController", "--cases", "0", "--assume-covered", "metadata.nme FieldValueInvalid"];
    let misspelt = soak(&folder.path().join("not"), &misspelt);
    assert_eq!(misspelt.code, 2, "{}", misspelt.stdout);
    assert!(misspelt.stderr.contains("did you mean `metadata.name FieldValue"), "{}", misspelt.stderr);
    let mark = "metadata.name FieldValueInvalid format=k8s-long-name";
    let (screen, assumed, unmarked) = of_name("with", &["--assume-covered", mark]);
    assert_eq!(assumed, serde_json::json!([mark]));
    assert!(unmarked.is_empty(), "{unmarked:?}");
    assert!(screen.contains(&format!("Assumed: the mark of {mark}.")), "{screen}");
}

#[test]
fn a_run_by_time_is_made_again_by_its_number_of_cases() {
    let (timed, counted) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    soak(timed.path(), &["--seed", "4", "--for", "300ms"]);
    let run_record: Value = serde_json::from_slice(&fs::read(timed.path().join("run.json")).unwrap()).unwrap();
    soak(counted.path(), &["--seed", "4", "--cases", &run_record["cases"].to_string()]);
    let evidence = |folder: &TempDir| fs::read(folder.path().join("evidence.json")).unwrap();
    assert!(run_record["cases"].as_u64() > Some(0));
    assert_eq!(evidence(&timed), evidence(&counted));
}

#[test]
fn a_missing_input_is_said_before_the_run_and_not_after_it() {
    let out = TempDir::new().unwrap();
    let ran = soak(out.path(), &["--for", "60s", "--recorded", "no/such/file.yaml"]);
    assert_eq!(ran.code, 2, "{}", ran.stdout);
    assert!(ran.stderr.contains("`no/such/file.yaml`"), "{}", ran.stderr);
    let ran = soak(out.path(), &["--for", "60s", "--metrics-file", "no/such/folder/soak.prom"]);
    assert_eq!(ran.code, 2, "{}", ran.stdout);
    assert!(ran.stderr.contains("no/such/folder/soak.prom"), "{}", ran.stderr);
    let ran = soak(out.path(), &["--cases", "0", "--no-builtin"]);
    assert_eq!(ran.code, 3, "the folder can be used again: {}", ran.stderr);
}

#[test]
fn a_closed_pipe_is_no_panic() {
    let out = TempDir::new().unwrap();
    let out = out.path().to_string_lossy().into_owned();
    let mut soak = std::process::Command::new(assert_cmd::cargo::cargo_bin("takeover"))
        .args(["soak", "--seed", "1", "--cases", "100", "--out", &out])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(soak.stdout.take());
    let ended = soak.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(1), "{}", String::from_utf8_lossy(&ended.stderr));
}

#[test]
fn names_of_strangers_neither_reach_the_terminal_raw_nor_grow_without_bound() {
    let folder = TempDir::new().unwrap();
    let text: String = (0..200).map(|at| format!("apiVersion: v1\nkind: \"\\e[31mKind{at}\"\n---\n")).collect();
    fs::write(folder.path().join("a.yaml"), text).unwrap();
    let out = TempDir::new().unwrap();
    let ran = soak_recorded(out.path(), &[folder.path()]);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert!(!ran.stdout.contains('\u{1b}') && !ran.stderr.contains('\u{1b}'));
    let whole = fs::read_to_string(out.path().join("report.txt")).unwrap();
    assert!(!whole.contains('\u{1b}'));
    let named = whole.lines().filter(|line| line.contains("Kind")).count();
    assert!(whole.contains("other kinds") && named < 60, "{whole}");
}

#[test]
fn conform_takes_names_as_soak_does_and_never_passes_over_nothing() {
    for (file, name, code) in [
        ("", "replicationcontroller", 0),
        ("", "v1 ReplicationController", 0),
        ("cronjob.jsonl", "Role", 3),
        ("", "Nope", 2),
    ] {
        assert_eq!(run(&["conform", &golden(file), "--kind", name]).code, code, "{name}");
    }
}

#[test]
fn unknown_fields_are_dropped_and_counted_unless_strictness_is_asked_for() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("web.yaml");
    let text =
        "apiVersion: v1\nkind: ReplicationController\nmetadata: {name: web}\nbogus: 1\nspec: {selector: {a: b}}\n";
    fs::write(&file, text).unwrap();
    for (validation, compared, undecodable) in [("warn", 2, 0), ("strict", 0, 2)] {
        let out = folder.path().join(validation);
        let (out, file) = (out.to_string_lossy(), file.to_string_lossy());
        let flags = ["soak", "--kind", "ReplicationController", "--cases", "0", "--no-builtin", "--format", "json"];
        let ran = run(&[&flags[..], &["--field-validation", validation, "--out", &out, "--recorded", &file]].concat());
        let report: Value = serde_json::from_str(&ran.stdout).unwrap();
        let totals = &report["subjects"][0]["totals"];
        assert_eq!(totals["compared"], compared, "{validation}");
        assert_eq!(totals["withDroppedFields"], compared, "{validation}");
        let refused: u64 = totals["undecodable"].as_object().unwrap().values().filter_map(Value::as_u64).sum();
        assert_eq!(refused, undecodable, "{validation}");
    }
}
