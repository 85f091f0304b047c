//! The answer to each check and each default.

use crate::layout::{Column, Layout, Look};
use crate::run::answer::{CheckAnswer, asked};
use crate::run::model::RunReport;
use crate::text::{field_name, shown};
use std::fmt::Write as _;
use takeover_harness::compare::Matter;

/// The defaults, each with its answer: those of code, then those of own types.
fn write_defaults(out: &mut String, report: &RunReport, look: Look) {
    for matter in [Matter::Defaults, Matter::Semantics] {
        let defaults = report.answers.iter().filter(|answer| answer.matter() == matter);
        write_some(out, asked(matter), defaults.collect(), look);
    }
}

fn write_some(out: &mut String, question: &str, defaults: Vec<&CheckAnswer>, look: Look) {
    if defaults.is_empty() {
        return;
    }
    let mut rows = Layout::new([
        Column::text("default"),
        Column::text("value"),
        Column::text("where").wide_only(),
        Column::text("seen in").wide_only(),
        Column::text("answer"),
        Column::text("why, or what next"),
    ]);
    for default in defaults {
        let no = |cause: &String| format!("no: {}", shown(cause));
        rows.row([
            format!("{} {}", shown(&default.kind), field_name(&default.field)),
            default.error(),
            shown(&default.places.iter().map(String::as_str).collect::<Vec<_>>().join(", ")),
            shown(&default.figures),
            default.cause.as_ref().map_or_else(|| default.answer.word().to_owned(), no),
            default.next(),
        ]);
    }
    let _ = writeln!(out, "{question}\n{}", rows.fitted(look));
}

/// The checks that a rule covers, each with its answer.
pub(super) fn write_checks(out: &mut String, report: &RunReport, look: Look) {
    write_defaults(out, report, look);
    let mut checks = report.answers.iter().filter(|answer| !answer.defaults).peekable();
    if checks.peek().is_none() {
        return;
    }
    let mut rows = Layout::new([
        Column::text("check"),
        Column::text("error"),
        Column::text("where").wide_only(),
        Column::text("answer"),
        Column::text("why, or what next"),
    ]);
    for check in checks {
        rows.row([
            format!("{} {}", shown(&check.kind), field_name(&check.field)),
            check.error(),
            shown(&check.places.iter().map(String::as_str).collect::<Vec<_>>().join(", ")),
            check
                .cause
                .as_ref()
                .map_or_else(|| check.answer.word().to_owned(), |cause| format!("no: {}", shown(cause))),
            check.next(),
        ]);
    }
    let _ = writeln!(out, "{}\n{}", asked(Matter::Errors), rows.fitted(look));
}
