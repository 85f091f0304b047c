//! Evidence in files of the first format, which compares all pairs alike and names rules with their levels.

use crate::evidence::{case, erratic};
use crate::fakes::gathered_of;
use serde_json::{Value, json};
use takeover_harness::case::Provenance;
use takeover_harness::compare::{Candidates, ComparedBy, Participation, Semantics};
use takeover_harness::error::Stability;
use takeover_harness::evidence::{CasePlace, Evidence, Sighting};

/// Written by a program that knew no pairs.
const FILE: &str = include_str!("files/first-format-evidence.json");

fn with(pointer: &str, value: Value) -> Evidence {
    let mut file: Value = serde_json::from_str(FILE).unwrap();
    *file.pointer_mut(pointer).unwrap() = value;
    Evidence::from_json(&file.to_string()).unwrap()
}

#[test]
fn a_file_of_the_first_format_is_read_as_what_the_same_cases_give_today() {
    let kinds = [(1, false), (6, false), (8, true), (3, false), (9, false), (10, true)];
    let mut today = gathered_of(&erratic(), kinds.map(|(kind, update)| case(kind, update)));
    let provenance = Provenance::File { path: "a.yaml".into(), document: 1, line: 1 };
    today.record_outside(
        "unknown kind",
        Sighting { place: CasePlace::default(), provenance, message: "`Other`".into() },
    );
    let read = Evidence::from_json(FILE).unwrap();
    let counts = |evidence: &Evidence| {
        let mut file: Value = serde_json::from_str(&evidence.to_json().unwrap()).unwrap();
        // What was said was not counted then.
        for operation in ["create", "update"] {
            file["subjects"][0][operation].as_object_mut().unwrap().remove("comparable");
        }
        file
    };
    assert_eq!(counts(&read), counts(&today));
    assert_eq!(Evidence::from_json(&read.to_json().unwrap()).unwrap(), read, "written anew, it reads as the same");
}

#[test]
fn the_comparison_of_the_run_becomes_that_of_its_pairs() {
    let compared_by = |evidence: Evidence| evidence.compared_by().into_iter().collect::<Vec<_>>();
    let by = |semantics, candidates| {
        vec![ComparedBy::Kubernetes { semantics, participation: Participation::Marked(candidates) }]
    };
    assert_eq!(compared_by(Evidence::from_json(FILE).unwrap()), by(Semantics::V1_37, Candidates::Leveled));
    assert_eq!(compared_by(with("/semantics", json!("1.35"))), by(Semantics::V1_35, Candidates::Leveled));
    assert_eq!(compared_by(with("/candidates", json!("all"))), by(Semantics::V1_37, Candidates::All));
}

#[test]
fn the_level_of_a_rule_is_told_from_its_chain() {
    for (label, level, chain) in [
        ("alpha minimum=0", Some(Stability::Alpha), "minimum=0"),
        ("beta eachVal=format=a b", Some(Stability::Beta), "eachVal=format=a b"),
        ("minimum=0", None, "minimum=0"),
        ("alphabetic", None, "alphabetic"),
    ] {
        let evidence = with("/subjects/0/rules/0/rule", json!(label));
        let rule = &evidence.pairs().next().unwrap().rules()[0];
        assert_eq!((rule.rule.path.as_str(), rule.level, rule.rule.chain.as_str()), ("count", level, chain));
        assert_eq!(rule.label(), label);
    }
}
