//! The result for people.

use super::{Olds, ReadRecordings, RecordingsAgreement};
use std::fmt::Write as _;
use takeover_harness::text::percent_of;

/// What was held against the truth, as text.
#[must_use]
pub fn text(held: &RecordingsAgreement) -> String {
    let mut out = String::new();
    reading(&mut out, "audit log", &held.audit);
    reading(&mut out, "AdmissionReviews", &held.reviews);
    let complaints = &held.complaints;
    let _ =
        writeln!(out, "complaints of the server: {} found, {} not found", complaints.found, complaints.missed.len());
    for missed in &complaints.missed {
        let _ = writeln!(out, "  {missed}");
    }
    let _ = writeln!(
        out,
        "audit log: {} cases compared, {} of kinds without a handwritten side, {} undecodable; \
         {} signatures of findings that the server did not complain about",
        complaints.compared,
        complaints.strangers,
        complaints.undecodable,
        complaints.more.len()
    );
    for (signature, (count, first)) in &complaints.more {
        let _ = writeln!(out, "  {count:>5} × {signature}\n          first {first}");
    }
    out
}

fn reading(out: &mut String, name: &str, reading: &ReadRecordings) {
    let _ = writeln!(
        out,
        "{name}: {} documents, {} unreadable; {} cases; updates whose truth is not recorded: {}",
        reading.documents, reading.unreadable, reading.cases, reading.without_truth
    );
    for (reason, count) in &reading.skipped {
        let _ = writeln!(out, "  {count:>5} skipped: {reason}");
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
        olds.updates, olds.certain_right, olds.doubtful_right, olds.certain_wrong, olds.doubtful_wrong
    );
    for (reason, count) in &olds.unknown {
        let _ = writeln!(out, "    {count:>5} without: {reason}");
    }
    for place in &olds.wrong {
        let _ = writeln!(out, "    wrong: {place}");
    }
}
