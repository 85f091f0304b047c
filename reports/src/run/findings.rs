//! From evidence to the findings of a report.

use super::exceptions::ExceptionReport;
use super::finding::{FindingCase, FindingReport};
use super::rule::{Check, LevelledRule};
use super::standing::FindingStanding;
use crate::text::shortened;
use std::collections::BTreeMap;
use takeover_harness::case::Operation;
use takeover_harness::check::Check as HandwrittenCheck;
use takeover_harness::compare::{Cause, ComparedBy, DifferenceKind, Direction, Matter, Signature};
use takeover_harness::evidence::{PairEvidence, Sighting, SignatureEvidence};
use takeover_harness::exception::Excuses;
use takeover_harness::pair::Pair;
use takeover_harness::path::pattern;
use takeover_harness::readiness::{Stands, Words};
use takeover_harness::rule::{Rule, Source};
use takeover_harness::subject::PairId;

/// Where a finding was written.
#[derive(Clone, Debug, PartialEq)]
pub struct FindingFile {
    /// The finding as it is named: its signature, or [`panic_label`].
    pub label: String,
    /// Its number in the run, from 1.
    pub number: usize,
    /// File name below the run folder.
    pub file: String,
    /// Lines of YAML of the minimal object.
    pub minimal_lines: usize,
    /// The command that shows it again.
    pub reproduce: String,
    /// What is in it.
    pub case: FindingCase,
}

impl FindingFile {
    /// What a report says of the file of a finding; none when the finding has no file.
    #[must_use]
    pub fn of(finding: &FindingReport) -> Option<Self> {
        Some(Self {
            label: finding.signature.clone(),
            number: finding.number,
            file: finding.file.clone()?,
            minimal_lines: finding.minimal_lines?,
            reproduce: finding.reproduce.clone()?,
            case: finding.case.clone()?,
        })
    }
}

/// How a panicking oracle is named among the findings. `side` is `reference`, `candidate` or `decoding`.
#[must_use]
pub fn panic_label(pair: &PairId, operation: Operation, side: &str) -> String {
    format!("{pair} {operation} panic of the {side}")
}

/// Where something was first seen, and what was said there. A decision says only why, so that the side which rejects is added.
fn sighted(first: &Sighting, signature: Option<&Signature>) -> String {
    let side = match signature {
        Some(Signature { kind: DifferenceKind::Decision { .. }, direction: Direction::Missing, .. }) => {
            "only the reference rejects: "
        }
        Some(Signature { kind: DifferenceKind::Decision { .. }, .. }) => "only the candidate rejects: ",
        _ => "",
    };
    format!("{}: {side}{}", first.provenance, first.message)
}

/// The findings of a pair, operation by operation, signatures before panics. `before` of other pairs have the numbers before theirs.
pub(super) fn findings(
    of: &PairEvidence,
    pair: &Pair,
    (files, before): (&[FindingFile], usize),
    excuses: &Excuses<'_>,
    stands: &Stands<'_>,
) -> Vec<FindingReport> {
    let rules = &pair.rules;
    let matter = match (pair.matter, of.compared_by()) {
        (Matter::Errors, Some(ComparedBy::Objects { .. })) => Matter::Objects,
        (matter, _) => matter,
    };
    let labels: Vec<String> = labels(of).collect();
    let number = |label: &str| {
        let file = files.iter().find(|file| file.label == label).map(|file| file.number);
        file.or_else(|| labels.iter().position(|known| known == label).map(|at| before + at + 1))
    };
    let plain = |label: String, count: u64, first: String| {
        let file = files.iter().find(|file| file.label == label);
        FindingReport {
            number: number(&label).unwrap_or_default(),
            signature: label,
            count,
            cause: None,
            relation: None,
            deciding: 0,
            matter,
            classes: BTreeMap::new(),
            stopped_by: Vec::new(),
            standing: FindingStanding::Blocking,
            why: String::new(),
            remedy: String::new(),
            trial: None,
            suggestion: String::new(),
            rules: Vec::new(),
            places: Vec::new(),
            first: shortened(&first, FindingCase::LONGEST_TEXT).into_owned(),
            minimal_lines: file.map(|file| file.minimal_lines),
            file: file.map(|file| file.file.clone()),
            reproduce: file.map(|file| file.reproduce.clone()),
            case: file.map(|file| file.case.cut()),
            exception: None,
        }
    };
    let whole = Words::of_pair(of.compared_by());
    let words = match pair.matter {
        Matter::Defaults => Words::of_defaults(),
        Matter::Semantics => Words::of_semantics(),
        Matter::Apply => Words::of_apply(),
        Matter::Errors | Matter::Objects if rules.is_empty() => whole,
        Matter::Errors | Matter::Objects => Words::of_rule(of.compared_by()),
    };
    // What no rule is behind is the matter of the candidate. Kubernetes' words fit rules that are to be.
    let told = of.compared_by().is_some_and(|how| !how.is_usual());
    let words = |seen: &SignatureEvidence| if told && seen.rules.is_empty() { whole } else { words };
    let of_operation = |operation: Operation| {
        let evidence = of.operation(operation);
        let signatures = evidence.signatures.iter().map(|(signature, seen)| FindingReport {
            cause: signature.cause,
            relation: Some(signature.relation),
            deciding: seen.deciding,
            classes: seen.classes.clone(),
            stopped_by: seen.stopped_by.iter().map(Check::from).collect(),
            standing: FindingStanding::of(stands.stand(signature), number),
            why: words(seen).why(signature, seen).unwrap_or_default(),
            remedy: words(seen).remedy_of(signature),
            trial: trial(signature, &pair.checks),
            rules: seen.rules.iter().filter_map(|id| rules.get(id.index())).map(LevelledRule::of).collect(),
            exception: excuses.excuse(signature).map(|excuse| ExceptionReport::of(excuse, signature.direction)),
            ..plain(signature.to_string(), seen.cases, sighted(&seen.first, Some(signature)))
        });
        let panics = evidence
            .panics
            .iter()
            .map(|(side, seen)| plain(panic_label(of.pair(), operation, side), seen.count, sighted(&seen.first, None)));
        signatures.chain(panics).collect::<Vec<_>>()
    };
    let mut findings: Vec<FindingReport> = Operation::ALL.into_iter().flat_map(of_operation).collect();
    for finding in &mut findings {
        finding.places = places(pair, finding);
    }
    findings
}

/// Where the candidate of a pair says what a finding is about, or is to say it: at the rules that it is attributed to, or else at the
/// fields of the errors that one side lacks.
fn places(pair: &Pair, finding: &FindingReport) -> Vec<Source> {
    let Some(signature) = finding.parts() else { return Vec::new() };
    let mut all: Vec<Source> = Vec::new();
    let attributed: Vec<&Rule> =
        pair.rules.iter().filter(|rule| finding.rules.iter().any(|of| *of == LevelledRule::of(rule))).collect();
    let paths: Vec<String> = match (&signature.kind, &finding.case) {
        // A decision is about the object as a whole; the errors say why.
        (DifferenceKind::Decision { .. }, Some(case)) => {
            let missing = signature.direction == Direction::Missing;
            let errors = if missing { &case.reference } else { &case.candidate };
            errors.iter().map(|error| pattern(&error.field)).collect()
        }
        _ => vec![signature.path.clone()],
    };
    for written in &pair.written {
        let rules: Vec<&Source> = attributed.iter().filter_map(|rule| written.rules.get(&rule.id)).collect();
        let fields = || paths.iter().filter_map(|path| written.nearest(path)).collect();
        for source in if rules.is_empty() { fields() } else { rules } {
            if !all.contains(source) {
                all.push(source.clone());
            }
        }
    }
    all
}

/// The flag of `soak` that compares the error of a handwritten check as if it were marked, as the rule's error is. None where the
/// check that says the same is marked: what is not is then another check with errors of the same type, which no rule replaces.
fn trial(signature: &Signature, checks: &[HandwrittenCheck]) -> Option<String> {
    let DifferenceKind::Error { error_type, origin } = &signature.kind else { return None };
    let unmarked = signature.cause == Some(Cause::Unmarked) && signature.direction == Direction::Extra;
    let same = |check: &HandwrittenCheck| {
        let error = &check.error;
        error.error_type == *error_type && error.field == signature.path && error.origin == *origin
    };
    let is_marked = checks.iter().any(|check| check.covered && same(check));
    let mark = format!("{} {} {origin}", signature.path, error_type.api_name());
    (unmarked && !is_marked).then(|| format!("--assume-covered '{}'", mark.trim_end()))
}

/// The findings under an operation as they are named, in the order of the report.
/// What the findings of a pair are called, in their order.
pub(super) fn labels(of: &PairEvidence) -> impl Iterator<Item = String> {
    Operation::ALL.into_iter().flat_map(move |operation| {
        let evidence = of.operation(operation);
        let panics = evidence.panics.keys().map(move |side| panic_label(of.pair(), operation, side));
        evidence.signatures.keys().map(ToString::to_string).chain(panics)
    })
}

#[cfg(test)]
mod tests {
    use super::{HandwrittenCheck, trial};
    use serde_json::json;

    #[test]
    fn a_mark_is_tried_with_the_origin_of_the_rule_unless_the_check_that_it_replaces_is_marked() {
        let signature = "v1 Web update new extra unmarked FieldValueInvalid spec.name format=dns".parse().unwrap();
        let check = |origin: &str, covered: bool| -> HandwrittenCheck {
            let error = json!({"error_type": "FieldValueInvalid", "field": "spec.name", "origin": origin});
            serde_json::from_value(json!({"error": error, "operations": ["update"], "covered": covered})).unwrap()
        };
        let flag = Some("--assume-covered 'spec.name FieldValueInvalid format=dns'".to_owned());
        assert_eq!(trial(&signature, &[check("", false)]), flag);
        assert_eq!(trial(&signature, &[check("format=dns", false)]), flag);
        assert_eq!(trial(&signature, &[check("", false), check("format=dns", true)]), None);
        let other = "v1 Web update new extra reports-more FieldValueInvalid spec.name format=dns".parse().unwrap();
        assert_eq!(trial(&other, &[check("", false)]), None);
    }
}
