//! The report as JUnit XML, which every CI shows: a test suite for each pair, and a test case for each rule. A pair
//! without rules is a test case of its own.

use crate::form::{Form, FormError};
use crate::run::comparison;
use crate::run::difference::difference;
use crate::run::exceptions::{ExceptionEntry, ExceptionState};
use crate::run::finding::FindingReport;
use crate::run::model::RunReport;
use crate::run::rule::RuleReport;
use crate::run::subject::{FieldReport, SubjectReport};
use crate::run::verdict::VerdictKind;
use crate::text::field_name;
use crate::text::{command_line, shown, shown_lines};
use quick_junit::{NonSuccessKind, Property, Report as Document, SerializeError, TestCase, TestCaseStatus, TestSuite};
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

/// A blocked rule or pair is a failure, one short of evidence or out of reach is skipped. A panic is an error of its own, a finding
/// that is excused or decided about otherwise is a skipped case of its own, and a finding that is attributed to no rule of its pair is a failure of its own. Exceptions have a
/// suite: stale and expired ones are failures.
///
/// # Errors
/// Returns an error when the document cannot be encoded as XML.
fn junit(report: &RunReport) -> Result<String, SerializeError> {
    let mut document = Document::unnamed();
    document.add_test_suites(report.subjects.iter().map(suite));
    if !report.exceptions.is_empty() {
        let mut suite = TestSuite::new(EXCEPTIONS);
        suite.add_property(Property::new(EXCEPTIONS, report.exceptions.len().to_string()));
        suite.add_test_cases(report.exceptions.iter().map(of_exception));
        document.add_test_suite(suite);
    }
    for (id, suite) in document.test_suites.iter_mut().enumerate() {
        complete(suite, id);
    }
    Ok(without_sums(&document.to_string()?))
}

/// What the strictest schema in use, that of Ant, demands of every suite, though it says nothing here: the same report is the same
/// text on every machine and day.
fn complete(suite: &mut TestSuite, id: usize) {
    let id = id.to_string();
    for (name, value) in [
        ("package", "takeover"),
        ("id", id.as_str()),
        ("hostname", "localhost"),
        ("timestamp", "1970-01-01T00:00:00"),
        ("time", "0"),
    ] {
        suite.extra.insert(name.into(), value.into());
    }
    for case in &mut suite.test_cases {
        case.extra.insert("time".into(), "0".into());
    }
    suite.set_system_out("").set_system_err("");
}

/// The document without the sums of its root, which Ant's schema does not know: every suite has its own.
fn without_sums(document: &str) -> String {
    const ROOT: &str = "<testsuites";
    let parts = document.split_once(ROOT).and_then(|(head, rest)| Some((head, rest.split_once('>')?.1)));
    parts.map_or_else(|| document.to_owned(), |(head, suites)| format!("{head}{ROOT}>{suites}"))
}

fn suite(subject: &SubjectReport) -> TestSuite {
    let mut suite = TestSuite::new(shown(&subject.subject));
    let totals = &subject.totals;
    for (name, value) in [
        ("cases", totals.cases),
        ("compared", totals.compared),
        ("disagreed", totals.disagreed),
        ("undecodable", totals.undecodable.values().sum()),
        ("skipped", totals.skipped.values().sum()),
        ("notMigrated", subject.not_migrated.len() as u64),
        ("delegated", subject.delegated.len() as u64),
    ] {
        suite.add_property(Property::new(name, value.to_string()));
    }
    if totals.incomparable > 0 {
        suite.add_property(Property::new("incomparable", totals.incomparable.to_string()));
    }
    if let Some(how) = subject.compared_by {
        suite.add_property(Property::new("comparedBy", comparison::said(how)));
    }
    if let Some(answers) = subject.answers {
        for side in Side::ALL {
            suite.add_property(Property::new(format!("failures.{side}"), answers.failures.of(side).to_string()));
        }
    }
    if let Some(pair) = &subject.pair {
        let numbers: Vec<usize> = subject.findings.iter().map(|finding| finding.number).collect();
        let mut test = TestCase::new("the pair as a whole", status_of(&pair.verdict, &numbers, subject));
        test.set_classname(shown(&subject.subject));
        suite.add_test_case(test);
    }
    for field in &subject.fields {
        suite.add_test_cases(field.rules.iter().map(|rule| test_case(subject, field, rule)));
    }
    for finding in &subject.findings {
        let panics = finding.case.as_ref().map(|case| case.panics.as_slice()).unwrap_or_default();
        let mut status = match (panics, finding.decided()) {
            ([], None) if !stands_alone(subject, finding) => continue,
            ([], None) => {
                let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
                status.set_type("finding").set_message("attributed to no rule");
                status
            }
            ([], Some(said)) => {
                let mut status = TestCaseStatus::skipped();
                status.set_message(said);
                status
            }
            (panics, _) => {
                let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
                let panics: Vec<String> = panics.iter().map(|panic| shown(&panic.to_string())).collect();
                status.set_type("panic").set_message(panics.join("; "));
                status
            }
        };
        status.set_description(details(&[finding.number], subject));
        let mut test = TestCase::new(shown(&finding.signature), status);
        test.set_classname(shown(&subject.subject));
        suite.add_test_case(test);
    }
    suite
}

/// Whether no other test case speaks of a finding: its pair has rules, and it is attributed to none of them.
fn stands_alone(subject: &SubjectReport, finding: &FindingReport) -> bool {
    subject.pair.is_none() && finding.rules.is_empty()
}

fn of_exception(entry: &ExceptionEntry) -> TestCase {
    let mut status = match entry.state {
        ExceptionState::Used => TestCaseStatus::success(),
        ExceptionState::NotJudged => TestCaseStatus::skipped(),
        ExceptionState::Expired | ExceptionState::Stale | ExceptionState::NewClass | ExceptionState::Grown => {
            TestCaseStatus::non_success(NonSuccessKind::Failure)
        }
    };
    if entry.state.is_due() {
        status.set_type(entry.state.name());
    }
    status.set_message(format!("{}; {}", entry.fares(), entry.exception.said()));
    let mut test = TestCase::new(entry.about(), status);
    test.set_classname(EXCEPTIONS);
    test
}

fn test_case(subject: &SubjectReport, field: &FieldReport, rule: &RuleReport) -> TestCase {
    let name = format!("{} {}", field_name(&field.field), shown(&rule.label()));
    let numbers: Vec<usize> = subject.findings_of(rule).map(|finding| finding.number).collect();
    let mut test = TestCase::new(name, status_of(&rule.verdict, &numbers, subject));
    test.set_classname(shown(&subject.subject));
    test
}

/// The status of a test case with this verdict, to which these findings belong.
fn status_of(verdict: &Readiness, findings: &[usize], subject: &SubjectReport) -> TestCaseStatus {
    let reasons = verdict.reasons().iter().map(|reason| shown(reason)).collect::<Vec<_>>().join("; ");
    match VerdictKind::of(verdict) {
        VerdictKind::Ready => TestCaseStatus::success(),
        VerdictKind::Blocked => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_type("blocked").set_message(reasons).set_description(details(findings, subject));
            status
        }
        standing @ (VerdictKind::Insufficient | VerdictKind::NotMigrated | VerdictKind::OutOfReach) => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(format!("{}: {reasons}", standing.label()));
            status
        }
    }
}

/// The findings of these numbers, with what both sides say of the minimal case.
fn details(numbers: &[usize], subject: &SubjectReport) -> String {
    let mut text = String::new();
    for finding in subject.findings.iter().filter(|finding| numbers.contains(&finding.number)) {
        let _ = writeln!(text, "{}. {} × {}", finding.number, finding.count, shown(&finding.signature));
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
