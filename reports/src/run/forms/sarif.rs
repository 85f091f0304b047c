//! The report as a log: findings are errors at the tag that they are attributed to, rules short of evidence are notes.

use crate::annotation::user_file;
use crate::form::{Form, FormError};
use crate::numbers::grouped;
use crate::run::difference::difference;
use crate::run::exceptions::{ExceptionEntry, ExceptionState};
use crate::run::finding::FindingReport;
use crate::run::model::RunReport;
use crate::run::rule::RuleReport;
use crate::run::subject::SubjectReport;
use crate::run::verdict::VerdictKind;
use crate::sarif::{Location, Log, Region, ReportingDescriptor, SarifResult, Suppression};
use crate::severity::Severity;
use crate::text::field_name;
use crate::text::{command_line, json, named, shown, shown_lines};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use takeover_harness::compare::{DifferenceKind, Direction, Signature};
use takeover_harness::rule::Source;
use takeover_harness::yaml::to_yaml;

/// Name, level, sentence, explanation.
type Sort = (&'static str, Severity, &'static str, &'static str);

/// For code hosts and editors.
pub(super) const FORM: Form<RunReport> =
    Form::new("sarif", "SARIF 2.1.0: findings at the tags they are attributed to", "sarif", |report, _| {
        json(&sarif(report)).map_err(FormError::of)
    });

/// The sorts of result: name, level, sentence, explanation.
const SORTS: [Sort; 7] = [
    (
        "missing",
        Severity::Error,
        "The rule misses what the handwritten check reports.",
        "Without the handwritten check, this error would no longer be reported. What to do depends on the cause, which the result names.",
    ),
    (
        "extra",
        Severity::Error,
        "The rule reports what the handwritten check does not.",
        "With the rule enforced, this error would be new. What to do depends on the cause, which the result names.",
    ),
    (
        "differs",
        Severity::Error,
        "Both sides set the value, but differently.",
        "After the switch, the value would change. Make both sides set the same one.",
    ),
    (
        "panic",
        Severity::Error,
        "An oracle panicked.",
        "The case was judged by the other side alone. Fix the oracle that panics.",
    ),
    (
        "insufficient-evidence",
        Severity::Note,
        "The rule has too little evidence.",
        "The rule has no findings, but too few cases could have shown one. Run a longer soak, or add recorded objects.",
    ),
    (
        "stale-exception",
        Severity::Warning,
        "An exception covers a different number of findings than it states.",
        "Its findings are gone, or there are more than agreed: it would hide the next cause. Remove or correct it.",
    ),
    (
        "expired-exception",
        Severity::Warning,
        "An exception has expired.",
        "Its findings count against their rules again. Fix the cause, or extend the exception.",
    ),
];

/// The sorts of result that are about no rule, in the words of what is compared. A log lists them if it is about such a pair.
const SORTS_WITHOUT_RULE: [Sort; 8] = [
    (
        "missing-error",
        Severity::Error,
        "The candidate does not report what the reference reports.",
        "With the candidate in place of the reference, this error would be gone. Make the candidate report it, or decide that it may go.",
    ),
    (
        "extra-error",
        Severity::Error,
        "The candidate reports what the reference does not.",
        "With the candidate in place of the reference, this error would be new. Make the candidate accept such objects, or decide that \
         it may reject more.",
    ),
    (
        "missing-decision",
        Severity::Error,
        "The candidate accepts what the reference rejects.",
        "With the candidate in place of the reference, such objects would be accepted. Make the candidate reject them.",
    ),
    (
        "extra-decision",
        Severity::Error,
        "The candidate rejects what the reference accepts.",
        "With the candidate in place of the reference, such objects would be rejected. Make the candidate accept them.",
    ),
    (
        "missing-value",
        Severity::Error,
        "The candidate leaves a value unset that the reference sets.",
        "With the candidate in place of the reference, the value would be gone. Make the candidate set it.",
    ),
    (
        "extra-value",
        Severity::Error,
        "The candidate sets a value that the reference leaves unset.",
        "With the candidate in place of the reference, the value would be new. Make the candidate leave it unset.",
    ),
    (
        "broken-law",
        Severity::Error,
        "An object breaks a law of defaulting or of server-side apply.",
        "Every object must obey it. What to do depends on the cause, which the result names.",
    ),
    (
        "insufficient-evidence-of-pair",
        Severity::Note,
        "The pair has too little evidence.",
        "The candidate has no findings, but too few cases could have shown one. Compare more cases.",
    ),
];

/// Most lines of a minimal case.
const CASE_LINES: usize = 60;

/// The report as a SARIF log. Findings that an exception excuses, the policy tolerates or another finding brings along are suppressed,
/// with the reason as justification. What has no place in a file, such as handwritten checks without rule, is counted in the properties
/// of the run.
#[must_use]
fn sarif(report: &RunReport) -> Log {
    let results = report.subjects.iter().flat_map(|subject| {
        let findings = subject.findings.iter().map(move |finding| of_finding(subject, finding));
        let rules = subject.fields.iter().flat_map(|field| field.rules.iter().map(move |rule| (field, rule)));
        let short = rules
            .filter(|(_, rule)| VerdictKind::of(&rule.verdict) == VerdictKind::Insufficient)
            .map(move |(field, rule)| of_rule(subject, &field.field, rule));
        findings.chain(short).chain(of_pair(subject))
    });
    let results: Vec<SarifResult> = results.chain(report.due_exceptions().map(of_exception)).collect();
    let mut sorts = sorts();
    if results.iter().all(|result| result.rule_index.is_none_or(|index| index < SORTS.len())) {
        sorts.truncate(SORTS.len());
    }
    let mut properties = Map::new();
    properties.insert("summary".to_owned(), serde_json::to_value(&report.summary).unwrap_or_default());
    let delegated: usize = report.subjects.iter().map(|subject| subject.delegated.len()).sum();
    properties.insert("delegated".to_owned(), delegated.into());
    Log::new(sorts, results, properties)
}

fn sorts() -> Vec<ReportingDescriptor> {
    let all = SORTS.iter().chain(&SORTS_WITHOUT_RULE);
    all.map(|(id, severity, short, full)| ReportingDescriptor::new(id, *severity, short, full)).collect()
}

fn result(sort: &str, text: String, locations: Vec<Location>, fingerprint: String) -> SarifResult {
    let mut all = SORTS.iter().chain(&SORTS_WITHOUT_RULE);
    let severity = all.find(|(id, ..)| *id == sort).map_or(Severity::Error, |(_, severity, ..)| *severity);
    SarifResult {
        suppressions: Some(Vec::new()),
        partial_fingerprints: BTreeMap::from([("takeover/v1".to_owned(), fingerprint)]),
        ..SarifResult::new(&sorts(), sort, severity, text, locations)
    }
}

fn of_finding(subject: &SubjectReport, finding: &FindingReport) -> SarifResult {
    let sort = match finding.parts() {
        Some(_) if is_of_law(subject, finding) => "broken-law",
        Some(signature) => sort_of(subject, &signature),
        None => "panic",
    };
    let mut text = format!("{} × {}", grouped(finding.count), named(&finding.signature));
    for said in finding.remarks() {
        let _ = write!(text, "\n{said}");
    }
    // An excused one says it as its justification.
    if let Some(exception) = finding.exception.as_ref().filter(|exception| exception.expired) {
        let _ = write!(text, "\n{}", exception.said());
    }
    if let Some(case) = &finding.case {
        for line in difference(case) {
            let _ = write!(text, "\n{} {}", line.reporter.sign(), line.text());
        }
        let _ = write!(text, "\n{}", shown_lines(&to_yaml(&case.minimal), CASE_LINES).trim_end());
    }
    if let Some(command) = &finding.reproduce {
        let _ = write!(text, "\nreproduce: {}", command_line(command));
    }
    let mut result = result(sort, text, locations(subject.sources_of(finding)), shown(&finding.signature));
    result.suppressions = Some(finding.decided().map(Suppression::accepted).into_iter().collect());
    if let Some(cause) = finding.cause {
        result.properties.insert("cause".to_owned(), Value::from(cause.word()));
        result.properties.insert("deciding".to_owned(), Value::from(finding.deciding));
    }
    result.properties.insert("cases".to_owned(), Value::from(finding.count));
    result
}

/// Whether a finding is about a law, and not about a rule.
fn is_of_law(subject: &SubjectReport, finding: &FindingReport) -> bool {
    let laws = subject.fields.iter().flat_map(|field| &field.rules).filter(|rule| rule.law.is_some());
    let mut laws = laws;
    laws.any(|law| finding.rules.iter().any(|of| law.is(of)))
}

/// What sort of finding has this signature.
fn sort_of(subject: &SubjectReport, signature: &Signature) -> &'static str {
    match (signature.direction, &signature.kind) {
        (Direction::Differs, _) => "differs",
        (Direction::Missing, DifferenceKind::Error { .. }) if subject.matter().is_of_defaults() => "missing-value",
        (Direction::Extra, DifferenceKind::Error { .. }) if subject.matter().is_of_defaults() => "extra-value",
        (Direction::Missing, DifferenceKind::Value) => "missing-value",
        (Direction::Extra, DifferenceKind::Value) => "extra-value",
        (Direction::Missing, DifferenceKind::Decision { .. }) => "missing-decision",
        (Direction::Extra, DifferenceKind::Decision { .. }) => "extra-decision",
        (Direction::Missing, DifferenceKind::Error { .. }) if subject.pair.is_some() => "missing-error",
        (Direction::Extra, DifferenceKind::Error { .. }) if subject.pair.is_some() => "extra-error",
        (Direction::Missing, DifferenceKind::Error { .. }) => "missing",
        (Direction::Extra, DifferenceKind::Error { .. }) => "extra",
    }
}

fn of_exception(entry: &ExceptionEntry) -> SarifResult {
    let sort = if entry.state == ExceptionState::Expired { "expired-exception" } else { "stale-exception" };
    let text = format!("{}\n{}\n{}", entry.about(), entry.fares(), entry.exception.said());
    result(sort, text, Vec::new(), entry.about())
}

fn of_rule(subject: &SubjectReport, field: &str, rule: &RuleReport) -> SarifResult {
    let name = format!("{} {} {}", shown(&subject.subject), field_name(field), shown(&rule.label()));
    let reasons: Vec<String> = rule.verdict.reasons().iter().map(|reason| shown(reason)).collect();
    result(
        "insufficient-evidence",
        format!("{name}: {}", reasons.join("; ")),
        locations(rule.place().into_iter()),
        name,
    )
}

/// A pair without rules of which too little was seen.
fn of_pair(subject: &SubjectReport) -> Option<SarifResult> {
    let verdict = &subject.pair.as_ref()?.verdict;
    let reasons: Vec<String> = verdict.reasons().iter().map(|reason| shown(reason)).collect();
    let name = shown(&subject.subject);
    let text = format!("{name}: {}", reasons.join("; "));
    (VerdictKind::of(verdict) == VerdictKind::Insufficient)
        .then(|| result("insufficient-evidence-of-pair", text, Vec::new(), name))
}

fn locations<'p>(sources: impl Iterator<Item = &'p Source>) -> Vec<Location> {
    let region = |line| Region { start_line: line, ..Region::default() };
    sources.filter_map(|source| Some(Location::new(&user_file(&source.file)?, region(source.line)))).collect()
}
