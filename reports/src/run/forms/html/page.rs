//! The page as a whole.

use super::chart::{Chart, WIDTH, charts};
use super::data::data;
use super::view::{Cause, Subject, subjects};
use crate::numbers::{counted, grouped, percent};
use crate::run::cause_row::counts;
use crate::run::comparison;
use crate::run::exceptions::ExceptionEntry;
use crate::run::model::RunReport;
use crate::run::summary::{Tally, VerdictKind, apart, by_kind, decided, pairs};
use crate::text::shown;
use askama::Template;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

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
    verdict: String,
    facts: Vec<(String, String)>,
    seed: u64,
    comparison: String,
    missing_shards: String,
    production: Option<crate::run::model::Production>,
    apart: Vec<String>,
    outside: Vec<String>,
    exceptions: Vec<Exception>,
    due: usize,
    causes: Vec<Cause>,
    by_cause: String,
    standings: [VerdictKind; 5],
    kinds: Vec<String>,
    charts: Vec<Chart>,
    width: usize,
    subjects: Vec<Subject>,
}

/// The report as one HTML file.
///
/// # Errors
/// Returns an error when the page cannot be rendered.
pub fn html(report: &RunReport) -> Result<String, askama::Error> {
    let tally = Tally::of(report.headline());
    let page = Page {
        policy: policy(),
        style: STYLE,
        script: SCRIPT,
        data: data(report).map_err(askama::Error::custom)?,
        title: match report.subjects.as_slice() {
            [only] => shown(&only.subject),
            _ => counted(by_kind(report).count() as u64, "kind"),
        },
        verdict: verdict(&tally),
        facts: facts(&tally),
        seed: report.seed,
        comparison: match comparison::mixed(&report.semantics) {
            Some(how) => format!("answers compared {}", shown(&how)),
            None => format!("errors matched as in Kubernetes {}", shown(&report.semantics)),
        },
        missing_shards: shown(&report.missing_shards.join(", ")),
        production: report.production,
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
        standings: VerdictKind::ALL,
        kinds: by_kind(report).map(|(kind, _)| shown(kind)).collect(),
        charts: charts(report),
        width: WIDTH,
        subjects: subjects(report),
    };
    page.render()
}

fn facts(tally: &Tally) -> Vec<(String, String)> {
    let decided = decided(tally);
    let facts = [
        (tally.ready.to_string(), "rules ready to take over"),
        (tally.blocked.to_string(), "rules blocked"),
        (tally.insufficient.to_string(), "rules short of evidence"),
        (tally.not_migrated.to_string(), "handwritten checks without rule"),
        (tally.checks.never_seen.to_string(), "listed checks never seen"),
        (grouped(tally.compared), "cases compared"),
        (tally.findings.to_string(), "findings"),
        (percent(tally.exposed, tally.faults), "of planted faults exposed"),
    ];
    let said = |what: &str| if what == "findings" { format!("{what}{decided}") } else { what.to_owned() };
    facts.into_iter().map(|(number, what)| (number, said(what))).collect()
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

/// The answer in a sentence or two.
fn verdict(tally: &Tally) -> String {
    let judged = (tally.rules - tally.out_of_reach) as u64;
    let pairs = pairs(tally);
    if let (0, Some(pairs)) = (tally.rules, &pairs) {
        return format!("{pairs}.");
    }
    let ready = percent(tally.ready as u64, judged);
    let first = match (tally.ready, judged) {
        (_, 0) => "There is no rule here that could take over.".to_owned(),
        (0, _) => format!("None of {} may take over from its handwritten check yet.", counted(judged, "rule")),
        (all, judged) if all as u64 == judged => {
            format!("All of {} may take over from their handwritten checks.", counted(judged, "rule"))
        }
        (some, _) => {
            format!(
                "{} of {} ({ready}) may take over from their handwritten checks.",
                grouped(some as u64),
                counted(judged, "rule")
            )
        }
    };
    let blocked = match tally.blocked {
        0 if judged == tally.ready as u64 => String::new(),
        0 => " Nothing speaks against the others.".to_owned(),
        some => format!(
            " For {}, the two sides disagree or one panicked: each has a smallest example below.",
            counted(some as u64, "rule")
        ),
    };
    let short = match tally.insufficient {
        0 => String::new(),
        some => format!(" For {}, too little was seen to say.", counted(some as u64, "rule")),
    };
    let pairs = pairs.map_or_else(String::new, |pairs| format!(" {pairs}."));
    format!("{first}{blocked}{short}{pairs}")
}
