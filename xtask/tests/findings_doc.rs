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
