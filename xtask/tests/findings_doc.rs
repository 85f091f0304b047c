//! The examples of `docs/kubernetes-1.36-findings.md`: both sides still say what the document claims.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test stops at the first surprise")]

use assert_cmd::Command;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

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

/// A signature in the words of the soak.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Signature {
    api_version: String,
    /// With the subresource.
    kind: String,
    operation: String,
    direction: String,
    error_type: String,
    path: String,
    origin: String,
}

impl Signature {
    fn parse(text: &str) -> Self {
        let words: Vec<&str> = text.split(' ').collect();
        let [api_version, kind, operation, direction, error_type, path, origin] = words.as_slice() else {
            panic!("`{text}` is no signature");
        };
        Self {
            api_version: (*api_version).to_owned(),
            kind: (*kind).to_owned(),
            operation: (*operation).to_owned(),
            direction: (*direction).to_owned(),
            error_type: (*error_type).to_owned(),
            path: (*path).to_owned(),
            origin: origin.trim_matches('-').to_owned(),
        }
    }

    fn group(&self) -> &str {
        self.api_version.rsplit_once('/').map_or("", |(group, _)| group)
    }

    fn in_version(&self, version: &str) -> Self {
        let group = self.group();
        let api_version = if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") };
        Self { api_version, ..self.clone() }
    }
}

/// A signature and its minimal case.
struct Minimal {
    signature: Signature,
    case: Value,
}

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

/// The table of minimal objects of the document.
fn minimal_objects() -> Vec<Minimal> {
    minimal_objects_of(&document())
}

/// The table of minimal objects in `text`, a case for every version.
fn minimal_objects_of(text: &str) -> Vec<Minimal> {
    let (_, table) = text.split_once("| signature | also in | stored | new |\n|---|---|---|---|\n").unwrap();
    let mut all = Vec::new();
    for row in table.lines().take_while(|line| line.starts_with('|')) {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        let [signature, also_in, stored, new] = cells.as_slice() else { panic!("{row}") };
        let first = Signature::parse(signature);
        let others = also_in.split(", ").filter(|version| *version != "–").map(|version| first.in_version(version));
        for signature in std::iter::once(first.clone()).chain(others) {
            let (kind, subresource) = signature.kind.split_once('/').unwrap_or((&signature.kind, ""));
            let object = |cell: &str| -> Value {
                let mut object: Value =
                    expand(serde_json::from_str(&cell.trim_matches('`').replace("\\|", "|")).unwrap());
                object["apiVersion"] = signature.api_version.as_str().into();
                object["kind"] = kind.into();
                object
            };
            let mut case = json!({
                "apiVersion": "takeover.dev/v1alpha1", "kind": "Case", "operation": signature.operation,
                "subresource": subresource, "object": object(new),
            });
            match *stored {
                "–" => {}
                "unchanged" => case["oldObject"] = object(new),
                stored => case["oldObject"] = object(stored),
            }
            all.push(Minimal { signature, case });
        }
    }
    all
}

fn cases_file(folder: &Path, all: &[Minimal]) -> PathBuf {
    let file = folder.join("cases.yaml");
    let cases: Vec<String> = all.iter().map(|minimal| minimal.case.to_string()).collect();
    fs::write(&file, cases.join("\n---\n")).unwrap();
    file
}

#[test]
fn the_minimal_objects_show_the_signatures_of_the_table_and_no_others() {
    let all = minimal_objects();
    assert!(all.len() >= 400, "{} signatures", all.len());
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (cases_file(folder.path(), &all), folder.path().join("run"));
    let output = Command::cargo_bin("takeover")
        .unwrap()
        .args(["soak", "--all-versions", "--cases", "0", "--no-builtin", "--format", "json"])
        .args(["--recorded".as_ref(), file.as_os_str(), "--out".as_ref(), out.as_os_str()])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("no report: {said}"));
    let subjects = report["subjects"].as_array().unwrap().iter();
    let findings = subjects.flat_map(|subject| subject["findings"].as_array().unwrap());
    let found: BTreeSet<Signature> =
        findings.map(|finding| Signature::parse(finding["signature"].as_str().unwrap())).collect();
    let listed: BTreeSet<Signature> = all.into_iter().map(|minimal| minimal.signature).collect();
    let lost: Vec<&Signature> = listed.difference(&found).collect();
    assert!(lost.is_empty(), "not shown any more: {lost:#?}");
    let unlisted: Vec<&Signature> = found.difference(&listed).collect();
    assert!(unlisted.is_empty(), "not in the table: {unlisted:#?}");

    // The table can be made from the run again, with no signature more or less.
    let output = Command::cargo_bin("takeover").unwrap().args(["docs", "findings"]).arg(&out).output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    let again: BTreeSet<Signature> =
        minimal_objects_of(&printed).into_iter().map(|minimal| minimal.signature).collect();
    assert_eq!(again, listed, "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn every_minimal_object_has_the_error_of_its_signature_on_the_side_that_is_alone() {
    let all = minimal_objects();
    let folder = tempfile::tempdir().unwrap();
    let file = cases_file(folder.path(), &all);
    let output = Command::cargo_bin("takeover")
        .unwrap()
        .args(["validate", file.to_str().unwrap(), "--format", "json"])
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let objects = report["objects"].as_array().unwrap();
    assert_eq!(objects.len(), all.len());
    for (object, Minimal { signature, case }) in objects.iter().zip(&all) {
        let side = if signature.direction == "missing" { "reference" } else { "candidate" };
        let shown = object["errors"].as_array().unwrap().iter().any(|error| {
            error["side"] == side
                && error["type"] == *signature.error_type
                && error["origin"] == *signature.origin
                && pattern(error["field"].as_str().unwrap()) == signature.path
        });
        assert!(shown, "{signature:?} is not in what is said of {case}:\n{object:#}");
    }
}

/// The path with `[*]` for indexes and keys.
fn pattern(field: &str) -> String {
    let mut parts = field.split('[');
    let mut pattern = parts.next().unwrap().to_owned();
    for part in parts {
        pattern.push_str("[*]");
        pattern.push_str(part.rsplit_once(']').unwrap().1);
    }
    pattern
}

/// The tables by cause: signatures without their version.
fn explained() -> BTreeSet<Signature> {
    let text = document();
    let mut all = BTreeSet::new();
    let mut lines = text.lines();
    while lines.by_ref().any(|line| line == "| subject | operation | direction | errors |") {
        for row in lines.by_ref().skip(1).take_while(|line| line.starts_with('|')) {
            let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
            let [subject, operations, direction, errors] = cells.as_slice() else { panic!("{row}") };
            let (group, kind) = subject.split_once(' ').unwrap_or(("", subject));
            for (operation, error) in
                operations.split(", ").flat_map(|operation| errors.split("; ").map(move |error| (operation, error)))
            {
                let words: Vec<&str> = error.split(' ').collect();
                let (error_type, path, origin) = match words.as_slice() {
                    [error_type, path] => (error_type, path, ""),
                    [error_type, path, origin] => (error_type, path, origin.trim_matches(['(', ')'])),
                    _ => panic!("{error}"),
                };
                all.insert(Signature {
                    api_version: format!("{group}/"),
                    kind: kind.to_owned(),
                    operation: operation.to_owned(),
                    direction: (*direction).to_owned(),
                    error_type: format!("FieldValue{}", error_type.trim_matches('`')),
                    path: path.trim_matches('`').to_owned(),
                    origin: origin.to_owned(),
                });
            }
        }
    }
    all
}

#[test]
fn every_signature_stands_under_a_cause_and_has_a_minimal_object() {
    let with_object: BTreeSet<Signature> = minimal_objects()
        .into_iter()
        .map(|minimal| Signature { api_version: format!("{}/", minimal.signature.group()), ..minimal.signature })
        .collect();
    let explained = explained();
    let missing: Vec<&Signature> = with_object.difference(&explained).collect();
    assert!(missing.is_empty(), "under no cause: {missing:#?}");
    let extra: Vec<&Signature> = explained.difference(&with_object).collect();
    assert!(extra.is_empty(), "without an object: {extra:#?}");
}
