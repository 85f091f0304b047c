//! The result for people: errors as kubectl prints them, and below each who says so.

use super::model::{Complaint, Enforcement, Problem, RuleNote, ValidatedObject, ValidationReport, Validity};
use crate::form::Form;
use crate::numbers::grouped;
use crate::run::{bounded, value_lines};
use crate::text::{denial, printable, printable_text};
use std::collections::HashMap;
use std::fmt::Write as _;
use takeover_harness::case::Provenance;
use takeover_harness::side::Side;
use takeover_harness::text::plural;

/// For a terminal.
pub(super) const FORM: Form<ValidationReport> =
    Form::new("table", "For people", "txt", |report, look| Ok(look.broken(&printable_text(&text(report)))));

/// What was validated, for standard output.
fn text(report: &ValidationReport) -> String {
    let mut out = String::new();
    for object in &report.objects {
        write_object(&mut out, object);
    }
    out.push('\n');
    for (subject, note) in &report.subjects {
        let subject = printable(subject);
        if note.crd {
            let _ = writeln!(out, "note: {subject} is judged by its CRD alone, as an API server would");
        } else if !note.reference {
            let _ = writeln!(
                out,
                "note: {subject} has no handwritten side here: its {} declarative rules judge alone",
                grouped(note.rules as u64)
            );
        } else if !note.unjudged.is_empty() {
            let _ = writeln!(
                out,
                "note: {} of {subject} does not validate {} of the object; `--format json` lists the parts",
                // Named pairs are any two sides.
                if subject.contains('#') { "the reference" } else { "the handwritten side" },
                plural(note.unjudged.len() as u64, "part")
            );
        }
    }
    let totals = &report.totals;
    let _ = writeln!(
        out,
        "{} validated: {} valid, {} invalid, {} undecodable; {} could not be validated",
        grouped(totals.objects as u64),
        grouped(totals.valid as u64),
        grouped(totals.invalid as u64),
        grouped(totals.undecodable as u64),
        grouped(totals.problems as u64)
    );
    for (reason, count) in &report.skipped {
        let _ = writeln!(out, "skipped {}: {reason}", grouped(*count));
    }
    out
}

impl ValidationReport {
    /// What could not be validated, for standard error.
    #[must_use]
    pub fn problems_text(&self) -> String {
        let mut out = problem_lines(&self.problems);
        if !self.known_kinds.is_empty() {
            let known = plural(self.known_kinds.len() as u64, "kind");
            let _ = writeln!(out, "{known} can be validated; `--format json` lists them");
        }
        out
    }
}

/// Each problem on a line of its own.
pub(crate) fn problem_lines(problems: &[Problem]) -> String {
    let mut out = String::new();
    for Problem { file, line, message, .. } in problems {
        let place = match (file, line) {
            (Some(file), Some(line)) => format!("{file}:{line}: "),
            (Some(file), None) => format!("{file}: "),
            (None, _) => String::new(),
        };
        let _ = writeln!(out, "error: {}", crate::text::line(&format!("{place}{message}")));
    }
    out
}

fn write_object(out: &mut String, object: &ValidatedObject) {
    let place = match &object.source {
        Provenance::File { path, line, .. } | Provenance::Request { path, line, .. } => format!("{path}:{line}"),
        other => other.to_string(),
    };
    let result = match object.result {
        Validity::Valid if !object.differences.is_empty() => "valid, and the two sides make different objects",
        Validity::Valid if object.errors.is_empty() => "valid",
        Validity::Valid => "valid, with errors that are not enforced",
        Validity::Invalid => "invalid",
        Validity::Undecodable => "undecodable",
    };
    let header = format!("{place}: {} of {} \"{}\": {result}", object.operation, object.subject, object.name);
    // Objects of which there is more to say than a line stand apart.
    let more = object.undecodable.is_some()
        || !object.errors.is_empty()
        || !object.warnings.is_empty()
        || !object.differences.is_empty();
    if more && !out.is_empty() {
        out.push('\n');
    }
    let _ = writeln!(out, "{}", printable(&header));
    if let Some(undecodable) = &object.undecodable {
        let which = if undecodable.old_object { "old object: " } else { "" };
        let field = if undecodable.field.is_empty() { String::new() } else { format!("{}: ", undecodable.field) };
        let why = if undecodable.detail.starts_with(&undecodable.reason) {
            undecodable.detail.clone()
        } else {
            format!("{}: {}", undecodable.reason, undecodable.detail)
        };
        let line = format!("{which}{field}{why}");
        let _ = writeln!(out, "  {}", printable(&line));
        return;
    }
    for warning in &object.warnings {
        let _ = writeln!(out, "Warning: {}", printable(warning));
    }
    let (decisive, other): (Vec<Group<'_>>, Vec<Group<'_>>) =
        groups(&object.errors).into_iter().partition(|group| group.complaints.iter().any(|error| error.decisive));
    let prefix = format!("The {} \"{}\" is invalid: ", object.kind, object.name);
    match decisive.as_slice() {
        [] => {}
        // As kubectl does: one error on the line of its sentence, several below it.
        [only] => {
            let _ = writeln!(out, "{}{}", printable(&prefix), printable(denial(only.message)));
            write_makers(out, only);
        }
        several => {
            let _ = writeln!(out, "{}", printable(prefix.trim_end()));
            several.iter().for_each(|group| write_group(out, group));
        }
    }
    if !other.is_empty() {
        out.push_str("Not enforced:\n");
        other.iter().for_each(|group| write_group(out, group));
    }
    if object.errors_left_out > 0 {
        let _ = writeln!(out, "and {}", plural(object.errors_left_out, "more error"));
    }
    if !object.differences.is_empty() {
        out.push_str("The two sides make different objects (- reference, + candidate):\n");
        for line in bounded(object.differences.iter().flat_map(value_lines).collect()) {
            let _ = writeln!(out, "{} {}", line.reporter.sign(), printable(&line.text()));
        }
    }
}

/// The errors with one text.
struct Group<'r> {
    message: &'r str,
    complaints: Vec<&'r Complaint>,
}

/// Errors by text, in the order in which texts first come; kubectl prints equal ones once.
fn groups(errors: &[Complaint]) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    let mut places = HashMap::new();
    for complaint in errors {
        let place = *places.entry(complaint.message.as_str()).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.complaints.push(complaint),
            None => groups.push(Group { message: &complaint.message, complaints: vec![complaint] }),
        }
    }
    groups
}

fn write_group(out: &mut String, group: &Group<'_>) {
    let _ = writeln!(out, "* {}", printable(denial(group.message)));
    write_makers(out, group);
}

fn write_makers(out: &mut String, group: &Group<'_>) {
    let mut makers: Vec<String> = Vec::new();
    for complaint in &group.complaints {
        let maker = maker(complaint);
        if !maker.is_empty() && !makers.contains(&maker) {
            makers.push(maker);
        }
    }
    makers.extend(group.complaints.iter().find_map(|complaint| {
        let because = complaint.because.as_ref()?;
        let line = format!("only the {} reports it; {because}", complaint.side);
        Some(if complaint.standing.is_of_a_described_pair() { line } else { by_their_making(&line) })
    }));
    for maker in makers {
        let _ = writeln!(out, "    {}", printable(&maker));
    }
}

/// The sides of a pair that nobody described, as [`maker`] names them.
fn by_their_making(line: &str) -> String {
    line.replace("the reference", "the handwritten side").replace("the candidate", "the declarative side")
}

/// Who says so, by which rule, and whether the user gets it.
fn maker(complaint: &Complaint) -> String {
    let rules = complaint.rules.iter().map(rule).collect::<Vec<_>>().join(", ");
    let who = match (complaint.side, rules.is_empty()) {
        (Side::Candidate, true) => "declarative, outside any rule".to_owned(),
        (Side::Candidate, false) => format!("declarative, {rules}"),
        (Side::Reference, true) => "handwritten, no rule covers it".to_owned(),
        (Side::Reference, false) if complaint.rules.len() == 1 => format!("handwritten (its rule: {rules})"),
        (Side::Reference, false) => format!("handwritten (its rules: {rules})"),
    };
    let standing = match complaint.standing {
        Enforcement::Enforced => "enforced",
        Enforcement::AlphaRule => "not enforced, the rule is alpha",
        Enforcement::BetaGateOff => "not enforced, DeclarativeValidationBeta is off",
        Enforcement::TakeoverGateOff => "not enforced, DeclarativeValidationTakeover is off",
        Enforcement::DeclarativeGateOff => "not run, DeclarativeValidation is off",
        Enforcement::GivesWay => "not enforced, it gives way to declarative validation",
        Enforcement::Repeated => "the same error is already reported",
        Enforcement::Served => return complaint.rules.iter().map(served).collect::<Vec<_>>().join(", "),
        Enforcement::Decides => return "reference: decides".to_owned(),
        Enforcement::DecidesNothing if rules.is_empty() => return "candidate: decides nothing yet".to_owned(),
        Enforcement::DecidesNothing => return format!("candidate, {rules}: decides nothing yet"),
    };
    let alone = if complaint.decisive && !complaint.enforced {
        "; counts, because no handwritten side judges this"
    } else {
        ""
    };
    format!("{who}: {standing}{alone}")
}

/// A rule of a CRD: what it says, and where it is written.
fn served(note: &RuleNote) -> String {
    let source = note.source.as_ref().map(|source| format!(", {source}")).unwrap_or_default();
    let path = if note.rule.path.is_empty() { "the object" } else { &note.rule.path };
    format!("`{}` on {path}{source}", note.rule.chain)
}

fn rule(rule: &RuleNote) -> String {
    let path = if rule.rule.path.is_empty() { "the object" } else { &rule.rule.path };
    format!("`{}` on {path}", rule.level.label(&rule.rule.chain))
}
