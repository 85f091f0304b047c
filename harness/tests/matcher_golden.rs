//! The comparison against verdicts recorded from Kubernetes' own code.

use regex::Regex;
use serde::Deserialize;
use takeover_harness::compare::{Advice, Candidates, Direction, Matcher, Semantics, compare, mismatches};
use takeover_harness::error::FieldError;

/// Two error lists, and the mismatches that each release's algorithm found in them.
#[derive(Deserialize)]
struct Fixture {
    id: String,
    handwritten: Vec<FieldError>,
    declarative: Vec<FieldError>,
    normalization_rules: Vec<Rule>,
    v1_35: Vec<String>,
    v1_36: Vec<String>,
    v1_37: Vec<String>,
    v1_37_shortcircuit: Vec<String>,
    v1_37_alpha_beta_candidates: Vec<String>,
    v1_37_enforced: Vec<String>,
}

#[derive(Deserialize)]
struct Rule {
    regexp: String,
    replacement: String,
}

/// The recorded form of a mismatch: what, the error as logged, whose advice.
fn recorded_form(fixture: &Fixture, matcher: &Matcher, advice: Advice) -> Vec<String> {
    let comparison = compare(&fixture.handwritten, &fixture.declarative, matcher);
    mismatches(&comparison, &fixture.handwritten, &fixture.declarative)
        .map(|mismatch| {
            let what = if mismatch.direction == Direction::Missing { "unmatched" } else { "extra" };
            let advice = match advice.for_error(mismatch.error) {
                Advice::Handwritten => "handwritten",
                _ => "disable-gate",
            };
            format!("{what} {} {advice}", mismatch.rendered(matcher))
        })
        .collect()
}

#[test]
fn every_release_finds_the_mismatches_that_kubernetes_found() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../corpora/golden/matcher.jsonl");
    let mut compared = 0;
    for line in std::fs::read_to_string(path).unwrap().lines() {
        let fixture: Fixture = serde_json::from_str(line).unwrap();
        let rules: Vec<(Regex, String)> = fixture
            .normalization_rules
            .iter()
            .map(|rule| (Regex::new(&rule.regexp).unwrap(), rule.replacement.clone()))
            .collect();
        let all = |semantics| Matcher::new(semantics).candidates(Candidates::All).normalization(rules.clone());
        let ancestors = all(Semantics::V1_37).short_circuit(true);
        let columns = [
            ("v1_35", all(Semantics::V1_35), Advice::Handwritten, &fixture.v1_35),
            ("v1_36", all(Semantics::V1_36), Advice::Handwritten, &fixture.v1_36),
            ("v1_37", all(Semantics::V1_37), Advice::Handwritten, &fixture.v1_37),
            ("v1_37_enforced", all(Semantics::V1_37), Advice::DisableBeta, &fixture.v1_37_enforced),
            ("v1_37_shortcircuit", ancestors.clone(), Advice::Handwritten, &fixture.v1_37_shortcircuit),
            (
                "v1_37_alpha_beta_candidates",
                ancestors.candidates(Candidates::Leveled),
                Advice::Handwritten,
                &fixture.v1_37_alpha_beta_candidates,
            ),
        ];
        for (column, matcher, advice, expected) in columns {
            assert_eq!(&recorded_form(&fixture, &matcher, advice), expected, "{} {column}", fixture.id);
            compared += 1;
        }
    }
    assert_eq!(compared, 6 * 67, "verdicts compared");
}
