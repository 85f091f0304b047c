//! The result of a scan, for people.

use super::model::{RuleScan, ScanReport};
use crate::form::Form;
use crate::numbers::{counted, grouped};
use crate::text::printable_text;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// For a terminal.
pub(super) const FORM: Form<ScanReport> =
    Form::new("table", "For people", "txt", |report, look| Ok(look.broken(&printable_text(&text(report)))));

/// Objects that are shown for a rule; the JSON form lists a hundred.
const SHOWN: usize = 3;

fn text(report: &ScanReport) -> String {
    let mut out = answer(report);
    let mut rules: Vec<(&String, &RuleScan)> = Vec::new();
    for (subject, of) in &report.subjects {
        rules.extend(of.rules.iter().map(|rule| (subject, rule)));
    }
    rules.sort_by_key(|(_, of)| std::cmp::Reverse(of.rejected));
    for (subject, of) in rules {
        let rule = match &of.rule {
            Some(known) => {
                let path = if known.rule.path.is_empty() { "the object" } else { &known.rule.path };
                format!("`{}` on {path}", known.level.label(&known.rule.chain))
            }
            None => "no rule of its own".to_owned(),
        };
        let stuck = match of.stuck {
            0 => String::new(),
            number => format!(", {} even unchanged", grouped(number)),
        };
        let _ = writeln!(out, "\n{subject}: {rule}\n  rejects {}{stuck}", counted(of.rejected, "object"));
        for object in of.first.iter().take(SHOWN) {
            let unchanged = if object.stuck { " (even unchanged)" } else { "" };
            let _ = writeln!(out, "  {}: {}: {}{unchanged}", object.name, object.field, object.error);
        }
        let more = of.rejected.saturating_sub(SHOWN as u64);
        if more > 0 {
            let _ = writeln!(out, "  … and {} more; --format json names up to 100", grouped(more));
        }
    }
    let unjudged = report.subjects.iter().flat_map(|(subject, of)| {
        of.unjudged.iter().map(move |(reason, number)| (format!("{subject}: {reason}"), *number))
    });
    let unjudged = unjudged.map(|(what, number)| format!("{what} ({})", counted(number, "object")));
    let left_out: Vec<String> =
        unjudged.chain(report.not_scanned.iter().map(|(reason, of)| not_scanned(reason, of))).collect();
    if !left_out.is_empty() {
        out.push_str("\nNot scanned:\n");
        left_out.iter().for_each(|line| {
            let _ = writeln!(out, "  {line}");
        });
    }
    out
}

/// A reason, and what is not scanned because of it: the names if they are few.
fn not_scanned(reason: &str, of: &BTreeMap<String, u64>) -> String {
    let number: u64 = of.values().sum();
    let named = |(name, number): (&String, &u64)| match number {
        1 => name.clone(),
        number => format!("{name} ({})", grouped(*number)),
    };
    match of.len() {
        0..=NAMED if !of.contains_key("") => {
            format!("{reason}: {}", of.iter().map(named).collect::<Vec<_>>().join(", "))
        }
        kinds if number == kinds as u64 && !of.contains_key("") => format!("{reason}: {}", counted(number, "kind")),
        _ => format!("{reason}: {}", counted(number, "object")),
    }
}

/// Most kinds that are listed by name.
const NAMED: usize = 4;

/// The first sentence, and what it means.
fn answer(report: &ScanReport) -> String {
    let (objects, rejected, stuck) = (report.objects(), report.rejected(), report.stuck());
    let so_far = if report.finished { "" } else { " so far" };
    let kinds = counted(report.subjects.len() as u64, "kind");
    if objects == 0 {
        return format!("No stored object was scanned{so_far}.\n");
    }
    if rejected == 0 {
        return format!("No rule rejects any of {} of {kinds}{so_far}.\n", counted(objects, "stored object"));
    }
    let mut out =
        format!("Rules reject {} of {} of {kinds}{so_far}.\n", grouped(rejected), counted(objects, "stored object"));
    let carried = rejected - stuck;
    if carried > 0 {
        let _ = writeln!(
            out,
            "{} can still be updated while the value at fault stays as it is (ratcheting).",
            grouped(carried)
        );
    }
    if stuck > 0 {
        let _ = writeln!(
            out,
            "{} cannot: every update of theirs would be rejected until the value is corrected.",
            grouped(stuck)
        );
    }
    out
}
