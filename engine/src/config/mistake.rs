//! What is wrong with a TOML file, shown at its place the way the parser shows its own complaints.

use std::ops::Range;
use toml::de::DeTable;

/// A mistake in a TOML file, with the line.
#[derive(Debug, thiserror::Error)]
#[error("TOML error at line {line}, column {column}\n{margin} |\n{line} | {text}\n{margin} | {marks}\n{message}")]
pub struct Mistake {
    line: usize,
    column: usize,
    margin: String,
    text: String,
    marks: String,
    message: String,
}

impl Mistake {
    /// A mistake in the bytes `span` of `source`.
    pub fn at(source: &str, span: Range<usize>, message: impl Into<String>) -> Self {
        let before = source.get(..span.start).unwrap_or(source);
        let line = before.matches('\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        let text = source.get(start..).and_then(|rest| rest.lines().next()).unwrap_or_default();
        let column = before.get(start..).unwrap_or_default().chars().count();
        let marked =
            source.get(span).and_then(|marked| marked.lines().next()).map_or(0, |marked| marked.chars().count());
        Self {
            line,
            column: column + 1,
            margin: " ".repeat(line.to_string().len()),
            text: text.to_owned(),
            marks: format!("{}{}", " ".repeat(column), "^".repeat(marked.max(1))),
            message: message.into(),
        }
    }

    /// A mistake at a key of a table; at the beginning of the file when it is not written there.
    pub fn of(source: &str, table: &str, key: &str, message: impl Into<String>) -> Self {
        let place = DeTable::parse(source).ok().and_then(|document| {
            let table = document.get_ref().get(table)?.get_ref().as_table()?;
            table.iter().find(|(name, _)| name.get_ref() == key).map(|(name, _)| name.span())
        });
        Self::at(source, place.unwrap_or_default(), message)
    }
}
