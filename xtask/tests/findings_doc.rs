//! The examples of `docs/kubernetes-1.36-findings.md`: both sides still say what the document claims.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test stops at the first surprise")]

use assert_cmd::Command;
use serde_json::Value;
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

/// Every YAML block with the text block that follows it.
fn examples() -> Vec<Example> {
    let file: PathBuf = [env!("CARGO_MANIFEST_DIR"), "..", "docs", "kubernetes-1.36-findings.md"].iter().collect();
    let text = fs::read_to_string(file).unwrap();
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

/// A row of the table of minimal objects: the signature and the case as JSON, unless values are cut.
fn minimal(row: &str) -> Option<(String, Value)> {
    let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
    let [signature, stored, new] = cells.as_slice() else { return None };
    if row.contains('…') {
        return None;
    }
    let mut words = signature.split(' ');
    let (version, kind) = (words.next()?, words.next()?);
    let (kind, subresource) = kind.split_once('/').unwrap_or((kind, ""));
    let object = |text: &str| -> Value {
        let mut object: Value = serde_json::from_str(text.trim_matches('`')).unwrap();
        object["apiVersion"] = version.into();
        object["kind"] = kind.into();
        object
    };
    let mut case = serde_json::json!({
        "apiVersion": "takeover.dev/v1alpha1", "kind": "Case", "operation": words.next()?, "subresource": subresource,
        "object": object(new),
    });
    match *stored {
        "–" => {}
        "unchanged" => case["oldObject"] = object(new),
        stored => case["oldObject"] = object(stored),
    }
    Some(((*signature).to_owned(), case))
}

#[test]
fn the_minimal_objects_show_their_signatures() {
    let file: PathBuf = [env!("CARGO_MANIFEST_DIR"), "..", "docs", "kubernetes-1.36-findings.md"].iter().collect();
    let text = fs::read_to_string(file).unwrap();
    let (_, table) = text.split_once("\n| signature | stored | new |\n").unwrap();
    let (signatures, cases): (Vec<String>, Vec<String>) =
        table.lines().filter_map(minimal).map(|(signature, case)| (signature, case.to_string())).unzip();
    assert!(signatures.len() >= 90, "{} signatures", signatures.len());
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cases.yaml");
    fs::write(&file, cases.join("\n---\n")).unwrap();
    let out = folder.path().join("run");
    let output = Command::cargo_bin("takeover")
        .unwrap()
        .args(["soak", "--cases", "0", "--no-builtin", "--format", "json"])
        .args(["--recorded".as_ref(), file.as_os_str(), "--out".as_ref(), out.as_os_str()])
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let subjects = report["subjects"].as_array().unwrap().iter();
    let findings = subjects.flat_map(|subject| subject["findings"].as_array().unwrap());
    let found: BTreeSet<&str> = findings.map(|finding| finding["signature"].as_str().unwrap()).collect();
    let lost: Vec<&String> = signatures.iter().filter(|signature| !found.contains(signature.as_str())).collect();
    assert!(lost.is_empty(), "not shown any more: {lost:#?}");
}
