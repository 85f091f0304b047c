//! The text of an expression and messages that point into it.

use std::fmt::Write as _;

/// The text of an expression, with the places of its lines.
#[derive(Clone, Debug)]
pub struct Source {
    text: Box<str>,
    /// Code points before each line.
    lines: Vec<u32>,
}

/// A message about a place in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// Line, from 1. 0 where the message is about the whole text.
    pub line: u32,
    /// Column in code points, from 0.
    pub column: u32,
    /// What is wrong.
    pub message: String,
}

impl Source {
    /// The source of a text.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let mut lines = vec![0];
        lines.extend((1u32..).zip(text.chars()).filter(|(_, c)| *c == '\n').map(|(next, _)| next));
        Self { text: text.into(), lines }
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether `word` stands before an offset.
    pub(super) fn is_after(&self, offset: u32, word: &str) -> bool {
        let before: String = self.text.chars().take(offset as usize).collect();
        before.trim_end().ends_with(word)
    }

    /// The place of a minus before an offset, or the offset.
    pub(super) fn sign_before(&self, offset: u32) -> u32 {
        let before: String = self.text.chars().take(offset as usize).collect();
        let bare = before.trim_end();
        if bare.ends_with('-') { u32::try_from(bare.chars().count()).unwrap_or(offset + 1) - 1 } else { offset }
    }

    /// The code points before a byte.
    pub(super) fn code_points_before(&self, byte: u32) -> u32 {
        if self.text.is_ascii() {
            return byte;
        }
        let starts = self.text.char_indices().take_while(|(at, _)| *at < byte as usize).count();
        u32::try_from(starts).unwrap_or(byte)
    }

    /// A message about an offset in code points.
    #[must_use]
    pub fn issue(&self, offset: u32, message: impl Into<String>) -> Issue {
        let line = self.lines.partition_point(|start| *start <= offset).max(1);
        let start = self.lines.get(line - 1).copied().unwrap_or_default();
        Issue { line: u32::try_from(line).unwrap_or(u32::MAX), column: offset - start, message: message.into() }
    }

    /// Issues as API servers print them: sorted by place, with the line and a mark under the column.
    #[must_use]
    pub fn display(&self, issues: &[Issue]) -> String {
        let mut sorted: Vec<&Issue> = issues.iter().collect();
        sorted.sort_by_key(|issue| (issue.line, issue.column));
        let mut out = String::new();
        for issue in sorted {
            if !out.is_empty() {
                out.push('\n');
            }
            if issue.line == 0 {
                let _ = write!(out, "ERROR: <input>:-1:0: {}", issue.message);
                continue;
            }
            let _ = write!(out, "ERROR: <input>:{}:{}: {}", issue.line, issue.column + 1, issue.message);
            let Some(line) = self.text.split('\n').nth(issue.line as usize - 1) else { continue };
            let line = line.replace('\t', " ");
            let _ = write!(out, "\n | {line}\n | ");
            let column = issue.column as usize;
            // Marks are as wide as what they stand below.
            for c in line.chars().take(column) {
                out.push(if wide(c) { '\u{ff0e}' } else { '.' });
            }
            for _ in line.chars().count()..column {
                out.push('.');
            }
            out.push(if line.chars().nth(column).is_some_and(wide) { '\u{ff3e}' } else { '^' });
        }
        out
    }
}

/// Whether a character takes more than one byte, as messages count it.
fn wide(c: char) -> bool {
    c.len_utf8() > 1
}
