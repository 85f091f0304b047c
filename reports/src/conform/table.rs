//! The agreement as a table for people, with a row for each kind, a column for each side, and the disagreements below.

use super::model::{
    Agreement, AgreementCount, CAUSES, CEL_COST, DECLARATIVE, DECODE, DEFAULTED, ERRORS, EXTRACTED, HANDWRITTEN,
    MERGED, MISMATCHES, PRUNED, REFUSED, STORED, TEXTS, VALIDATED, WARNINGS,
};
use crate::form::Form;
use crate::layout::{Column, Layout};
use crate::numbers::{counted, grouped};
use crate::text::printable_text;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// For a terminal.
pub(super) const FORM: Form<Agreement> =
    Form::new("table", "For people", "txt", |agreement, _| Ok(printable_text(&table(agreement))));

const SIDES: [&str; 16] = [
    DECODE,
    PRUNED,
    DEFAULTED,
    VALIDATED,
    DECLARATIVE,
    HANDWRITTEN,
    MISMATCHES,
    STORED,
    CAUSES,
    ERRORS,
    TEXTS,
    CEL_COST,
    WARNINGS,
    REFUSED,
    MERGED,
    EXTRACTED,
];

/// The agreement table, what was skipped, and the first disagreement signatures.
fn table(agreement: &Agreement) -> String {
    let mut out = String::new();
    let most = agreement.shown;
    let sides: Vec<&str> = SIDES.into_iter().filter(|side| agreement.sides.contains_key(*side)).collect();
    if !sides.is_empty() {
        let columns = sides.iter().map(|side| Column::number(*side));
        let mut rows = Layout::new(std::iter::once(Column::text("kind")).chain(columns)).headings_left();
        let mut row = |name: &str, counts: &BTreeMap<String, AgreementCount>| {
            let cells = sides.iter().map(|side| cell(counts.get(*side)));
            rows.row(std::iter::once(name.to_owned()).chain(cells));
        };
        for (kind, counts) in &agreement.kinds {
            if sides.iter().any(|side| counts.contains_key(*side)) {
                row(kind, counts);
            }
        }
        row("all", &agreement.sides);
        let _ = writeln!(out, "{}", rows.whole());
    }
    for (side, tally) in agreement.sides.iter().filter(|(side, _)| !SIDES.contains(&side.as_str())) {
        let _ = writeln!(out, "{side}: {}", cell(Some(tally)));
    }
    for (reason, count) in &agreement.skipped {
        let _ = writeln!(out, "skipped {}: {reason}", grouped(*count));
    }
    if !agreement.signatures.is_empty() {
        let _ = writeln!(out, "\n{}:", counted(agreement.signatures.len() as u64, "disagreement signature"));
    }
    for found in agreement.signatures.iter().take(most) {
        let signature = &found.signature;
        let _ = writeln!(
            out,
            "{:>6} × {} {} {}: {}",
            grouped(found.count),
            signature.kind,
            signature.operation,
            signature.side,
            signature.difference
        );
        let _ = writeln!(out, "         {} {}", found.example.place, found.example.id);
        for line in found.example.detail.lines() {
            let _ = writeln!(out, "         {line}");
        }
    }
    if agreement.signatures.len() > most {
        let _ = writeln!(
            out,
            "… and {} more (--signatures, --format json)",
            grouped((agreement.signatures.len() - most) as u64)
        );
    }
    out
}

fn cell(tally: Option<&AgreementCount>) -> String {
    match tally {
        Some(tally) if tally.compared == tally.agreed => format!("{} 100 %", grouped(tally.compared)),
        #[expect(clippy::cast_precision_loss, reason = "a percentage for people")]
        Some(tally) => format!(
            "{}/{} {:.2} %",
            grouped(tally.agreed),
            grouped(tally.compared),
            // Never round a disagreement up to 100.
            (tally.agreed as f64 / tally.compared as f64 * 10_000.0).floor() / 100.0
        ),
        None => String::new(),
    }
}
