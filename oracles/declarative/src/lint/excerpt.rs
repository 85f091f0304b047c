//! The lines around a finding. A finding carries these and not its file: printers search the text they get from its start, which
//! for thousands of findings in one file would take the square of its size.

use crate::idl::Position;
use std::sync::Arc;

/// The text of a file, to take excerpts from.
pub(super) struct Text {
    text: String,
    /// Where each line starts.
    lines: Vec<usize>,
}

impl Text {
    /// The text of a file. Positions count from behind a byte order mark.
    pub(super) fn new(text: &str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text).to_owned();
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        let lines = std::iter::once(0).chain(breaks).collect();
        Self { text, lines }
    }

    /// The line of a position with the one before and the one behind it.
    pub(super) fn around(&self, position: &Position) -> Option<Excerpt> {
        let line = usize::try_from(position.line).ok()?.checked_sub(1)?;
        let start = *self.lines.get(line)?;
        let first = line.saturating_sub(1);
        let from = *self.lines.get(first)?;
        let to = self.lines.get(line + 2).copied().unwrap_or(self.text.len());
        let text = Arc::from(self.text.get(from..to)?);
        Some(Excerpt { text, first, start: start - from })
    }
}

/// A line with its neighbours.
#[derive(Clone, Debug)]
pub struct Excerpt {
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

    /// The lines.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Lines of the file before the first one here.
    #[must_use]
    pub fn before(&self) -> usize {
        self.first
    }

    /// Offset of the line of the finding.
    #[must_use]
    pub fn start(&self) -> usize {
        self.start
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_is_a_line_with_its_neighbours() {
        let text = Text::new("\u{feff}one\r\ntwo\n\nfour");
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
