//! One cell: its requests, and what is stored.

use serde_json::Value;
use std::fmt::Write as _;
use takeover_engine::skew::CellRow;
use takeover_reports::printable;
use takeover_unions::play::{Outcome, Verdict};

/// A cell with everything that was sent.
///
/// # Errors
/// When an object cannot be encoded.
pub fn cell_text(row: &CellRow, outcome: &Outcome) -> anyhow::Result<String> {
    let cell = &row.cell;
    let mut text = String::new();
    let owner = printable(&row.owner);
    let _ = writeln!(text, "Cell {}: {owner} {}, `{}` is new.", row.number, cell.treatment, row.member);
    let (client, knows, server) = (cell.client, cell.client_version, cell.server_version);
    let _ = writeln!(text, "Client: {client}, {knows} version. Server: {server} version. Request: {}.", cell.verb);
    let _ = writeln!(text, "Stored: {}. The client wants to {}.", row.before, row.wants);
    if let Some(number) = row.kep_case {
        let _ = writeln!(text, "This is case #{number} of KEP-1027, as we read it.");
    }
    let mut section = |title: &str, value: &Value| -> anyhow::Result<()> {
        let shown = match value {
            Value::String(refusal) => refusal.clone(),
            other => serde_json::to_string(other)?,
        };
        writeln!(text, "\n{title}\n  {}", printable(&shown))?;
        Ok(())
    };
    section("Stored before:", &outcome.before)?;
    for exchange in &outcome.exchanges {
        if !exchange.body.is_null() {
            section(&format!("{}:", exchange.request), &exchange.body)?;
        }
        let title = if exchange.body.is_null() { format!("{}:", exchange.request) } else { "Answer:".to_owned() };
        section(&title, &exchange.answer)?;
    }
    section("Wanted:", &outcome.wanted)?;
    section("Stored afterwards:", &outcome.after)?;
    let verdict = match &outcome.verdict {
        Verdict::Kept => "kept: what the client wanted is stored.".to_owned(),
        Verdict::Refused(_) => "refused loudly: the client knows that nothing was stored.".to_owned(),
        Verdict::Lost(what) => format!("lost silently: {}.", what.join(", ")),
    };
    let _ = writeln!(text, "\nVerdict: {}", printable(&verdict));
    Ok(text)
}
