//! Commands other than runs, on pairs that are described.

use super::lab::{Lab, Ran, WIDGET, has_python};
use serde_json::{Value, json};

const REFERENCE: &str = "exec python3 oracle.py";
const CANDIDATE: &str = "exec python3 oracle.py accept-all-sizes";

/// Runs a command on a pair whose candidate accepts sizes that the reference rejects.
fn on_widgets(lab: &Lab, command: &[&str]) -> Ran {
    let pair = ["--types", "widget.yaml", "--kind", WIDGET, "--reference", REFERENCE, "--candidate", CANDIDATE];
    lab.run(&[command, &pair].concat())
}

/// A project with that pair.
const SETTINGS: &str = r#"
[[pair]]
name = "old-to-new"
apiVersion = "shop.example.com/v1"
kind = "Widget"
types = "widget.yaml"
reference = { exec = ["python3", "oracle.py"] }
candidate = { exec = ["python3", "oracle.py", "accept-all-sizes"] }
"#;

#[test]
fn a_field_is_explained_by_its_type_its_checks_and_both_sides_of_their_bounds() {
    if !has_python() {
        return;
    }
    let lab = Lab::new();
    let ran = on_widgets(&lab, &["explain", "size", "--format", "json"]);
    assert_eq!(ran.code, 0, "{}", ran.said());
    let said: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((&said["field"], &said["fieldType"]), (&json!("spec.size"), &json!("integer of 32 bits")));
    let check = &said["checks"][0];
    assert_eq!(check["message"], "must be between N and N, inclusive", "{said:#}");
    let size = |case: &Value| case["object"]["spec"]["size"].as_i64().unwrap_or_default();
    assert!(!(1..=1000).contains(&size(&check["refused"])), "{said:#}");
    assert_eq!(check["refused"]["candidate"], json!([]));
    assert!(check["refused"]["because"].as_str().unwrap().contains("the candidate accepts"), "{said:#}");
    assert!((1..=1000).contains(&size(&said["accepted"])), "{said:#}");
    let unknown = on_widgets(&lab, &["explain", "spec.nothing"]);
    assert_eq!(unknown.code, 2, "{}", unknown.said());
    assert!(unknown.stderr.contains("has no field `spec.nothing`"), "{}", unknown.said());
    lab.write("team.toml", SETTINGS);
    let ran = lab.run(&["soak", "--config", "team.toml", "--seed", "1", "--cases", "512", "--out", "run"]);
    assert_eq!(ran.code, 1, "{}", ran.said());
    let ran = lab.run(&["explain", "spec.size", "--run", "run"]);
    assert_eq!(ran.code, 0, "{}", ran.said());
    let again = "explain spec.size --config team.toml --kind 'shop.example.com/v1 Widget#old-to-new'";
    assert!(ran.stdout.contains(again), "{}", ran.said());
    assert!(ran.stdout.contains("the candidate rejects less; see finding"), "{}", ran.said());
}

#[test]
fn a_field_about_which_nothing_was_judged_is_explained_with_code_3() {
    if !has_python() {
        return;
    }
    let lab = Lab::new();
    let pair = ["--types", "widget.yaml", "--kind", WIDGET, "--reference", REFERENCE];
    let silent = ["--candidate", "exec python3 oracle.py only-hello"];
    let ran = lab.run(&[&["explain", "spec.size"][..], &pair, &silent].concat());
    assert_eq!(ran.code, 3, "{}", ran.said());
    assert!(ran.stdout.contains("spec.size"), "{}", ran.said());
}

#[test]
fn fixtures_of_its_kind_are_judged_by_a_pair() {
    if !has_python() {
        return;
    }
    let lab = Lab::new();
    lab.write("takeover.toml", SETTINGS);
    let error = |field: &str| {
        let detail = "must be between 1 and 1000, inclusive";
        json!({"type": "FieldValueInvalid", "field": field, "detail": detail, "badValue": 0, "origin": ""})
    };
    let fixture = |id: &str, size: u32, handwritten: Value| {
        let object = json!({
            "apiVersion": "shop.example.com/v1", "kind": "Widget", "spec": {"size": size, "owner": "me", "colour": "red"},
        });
        json!({
            "id": id, "apiVersion": "shop.example.com/v1", "kind": "Widget", "operation": "create", "object": object,
            "expect": {"handwritten": handwritten, "declarative": []},
        })
        .to_string()
    };
    let good = [fixture("fine", 7, json!([])), fixture("low", 0, json!([error("spec.size")]))].join("\n");
    lab.write("good.jsonl", &good);
    let ran = lab.run(&["conform", "good.jsonl", "--format", "json"]);
    assert_eq!(ran.code, 0, "{}", ran.said());
    let said: Value = serde_json::from_str(&ran.stdout).unwrap();
    for side in ["handwritten", "declarative"] {
        assert_eq!(said["kinds"][format!("{WIDGET}#old-to-new")][side], json!({"compared": 2, "agreed": 2}), "{said}");
    }
    lab.write("bad.jsonl", &fixture("bad", 7, json!([error("spec.size")])));
    let ran = lab.run(&["conform", "bad.jsonl"]);
    assert_eq!(ran.code, 1, "{}", ran.said());
    assert!(ran.stdout.contains("missing FieldValueInvalid spec.size"), "{}", ran.said());
}

#[test]
fn oracles_are_measured_one_question_at_a_time_and_many_at_once() {
    if !has_python() {
        return;
    }
    let lab = Lab::new();
    let ran = on_widgets(&lab, &["bench", "--for", "200ms", "--format", "json"]);
    assert_eq!(ran.code, 0, "{}", ran.said());
    let rows: Value = serde_json::from_str(&ran.stdout).unwrap();
    let whats: Vec<&str> = rows.as_array().unwrap().iter().map(|row| row["what"].as_str().unwrap()).collect();
    for what in [
        "reference alone (exec python3 oracle.py), create",
        "candidate alone (exec python3 oracle.py accept-all-sizes), create",
        "JSON bytes to recorded verdict",
    ] {
        assert!(whats.contains(&what), "{whats:?}");
    }
    assert!(whats.iter().any(|what| what.ends_with("at once")), "{whats:?}");
    lab.write("takeover.toml", SETTINGS);
    let blind = lab.run(&["bench", "--blind"]);
    assert_eq!(blind.code, 2, "{}", blind.said());
    assert!(blind.stderr.contains("cannot measure `shop.example.com/v1 Widget#old-to-new`"), "{}", blind.said());
}

#[test]
fn fuzzing_finds_what_the_sides_disagree_about_outside_the_repository() {
    if !has_python() {
        return;
    }
    let lab = Lab::new();
    let ran = on_widgets(&lab, &["fuzz", "equivalence", "--for", "1s", "--seed", "1", "--out", "finds"]);
    assert_eq!(ran.code, 1, "{}", ran.said());
    let line = ran.stdout.lines().find_map(|line| line.strip_prefix("find: ")).unwrap();
    let find = lab.read(line);
    assert!(find.starts_with("# ") && find.contains("spec.size") && find.contains("kind: Widget"), "{find}");
    let (_, next) = ran.stdout.split_once("validate ").unwrap();
    let words = shlex::split(next).unwrap();
    let validated = lab.run(&[&["validate"], &words.iter().map(String::as_str).collect::<Vec<_>>()[..]].concat());
    assert_eq!(validated.code, 1, "{}", validated.said());
    assert!(validated.said().contains("spec.size"), "{}", validated.said());
    lab.write("takeover.toml", SETTINGS);
    for (flags, said) in
        [(["--accept"].as_slice(), "gate --write-exceptions"), (&["--driver", "libfuzzer"], "leave it out")]
    {
        let refused = lab.run(&[&["fuzz", "equivalence", "--for", "1s"], flags].concat());
        assert_eq!(refused.code, 2, "{}", refused.said());
        assert!(refused.stderr.contains(said), "{}", refused.said());
    }
}

#[test]
fn a_server_does_not_let_answers_depend_on_a_pair_that_does_not_say_who_decides() {
    if !has_python() {
        return;
    }
    let lab = Lab::new();
    lab.write("audit.log", "");
    let ran = on_widgets(&lab, &["shadow", "--tail", "audit.log", "--enforce"]);
    assert_eq!(ran.code, 2, "{}", ran.said());
    assert!(ran.stderr.contains("cannot be judged with --enforce"), "{}", ran.said());
}
