//! The result of a gate, for people.

use super::advice::advice;
use super::model::GateReport;
use crate::form::Form;
use crate::layout::{Look, wrapped};
use crate::numbers::{counted, grouped};
use crate::run::{MATTERS, apart_defaults, rows, sentence};
use crate::text::{named, printable_text, renamed};
use std::fmt::Write as _;
use takeover_harness::compare::Matter;

/// For a terminal.
pub(super) const FORM: Form<GateReport> =
    Form::new("table", "For people", "txt", |report, look| Ok(printable_text(&table(report, look))));

/// Most things of a reason that are listed; the JSON form has all of them.
const MOST: usize = 20;

/// The text. Sentences are broken at the width of the screen; commands and places are whole.
fn table(report: &GateReport, look: Look) -> String {
    let mut out = String::new();
    for (reason, failures) in report.by_reason() {
        let _ = writeln!(out, "{reason}: {}", grouped(failures.len() as u64));
        for failure in failures.iter().take(MOST) {
            let _ = writeln!(out, "  {}", named(&failure.what));
            for line in renamed(&failure.message).lines().flat_map(|line| wrapped(line, look.width.saturating_sub(4))) {
                let _ = writeln!(out, "    {line}");
            }
            if let Some(file) = &failure.file {
                let line = failure.line.map_or_else(String::new, |line| format!(":{line}"));
                let _ = writeln!(out, "    at {file}{line}");
            }
            if let Some(command) = &failure.reproduce {
                let _ = writeln!(out, "    reproduce: {command}");
            }
        }
        if failures.len() > MOST {
            let _ = writeln!(out, "  … and {} more; --format json has all", grouped((failures.len() - MOST) as u64));
        }
        let next = advice(reason, report);
        let line = format!("  next: {next}");
        let _ = if line.chars().count() <= look.width {
            writeln!(out, "{line}\n")
        } else {
            writeln!(out, "  next: {}:\n    {}\n", next.what, next.command)
        };
    }
    for moved in report.moved.iter().take(MOST) {
        let _ = writeln!(out, "note: {}", named(moved));
    }
    if report.moved.len() > MOST {
        let _ = writeln!(out, "note: … and {} more", grouped((report.moved.len() - MOST) as u64));
    }
    if !report.moved.is_empty() {
        let again = report.again();
        let _ =
            writeln!(out, "note: these are no worse than the baseline; to add them to it: {again} --update-baseline");
    }
    if report.unjudged_baseline > 0 {
        let _ = writeln!(
            out,
            "note: subjects that were not judged: {} of the baseline",
            counted(report.unjudged_baseline as u64, "rule")
        );
    }
    if report.unjudged_exceptions > 0 {
        let _ = writeln!(
            out,
            "note: subjects that were not judged: {}",
            counted(report.unjudged_exceptions as u64, "exception")
        );
    }
    let answer = if report.compared == 0 { "Nothing was compared.".to_owned() } else { sentence(&report.summary) };
    let _ = writeln!(out, "{answer}");
    if let Some(production) = &report.production {
        let _ = writeln!(out, "{production}.");
    }
    for (matter, what) in MATTERS {
        let rows = rows(&report.summary).into_iter().filter(|row| row.of == matter);
        let sums: Vec<String> = rows.map(|row| format!("{} {}", row.number, row.label)).collect();
        let apart = apart_defaults(report.summary.any_defaults()).filter(|_| matter == Matter::Defaults);
        let sums: Vec<String> = sums.into_iter().chain(apart).collect();
        if !sums.is_empty() {
            let _ = writeln!(out, "{what}: {}", sums.join(", "));
        }
    }
    let rules: Vec<String> =
        report.rules.iter().map(|(rank, number)| format!("{} {rank}", grouped(*number as u64))).collect();
    let _ = writeln!(
        out,
        "{}, {} compared; {} excused\nrules: {}\nrun: {}",
        counted(report.subjects as u64, "subject"),
        counted(report.compared, "case"),
        counted(report.excused as u64, "finding"),
        if rules.is_empty() { "none".to_owned() } else { rules.join(", ") },
        report.run
    );
    let exit = report.exit_code;
    let _ = if report.passed { writeln!(out, "gate: passed") } else { writeln!(out, "gate: failed, exit code {exit}") };
    out
}
