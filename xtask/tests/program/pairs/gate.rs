//! A gate over pairs that a project describes.

use super::lab::{Lab, Ran, has_python};

const EXCUSE: [&str; 6] = ["--reason", "sizes come later", "--owner", "shop", "--issue", "#7"];

/// A project whose candidate accepts sizes that the reference rejects.
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

#[test]
fn a_pair_of_the_command_line_takes_the_place_of_those_of_the_settings() {
    let lab = Lab::new();
    // The settings describe another pair, which cannot be judged.
    lab.write("takeover.toml", &settings("agree").replace("old-to-new", "other").replace("python3", "./not-there"));
    let with_bounds = lab.read("widget.yaml").replace("format: int32", "format: int32, minimum: 1, maximum: 1000");
    lab.write("bounded.yaml", &with_bounds);
    let other = "takeover baseline 2.1\n[shop.example.com/v1 Widget#other]\nready        pair   as a whole\n";
    lab.write("takeover-baseline.txt", other);
    let pair = ["--reference", "crd bounded.yaml", "--crd", "widget.yaml"];
    let by_flags = |more: &[&str]| gate(&lab, &[&pair[..], more].concat());

    let ran = by_flags(&[]);
    assert_eq!(ran.code, 1, "{}", ran.said());
    assert!(ran.stdout.contains("spec.size"), "{}", ran.said());
    let again = "gate --reference 'crd bounded.yaml' --crd widget.yaml --run target/takeover/gate --write-exceptions";
    assert!(ran.stdout.contains(again), "{}", ran.said());

    let run = ["--run", "target/takeover/gate"];
    let written = by_flags(&[&run[..], &["--write-exceptions"], &EXCUSE].concat());
    assert!(lab.read("takeover-exceptions.toml").contains("Widget#crd-to-crd"), "{}", written.said());
    let updated = by_flags(&[&run[..], &["--update-baseline"]].concat());
    assert_eq!(updated.code, 0, "{}", updated.said());
    let baseline = lab.read("takeover-baseline.txt");
    assert!(baseline.contains("Widget#crd-to-crd]"), "{baseline}");
    assert!(baseline.contains("[shop.example.com/v1 Widget#other]\nready        pair   as a whole\n"), "{baseline}");
    assert_eq!(by_flags(&run).code, 0);

    for (flags, said) in [
        (&["--crd", "widget.yaml"][..], "--crd needs --reference"),
        (&["--kind", "Widget"], "--reference"),
        (&[&pair[..], &["--kind", "Gadget"]].concat(), "Gadget"),
    ] {
        let refused = gate(&lab, flags);
        assert_eq!(refused.code, 2, "{}", refused.said());
        assert!(refused.stderr.contains(said), "{}", refused.said());
    }
}

#[test]
fn a_gate_whose_oracle_answers_nothing_names_the_oracle() {
    if !has_python() {
        return;
    }
    let lab = Lab::new();
    let silent = settings("agree").replace("\"accept-all-sizes\"", "\"only-hello\"");
    lab.write("takeover.toml", &silent);
    let ran = gate(&lab, &["--format", "json"]);
    assert_eq!(ran.code, 3, "{}", ran.said());
    let said: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let failure = &said["failures"][0];
    assert_eq!((&failure["reason"], &failure["what"]), (&"nothing-compared".into(), &"the oracles".into()), "{said:#}");
    let message = failure["message"].as_str().unwrap();
    assert!(message.starts_with("The candidate did not answer "), "{message}");
    assert!(message.contains("exited with code 3"), "{message}");
    let shown = gate(&lab, &["--run", "target/takeover/gate"]);
    assert!(shown.stdout.contains("fix the oracle that does not answer"), "{}", shown.said());
}
