//! The lines around a finding. A finding carries these and not its file: printers search the text they get from its start, which
//! for thousands of findings in one file would take the square of its size.

use crate::declarative::idl::Position;
use miette::{MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};
use std::sync::Arc;

/// The text of a file, to take excerpts from.
pub(super) struct Text {
    name: Arc<str>,
    language: &'static str,
    text: String,
    /// Where each line starts.
    lines: Vec<usize>,
}

impl Text {
    /// A file with this name. Positions count from behind a byte order mark.
    pub(super) fn new(name: &str, language: &'static str, text: &str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text).to_owned();
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        let lines = std::iter::once(0).chain(breaks).collect();
        Self { name: Arc::from(name), language, text, lines }
    }

    /// The line of a position with the one before and the one behind it.
    pub(super) fn around(&self, position: &Position) -> Option<Excerpt> {
        let line = usize::try_from(position.line).ok()?.checked_sub(1)?;
        let start = *self.lines.get(line)?;
        let first = line.saturating_sub(1);
        let from = *self.lines.get(first)?;
        let to = self.lines.get(line + 2).copied().unwrap_or(self.text.len());
        let text = Arc::from(self.text.get(from..to)?);
        Some(Excerpt { name: Arc::clone(&self.name), language: self.language, text, first, start: start - from })
    }
}

/// A line with its neighbours.
#[derive(Clone, Debug)]
pub(super) struct Excerpt {
    name: Arc<str>,
    language: &'static str,
    text: Arc<str>,
    /// Lines of the file before the first one here.
    first: usize,
    /// Where the line starts.
    start: usize,
}

impl Excerpt {
    /// The line, without its line end.
    pub(super) fn line(&self) -> &str {
        self.text.get(self.start..).and_then(|text| text.lines().next()).unwrap_or_default()
    }

    /// Offset here of a column of the line.
    pub(super) fn offset(&self, column: u32) -> usize {
        self.start + usize::try_from(column).unwrap_or(usize::MAX).saturating_sub(1).min(self.line().len())
    }
}

impl SourceCode for Excerpt {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let found = self.text.read_span(span, before, after)?;
        let (data, span, line) = (found.data(), *found.span(), found.line() + self.first);
        let name = self.name.as_ref().to_owned();
        let contents = MietteSpanContents::new_named(name, data, span, line, found.column(), found.line_count());
        Ok(Box::new(contents.with_language(self.language)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_is_a_line_with_its_neighbours() {
        let text = Text::new("a.go", "Go", "\u{feff}one\r\ntwo\n\nfour");
        for (line, expected, around, first) in [
            (1, "one", "one\r\ntwo\n", 0),
            (2, "two", "one\r\ntwo\n\n", 0),
            (3, "", "two\n\nfour", 1),
            (4, "four", "\nfour", 2),
        ] {
            let excerpt = text.around(&Position { file: Arc::from("a.go"), line, column: 1 }).unwrap();
            assert_eq!((excerpt.line(), &*excerpt.text, excerpt.first), (expected, around, first), "line {line}");
        }
        for line in [0, 5, u32::MAX] {
            assert!(text.around(&Position { file: Arc::from("a.go"), line, column: 1 }).is_none());
        }
    }
}
