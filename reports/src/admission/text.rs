//! The answers for people: denials as kubectl prints them, then warnings and audit annotations.

use super::model::{AdmissionReport, RequestedObject};
use crate::form::Form;
use crate::numbers::grouped;
use crate::text::{printable, printable_text};
use crate::validate::problem_lines;
use std::fmt::Write as _;
use takeover_harness::case::Provenance;

/// For a terminal.
pub(super) const FORM: Form<AdmissionReport> =
    Form::new("table", "For people", "txt", |report, look| Ok(look.broken(&printable_text(&text(report)))));

impl AdmissionReport {
    /// What could not be asked, and what was assumed, for standard error.
    #[must_use]
    pub fn problems_text(&self) -> String {
        let mut lines = problem_lines(&self.problems);
        if !self.assumed_namespaces.is_empty() {
            let names: Vec<&str> = self.assumed_namespaces.iter().map(String::as_str).collect();
            let (noun, them) = if names.len() == 1 { ("namespace", "it exists") } else { ("namespaces", "they exist") };
            let _ = writeln!(
                lines,
                "note: no file describes the {noun} {}, which the policies look at: as if {them}, with no label but the name. Add a \
                 manifest to `policy:`",
                printable(&names.join(", "))
            );
        }
        lines
    }
}

fn text(report: &AdmissionReport) -> String {
    let mut out = String::new();
    for object in &report.objects {
        write_object(&mut out, object);
    }
    let totals = &report.totals;
    let _ = writeln!(
        out,
        "\n{} judged: {} allowed, {} denied; {} could not be judged",
        grouped(totals.objects as u64),
        grouped(totals.allowed as u64),
        grouped(totals.denied as u64),
        grouped(totals.problems as u64)
    );
    out
}

fn write_object(out: &mut String, object: &RequestedObject) {
    let place = match &object.source {
        Provenance::File { path, line, .. } | Provenance::Request { path, line, .. } => format!("{path}:{line}"),
        other => other.to_string(),
    };
    let result = match (object.allowed, object.evaluated) {
        (false, _) => "denied",
        (true, 0) => "allowed, no validation applies",
        (true, _) => "allowed",
    };
    let header = format!("{place}: {} of {} \"{}\": {result}", object.operation, object.subject, object.name);
    let _ = writeln!(out, "{}", printable(&header));
    if let Some(refusal) = &object.refusal {
        let line = format!("Error from server ({}): {} ({})", refusal.reason, refusal.message, refusal.code);
        let _ = writeln!(out, "  {}", printable(&line));
    }
    let lines = object.untold.iter().map(|denial| ("further objection", denial.clone()));
    let lines = lines.chain(object.warnings.iter().map(|warning| ("warning", warning.clone())));
    let audited = object.audit_annotations.iter().map(|(key, value)| ("audit", format!("{key}: {value}")));
    for (what, line) in lines.chain(audited) {
        let _ = writeln!(out, "  {what}: {}", printable(&line));
    }
}
