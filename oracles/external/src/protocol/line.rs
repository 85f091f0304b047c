//! Lines: cutting a stream into lines of limited length, and saying what is wrong with one.

use std::fmt::Write as _;

/// Longest line, in bytes.
pub const MAX_LINE: usize = 64 << 20;

/// How many bytes of a line a message shows.
const SHOWN: usize = 160;

/// Memory that is kept for the next lines after a long one.
const KEPT: usize = 1 << 20;

/// A line that is no message of an oracle.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the oracle wrote a line that {fault}: `{line}`")]
pub struct LineError {
    fault: String,
    line: String,
}

impl LineError {
    /// An error about `line`; the fault reads after "a line that".
    pub(super) fn new(fault: impl Into<String>, line: &[u8]) -> Self {
        Self { fault: fault.into(), line: excerpt(line) }
    }
}

/// The beginning of a text, in one line: control characters and bytes that are not UTF-8 escaped, the rest cut off.
#[must_use]
pub fn excerpt(text: &[u8]) -> String {
    let mut shown = String::new();
    let (head, cut) = text.split_at_checked(SHOWN).map_or((text, false), |(head, rest)| (head, !rest.is_empty()));
    let mut chunks = head.utf8_chunks().peekable();
    while let Some(chunk) = chunks.next() {
        for c in chunk.valid().chars() {
            if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}') {
                shown.extend(c.escape_default());
            } else {
                shown.push(c);
            }
        }
        // What the cut left of a last character is no fault of the text.
        if !cut || chunks.peek().is_some() {
            for byte in chunk.invalid() {
                let _ = write!(shown, "\\x{byte:02x}");
            }
        }
    }
    if cut {
        shown.push('…');
    }
    shown
}

/// A line longer than [`MAX_LINE`].
#[derive(Debug)]
pub(crate) struct TooLong;

/// Lines of a stream, from the pieces in which it arrives.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    bytes: Vec<u8>,
    /// Start of what is not yet taken.
    start: usize,
    /// Up to here there is no line end after `start`.
    searched: usize,
}

impl Lines {
    /// Adds a piece of the stream. All lines should be taken before that.
    pub(crate) fn add(&mut self, piece: &[u8]) {
        self.bytes.drain(..self.start);
        self.searched = self.searched.saturating_sub(self.start);
        self.start = 0;
        if self.bytes.is_empty() && self.bytes.capacity() > KEPT {
            self.bytes = Vec::new();
        }
        self.bytes.extend_from_slice(piece);
    }

    /// Takes the next whole line, without its end; none until more arrives.
    pub(crate) fn next(&mut self) -> Result<Option<&[u8]>, TooLong> {
        let found = self.bytes.get(self.searched..).and_then(|rest| rest.iter().position(|byte| *byte == b'\n'));
        let end = found.map_or(self.bytes.len(), |at| self.searched + at);
        if end - self.start > MAX_LINE {
            return Err(TooLong);
        }
        let line = self.start..end;
        match found {
            None => self.searched = end,
            Some(_) => {
                self.start = end + 1;
                self.searched = self.start;
            }
        }
        Ok(found.and_then(|_| self.bytes.get(line)))
    }

    /// What arrived after the last whole line that was taken.
    pub(crate) fn rest(&self) -> &[u8] {
        self.bytes.get(self.start..).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::{Lines, MAX_LINE, excerpt};

    #[test]
    fn lines_come_out_whole_however_they_arrive() {
        let stream = b"one\n\ntwo three\r\nrest";
        for size in 1..stream.len() {
            let (mut lines, mut got) = (Lines::default(), Vec::new());
            for piece in stream.chunks(size) {
                lines.add(piece);
                while let Some(line) = lines.next().unwrap() {
                    got.push(String::from_utf8_lossy(line).into_owned());
                }
            }
            assert_eq!(got, ["one", "", "two three\r"]);
            assert_eq!(lines.rest(), b"rest");
        }
    }

    #[test]
    fn a_line_may_be_as_long_as_the_limit_and_no_longer() {
        let mut lines = Lines::default();
        lines.add(&vec![b'a'; MAX_LINE]);
        assert!(lines.next().unwrap().is_none());
        lines.add(b"\n");
        assert_eq!(lines.next().unwrap().unwrap().len(), MAX_LINE);
        lines.add(&vec![b'a'; MAX_LINE + 1]);
        assert!(lines.next().is_err());
    }

    #[test]
    fn excerpts_are_one_short_line() {
        assert_eq!(excerpt(b"plain \"text\""), "plain \"text\"");
        assert_eq!(excerpt(b"a\tb\x1b[1m\xff\xfe"), "a\\tb\\u{1b}[1m\\xff\\xfe");
        assert_eq!(excerpt(&[b'x'; 161]), format!("{}…", "x".repeat(160)));
        assert_eq!(excerpt("é".repeat(200).as_bytes()), format!("{}…", "é".repeat(80)));
        assert_eq!(excerpt(format!("x{}", "é".repeat(200)).as_bytes()), format!("x{}…", "é".repeat(79)));
    }
}
