//! One file of a log, plain or packed, read line by line from its beginning.

use super::position::{HEAD, Position, fingerprint};
use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::Path;

/// Bytes read at once.
const CHUNK: usize = 64 << 10;

/// A file of a log. It stays open, whatever becomes of its name.
pub(super) struct Log {
    file: File,
    bytes: Bytes,
    name: String,
    identity: (u64, u64),
    /// The first bytes.
    head: Vec<u8>,
    fingerprint: String,
    /// Bytes before the next line.
    offset: u64,
    /// Lines before it.
    line: u64,
    /// What was read, as far as it is not passed over.
    read: Vec<u8>,
    /// Where in it the next line begins.
    begin: usize,
    /// Up to where it is known to have no line feed.
    searched: usize,
    /// Bytes of a line that is too long, which are passed over.
    passed: u64,
}

enum Bytes {
    Plain,
    Packed(Box<MultiGzDecoder<File>>),
}

/// What was read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Got {
    /// A line, with its line feed if it has one.
    Line(Vec<u8>),
    /// A line of so many bytes, which is not kept.
    TooLong(u64),
    /// No whole line more for now.
    Nothing,
}

impl Log {
    /// Opens a file, to be read from its beginning.
    pub(super) fn open(path: &Path, packed: bool) -> io::Result<Self> {
        let irregular = || io::Error::new(ErrorKind::InvalidInput, "not a regular file");
        // To open a pipe is to wait for whoever writes to it.
        if !std::fs::metadata(path)?.is_file() {
            return Err(irregular());
        }
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(irregular());
        }
        let bytes = match packed {
            true => Bytes::Packed(Box::new(MultiGzDecoder::new(file.try_clone()?))),
            false => Bytes::Plain,
        };
        Ok(Self {
            file,
            bytes,
            name: path.display().to_string(),
            identity: (metadata.dev(), metadata.ino()),
            head: Vec::new(),
            fingerprint: fingerprint(&[]),
            offset: 0,
            line: 0,
            read: Vec::new(),
            begin: 0,
            searched: 0,
            passed: 0,
        })
    }

    /// The name under which it was opened.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Device and inode.
    pub(super) fn identity(&self) -> (u64, u64) {
        self.identity
    }

    /// Bytes before the next line.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// Lines before the next one.
    pub(super) fn line(&self) -> u64 {
        self.line
    }

    /// Bytes of the file that are not read yet, as far as that can be known.
    pub(super) fn rest(&self) -> u64 {
        match self.bytes {
            Bytes::Plain => self.length().saturating_sub(self.offset),
            Bytes::Packed(_) => 0,
        }
    }

    /// Its length.
    pub(super) fn length(&self) -> u64 {
        self.file.metadata().map_or(0, |metadata| metadata.len())
    }

    /// Whether it still is what was read: not shorter, and with the same beginning.
    pub(super) fn is_intact(&self) -> io::Result<bool> {
        if matches!(self.bytes, Bytes::Packed(_)) {
            return Ok(true);
        }
        if self.file.metadata()?.len() < self.reached() {
            return Ok(false);
        }
        let mut head = vec![0; self.head.len()];
        match self.file.read_exact_at(&mut head, 0) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
            read => read.map(|()| head == self.head),
        }
    }

    /// Reads so much that it is known by its beginning.
    pub(super) fn know(&mut self) -> io::Result<()> {
        self.read_head(HEAD)
    }

    fn read_head(&mut self, bytes: usize) -> io::Result<()> {
        while self.head.len() < bytes && self.fill()? > 0 {}
        Ok(())
    }

    /// Whether it begins with what the file of a position began with, and reaches that far.
    pub(super) fn is_of(&mut self, position: &Position) -> io::Result<bool> {
        let bytes = usize::try_from(position.head_bytes).unwrap_or(HEAD).min(HEAD);
        self.read_head(bytes)?;
        let reaches = match self.bytes {
            Bytes::Plain => self.length() >= position.offset,
            Bytes::Packed(_) => true,
        };
        Ok(reaches && self.head.get(..bytes).is_some_and(|head| fingerprint(head) == position.head))
    }

    /// The position before the next line, where the file before this one was rotated at the time `after`.
    pub(super) fn position(&self, after: i64) -> Position {
        Position {
            inode: self.identity.1,
            head_bytes: self.head.len() as u64,
            head: self.fingerprint.clone(),
            offset: self.offset,
            line: self.line,
            part: 0,
            after,
        }
    }

    /// Reads the next line, of at most `limit` bytes.
    pub(super) fn next(&mut self, limit: usize) -> io::Result<Got> {
        loop {
            let feed = self.read.iter().skip(self.searched).position(|byte| *byte == b'\n');
            if let Some(feed) = feed.map(|feed| feed + self.searched) {
                return Ok(self.take(feed + 1, limit));
            }
            self.searched = self.read.len();
            if self.ahead() > limit {
                self.passed += self.ahead() as u64;
                self.begin = self.read.len();
            }
            if self.fill()? == 0 {
                return Ok(Got::Nothing);
            }
        }
    }

    /// What follows the last line feed, when nothing will be appended any more.
    pub(super) fn last(&mut self, limit: usize) -> Got {
        if self.ahead() == 0 && self.passed == 0 {
            return Got::Nothing;
        }
        self.take(self.read.len(), limit)
    }

    /// Takes everything up to `end` as a line.
    fn take(&mut self, end: usize, limit: usize) -> Got {
        let line = self.read.get(self.begin..end).unwrap_or_default();
        let bytes = self.passed + line.len() as u64;
        let got = if bytes > limit as u64 { Got::TooLong(bytes) } else { Got::Line(line.to_vec()) };
        self.passed = 0;
        self.begin = end;
        self.searched = end;
        self.offset += bytes;
        self.line += 1;
        got
    }

    /// Bytes of the next line that were read and are kept.
    fn ahead(&self) -> usize {
        self.read.len() - self.begin
    }

    /// Bytes that were read.
    fn reached(&self) -> u64 {
        self.offset + self.passed + self.ahead() as u64
    }

    fn fill(&mut self) -> io::Result<usize> {
        let at = self.reached();
        self.read.drain(..self.begin);
        self.searched -= self.begin;
        self.begin = 0;
        let kept = self.read.len();
        self.read.resize(kept + CHUNK, 0);
        let room = self.read.get_mut(kept..).unwrap_or_default();
        let read = loop {
            let read = match &mut self.bytes {
                Bytes::Plain => self.file.read_at(room, at),
                Bytes::Packed(bytes) => bytes.read(room),
            };
            match read {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        self.read.truncate(kept + read.as_ref().copied().unwrap_or_default());
        let missing = HEAD.saturating_sub(self.head.len());
        let new = self.read.get(kept..).unwrap_or_default();
        if missing > 0 && !new.is_empty() {
            self.head.extend(new.iter().take(missing));
            self.fingerprint = fingerprint(&self.head);
        }
        read
    }
}

#[cfg(test)]
mod tests {
    use super::{Got, Log};
    use std::io::Write as _;

    /// Everything there is, and then what is left without a line feed.
    fn all(log: &mut Log, limit: usize) -> Vec<Got> {
        let mut got = Vec::new();
        loop {
            match log.next(limit).unwrap() {
                Got::Nothing => return got,
                line => got.push(line),
            }
        }
    }

    fn line(text: &str) -> Got {
        Got::Line(text.as_bytes().to_vec())
    }

    #[test]
    fn lines_come_when_they_are_whole_and_long_ones_are_passed_over_in_little_memory() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let mut log = Log::open(file.path(), false).unwrap();
        assert_eq!(all(&mut log, 10), []);
        file.write_all(b"one\ntw").unwrap();
        assert_eq!(all(&mut log, 10), [line("one\n")]);
        file.write_all(b"o\n").unwrap();
        let long = "x".repeat(1 << 20);
        write!(file, "{long}").unwrap();
        assert_eq!(all(&mut log, 10), [line("two\n")]);
        assert!(log.read.capacity() < 1 << 18, "{}", log.read.capacity());
        write!(file, "x\n\nend").unwrap();
        assert_eq!(all(&mut log, 10), [Got::TooLong((1 << 20) + 2), line("\n")]);
        assert_eq!((log.line(), log.last(10), log.last(10)), (4, line("end"), Got::Nothing));
        assert_eq!((log.line(), log.offset()), (5, log.length()));
    }

    #[test]
    fn a_line_of_just_the_limit_is_kept_however_it_arrives() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let mut log = Log::open(file.path(), false).unwrap();
        for byte in b"12345678" {
            file.write_all(&[*byte]).unwrap();
            assert_eq!(all(&mut log, 9), []);
        }
        file.write_all(b"\n123456789\n").unwrap();
        assert_eq!(all(&mut log, 9), [line("12345678\n"), Got::TooLong(10)]);
    }

    #[test]
    fn a_file_is_known_by_its_beginning_packed_or_not() {
        let folder = tempfile::tempdir().unwrap();
        let (plain, packed) = (folder.path().join("a"), folder.path().join("a.gz"));
        let text = "first line\nsecond line\n".repeat(500);
        std::fs::write(&plain, &text).unwrap();
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        gzip.write_all(text.as_bytes()).unwrap();
        std::fs::write(&packed, gzip.finish().unwrap()).unwrap();
        let mut log = Log::open(&plain, false).unwrap();
        log.next(100).unwrap();
        let position = log.position(0);
        let mut other = Log::open(&packed, true).unwrap();
        assert!(other.is_of(&position).unwrap());
        assert_eq!(all(&mut other, 100).len(), 1000);
        assert!(log.is_intact().unwrap());
        std::fs::write(&plain, text.replacen("first", "other", 1)).unwrap();
        assert!(!log.is_intact().unwrap(), "as long, but not the same");
        assert!(!Log::open(&plain, false).unwrap().is_of(&position).unwrap());
        std::fs::write(&plain, "").unwrap();
        assert!(!log.is_intact().unwrap());
    }
}
