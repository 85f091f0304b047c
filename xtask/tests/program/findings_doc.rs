//! The examples of `docs/kubernetes-1.36-findings.md`: both sides still say what the document claims.

use assert_cmd::Command;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

const SILENT: &str = "nothing";

/// A case, and the lines that the document prints below it.
struct Example {
    line: usize,
    case: String,
    claims: BTreeSet<String>,
}

fn document() -> String {
    let file: PathBuf = [env!("CARGO_MANIFEST_DIR"), "..", "docs", "kubernetes-1.36-findings.md"].iter().collect();
    fs::read_to_string(file).unwrap()
}

/// Every YAML block with the text block that follows it.
fn examples() -> Vec<Example> {
    let text = document();
    let mut examples: Vec<Example> = Vec::new();
    let mut lines = text.lines().zip(1..);
    while let Some((line, number)) = lines.next() {
        if !matches!(line, "```yaml" | "```text") {
            continue;
        }
        let block: Vec<&str> = lines.by_ref().map(|(line, _)| line).take_while(|line| *line != "```").collect();
        if line == "```yaml" {
            examples.push(Example { line: number, case: block.join("\n"), claims: BTreeSet::new() });
        } else {
            examples.last_mut().unwrap().claims = block.into_iter().map(str::to_owned).collect();
        }
    }
    examples
}

/// What both sides say, in the words of the document.
fn said(case: &str) -> BTreeSet<String> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("case.yaml");
    fs::write(&file, case).unwrap();
    let output = Command::cargo_bin("takeover")
        .unwrap()
        .args(["validate", file.to_str().unwrap(), "--format", "json"])
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let object = &report["objects"][0];
    assert_ne!(object["result"], "undecodable", "{object:#}");
    let mut said = BTreeSet::new();
    for (side, name) in [("reference", "handwritten"), ("candidate", "declarative")] {
        let errors = object["errors"].as_array().unwrap().iter().filter(|error| error["side"] == side);
        let before = said.len();
        said.extend(errors.map(|error| format!("{name}: {}", error["message"].as_str().unwrap())));
        if said.len() == before {
            said.insert(format!("{name}: {SILENT}"));
        }
    }
    said
}

#[test]
fn both_sides_say_what_the_document_claims() {
    let examples = examples();
    assert!(examples.len() >= 10, "{} examples", examples.len());
    for Example { line, case, claims } in examples {
        assert!(!claims.is_empty(), "the example in line {line} claims nothing");
        assert_eq!(said(&case), claims, "the example in line {line}");
    }
}

/// What makes a row of the tables: cause, kind with its group, and field.
type Row = (String, String, String);

/// A value whose long repetitions are cut, whole again.
fn expand(value: Value) -> Value {
    let in_all = |text: &str| -> Option<usize> { text.strip_suffix(" in all")?.rsplit_once("… ")?.1.parse().ok() };
    match value {
        Value::Array(mut items) => {
            let count = items.last().and_then(Value::as_str).filter(|text| text.starts_with('…')).and_then(in_all);
            if count.is_some() {
                items.pop();
            }
            let mut items: Vec<Value> = items.into_iter().map(expand).collect();
            if let Some(count) = count {
                items.resize(count, items.last().unwrap().clone());
            }
            Value::Array(items)
        }
        Value::Object(members) => members.into_iter().map(|(key, value)| (key, expand(value))).collect(),
        Value::String(text) => match in_all(&text) {
            Some(count) => {
                let mut chars: Vec<char> = text.rsplit_once('…').unwrap().0.chars().collect();
                chars.resize(count, *chars.last().unwrap());
                chars.into_iter().collect::<String>().into()
            }
            None => text.into(),
        },
        plain => plain,
    }
}

/// The rows of the tables by cause in `text`, each with its case.
fn rows_of(text: &str) -> Vec<(Row, Value)> {
    let (mut cause, mut rows) = (String::new(), Vec::new());
    for line in text.lines() {
        if let Some(heading) = line.strip_prefix("### ") {
            heading.split(':').next().unwrap().clone_into(&mut cause);
        }
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let [kind, field, _, _, when, _, stored, new] = cells.as_slice() else { continue };
        if *kind == "kind" {
            continue;
        }
        let (subresource, new) = match new.strip_prefix("`/").and_then(|rest| rest.split_once("` ")) {
            Some((subresource, new)) => (subresource, new),
            None => ("", *new),
        };
        let object = |cell: &str| -> Value {
            expand(serde_json::from_str(&cell.trim_matches('`').trim().replace("\\|", "|")).unwrap())
        };
        let operation = if *stored == "–" { "create" } else { "update" };
        assert!(when.contains(operation), "{line}");
        let mut case = json!({
            "apiVersion": "takeover.dev/v1alpha1", "kind": "Case", "operation": operation,
            "subresource": subresource, "object": object(new),
        });
        match *stored {
            "–" => {}
            "unchanged" => case["oldObject"] = object(new),
            stored => case["oldObject"] = object(stored),
        }
        rows.push(((cause.clone(), (*kind).to_owned(), field.trim_matches('`').to_owned()), case));
    }
    rows
}

#[test]
fn the_case_of_every_row_has_its_cause_and_the_table_can_be_made_again() {
    let rows = rows_of(&document());
    assert!(rows.len() >= 100, "{} rows", rows.len());
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join("cases.yaml"), folder.path().join("run"));
    let cases: Vec<String> = rows.iter().map(|(_, case)| case.to_string()).collect();
    fs::write(&file, cases.join("\n---\n")).unwrap();
    let output = Command::cargo_bin("takeover")
        .unwrap()
        .args(["soak", "--cases", "0", "--no-builtin", "--format", "json"])
        .args(["--recorded".as_ref(), file.as_os_str(), "--out".as_ref(), out.as_os_str()])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let output = Command::cargo_bin("takeover").unwrap().args(["docs", "findings"]).arg(&out).output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    let again: BTreeSet<Row> = rows_of(&printed).into_iter().map(|(row, _)| row).collect();
    let listed: BTreeSet<Row> = rows.into_iter().map(|(row, _)| row).collect();
    let lost: Vec<&Row> = listed.difference(&again).collect();
    assert!(lost.is_empty(), "not shown any more: {lost:#?}");
    let unlisted: Vec<&Row> = again.difference(&listed).collect();
    assert!(unlisted.is_empty(), "not in the table: {unlisted:#?}");
}
