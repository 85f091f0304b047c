//! Bytes with their place in the file; what was read can be given back.

use crate::load::error::Fault;
use std::io::{self, BufRead, ErrorKind};

/// Position of the next byte.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) line: u64,
    pub(super) column: u64,
}

impl Place {
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
    place: Place,
}

impl<R: BufRead> Reader<R> {
    pub(super) fn new(rest: R, line: u64) -> Self {
        Self { rest, back: Vec::new(), taken: 0, place: Place { line, column: 1 } }
    }

    pub(super) fn place(&self) -> Place {
        self.place
    }

    /// The bytes that are at hand; none only at the end.
    pub(super) fn fill_buf(&mut self) -> io::Result<&[u8]> {
        match self.back.get(self.taken..) {
            Some(back) if !back.is_empty() => Ok(back),
            _ => self.rest.fill_buf(),
        }
    }

    /// Goes on by `length` bytes to `place`.
    pub(super) fn consume(&mut self, length: usize, place: Place) {
        self.place = place;
        if self.back.is_empty() {
            return self.rest.consume(length);
        }
        self.taken += length;
        if self.taken >= self.back.len() {
            (self.back, self.taken) = (Vec::new(), 0);
        }
    }

    /// Goes back to `place`, where `bytes` stand.
    pub(super) fn give_back(&mut self, mut bytes: Vec<u8>, place: Place) {
        bytes.extend(self.back.drain(..).skip(self.taken));
        (self.back, self.taken, self.place) = (bytes, 0, place);
    }

    pub(super) fn peek(&mut self) -> Result<Option<u8>, Fault> {
        loop {
            match self.fill_buf() {
                Ok(available) => return Ok(available.first().copied()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(Fault::unreadable(&error).on_line(self.place.line)),
            }
        }
    }

    pub(super) fn pass(&mut self, byte: u8) {
        let mut place = self.place;
        place.pass(byte);
        self.consume(1, place);
    }

    /// Skips white space and, at the very beginning, a byte order mark.
    pub(super) fn skip_space(&mut self) -> Result<Option<u8>, Fault> {
        if self.place.column == 1 && self.place.line == 1 {
            for expected in [0xef, 0xbb, 0xbf] {
                if self.peek()? == Some(expected) {
                    self.consume(1, self.place);
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
            if byte == b'{' && self.place.column == 1 {
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
