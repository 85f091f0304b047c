//! Reads a long object piece by piece.

use super::contract::{Storage, Version};
use std::io::{self, Read};
use std::ops::Range;
use std::sync::Arc;

/// How many bytes are asked for at once.
const PIECE: u64 = 4 << 20;

/// The bytes of a range of an object. Memory holds one piece of it.
#[derive(Debug)]
pub(crate) struct RangeReader {
    storage: Arc<dyn Storage>,
    name: String,
    version: Version,
    left: Range<u64>,
    piece: io::Cursor<Vec<u8>>,
}

impl RangeReader {
    pub(crate) fn new(storage: Arc<dyn Storage>, name: &str, version: Version, range: Range<u64>) -> Self {
        Self { storage, name: name.to_owned(), version, left: range, piece: io::Cursor::default() }
    }
}

impl Read for RangeReader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let given = self.piece.read(into)?;
        if given > 0 || into.is_empty() || self.left.is_empty() {
            return Ok(given);
        }
        let end = self.left.start.saturating_add(PIECE).min(self.left.end);
        let piece = self.storage.read_range(&self.name, &self.version, self.left.start..end);
        let piece = piece.map_err(io::Error::other)?;
        if piece.is_empty() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.left.start += piece.len() as u64;
        self.piece = io::Cursor::new(piece);
        self.piece.read(into)
    }
}
