//! The result for people.

use super::applied::{Agreed, Applied};
use super::{Olds, ReadRecordings, RecordingsAgreement};
use std::fmt::Write as _;
use takeover_harness::text::{grouped, percent_of};

/// What was held against the truth, as text.
#[must_use]
pub fn text(held: &RecordingsAgreement) -> String {
    let mut out = String::new();
    reading(&mut out, "audit log", &held.audit);
    reading(&mut out, "AdmissionReviews", &held.reviews);
    let complaints = &held.complaints;
    let _ = writeln!(
        out,
        "complaints of the server: {} found, {} not found",
        grouped(complaints.found),
        grouped(complaints.missed.len() as u64)
    );
    for missed in &complaints.missed {
        let _ = writeln!(out, "  {missed}");
    }
    let _ = writeln!(
        out,
        "audit log: {} cases compared, {} of kinds without a handwritten side, {} undecodable; \
         {} signatures of findings that the server did not complain about",
        grouped(complaints.compared),
        grouped(complaints.strangers),
        grouped(complaints.undecodable),
        grouped(complaints.more.len() as u64)
    );
    for (signature, (count, first)) in &complaints.more {
        let _ = writeln!(out, "  {:>5} × {signature}\n          first {first}", grouped(*count));
    }
    applied(&mut out, &held.applied);
    out
}

fn applied(out: &mut String, of: &Applied) {
    let line = |of: &Agreed| {
        let [compared, agreed, completed] = [of.compared, of.agreed, of.completed].map(grouped);
        format!("{compared} compared, {agreed} as recorded, {completed} but for values that the server set")
    };
    let _ = writeln!(out, "applies: {}", line(&of.applies));
    let _ = writeln!(out, "owners after updates: {}", line(&of.updates));
    for (reason, count) in &of.skipped {
        let _ = writeln!(out, "  {:>5} not compared: {reason}", grouped(*count));
    }
    for place in &of.wrong {
        let _ = writeln!(out, "  differs: {place}");
    }
}

fn reading(out: &mut String, name: &str, reading: &ReadRecordings) {
    let _ = writeln!(
        out,
        "{name}: {} documents, {} unreadable; {} cases; updates whose truth is not recorded: {}",
        grouped(reading.documents),
        grouped(reading.unreadable),
        grouped(reading.cases),
        grouped(reading.without_truth)
    );
    for (reason, count) in &reading.skipped {
        let _ = writeln!(out, "  {:>5} skipped: {reason}", grouped(*count));
    }
    olds(out, "sequential updates", &reading.sequential);
    olds(out, "sequential updates that the server judged", &reading.judged);
    olds(out, "concurrent updates", &reading.concurrent);
}

fn olds(out: &mut String, name: &str, olds: &Olds) {
    let share = percent_of(olds.right(), olds.updates);
    let _ = writeln!(
        out,
        "  {name}: {}; old object right {share:.1} % ({} certain, {} doubtful), wrong {} certain, {} doubtful",
        grouped(olds.updates),
        grouped(olds.certain_right),
        grouped(olds.doubtful_right),
        grouped(olds.certain_wrong),
        grouped(olds.doubtful_wrong)
    );
    for (reason, count) in &olds.unknown {
        let _ = writeln!(out, "    {:>5} without: {reason}", grouped(*count));
    }
    for place in &olds.wrong {
        let _ = writeln!(out, "    wrong: {place}");
    }
}
