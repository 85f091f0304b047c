//! The report of a real run against its published schema, and the schema against reports that are not as they should be.

use assert_cmd::Command;
use jsonschema::Validator;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::PathBuf;

fn schema() -> Validator {
    let place: PathBuf = [env!("CARGO_MANIFEST_DIR"), "..", "reports", "schema", "report.v3.json"].iter().collect();
    let schema = serde_json::from_str(&std::fs::read_to_string(place).unwrap()).unwrap();
    jsonschema::draft202012::meta::validate(&schema).unwrap();
    jsonschema::draft202012::new(&schema).unwrap()
}

/// The report of a run in which the two sides disagree, and an oracle panics, with these exceptions.
fn report(exceptions: &str) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    std::fs::write(folder.path().join("takeover-exceptions.toml"), exceptions).unwrap();
    let output = Command::cargo_bin("takeover")
        .unwrap()
        .current_dir(folder.path())
        .args(["soak", "--kind", "v1 ReplicationController", "--seed", "1", "--cases", "1500", "--out"])
        .arg(&out)
        .args(["--plant", "panic/candidate/400@v1 ReplicationController"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_str(&std::fs::read_to_string(out.join("report.json")).unwrap()).unwrap()
}

/// Exceptions that excuse the first finding of a report, and one that is stale.
fn exceptions(report: &Value) -> String {
    let findings = report["subjects"][0]["findings"].as_array().unwrap();
    let finding = findings.iter().find(|finding| !finding["case"]["signature"].is_null()).unwrap();
    let signature = finding["signature"].as_str().unwrap();
    let name = |rule: &Value| format!("{} {}", rule["path"].as_str().unwrap(), rule["chain"].as_str().unwrap());
    let rules: Vec<String> = finding["rules"].as_array().unwrap().iter().map(name).collect();
    let stale = signature.replace(" update ", " create ");
    assert_ne!(stale, signature);
    let entry = |signature: &str| {
        format!(
            "[[exception]]\nsignature = {signature:?}\nrules = [{rules}]\nclasses = [\"negative\", \"text\", \"multi-byte text\"]\nshare = 1\nreason = \"r\"\nowner = \"o\"\nissue = \"i\"\n\
             expires = 9999-12-31\n",
            rules = rules.iter().map(|rule| format!("{rule:?}, ")).collect::<String>()
        )
    };
    entry(signature) + &entry(&stale)
}

/// Members that a report may do without, and what stands in a place of free form.
const OPTIONAL: [&str; 37] = [
    "/exceptions",
    "/exception",
    "/cause",
    "findings/*/relation",
    "findings/*/stoppedBy",
    "findings/*/why",
    "findings/*/remedy",
    "causes/ratchets",
    "causes/ratchets/reason",
    "causes/depends-on-field",
    "causes/depends-on-field/reason",
    "causes/atomic-default",
    "causes/atomic-default/reason",
    "causes/filled-struct",
    "causes/filled-struct/reason",
    "causes/unowned-struct",
    "causes/unowned-struct/reason",
    "causes/before-first-apply",
    "causes/before-first-apply/reason",
    "causes/null-or-absent",
    "causes/null-or-absent/reason",
    "criteria/*/operation",
    "criteria/*/remedy",
    "/stability",
    "/shortCircuit",
    "/coveredByDeclarative",
    "/fromImperative",
    "minimal/oldObject",
    "minimal/options",
    "/subjects/*/checks",
    "notes/*/side",
    "/subjects/*/notes",
    "totals/askedAgain",
    "answers/*/because",
    "answers/*/rules",
    "checks/*/rules",
    "answers/*/pair",
];
const FREE: [&str; 6] =
    ["/badValue/", "/classes/", "minimal/object/", "minimal/oldObject/", "/undecodable/", "/skipped/"];

/// Counts by name, of which each may be absent.
const COUNTS: [&str; 2] = ["/mayNotByCause/", "/mayGoByLevel/"];

/// Every member in `value` as a pointer, and its shape: the pointer with `*` for positions in lists.
fn members(value: &Value, at: &str, shape: &str, found: &mut Vec<(String, String)>) {
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                members(item, &format!("{at}/{index}"), &format!("{shape}/*"), found);
            }
        }
        Value::Object(object) => {
            for (name, member) in object {
                let name = name.replace('~', "~0").replace('/', "~1");
                let (at, shape) = (format!("{at}/{name}"), format!("{shape}/{name}"));
                members(member, &at, &shape, found);
                found.push((at, shape));
            }
        }
        _ => {}
    }
}

fn without(report: &Value, at: &str, renamed: Option<&str>) -> Value {
    let mut report = report.clone();
    let (parent, name) = at.rsplit_once('/').unwrap();
    let object = report.pointer_mut(parent).unwrap().as_object_mut().unwrap();
    let member = object.remove(&name.replace("~1", "/").replace("~0", "~")).unwrap();
    if let Some(renamed) = renamed {
        object.insert(renamed.to_owned(), member);
    }
    report
}

#[test]
fn a_real_report_keeps_to_the_schema_and_no_member_can_be_dropped_or_renamed_unnoticed() {
    let schema = schema();
    let plain = report("");
    assert!(schema.is_valid(&plain), "without exceptions");
    let report = report(&exceptions(&plain));
    let errors: Vec<String> =
        schema.iter_errors(&report).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{}", errors.join("\n"));

    let mut found = Vec::new();
    members(&report, "", "", &mut found);
    let mut shapes = BTreeSet::new();
    // One place of every shape is enough: the same rule of the schema speaks for the others.
    found.retain(|(_, shape)| !FREE.iter().any(|free| shape.contains(free)) && shapes.insert(shape.clone()));
    for expected in [
        "/policy/min-kept",
        "/case/panics/*/place",
        "/case/signature/subject/kind",
        "/controls/survivors",
        "/findings/*/exception/direction",
        "/exceptions/*/state",
    ] {
        assert!(shapes.iter().any(|shape| shape.ends_with(expected)), "the report shows no `{expected}`");
    }
    for (at, shape) in &found {
        assert!(!schema.is_valid(&without(&report, at, Some("renamed"))), "`{shape}` can be renamed");
        if !OPTIONAL.iter().any(|optional| shape.ends_with(optional)) && !COUNTS.iter().any(|of| shape.contains(of)) {
            assert!(!schema.is_valid(&without(&report, at, None)), "`{shape}` can be dropped");
        }
    }
}
