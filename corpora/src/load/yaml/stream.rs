//! Cuts a YAML file into documents before any of it is parsed, so that memory is bounded by the document and a broken
//! document harms no other.
//!
//! A line beginning with `---` at column one starts a document, wherever it stands: YAML allows it within no scalar.

use super::tree;
use crate::load::error::{Fault, LoadErrorKind};
use crate::load::json;
use crate::load::limits::Limits;
use crate::load::lines::{Line, append_line};
use crate::load::memory::{Again, Memory, Met, Reader};
use crate::load::open::Plain;
use crate::load::unpack::Read;
use std::collections::VecDeque;

/// The documents of a YAML file. Documents without content are left out, as `kubectl` does.
pub(in crate::load) struct Stream {
    reader: Plain,
    limits: Limits,
    memory: Memory,
    /// Lines read so far.
    lines: u64,
    /// The marker line that ended the document before.
    marker: Vec<u8>,
    ready: VecDeque<Result<Read, Fault>>,
    done: bool,
}

/// What a line means where documents are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    /// `---`
    Start,
    /// `...`
    End,
    /// Blank, a comment or a directive: it may stand before the `---` of its document.
    Header,
    Content,
}

impl Mark {
    fn of(line: &[u8]) -> Self {
        let marker =
            |mark: &[u8]| line.strip_prefix(mark).is_some_and(|rest| rest.first().is_none_or(u8::is_ascii_whitespace));
        if marker(b"---") {
            return Self::Start;
        }
        if marker(b"...") {
            return Self::End;
        }
        match line.trim_ascii_start().first() {
            None | Some(b'#') => Self::Header,
            Some(_) if line.first() == Some(&b'%') => Self::Header,
            Some(_) => Self::Content,
        }
    }
}

impl Stream {
    pub(in crate::load) fn new(reader: Plain, limits: Limits, memory: Memory) -> Self {
        Self { reader, limits, memory, lines: 0, marker: Vec::new(), ready: VecDeque::new(), done: false }
    }

    /// The text of the next document and its first line; none at the end.
    fn cut(&mut self) -> Result<Option<(Vec<u8>, u64)>, Fault> {
        let mut text = std::mem::take(&mut self.marker);
        let mut within = !text.is_empty();
        let first = if within { self.lines } else { self.lines + 1 };
        loop {
            let before = text.len();
            match append_line(&mut self.reader, &mut text, self.limits.document_bytes) {
                Ok(Line::Read) => self.lines += 1,
                Ok(Line::End) if text.is_empty() => return Ok(None),
                Ok(Line::End) => return Ok(Some((text, first))),
                Ok(Line::TooLong) => {
                    self.done = true;
                    return Err(Fault::too_large(self.limits.document_bytes).on_line(first));
                }
                Err(error) => {
                    self.done = true;
                    return Err(Fault::unreadable(&error).on_line(self.lines + 1));
                }
            }
            if self.lines == 1 && text.starts_with(b"\xef\xbb\xbf") {
                text.drain(..3);
            }
            match Mark::of(text.get(before..).unwrap_or_default()) {
                Mark::Start if within => {
                    self.marker = text.split_off(before);
                    return Ok(Some((text, first)));
                }
                Mark::End => return Ok(Some((text, first))),
                Mark::Header => {}
                Mark::Start | Mark::Content => within = true,
            }
        }
    }

    fn parse(&mut self, bytes: Vec<u8>, first: u64) {
        let text = match std::str::from_utf8(&bytes) {
            Ok(text) => text,
            Err(error) => {
                let (line, column) = position(&bytes, error.valid_up_to(), first);
                let fault = Fault::new(LoadErrorKind::Encoding, "the text is not UTF-8").at(line, column);
                self.ready.push_back(Err(fault));
                return;
            }
        };
        // What begins as a JSON object is one, or several, unless it turns out to be YAML's flow style.
        if text.trim_ascii_start().starts_with('{') {
            let parsed: Vec<_> = json::Stream::new(text.as_bytes(), first, self.limits, self.memory.clone()).collect();
            let flow_style = |fault: &Fault| fault.kind == LoadErrorKind::Syntax;
            if !parsed.iter().any(|result| result.as_ref().is_err_and(flow_style)) {
                self.ready.extend(parsed);
                return;
            }
        }
        let before = match self.memory.meet(Reader::Yaml, &bytes) {
            Met::Known(known) => return self.ready.push_back(Ok(Read::Known(known, first))),
            Met::Before(hash) => Some(hash),
            Met::Never => None,
        };
        let parsed = tree::parse(text, first, self.limits).transpose();
        let again = before.map(|hash| Again { hash, reader: Reader::Yaml, first, text: bytes });
        self.ready.extend(parsed.map(|parsed| Ok(Read::Parsed(parsed?, again))));
    }
}

fn position(text: &[u8], offset: usize, first: u64) -> (u64, u64) {
    let (mut line, mut column) = (first, 1);
    for byte in text.iter().take(offset) {
        if *byte == b'\n' {
            line += 1;
            column = 1;
        } else {
            column += 1;
        }
    }
    (line, column)
}

impl Iterator for Stream {
    type Item = Result<Read, Fault>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(parsed) = self.ready.pop_front() {
                return Some(parsed);
            }
            if self.done {
                return None;
            }
            match self.cut() {
                Ok(Some((text, first))) => self.parse(text, first),
                Ok(None) => self.done = true,
                Err(fault) => return Some(Err(fault)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_markers_at_column_one_followed_by_space_cut() {
        for (line, mark) in [
            ("---\n", Mark::Start),
            ("---", Mark::Start),
            ("--- {a: b}\n", Mark::Start),
            ("---\r\n", Mark::Start),
            ("----\n", Mark::Content),
            ("---x\n", Mark::Content),
            (" ---\n", Mark::Content),
            ("...\n", Mark::End),
            ("....\n", Mark::Content),
            ("# c\n", Mark::Header),
            ("  # c\n", Mark::Header),
            ("\n", Mark::Header),
            ("%YAML 1.1\n", Mark::Header),
            (" %x\n", Mark::Content),
            ("a: b\n", Mark::Content),
        ] {
            assert_eq!(Mark::of(line.as_bytes()), mark, "{line:?}");
        }
    }
}
