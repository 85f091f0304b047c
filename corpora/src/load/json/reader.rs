//! Bytes with their position in the file; what was read can be given back.

use crate::load::error::Fault;
use std::io::{self, BufRead, ErrorKind};

/// Position of the next byte.
#[derive(Clone, Copy)]
pub(super) struct TextPosition {
    pub(super) line: u64,
    pub(super) column: u64,
}

impl TextPosition {
    pub(super) fn pass(&mut self, byte: u8) {
        if byte == b'\n' {
            self.line += 1;
            self.column = 1;
        } else {
            self.column += 1;
        }
    }
}

pub(super) struct Reader<R> {
    rest: R,
    /// What was given back, of which the first `taken` bytes were read again.
    back: Vec<u8>,
    taken: usize,
    position: TextPosition,
}

impl<R: BufRead> Reader<R> {
    pub(super) fn new(rest: R, line: u64) -> Self {
        Self { rest, back: Vec::new(), taken: 0, position: TextPosition { line, column: 1 } }
    }

    pub(super) fn position(&self) -> TextPosition {
        self.position
    }

    /// The bytes that are at hand; none only at the end.
    pub(super) fn fill_buf(&mut self) -> io::Result<&[u8]> {
        match self.back.get(self.taken..) {
            Some(back) if !back.is_empty() => Ok(back),
            _ => self.rest.fill_buf(),
        }
    }

    /// Advances by `length` bytes, to `position`.
    pub(super) fn consume(&mut self, length: usize, position: TextPosition) {
        self.position = position;
        if self.back.is_empty() {
            return self.rest.consume(length);
        }
        self.taken += length;
        if self.taken >= self.back.len() {
            (self.back, self.taken) = (Vec::new(), 0);
        }
    }

    /// Goes back to `position`, where `bytes` stand.
    pub(super) fn give_back(&mut self, mut bytes: Vec<u8>, position: TextPosition) {
        bytes.extend(self.back.drain(..).skip(self.taken));
        (self.back, self.taken, self.position) = (bytes, 0, position);
    }

    pub(super) fn peek(&mut self) -> Result<Option<u8>, Fault> {
        loop {
            match self.fill_buf() {
                Ok(available) => return Ok(available.first().copied()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(Fault::unreadable(&error).on_line(self.position.line)),
            }
        }
    }

    pub(super) fn pass(&mut self, byte: u8) {
        let mut position = self.position;
        position.pass(byte);
        self.consume(1, position);
    }

    /// Skips white space and, at the very beginning, a byte order mark.
    pub(super) fn skip_space(&mut self) -> Result<Option<u8>, Fault> {
        if self.position.column == 1 && self.position.line == 1 {
            for expected in [0xef, 0xbb, 0xbf] {
                if self.peek()? == Some(expected) {
                    self.consume(1, self.position);
                }
            }
        }
        while let Some(byte) = self.peek()? {
            if !is_space(byte) {
                return Ok(Some(byte));
            }
            self.pass(byte);
        }
        Ok(None)
    }

    /// Skips the `---` of a separator line; whether there was one.
    pub(super) fn skip_separator(&mut self) -> Result<bool, Fault> {
        for _ in 0..3 {
            if self.peek()? != Some(b'-') {
                return Ok(false);
            }
            self.pass(b'-');
        }
        Ok(self.peek()?.is_none_or(is_space))
    }

    /// Skips to the next line that begins with `{`, the only place where a document surely begins.
    pub(super) fn skip_to_next(&mut self) -> Result<(), Fault> {
        while let Some(byte) = self.peek()? {
            if byte == b'{' && self.position.column == 1 {
                return Ok(());
            }
            self.pass(byte);
        }
        Ok(())
    }
}

/// White space of JSON.
pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}
