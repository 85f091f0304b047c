//! Opens an input as a stream of plain bytes, whatever it is compressed by.

use super::error::{Fault, LoadErrorKind};
use super::limits::Limits;
use super::lines::{Line, append_line};
use flate2::read::MultiGzDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::io::{self, BufRead, BufReader, Read};

const GZIP: &[u8] = &[0x1f, 0x8b];
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];
/// Bytes read from a file at once.
const BUFFER: usize = 64 << 10;

/// A stream of plain bytes.
pub(super) type Plain = Box<dyn BufRead + Send>;

/// The plain bytes of `raw`. Compression is recognised by its first bytes; the name only says what must be there.
pub(super) fn plain(name: &str, raw: Box<dyn Read + Send>) -> Result<Plain, Fault> {
    let mut raw = BufReader::with_capacity(BUFFER, raw);
    let start = raw.fill_buf().map_err(|error| Fault::unreadable(&error))?;
    if start.starts_with(GZIP) {
        return Ok(Box::new(BufReader::with_capacity(BUFFER, MultiGzDecoder::new(raw))));
    }
    if start.starts_with(ZSTD) {
        return Ok(Box::new(BufReader::with_capacity(BUFFER, Zstd { state: State::Between(raw) })));
    }
    let (_, packed) = inner_name(name);
    if let Some(packed) = packed
        && !start.is_empty()
    {
        return Err(Fault::new(
            LoadErrorKind::Compression,
            format!("the name ends in `.{packed}`, but the data does not"),
        ));
    }
    Ok(Box::new(raw))
}

/// The lines of `raw`, unpacked, each with its line feed; what is wrong with one ends them.
pub(crate) fn plain_lines(name: &str, raw: Box<dyn Read + Send>) -> impl Iterator<Item = Result<Vec<u8>, String>> {
    let limit = Limits::default().document_bytes;
    let mut opened = Some(plain(name, raw).map_err(|fault| fault.detail));
    std::iter::from_fn(move || {
        let mut bytes = match opened.take()? {
            Ok(bytes) => bytes,
            Err(detail) => return Some(Err(detail)),
        };
        let mut text = Vec::new();
        match append_line(&mut bytes, &mut text, limit) {
            Ok(Line::Read) => {
                opened = Some(Ok(bytes));
                Some(Ok(text))
            }
            Ok(Line::End) => None,
            Ok(Line::TooLong) => Some(Err(Fault::too_large(limit).detail)),
            Err(error) => Some(Err(Fault::unreadable(&error).detail)),
        }
    })
}

/// The name without the ending of a compression, and that ending.
pub(super) fn inner_name(name: &str) -> (&str, Option<&'static str>) {
    if let Some(inner) = name.strip_suffix(".gz") {
        (inner, Some("gz"))
    } else if let Some(inner) = name.strip_suffix(".zst") {
        (inner, Some("zst"))
    } else {
        (name, None)
    }
}

/// Zstandard data of any number of frames, one after the other.
struct Zstd<R> {
    state: State<R>,
}

enum State<R> {
    /// Before a frame or at the end.
    Between(R),
    /// In a frame whose header has been read.
    Within(R, Box<FrameDecoder>),
    /// At the end, or after an error.
    Done,
}

impl<R: BufRead> Read for Zstd<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() {
            return Ok(0);
        }
        loop {
            match std::mem::replace(&mut self.state, State::Done) {
                State::Done => return Ok(0),
                State::Between(mut raw) => {
                    if raw.fill_buf()?.is_empty() {
                        return Ok(0);
                    }
                    self.state = next_frame(raw)?;
                }
                State::Within(mut raw, mut frame) => {
                    while frame.can_collect() == 0 && !frame.is_finished() {
                        frame.decode_blocks(&mut raw, BlockDecodingStrategy::UptoBlocks(1)).map_err(broken)?;
                    }
                    let length = frame.read(into)?;
                    if length > 0 {
                        self.state = State::Within(raw, frame);
                        return Ok(length);
                    }
                    self.state = State::Between(raw);
                }
            }
        }
    }
}

fn next_frame<R: BufRead>(mut raw: R) -> io::Result<State<R>> {
    let mut frame = Box::new(FrameDecoder::new());
    match frame.init(&mut raw) {
        Ok(()) => Ok(State::Within(raw, frame)),
        Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
            let skipped = io::copy(&mut raw.by_ref().take(u64::from(length)), &mut io::sink())?;
            if skipped < u64::from(length) {
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the compressed data is truncated"));
            }
            Ok(State::Between(raw))
        }
        Err(error) => Err(broken(error)),
    }
}

fn broken(error: FrameDecoderError) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error.to_string())
}
