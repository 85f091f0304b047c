//! The page as a whole.

use super::chart::{Bar, WIDTH, bars};
use super::data::data;
use super::view::{Cause, Check, Subject, subjects};
use crate::numbers::{counted, grouped, percent};
use crate::run::answer::{AnswerRow, Summary, apart_defaults, apart_rules, decided, rows};
use crate::run::cause_row::counts;
use crate::run::comparison;
use crate::run::exceptions::ExceptionEntry;
use crate::run::kinds::{apart, by_kind};
use crate::run::model::RunReport;
use crate::run::verdict::VerdictKind;
use crate::text::shown;
use askama::Template;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};
use takeover_harness::compare::Matter;

const STYLE: &str = include_str!("../../../../templates/style.css");
const SCRIPT: &str = include_str!("../../../../templates/script.js");

#[derive(Template)]
#[template(path = "report.html")]
struct Page {
    policy: String,
    style: &'static str,
    script: &'static str,
    data: String,
    title: String,
    question: &'static str,
    answers: AnswerWords,
    verdict: String,
    rows: Vec<AnswerRow>,
    checks: Vec<Check>,
    facts: Vec<String>,
    comparison: String,
    unfinished: String,
    assumption: String,
    missing_shards: String,
    /// What was seen beside live traffic, a line each.
    production: Vec<String>,
    apart: Vec<String>,
    outside: Vec<String>,
    exceptions: Vec<Exception>,
    due: usize,
    causes: Vec<Cause>,
    by_cause: String,
    row_count: String,
    standings: [VerdictKind; 5],
    kinds: Vec<String>,
    bars: Vec<Bar>,
    width: usize,
    subjects: Vec<Subject>,
}

impl Page {
    #[expect(clippy::unused_self, reason = "templates call methods of the page only")]
    fn many(&self, number: usize) -> String {
        grouped(number as u64)
    }
}

/// The report as one HTML file.
///
/// # Errors
/// Returns an error when the page cannot be rendered.
pub fn html(report: &RunReport) -> Result<String, askama::Error> {
    let page = Page {
        policy: policy(),
        style: STYLE,
        script: SCRIPT,
        data: data(report).map_err(askama::Error::custom)?,
        title: match report.subjects.as_slice() {
            [only] => shown(&only.subject),
            _ => counted(by_kind(report).count() as u64, "kind"),
        },
        question: report.question(),
        answers: AnswerWords::of(report.matter()),
        verdict: report.opening(),
        rows: rows(&report.summary),
        checks: checks(report),
        facts: facts(report),
        comparison: match comparison::mixed(&report.semantics) {
            Some(how) => format!("answers compared {}", shown(&how)),
            None => format!("errors matched as in Kubernetes {}", shown(&report.semantics)),
        },
        assumption: report.assumption().map(|line| shown(&line)).unwrap_or_default(),
        unfinished: report.unfinished.map(|far| far.to_string()).unwrap_or_default(),
        missing_shards: shown(&report.missing_shards.join(", ")),
        production: report.production_lines(),
        apart: apart(report),
        outside: report
            .outside
            .iter()
            .map(|outside| {
                format!("{}: {}; first {}", grouped(outside.count), shown(&outside.reason), shown(&outside.first))
            })
            .collect(),
        exceptions: report.exceptions.iter().map(Exception::of).collect(),
        due: report.due_exceptions().count(),
        causes: report.causes.iter().map(Cause::of).collect(),
        by_cause: counts(&report.causes),
        row_count: counted(report.causes.len() as u64, "row"),
        standings: VerdictKind::ALL,
        kinds: by_kind(report).map(|(kind, _)| shown(kind)).collect(),
        bars: bars(report),
        width: WIDTH,
        subjects: subjects(report),
    };
    page.render()
}

/// The words for the answers on a page.
struct AnswerWords {
    heading: &'static str,
    question: &'static str,
    /// What each answer is about, and its words.
    about: &'static str,
    said: &'static str,
    /// What has no answer, because no rule covers it.
    alone: &'static str,
}

impl AnswerWords {
    fn of(matter: Matter) -> Self {
        let (about, said) = if matter.is_of_defaults() { ("default", "value") } else { ("check", "error") };
        let (heading, question, alone) = match matter {
            Matter::Defaults => ("Defaults", "may the line of SetDefaults go?", "defaults that code alone sets"),
            Matter::Semantics => {
                ("Defaults in a custom resource", "the same?", "defaults of a custom resource without a marker")
            }
            Matter::Errors | Matter::Apply | Matter::Objects => {
                ("Checks", "may go?", "handwritten checks that no rule covers")
            }
        };
        Self { heading, question, about, said, alone }
    }
}

/// The answers about checks, in the order of the sums above them.
fn checks(report: &RunReport) -> Vec<Check> {
    let mut answers: Vec<_> = report.answers.iter().collect();
    answers.sort_by_key(|check| check.answer);
    answers.into_iter().map(Check::of).collect()
}

/// What was done, in short: `205,115 cases compared`.
fn facts(report: &RunReport) -> Vec<String> {
    let Summary { cases, faults, findings, rules, .. } = &report.summary;
    let mut facts = vec![
        format!("{} compared", counted(cases.compared, "case")),
        format!("{}{}", counted(findings.all as u64, "finding"), decided(findings)),
    ];
    if !report.is_of_servers() {
        facts.push(format!("{} of the planted faults exposed", percent(faults.exposed, faults.telling)));
    }
    facts.extend(apart_rules(rules));
    facts.extend(apart_defaults(report.summary.any_defaults()));
    if !report.is_of_servers() {
        facts.push(format!("seed {}", report.seed));
    }
    facts
}

/// An exception.
struct Exception {
    is_due: bool,
    fares: String,
    about: String,
    said: String,
}

impl Exception {
    fn of(entry: &ExceptionEntry) -> Self {
        let is_due = entry.state.is_due();
        Self { is_due, fares: entry.fares(), about: entry.about(), said: entry.exception.said() }
    }
}

/// What may run and be shown: exactly the style and script of the page, and no request to anywhere.
fn policy() -> String {
    let hash = |text: &str| STANDARD.encode(Sha256::digest(text.as_bytes()));
    format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; img-src data:; base-uri 'none'; form-action 'none'",
        hash(STYLE),
        hash(SCRIPT)
    )
}
