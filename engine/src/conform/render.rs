//! Agreement for people.

use super::agreement::{Agreement, CAUSES, DECLARATIVE, DECODE, DEFAULTED, HANDWRITTEN, MISMATCHES, STORED, Tally};
use std::fmt::Write as _;
use tabled::builder::Builder;
use tabled::settings::object::{Columns, Rows};
use tabled::settings::{Alignment, Modify, Style};

const SIDES: [&str; 7] = [DECODE, DEFAULTED, DECLARATIVE, HANDWRITTEN, MISMATCHES, STORED, CAUSES];

/// The agreement table, what was skipped, and at most `most` disagreement signatures.
#[must_use]
pub fn table(agreement: &Agreement, most: usize) -> String {
    let mut out = String::new();
    let sides: Vec<&str> = SIDES.into_iter().filter(|side| agreement.sides.contains_key(*side)).collect();
    if !sides.is_empty() {
        let mut builder = Builder::default();
        builder.push_record(std::iter::once("kind").chain(sides.iter().copied()));
        for (kind, tallies) in &agreement.kinds {
            if !sides.iter().any(|side| tallies.contains_key(*side)) {
                continue;
            }
            builder.push_record(std::iter::once(kind.clone()).chain(sides.iter().map(|side| cell(tallies.get(*side)))));
        }
        builder.push_record(
            std::iter::once("all".to_owned()).chain(sides.iter().map(|side| cell(agreement.sides.get(*side)))),
        );
        let mut table = builder.build();
        table.with(Style::rounded()).with(Modify::new(Columns::new(1..)).with(Alignment::right()));
        table.with(Modify::new(Rows::first()).with(Alignment::left()));
        let _ = writeln!(out, "{table}");
    }
    for (side, tally) in agreement.sides.iter().filter(|(side, _)| !SIDES.contains(&side.as_str())) {
        let _ = writeln!(out, "{side}: {}", cell(Some(tally)));
    }
    for (reason, count) in &agreement.skipped {
        let _ = writeln!(out, "skipped {count}: {reason}");
    }
    if !agreement.signatures.is_empty() {
        let _ = writeln!(out, "\n{} disagreement signatures:", agreement.signatures.len());
    }
    for found in agreement.signatures.iter().take(most) {
        let signature = &found.signature;
        let _ = writeln!(
            out,
            "{:>6} × {} {} {}: {}",
            found.count, signature.kind, signature.operation, signature.side, signature.difference
        );
        let _ = writeln!(out, "         {} {}", found.example.place, found.example.id);
        for line in found.example.detail.lines() {
            let _ = writeln!(out, "         {line}");
        }
    }
    if agreement.signatures.len() > most {
        let _ = writeln!(out, "… and {} more (--signatures, --format json)", agreement.signatures.len() - most);
    }
    out
}

fn cell(tally: Option<&Tally>) -> String {
    match tally {
        Some(tally) if tally.compared == tally.agreed => format!("{} 100 %", tally.compared),
        #[expect(clippy::cast_precision_loss, reason = "a percentage for people")]
        Some(tally) => format!(
            "{}/{} {:.2} %",
            tally.agreed,
            tally.compared,
            // Never round a disagreement up to 100.
            (tally.agreed as f64 / tally.compared as f64 * 10_000.0).floor() / 100.0
        ),
        None => String::new(),
    }
}
