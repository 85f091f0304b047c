//! A file that is compressed as it is written.

use flate2::write::GzEncoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use std::io::{self, Write};

/// Bytes that become one Zstandard frame.
const FRAME: usize = 1 << 20;

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    Plain,
    /// By gzip.
    Gzip,
    /// By Zstandard, in frames of a mebibyte: fast, but not as small as its own tools make it.
    Zstd,
}

impl Compression {
    /// What the ending of a file name says.
    #[must_use]
    pub fn of(name: &str) -> Self {
        if name.ends_with(".gz") {
            Self::Gzip
        } else if name.ends_with(".zst") {
            Self::Zstd
        } else {
            Self::Plain
        }
    }
}

/// Where the bytes of a corpus go.
pub struct Sink<W: Write>(Form<W>);

enum Form<W: Write> {
    Plain(W),
    Gzip(Box<GzEncoder<W>>),
    Zstd { file: W, frame: Vec<u8> },
}

impl<W: Write> Sink<W> {
    /// Compresses what is written, and writes that to `file`.
    pub fn new(file: W, compression: Compression) -> Self {
        Self(match compression {
            Compression::Plain => Form::Plain(file),
            Compression::Gzip => Form::Gzip(Box::new(GzEncoder::new(file, flate2::Compression::default()))),
            Compression::Zstd => Form::Zstd { file, frame: Vec::new() },
        })
    }

    /// Writes what is left, and gives the file back.
    ///
    /// # Errors
    /// Returns an error when it cannot be written.
    pub fn finish(self) -> io::Result<W> {
        match self.0 {
            Form::Plain(mut file) => file.flush().map(|()| file),
            Form::Gzip(encoder) => encoder.finish(),
            Form::Zstd { mut file, frame } => {
                write_frame(&mut file, &frame)?;
                file.flush().map(|()| file)
            }
        }
    }
}

fn write_frame(file: &mut impl Write, frame: &[u8]) -> io::Result<()> {
    if frame.is_empty() { Ok(()) } else { file.write_all(&compress_to_vec(frame, CompressionLevel::Fastest)) }
}

impl<W: Write> Write for Sink<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.0 {
            Form::Plain(file) => file.write(bytes),
            Form::Gzip(encoder) => encoder.write(bytes),
            Form::Zstd { file, frame } => {
                frame.extend_from_slice(bytes);
                if frame.len() >= FRAME {
                    write_frame(file, frame)?;
                    frame.clear();
                }
                Ok(bytes.len())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.0 {
            Form::Plain(file) => file.flush(),
            Form::Gzip(encoder) => encoder.flush(),
            Form::Zstd { file, .. } => file.flush(),
        }
    }
}
