//! Writes a corpus.

use super::format::{Begin, End};
use super::sink::{Compression, Sink};
use crate::redact::RedactionSettings;
use serde::Serialize;
use serde_json::Value;
use std::io::{self, Write};

/// A corpus that cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The file cannot be written.
    #[error("failed to write: {0}")]
    Io(#[from] io::Error),
    /// A line is no JSON, which a test rules out.
    #[error("failed to write as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

/// A corpus that is being written. Without [`Writer::finish`] it has no end, and is recognised as cut off.
pub struct Writer<W: Write> {
    sink: Sink<W>,
    hasher: blake3::Hasher,
    cases: u64,
}

impl<W: Write> Writer<W> {
    /// Begins a corpus that was redacted with these settings; none when it was not.
    ///
    /// # Errors
    /// Returns an error when the file cannot be written.
    pub fn new(file: W, compression: Compression, redacted: Option<RedactionSettings>) -> Result<Self, StoreError> {
        let mut writer = Self { sink: Sink::new(file, compression), hasher: blake3::Hasher::new(), cases: 0 };
        writer.line(&Begin::new(redacted))?;
        Ok(writer)
    }

    /// Adds a case; its line is what [`super::line_of`] made.
    ///
    /// # Errors
    /// Returns an error when the file cannot be written.
    pub fn case(&mut self, line: &Value) -> Result<(), StoreError> {
        self.cases += 1;
        self.line(line)
    }

    /// How many cases there are so far.
    #[must_use]
    pub fn cases(&self) -> u64 {
        self.cases
    }

    /// Ends the corpus, and gives the file back.
    ///
    /// # Errors
    /// Returns an error when the file cannot be written.
    pub fn finish(mut self) -> Result<W, StoreError> {
        let end = End::new(self.cases, self.hasher.finalize().to_hex().to_string());
        self.line(&end)?;
        Ok(self.sink.finish()?)
    }

    fn line(&mut self, line: &impl Serialize) -> Result<(), StoreError> {
        let mut text = serde_json::to_vec(line)?;
        text.push(b'\n');
        self.hasher.update(&text);
        self.sink.write_all(&text)?;
        Ok(())
    }
}
