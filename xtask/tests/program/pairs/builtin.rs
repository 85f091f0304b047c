//! Pairs of built-in types with other sides than the usual ones.

use super::lab::{Lab, Ran, about, has_python};
use std::collections::BTreeSet;

fn soak(lab: &Lab, candidate: &str, out: &str) -> Ran {
    let pair = ["--kind", "v1 ReplicationController", "--reference", "builtin", "--candidate", candidate];
    lab.run(&[&["soak", "--seed", "1", "--cases", "1500", "--compare", "field", "--out", out][..], &pair].concat())
}

#[test]
fn the_builtin_validator_and_the_tags_are_compared_by_field() {
    let lab = Lab::new();
    let ran = soak(&lab, "tags", "run");
    // Most handwritten checks have no rule yet.
    assert_eq!(ran.code, 1, "{}", ran.said());
    assert_eq!(lab.json("run/report.json")["semantics"], "by field and origin");
    assert!(ran.stdout.contains("ReplicationController"), "{}", ran.said());
}

#[test]
fn a_candidate_that_accepts_everything_misses_the_builtin_checks_by_name() {
    if !has_python() {
        return;
    }
    let lab = Lab::new();
    let ran = soak(&lab, "exec python3 oracle.py accept-everything", "run");
    assert_eq!(ran.code, 1, "{}", ran.said());
    let found: Vec<[String; 4]> = lab.findings("run").iter().map(about).collect();
    assert!(found.iter().all(|[direction, .., cause]| direction == "missing" && cause == "reports-less"), "{found:?}");
    let fields: BTreeSet<&str> = found.iter().map(|[_, _, field, _]| field.as_str()).collect();
    for field in ["spec.replicas", "spec.selector", "spec.template.spec.containers", "spec.minReadySeconds"] {
        assert!(fields.contains(field), "{field} is not among {fields:?}");
    }
}
