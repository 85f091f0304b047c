//! The report as a terminal table.

mod checks;
mod subject;
#[cfg(test)]
mod tests;

use super::screen::answer_rows;
use crate::form::Form;
use crate::layout::{Column, Layout, Look};
use crate::numbers::{counted, grouped};
use crate::run::answer::counted_in;
use crate::run::cause_row::counts as by_cause;
use crate::run::kinds::{FigureNames, apart, summaries};
use crate::run::model::{Outside, RunReport};
use crate::text::{command_line, shown};
use checks::write_checks;
use std::fmt::Write as _;
use subject::write_subject;
use takeover_harness::compare::Matter;

/// For people who open the run folder.
pub(super) const FORM: Form<RunReport> =
    Form::new("table", "For people, in full", "txt", |report, look| Ok(table(report, look))).kept();

/// The report for people. Ends with a line break.
#[must_use]
pub fn table(report: &RunReport, look: Look) -> String {
    let mut out = String::new();
    write_answer(&mut out, report, look);
    if report.subjects.len() > 1 {
        write_kinds(&mut out, report, look);
    }
    write_checks(&mut out, report, look);
    write_causes(&mut out, report, look);
    write_exceptions(&mut out, report);
    for subject in &report.subjects {
        write_subject(&mut out, subject, look);
    }
    out + &report.notes
}

/// The answer, as on the screen at the end of the run.
fn write_answer(out: &mut String, report: &RunReport, look: Look) {
    let _ = writeln!(out, "{}", report.opening());
    if let Some(partial) = report.partial() {
        let _ = writeln!(out, "{partial}");
    }
    if let Some(assumption) = report.assumption() {
        let _ = writeln!(out, "{assumption}");
    }
    if let Some(far) = report.unfinished {
        let resume = report.resumes().map(|command| format!(" Resume it with: {}", command_line(&command)));
        let _ = writeln!(out, "Unfinished: {far}.{}", resume.unwrap_or_default());
    }
    out.push('\n');
    let rows = answer_rows(report, look);
    for row in &rows {
        let _ = writeln!(out, "{row}");
    }
    if !rows.is_empty() {
        out.push('\n');
    }
    let production = report.production_lines();
    if !production.is_empty() {
        let _ = writeln!(out, "{}\n", production.join("\n"));
    }
}

/// The findings by cause, a row for each cause and field of a kind.
fn write_causes(out: &mut String, report: &RunReport, look: Look) {
    if report.causes.is_empty() {
        return;
    }
    let mut rows = Layout::new([
        Column::text("cause"),
        Column::text("kind"),
        Column::text("difference"),
        Column::text("where").wide_only(),
        Column::text("when").wide_only(),
        Column::number("cases"),
        Column::text("for the user").wide_only(),
        Column::text("stands"),
        Column::number("smallest"),
    ]);
    for row in &report.causes {
        rows.row([
            row.cause().to_owned(),
            shown(&row.kind),
            shown(&row.said()),
            shown(&row.places()),
            row.when(),
            grouped(row.cases),
            row.for_the_user(),
            shown(&row.standing()),
            row.smallest.to_string(),
        ]);
    }
    let _ = writeln!(
        out,
        "findings by cause: {} in {}\n{}",
        by_cause(&report.causes),
        counted(report.causes.len() as u64, "row"),
        rows.fitted(look)
    );
}

/// The exceptions that somebody has to do something about; the others stand with their findings.
fn write_exceptions(out: &mut String, report: &RunReport) {
    if report.due_exceptions().next().is_none() {
        return;
    }
    let _ = writeln!(out, "exceptions that need attention, of {}:", report.exceptions.len());
    for entry in report.due_exceptions() {
        let _ = writeln!(out, "  {}\n     {}", entry.fares(), entry.about());
        let _ = writeln!(out, "     {}", entry.exception.said());
    }
}

/// A row a kind, with what its subjects have together.
fn write_kinds(out: &mut String, report: &RunReport, look: Look) {
    let matter = report.matter();
    let names = FigureNames::of(matter);
    let [one, two, three, four] = names.names.map(Column::number);
    let (kind, cases, findings) = (Column::text("kind"), Column::number("cases"), Column::number("findings"));
    let mut rows = Layout::new([kind, cases.wide_only(), one, two, three, four, findings]);
    for (kind, of) in summaries(report) {
        let number = |count: usize| grouped(count as u64);
        let [one, two, three, four] = names.figures(&of).map(number);
        rows.row([shown(kind), grouped(of.cases.compared), one, two, three, four, number(of.findings.all)]);
    }
    let what = match matter {
        Matter::Errors => "checks",
        Matter::Objects => "pairs",
        other => counted_in(other),
    };
    let _ = writeln!(out, "{what} by kind:\n{}", rows.fitted(look));
    for (number, line) in apart(report).iter().enumerate() {
        if number == 0 {
            out.push_str("apart from these figures, because no server shows it:\n");
        }
        let _ = writeln!(out, "  {line}");
    }
}

/// What was not compared and belongs to no subject, a line for every reason.
#[must_use]
pub fn not_compared(report: &RunReport) -> String {
    let line = |of: &Outside| {
        format!("not compared: {}, {}; first {}\n", counted(of.count, "case"), shown(&of.reason), shown(&of.first))
    };
    report.outside.iter().map(line).collect()
}
