//! The report as JUnit XML, which every CI shows: a test suite for each pair, and a test case for each rule. A pair
//! without rules is a test case of its own.

use crate::form::{Form, FormError};
use crate::run::comparison;
use crate::run::difference::difference;
use crate::run::exceptions::{ExceptionEntry, ExceptionState};
use crate::run::finding::FindingReport;
use crate::run::model::RunReport;
use crate::run::subject::SubjectReport;
use crate::run::verdict::VerdictKind;
use crate::text::field_name;
use crate::text::{command_line, named, shown, shown_lines};
use askama::Template;
use std::fmt::Write as _;
use takeover_harness::readiness::Readiness;
use takeover_harness::side::Side;
use takeover_harness::yaml::to_yaml;

/// What every CI shows.
pub(super) const FORM: Form<RunReport> =
    Form::new("junit", "JUnit XML: one test case per rule", "xml", |report, _| junit(report).map_err(FormError::of));

/// Most lines of a minimal case.
const CASE_LINES: usize = 60;

/// Name of the suite with the exceptions.
const EXCEPTIONS: &str = "exceptions";

/// The document. Its suites have what the strictest schema in use, that of Ant, demands of them, though it says nothing here: the same
/// report is the same text on every machine and day.
#[derive(Template)]
#[template(path = "junit.xml")]
struct Document {
    suites: Vec<Suite>,
}

struct Suite {
    name: String,
    properties: Vec<(String, String)>,
    cases: Vec<TestCase>,
}

struct TestCase {
    name: String,
    class: String,
    outcome: Outcome,
}

/// What became of a test case.
struct Outcome {
    kind: OutcomeKind,
    /// What sort of failure or error it is.
    sort: &'static str,
    message: String,
    details: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum OutcomeKind {
    Success,
    Skipped,
    Failure,
    Error,
}

impl Suite {
    /// How many of its test cases came to this.
    fn number(&self, kind: &str) -> usize {
        self.cases.iter().filter(|case| case.outcome.kind.name() == kind).count()
    }
}

impl OutcomeKind {
    /// Name of its element; none for a success.
    fn name(self) -> &'static str {
        match self {
            Self::Success => "",
            Self::Skipped => "skipped",
            Self::Failure => "failure",
            Self::Error => "error",
        }
    }
}

impl Outcome {
    const SUCCESS: Self = Self::new(OutcomeKind::Success, "", String::new());

    const fn new(kind: OutcomeKind, sort: &'static str, message: String) -> Self {
        Self { kind, sort, message, details: String::new() }
    }

    fn skipped(message: String) -> Self {
        Self::new(OutcomeKind::Skipped, "", message)
    }

    fn failure(sort: &'static str, message: String) -> Self {
        Self::new(OutcomeKind::Failure, sort, message)
    }
}

/// A blocked rule or pair is a failure, one short of evidence or out of reach is skipped. A panic is an error of its own, a finding
/// that is excused or decided about otherwise is a skipped case of its own, and a finding that is attributed to no rule of its pair is
/// a failure of its own. Exceptions have a suite: stale and expired ones are failures.
///
/// # Errors
/// Returns an error when the template cannot be filled in.
fn junit(report: &RunReport) -> Result<String, askama::Error> {
    let mut suites: Vec<Suite> = report.subjects.iter().map(suite).collect();
    if !report.exceptions.is_empty() {
        suites.push(Suite {
            name: EXCEPTIONS.to_owned(),
            properties: vec![(EXCEPTIONS.to_owned(), report.exceptions.len().to_string())],
            cases: report.exceptions.iter().map(of_exception).collect(),
        });
    }
    let text = Document { suites }.render()?;
    let text = text.chars().map(|c| if is_in_xml(c) { c } else { char::REPLACEMENT_CHARACTER });
    Ok(text.chain(['\n']).collect())
}

/// Whether XML 1.0 has a character, be it escaped or not.
fn is_in_xml(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

fn suite(subject: &SubjectReport) -> Suite {
    let totals = &subject.totals;
    let mut properties: Vec<(String, String)> = [
        ("cases", totals.cases),
        ("compared", totals.compared),
        ("disagreed", totals.disagreed),
        ("undecodable", totals.undecodable.values().sum()),
        ("skipped", totals.skipped.values().sum()),
        ("notMigrated", subject.not_migrated.len() as u64),
        ("delegated", subject.delegated.len() as u64),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_string()))
    .into();
    if totals.incomparable > 0 {
        properties.push(("incomparable".to_owned(), totals.incomparable.to_string()));
    }
    if let Some(how) = subject.compared_by {
        properties.push(("comparedBy".to_owned(), comparison::said(how)));
    }
    if let Some(answers) = subject.answers {
        let failures = |side| (format!("failures.{side}"), answers.failures.of(side).to_string());
        properties.extend(Side::ALL.map(failures));
    }
    let class = shown(&subject.subject);
    let case = |name: String, outcome: Outcome| TestCase { name, class: class.clone(), outcome };
    let mut cases = Vec::new();
    if let Some(pair) = &subject.pair {
        let numbers: Vec<usize> = subject.findings.iter().map(|finding| finding.number).collect();
        cases.push(case("the pair as a whole".to_owned(), outcome_of(&pair.verdict, &numbers, subject)));
    }
    for field in &subject.fields {
        cases.extend(field.rules.iter().map(|rule| {
            let numbers: Vec<usize> = subject.findings_of(rule).map(|finding| finding.number).collect();
            let name = format!("{} {}", field_name(&field.field), shown(&rule.label()));
            case(name, outcome_of(&rule.verdict, &numbers, subject))
        }));
    }
    for finding in &subject.findings {
        let panics = finding.case.as_ref().map(|case| case.panics.as_slice()).unwrap_or_default();
        let outcome = match (panics, finding.decided()) {
            ([], None) if !stands_alone(subject, finding) => continue,
            ([], None) => Outcome::failure("finding", "attributed to no rule".to_owned()),
            ([], Some(said)) => Outcome::skipped(said),
            (panics, _) => {
                let panics: Vec<String> = panics.iter().map(|panic| shown(&panic.to_string())).collect();
                Outcome::new(OutcomeKind::Error, "panic", panics.join("; "))
            }
        };
        let outcome = Outcome { details: details(&[finding.number], subject), ..outcome };
        cases.push(case(shown(&finding.signature), outcome));
    }
    Suite { name: class, properties, cases }
}

/// Whether no other test case speaks of a finding: its pair has rules, and it is attributed to none of them.
fn stands_alone(subject: &SubjectReport, finding: &FindingReport) -> bool {
    subject.pair.is_none() && finding.rules.is_empty()
}

fn of_exception(entry: &ExceptionEntry) -> TestCase {
    let message = shown(&format!("{}; {}", entry.fares(), entry.exception.said()));
    let outcome = match entry.state {
        ExceptionState::Used => Outcome::SUCCESS,
        ExceptionState::NotJudged => Outcome::skipped(message),
        ExceptionState::Expired | ExceptionState::Stale | ExceptionState::NewClass | ExceptionState::Grown => {
            Outcome::failure(entry.state.name(), message)
        }
    };
    TestCase { name: entry.about(), class: EXCEPTIONS.to_owned(), outcome }
}

/// What becomes of a test case with this verdict, to which these findings belong.
fn outcome_of(verdict: &Readiness, findings: &[usize], subject: &SubjectReport) -> Outcome {
    let reasons = verdict.reasons().iter().map(|reason| shown(reason)).collect::<Vec<_>>().join("; ");
    match VerdictKind::of(verdict) {
        VerdictKind::Ready => Outcome::SUCCESS,
        VerdictKind::Blocked => Outcome { details: details(findings, subject), ..Outcome::failure("blocked", reasons) },
        standing @ (VerdictKind::Insufficient | VerdictKind::NotMigrated | VerdictKind::OutOfReach) => {
            Outcome::skipped(format!("{}: {reasons}", standing.label()))
        }
    }
}

/// The findings of these numbers, with what both sides say of the minimal case.
fn details(numbers: &[usize], subject: &SubjectReport) -> String {
    let mut text = String::new();
    for finding in subject.findings.iter().filter(|finding| numbers.contains(&finding.number)) {
        let _ = writeln!(text, "{}. {} × {}", finding.number, finding.count, named(&finding.signature));
        for said in finding.remarks() {
            let _ = writeln!(text, "{said}");
        }
        if let Some(exception) = &finding.exception {
            let _ = writeln!(text, "{}", exception.said());
        }
        if let Some(case) = &finding.case {
            for line in difference(case) {
                let _ = writeln!(text, "{} {}", line.reporter.sign(), line.text());
            }
            text.push_str(&shown_lines(&to_yaml(&case.minimal), CASE_LINES));
        }
        if let Some(command) = &finding.reproduce {
            let _ = writeln!(text, "reproduce: {}", command_line(command));
        }
    }
    text
}
