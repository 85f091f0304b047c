//! A webhook's logic against the CRD that is to take its place: what the schema lacks is found, and nothing of it once it is complete.

use crate::lab::{Lab, about, has_python, repository};
use std::fs;

const LACKING: [[&str; 4]; 3] = [
    ["missing", "FieldValueInvalid", "spec.cooldownSeconds", "reports-less"],
    ["missing", "FieldValueInvalid", "spec.targetRef", "reports-less"],
    ["extra", "FieldValueInvalid", "spec.maxReplicas", "reports-more"],
];

/// What the findings of 400 cases are about.
fn found(lab: &Lab, crd: &str, out: &str) -> Vec<[String; 4]> {
    lab.write("crd.yaml", crd);
    let webhook = repository().join("sdk/python/examples/scalepolicy.py");
    let reference = format!("exec:python3 {}", webhook.display());
    let pair = ["soak", "--crd", "crd.yaml", "--reference", &reference, "--compare", "field"];
    let ran = lab.run(&[&pair[..], &["--seed", "1", "--cases", "400", "--out", out]].concat());
    assert_eq!(ran.code, 1, "{}", ran.said());
    lab.findings(out).iter().map(about).collect()
}

#[test]
fn what_a_crd_lacks_of_its_webhook_is_found_until_it_is_complete() {
    if !has_python() {
        return;
    }
    let lab = Lab::new();
    let crd = fs::read_to_string(repository().join("sdk/go/examples/scalepolicy/config/crd.yaml")).unwrap();
    let lacking = found(&lab, &crd, "first");
    for row in LACKING {
        assert!(lacking.contains(&row.map(str::to_owned)), "{row:?} is not in {lacking:#?}");
    }

    let complete = [
        ("maximum: 999", "maximum: 1000"),
        ("default: 300", "default: 300\n                minimum: 0\n                maximum: 3600"),
        (
            "required: [apiVersion, kind, name]",
            "required: [apiVersion, kind, name]\n                x-kubernetes-validations: [{rule: self == oldSelf, message: field is immutable}]",
        ),
    ];
    let complete = complete.iter().fold(crd, |crd, (old, new)| {
        assert_eq!(crd.matches(old).count(), 1, "{old}");
        crd.replace(old, new)
    });
    let left = found(&lab, &complete, "second");
    for row in LACKING {
        assert!(!left.contains(&row.map(str::to_owned)), "{row:?} is in {left:#?}");
    }
}
