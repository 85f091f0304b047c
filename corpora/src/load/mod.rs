//! Loads objects and update pairs from files, one document at a time.
//!
//! * [`load`] reads files, folders and streams: YAML as Kubernetes reads it, JSON, JSON Lines, plain or compressed by gzip
//!   or Zstandard, several documents per file, lists and envelopes of `source` and `object` unpacked. [`line()`] reads a single line.
//! * [`cases()`] turns documents into cases: update pairs as written in the files, and two cases per plain object. [`document_of`] writes
//!   what they read.
//!
//! Whatever is wrong with one document is an error value with file, line and column; the documents after it are still
//! read where their beginning is certain. Memory is bounded by [`Limits`], whatever the length of the input or of a JSON list in it.

mod barren;
mod cases;
mod document;
mod documents;
mod error;
mod input;
mod json;
mod limits;
mod lines;
mod memory;
mod open;
mod places;
mod plain;
#[cfg(test)]
mod tests;
mod unpack;
mod yaml;

pub use cases::{Cases, cases};
pub use document::{Document, Reading};
pub use documents::{Documents, Remembering, line, load};
pub use error::{LoadError, LoadErrorKind};
pub use input::{Input, files, is_recorded_name, is_uncompressed_lines};
pub use limits::Limits;
pub use places::places;

pub use crate::case_document::{LoadedCase, document_of};

pub(crate) use open::plain_lines;
