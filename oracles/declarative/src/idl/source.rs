//! The text of one Go file, with the way from byte offsets to lines and columns.

use super::model::Position;
use miette::NamedSource;
use std::sync::Arc;

/// One Go file as it was read.
#[derive(Debug)]
pub(super) struct Source {
    /// The file as named by the provider.
    pub(super) name: Arc<str>,
    /// The text without a byte order mark.
    pub(super) text: Arc<str>,
    /// The same for diagnostics.
    pub(super) named: Arc<NamedSource<Arc<str>>>,
    /// Byte offset of the start of every line.
    lines: Vec<usize>,
}

/// A range of bytes in a [`Source`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Span {
    /// First byte.
    pub(super) start: usize,
    /// Byte after the last.
    pub(super) end: usize,
}

impl Source {
    pub(super) fn new(name: &str, text: &str) -> Self {
        let text: Arc<str> = Arc::from(text.strip_prefix('\u{feff}').unwrap_or(text));
        let mut lines = vec![0];
        lines.extend(text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1));
        Self {
            name: Arc::from(name),
            named: Arc::new(NamedSource::new(name, Arc::clone(&text)).with_language("Go")),
            text,
            lines,
        }
    }

    /// 1-based line of a byte offset.
    pub(super) fn line(&self, offset: usize) -> usize {
        self.lines.partition_point(|start| *start <= offset)
    }

    pub(super) fn position(&self, offset: usize) -> Position {
        let line = self.line(offset);
        let start = self.lines.get(line.saturating_sub(1)).copied().unwrap_or(0);
        Position {
            file: Arc::clone(&self.name),
            line: u32::try_from(line).unwrap_or(u32::MAX),
            column: u32::try_from(offset - start + 1).unwrap_or(u32::MAX),
        }
    }

    /// Byte offset of a position of this file.
    pub(super) fn offset(&self, position: &Position) -> usize {
        let line = usize::try_from(position.line).unwrap_or(usize::MAX).saturating_sub(1);
        let column = usize::try_from(position.column).unwrap_or(usize::MAX).saturating_sub(1);
        self.lines.get(line).copied().unwrap_or(0).saturating_add(column)
    }

    /// The text of a range; empty if the range is none of this file.
    pub(super) fn slice(&self, span: Span) -> &str {
        self.text.get(span.start..span.end).unwrap_or_default()
    }

    /// The text of a range on one line, runs of blanks and line ends reduced to one blank.
    pub(super) fn collapsed(&self, span: Span) -> String {
        self.slice(span).split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_become_one_based_lines_and_columns() {
        let source = Source::new("a.go", "\u{feff}ab\n\ncd");
        for (offset, line, column) in [(0, 1, 1), (2, 1, 3), (3, 2, 1), (4, 3, 1), (6, 3, 3)] {
            let position = source.position(offset);
            assert_eq!((position.line, position.column), (line, column), "offset {offset}");
        }
    }
}
