//! What is wrong with a TOML file, with its place. Renders with miette.

use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode};
use std::ops::Range;
use std::path::Path;
use takeover_harness::text::nearest;
use toml::Spanned;
use toml::de::DeTable;

/// A mistake in a TOML file.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct TomlMistake {
    message: String,
    span: Range<usize>,
    /// None where a line is too long to be drawn; the message then has the place.
    source_text: Option<NamedSource<String>>,
}

/// Longest line that is drawn, in bytes. Of longer ones nobody sees the place, and those beyond 65,535 cannot be drawn at all.
const LONGEST_LINE: usize = 2_000;

/// The text of a TOML file that somebody wrote.
#[derive(Clone, Copy, Debug)]
pub(super) struct TomlText<'t> {
    pub(super) file: &'t Path,
    pub(super) text: &'t str,
}

impl TomlText<'_> {
    /// A mistake in the bytes `span`.
    pub(super) fn mistake(&self, span: Range<usize>, message: impl Into<String>) -> TomlMistake {
        // A label over many lines would print the whole file: only the first line of the range is marked.
        let marked = self.text.get(span.clone()).and_then(|marked| marked.lines().next()).map_or(0, str::len);
        let (mut message, file) = (message.into(), self.file.display().to_string());
        let drawn = self.text.lines().all(|line| line.len() <= LONGEST_LINE);
        if !drawn {
            let line = 1 + self.text.bytes().take(span.start).filter(|byte| *byte == b'\n').count();
            message = format!("{file}:{line}: {message}");
        }
        TomlMistake {
            message,
            span: span.start..span.start + marked,
            source_text: drawn.then(|| NamedSource::new(file, self.text.to_owned()).with_language("TOML")),
        }
    }

    /// What the parser says is wrong.
    pub(super) fn refused(&self, error: &toml::de::Error) -> TomlMistake {
        let message = unknown_name(error.message()).unwrap_or_else(|| error.message().to_owned());
        self.mistake(error.span().unwrap_or_default(), message)
    }

    /// A mistake in a table, or in the first of a list of them; at the beginning of the file when it is not written there.
    pub(super) fn mistake_in(&self, table: &str, message: impl Into<String>) -> TomlMistake {
        let place = DeTable::parse(self.text).ok().and_then(|document| {
            document.get_ref().iter().find(|(name, _)| name.get_ref() == table).map(|(name, _)| name.span())
        });
        self.mistake(place.unwrap_or_default(), message)
    }

    /// The bytes of each table of a list of them, in their order.
    pub(super) fn tables(&self, list: &str) -> Vec<Range<usize>> {
        let spans = DeTable::parse(self.text).ok().and_then(|document| {
            let tables = document.get_ref().get(list)?.get_ref().as_array()?;
            Some(tables.iter().map(Spanned::span).collect())
        });
        spans.unwrap_or_default()
    }

    /// The number of the line that a byte is in.
    pub(super) fn line_of(&self, byte: usize) -> usize {
        1 + self.text.get(..byte).map_or(0, |before| before.matches('\n').count())
    }

    /// A mistake at a key of a table; at the beginning of the file when it is not written there.
    pub(super) fn mistake_at(&self, table: &str, key: &str, message: impl Into<String>) -> TomlMistake {
        let place = DeTable::parse(self.text).ok().and_then(|document| {
            let table = document.get_ref().get(table)?.get_ref().as_table()?;
            table.iter().find(|(name, _)| name.get_ref() == key).map(|(name, _)| name.span())
        });
        self.mistake(place.unwrap_or_default(), message)
    }
}

/// What is said of a misspelt key or value in place of a list of all known ones. The parser tells them in its message only: the
/// unknown name first, each in backticks.
fn unknown_name(message: &str) -> Option<String> {
    let what = ["unknown field", "unknown variant"].into_iter().find(|what| message.starts_with(what))?;
    let mut names = message.split('`').skip(1).step_by(2);
    let asked = names.next()?;
    let meant = nearest(asked, names)?;
    let what = if what == "unknown field" { "key" } else { "value" };
    Some(format!("unknown {what} `{asked}`: did you mean `{meant}`?"))
}

impl Diagnostic for TomlMistake {
    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source_text.as_ref().map(|text| text as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.source_text.as_ref()?;
        Some(Box::new(std::iter::once(LabeledSpan::underline(self.span.clone()))))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::{TomlMistake, TomlText};
    use miette::{GraphicalReportHandler, GraphicalTheme};
    use std::path::Path;

    /// A text as if it stood in a file.
    pub(crate) fn toml(text: &str) -> TomlText<'_> {
        TomlText { file: Path::new("takeover.toml"), text }
    }

    /// The mistake as people see it.
    pub(crate) fn drawn(mistake: &TomlMistake) -> String {
        let mut drawn = String::new();
        let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor()).with_width(120);
        handler.render_report(&mut drawn, mistake).unwrap();
        drawn
    }

    #[test]
    fn a_mistake_is_drawn_at_its_place() {
        let text = toml("[gate]\n# é\nfloor = 1 # no\n");
        insta::assert_snapshot!(drawn(&text.mistake_at("gate", "floor", "no floor")), @"
         × no floor
          ╭─[takeover.toml:3:1]
        2 │ # é
        3 │ floor = 1 # no
          · ─────
          ╰────
        ");
        insta::assert_snapshot!(drawn(&text.mistake_at("gate", "ceiling", "no ceiling")), @"
         × no ceiling
          ╭─[takeover.toml:1:1]
        1 │ [gate]
          · ▲
        2 │ # é
          ╰────
        ");
    }

    #[test]
    fn a_mistake_in_a_line_without_end_has_its_place_in_words() {
        let text = format!("[gate]\nfloor = \"{}\"\n", "x".repeat(70_000));
        let mistake = toml(&text).mistake_at("gate", "floor", "no floor");
        assert_eq!(drawn(&mistake).trim(), "× takeover.toml:2: no floor");
    }
}
