//! The table of findings, in Markdown.

use super::group::{Row, rows};
use super::notation::{self, compact};
use super::read::read;
use serde_json::Value;
use std::fmt::Write as _;
use std::path::PathBuf;

/// The table of every signature in `folders`, in Markdown.
///
/// # Errors
/// Returns an error when a folder holds no run, a finding cannot be read, or a case does not show its signature any more.
pub fn markdown(folders: &[PathBuf]) -> anyhow::Result<String> {
    let mut text = String::from("| signature | also in | stored | new |\n|---|---|---|---|\n");
    for Row { signature, also_in, case } in rows(&read(folders)?)? {
        let also_in = if also_in.is_empty() { "–".to_owned() } else { also_in.join(", ") };
        let stored = match &case.old {
            None => "–".to_owned(),
            Some(old) if *old == case.object => "unchanged".to_owned(),
            Some(old) => cell(old),
        };
        let _ = writeln!(text, "| {signature} | {also_in} | {stored} | {} |", cell(&case.object));
    }
    Ok(text)
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
