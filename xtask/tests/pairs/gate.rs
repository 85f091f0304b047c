//! A gate over pairs that a project describes.

use crate::lab::{Lab, Ran, has_python};

const EXCUSE: [&str; 6] = ["--reason", "sizes come later", "--owner", "shop", "--issue", "#7"];

/// A project whose candidate accepts sizes that the reference refuses.
fn settings(candidate_may: &str) -> String {
    format!(
        r#"
[budget]
cases = 600
[corpora]
builtin = false
[policy]
min-accepts = 1
min-rejects = 1
max-mismatch-rate = 1.0
[[pair]]
name = "old-to-new"
apiVersion = "shop.example.com/v1"
kind = "Widget"
types = "widget.yaml"
reference = {{ exec = ["python3", "oracle.py"] }}
candidate = {{ exec = ["python3", "oracle.py", "accept-all-sizes"] }}
compare = "field"
candidate-may = "{candidate_may}"
"#
    )
}

fn gate(lab: &Lab, more: &[&str]) -> Ran {
    lab.run(&[&["gate", "--today", "2027-01-01"], more].concat())
}

#[test]
fn a_candidate_that_accepts_more_passes_only_where_it_may() {
    if !has_python() {
        return;
    }
    let lab = Lab::new();
    lab.write("takeover.toml", &settings("agree"));
    let ran = gate(&lab, &["--format", "json"]);
    assert_eq!(ran.code, 1, "{}", ran.said());
    assert!(ran.stdout.contains("spec.size") && ran.stdout.contains("\"finding\""), "{}", ran.said());

    lab.write("takeover.toml", &settings("accept-more"));
    let held = gate(&lab, &["--run", "target/takeover/gate", "--format", "json"]);
    assert!(!held.stdout.contains("\"finding\""), "{}", held.said());
}

#[test]
fn exceptions_and_a_baseline_hold_for_described_pairs() {
    if !has_python() {
        return;
    }
    let lab = Lab::new();
    lab.write("takeover.toml", &settings("agree"));
    let written = gate(&lab, &[&["--write-exceptions"], &EXCUSE[..]].concat());
    assert_eq!(written.code, 1, "{}", written.said());
    let exceptions = lab.read("takeover-exceptions.toml");
    assert!(exceptions.contains("Widget#old-to-new") && exceptions.contains("spec.size"), "{exceptions}");
    let updated = gate(&lab, &["--run", "target/takeover/gate", "--update-baseline"]);
    assert_eq!(updated.code, 0, "{}", updated.said());
    let baseline = lab.read("takeover-baseline.txt");
    for line in ["pair   as a whole", "check  spec.size FieldValueInvalid must be between N and N, inclusive"] {
        assert!(baseline.contains(line), "{line}: {baseline}");
    }
    let evidence = lab.read("target/takeover/gate/evidence.json");
    lab.write("takeover.toml", &settings("agree").replace("cases = 600", "cases = 600\njobs = 3"));
    let again = gate(&lab, &[]);
    assert_eq!(again.code, 0, "{}", again.said());
    assert!(lab.read("target/takeover/gate/evidence.json") == evidence, "the number of jobs changes evidence");
    // A check that became less ready is noticed.
    lab.write(
        "takeover-baseline.txt",
        &baseline.replace("insufficient check  spec.size", "ready        check  spec.size"),
    );
    let worse = gate(&lab, &["--run", "target/takeover/gate"]);
    assert!(worse.stdout.contains("was ready and is insufficient"), "{}", worse.said());
}
