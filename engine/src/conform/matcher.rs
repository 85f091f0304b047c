//! Fixtures of the comparison alone: two error lists in, the mismatches of each release's algorithm out.

use super::multiset::difference;
use crate::say::Say;
use regex::Regex;
use serde_json::Value;
use takeover_corpora::fixture::NormalizationRule;
use takeover_harness::compare::{Advice, Candidates, Direction, Matcher, Semantics, compare, mismatches};
use takeover_harness::error::FieldError;
use takeover_reports::conform::{Agreement, FixtureExample};

/// A recorded column: its name, the algorithm, whether ancestors excuse, which candidate errors took part, whose advice.
type Column = (&'static str, Semantics, bool, Candidates, Advice);

const COLUMNS: [Column; 6] = [
    ("v1_35", Semantics::V1_35, false, Candidates::All, Advice::Handwritten),
    ("v1_36", Semantics::V1_36, false, Candidates::All, Advice::Handwritten),
    ("v1_37", Semantics::V1_37, false, Candidates::All, Advice::Handwritten),
    ("v1_37_enforced", Semantics::V1_37, false, Candidates::All, Advice::DisableBeta),
    ("v1_37_shortcircuit", Semantics::V1_37, true, Candidates::All, Advice::Handwritten),
    ("v1_37_alpha_beta_candidates", Semantics::V1_37, true, Candidates::Leveled, Advice::Handwritten),
];

/// The name under which these fixtures are counted.
const KIND: &str = "comparison alone";

/// Judges one fixture against every column that it records.
pub(super) fn judge(fixture: &Value, place: &str, bytes: usize, agreement: &mut Agreement, say: Say<'_>) {
    let Some(inputs) = Inputs::read(fixture) else {
        say(&format!("warning: {place}: not a comparison fixture"));
        agreement.skip("not a comparison fixture");
        return;
    };
    let id = fixture.get("id").and_then(Value::as_str).unwrap_or_default();
    for (name, semantics, short_circuit, candidates, advice) in COLUMNS {
        let Some(recorded) = fixture.get(name).and_then(Value::as_array) else { continue };
        let matcher = Matcher::new(semantics)
            .candidates(candidates)
            .normalization(inputs.normalization.clone())
            .short_circuit(short_circuit);
        let recorded: Vec<String> = recorded.iter().map(|text| text.as_str().unwrap_or_default().to_owned()).collect();
        let ours = inputs.mismatches(&matcher, advice);
        let (missing, unexpected) = difference(&recorded, &ours, |a, b| a == b);
        let misses =
            missing.iter().filter_map(|at| recorded.get(*at)).map(|text| (format!("misses {text}"), text.clone()));
        let adds = unexpected.iter().filter_map(|at| ours.get(*at)).map(|text| (format!("adds {text}"), text.clone()));
        agreement.count(KIND, &format!("matcher {name}"), "compare", misses.chain(adds).collect(), |detail| {
            FixtureExample { place: place.to_owned(), id: id.to_owned(), bytes, detail }
        });
    }
}

struct Inputs {
    handwritten: Vec<FieldError>,
    declarative: Vec<FieldError>,
    normalization: Vec<(Regex, String)>,
}

impl Inputs {
    fn read(fixture: &Value) -> Option<Self> {
        let errors = |name: &str| serde_json::from_value(fixture.get(name)?.clone()).ok();
        let rules: Option<Vec<NormalizationRule>> =
            serde_json::from_value(fixture.get("normalization_rules")?.clone()).ok()?;
        let normalization = rules
            .unwrap_or_default()
            .into_iter()
            .map(|rule| Some((Regex::new(&rule.regexp).ok()?, rule.replacement)))
            .collect::<Option<Vec<_>>>()?;
        Some(Self { handwritten: errors("handwritten")?, declarative: errors("declarative")?, normalization })
    }

    /// Our mismatches in the recorded form: what, the error as logged, whose advice.
    fn mismatches(&self, matcher: &Matcher, advice: Advice) -> Vec<String> {
        let comparison = compare(&self.handwritten, &self.declarative, matcher);
        mismatches(&comparison, &self.handwritten, &self.declarative)
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
}
