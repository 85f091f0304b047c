//! The tables of findings, in Markdown.

use super::notation::{self, compact};
use super::rows::{Key, Row, rows};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::PathBuf;
use takeover_harness::compare::{Cause, Matter};
use takeover_harness::readiness::decision;
use takeover_harness::text::plural;

/// The findings in `folders` by cause, in Markdown: a heading for each cause, and below it a row for each field of a kind.
///
/// # Errors
/// Returns an error when a folder holds no report of a run, or an oracle panicked in it.
pub fn markdown(folders: &[PathBuf]) -> anyhow::Result<String> {
    let rows = rows(folders)?;
    let signatures = rows.values().map(|row| row.signatures as u64).sum();
    let mut text = format!("{} in {}.\n", plural(signatures, "signature"), plural(rows.len() as u64, "row"));
    let mut by_cause: BTreeMap<Option<Cause>, Vec<(&Key, &Row)>> = BTreeMap::new();
    for (key, row) in &rows {
        by_cause.entry(key.cause).or_default().push((key, row));
    }
    for (cause, rows) in by_cause {
        let cause = cause.map_or("unknown", Cause::word);
        let _ = write!(text, "\n### {cause}: {}\n\n{HEAD}", plural(rows.len() as u64, "row"));
        for (key, row) in rows {
            text.push_str(&line(key, row));
        }
    }
    Ok(text)
}

const HEAD: &str = "\
| kind | field | only one side reports | versions | when | for the user | stored | new |
|---|---|---|---|---|---|---|---|
";

fn line(Key { kind, field, .. }: &Key, row: &Row) -> String {
    let stored = match &row.smallest.old {
        None => "–".to_owned(),
        Some(old) if *old == row.smallest.object => "unchanged".to_owned(),
        Some(old) => cell(old),
    };
    let object = cell(&row.smallest.object);
    let object = match row.smallest.subresource.as_str() {
        "" => object,
        subresource => format!("`/{subresource}` {object}"),
    };
    format!(
        "| {kind} | `{}` | {} | {} | {} | {} | {stored} | {object} |\n",
        if field.is_empty() { "(the object)" } else { field },
        joined(&row.errors, "; "),
        joined(&row.places, ", "),
        joined(&row.when, "; "),
        decision(Matter::Errors, row.cases, row.deciding),
    )
}

fn joined(texts: &BTreeSet<String>, by: &str) -> String {
    texts.iter().map(String::as_str).collect::<Vec<_>>().join(by)
}

/// A value as code in a cell of a table.
fn cell(value: &Value) -> String {
    let text = notation::visible(&compact(value).to_string()).replace('|', "\\|");
    if text.contains('`') { format!("`` {text} ``") } else { format!("`{text}`") }
}

#[cfg(test)]
mod tests {
    use super::cell;
    use serde_json::json;

    #[test]
    fn a_cell_cannot_end_its_table_or_its_code() {
        for (value, text) in [
            (json!({"a": "b"}), r#"`{"a":"b"}`"#),
            (json!("a|b"), r#"`"a\|b"`"#),
            (json!("a`b"), "`` \"a`b\" ``"),
            (json!("\u{202e}İ\u{307}"), r#"`"\u202eİ\u0307"`"#),
        ] {
            assert_eq!(cell(&value), text);
        }
    }
}
