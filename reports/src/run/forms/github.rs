//! The report as annotations of GitHub Actions.

use super::markdown::markdown;
use crate::annotation::{Annotation, LineSpan};
use crate::form::Form;
use crate::markup::{STEP_SUMMARY, code};
use crate::numbers::{counted, grouped};
use crate::run::answer::rows;
use crate::run::difference::difference;
use crate::run::exceptions::ExceptionEntry;
use crate::run::finding::FindingReport;
use crate::run::model::RunReport;
use crate::run::standing::FindingStanding;
use crate::run::subject::SubjectReport;
use crate::severity::Severity;
use crate::text::{command_line, named};
use std::fmt::Write as _;

/// For a step of GitHub Actions: the Markdown is its summary.
pub(super) const FORM: Form<RunReport> = Form {
    step_summary: Some(|report| markdown(report, STEP_SUMMARY)),
    ..Form::new(
        "github",
        "Annotations for GitHub Actions; also adds the Markdown to the step summary",
        "github.txt",
        |report, _| Ok(annotations(report)),
    )
};

/// GitHub shows this many annotations of a level per step.
const SHOWN: usize = 10;

/// An error for each of the first findings at the tag that it is attributed to, then how many there are; a line each. What another finding
/// brings along is left out. Findings that an exception excuses or the policy tolerates are notices; stale and expired exceptions are
/// warnings.
#[must_use]
fn annotations(report: &RunReport) -> String {
    let mut out = String::new();
    of_findings(&mut out, report, Severity::Error);
    of_findings(&mut out, report, Severity::Note);
    let mut say = |severity, title: &str, message: &str| {
        let _ = writeln!(out, "{}", Annotation { severity, title, place: None, message });
    };
    let due: Vec<&ExceptionEntry> = report.due_exceptions().collect();
    let places = places_for(due.len());
    for entry in due.iter().take(places) {
        say(
            Severity::Warning,
            "exception",
            &format!("{}\n{}\n{}", entry.about(), entry.fares(), entry.exception.said()),
        );
    }
    if due.len() > places {
        let more = counted((due.len() - places) as u64, "more exception");
        say(Severity::Warning, "exceptions", &format!("{more} need attention: see the step summary"));
    }
    let rows = rows(&report.summary);
    let sums = rows.iter().map(|row| format!("{} {}", row.number, row.heading()));
    let said = [report.opening()].into_iter().chain((!rows.is_empty()).then(|| sums.collect::<Vec<_>>().join(", ")));
    say(Severity::Note, "takeover", &said.collect::<Vec<_>>().join("\n"));
    if let Some(far) = report.unfinished {
        say(Severity::Warning, "unfinished", &far.to_string());
    }
    if !report.missing_shards.is_empty() {
        let missing = code(&report.missing_shards.join(", "));
        say(Severity::Warning, "partial", &format!("without shard {missing}"));
    }
    out
}

/// How many of so many are shown, one place being kept for the rest and one for the report as a whole.
fn places_for(all: usize) -> usize {
    if all < SHOWN { all } else { SHOWN - 2 }
}

/// Findings that fail the run, as errors; or those that are excused or tolerated, as notes.
fn of_findings(out: &mut String, report: &RunReport, severity: Severity) {
    let firsts: Vec<(&SubjectReport, &FindingReport)> = report
        .subjects
        .iter()
        .flat_map(|subject| {
            let own = subject.findings.iter().filter(|finding| !finding.is_brought_along());
            let of_level = own.filter(move |finding| finding.is_open() == (severity == Severity::Error));
            of_level.map(move |finding| (subject, finding))
        })
        .collect();
    let places = places_for(firsts.len());
    for (subject, finding) in firsts.iter().take(places) {
        let mut message = format!("{} × {}", grouped(finding.count), named(&finding.signature));
        for said in finding.remarks() {
            let _ = write!(message, "\n{said}");
        }
        if let Some(exception) = &finding.exception {
            let _ = write!(message, "\n{}", exception.said());
        }
        if let Some(case) = &finding.case {
            for line in difference(case) {
                let _ = write!(message, "\n{} {}", line.reporter.sign(), line.text());
            }
        }
        if let Some(command) = &finding.reproduce {
            let _ = write!(message, "\nreproduce: {}", command_line(command));
        }
        let place = subject.sources_of(finding).find_map(LineSpan::of);
        let excused = match finding.standing() {
            FindingStanding::Blocking => String::new(),
            standing => format!("{} ", standing.word()),
        };
        let title = format!("{excused}finding {}", finding.number);
        let _ = writeln!(out, "{}", Annotation { severity, title: &title, place, message: &message });
    }
    if firsts.len() > places {
        let message = counted((firsts.len() - places) as u64, "more finding") + ": see the step summary";
        let _ = writeln!(out, "{}", Annotation { severity, title: "findings", place: None, message: &message });
    }
}
