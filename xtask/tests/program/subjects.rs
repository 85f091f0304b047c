//! `subjects` and the coverage document as a user runs them.

use assert_cmd::Command;
use serde_json::Value;
use std::collections::BTreeMap;
use std::process::Output;
use takeover_oracles::registry::Registry;

fn run(arguments: &[&str]) -> Output {
    Command::cargo_bin("takeover").unwrap().args(arguments).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn every_subject_has_rules_and_twins_but_for_those_listed_without_rules() {
    let listed: Value = serde_json::from_str(&stdout(&run(&["subjects", "--format", "json"]))).unwrap();
    let subjects = listed["subjects"].as_array().unwrap();
    assert!(!subjects.is_empty());
    let registry = Registry::of_builtin().unwrap();
    let without_rules: Vec<String> = registry.without_rules().map(|id| id.to_string()).collect();
    let mut agreed: BTreeMap<(&str, &str), bool> = BTreeMap::new();
    for subject in subjects {
        let name = &subject["subject"];
        let levels: u64 = subject["levels"].as_object().unwrap().values().filter_map(Value::as_u64).sum();
        let expected = !without_rules.iter().any(|without| name == without);
        assert_eq!(levels > 0, expected, "{name} has {levels} rules");
        if !expected {
            continue;
        }
        let rules = subject["rules"].as_array().unwrap();
        // What only one endpoint may change cannot be seen to agree at another.
        let id = &subject["id"];
        if !subject["verdicts"].as_object().unwrap().is_empty() {
            let kind = (id["apiVersion"].as_str().unwrap(), id["kind"].as_str().unwrap());
            *agreed.entry(kind).or_default() |= rules.iter().any(|rule| rule["agreed"].as_u64() > Some(0));
        }
    }
    assert!(agreed.values().all(|agreed| *agreed), "a kind has no twin: {agreed:?}");
}

#[test]
fn one_kind_is_shown_with_its_rules_twins_checks_and_delegated_parts() {
    let text = stdout(&run(&["subjects", "--kind", "ReplicationController"]));
    for part in [
        "v1 ReplicationController\n",
        "v1 ReplicationController/scale\n",
        "spec.replicas +k8s:alpha minimum=0: twin FieldValueInvalid spec.replicas `minimum`",
        "FieldValueRequired spec.selector\n",
        "spec.template.spec.ephemeralContainers[*] (",
        "recorded verdicts, handwritten: 79 of 79 agree",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
}

#[test]
fn an_unknown_kind_is_named_with_the_way_out() {
    let output = run(&["subjects", "--kind", "Gadget"]);
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("`Gadget`; `takeover subjects` lists"), "{message}");
}

#[test]
fn the_checked_in_coverage_is_current() {
    let output = run(&["docs", "coverage", "--check"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}
