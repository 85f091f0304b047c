//! Where reading stands, so that another server can go on there.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Most bytes at the beginning of a file that it is known by.
pub(super) const HEAD: usize = 1024;

/// A log to follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tail {
    /// The file that is written to.
    pub path: PathBuf,
    /// Where to begin.
    pub start: Start,
}

/// Where to begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// With what is written from now on.
    End,
    /// With the oldest file into which the log was rotated.
    Beginning,
    /// Where an earlier server stopped.
    At(Position),
}

/// Where reading stands: before a line of a file, whatever the file is called by now.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Position {
    /// Number of the file in its file system.
    pub inode: u64,
    /// How many bytes at its beginning it is known by.
    pub head_bytes: u64,
    /// Hash of these.
    pub head: String,
    /// Bytes before the line, unpacked.
    pub offset: u64,
    /// Lines before it.
    pub line: u64,
    /// How many of the requests that come of the line are counted already.
    pub part: u64,
    /// When the file before this one was rotated, in milliseconds since 1970; 0 when that is not known.
    pub after: i64,
}

/// What the beginning of a file is known by.
pub(super) fn fingerprint(head: &[u8]) -> String {
    blake3::hash(head).to_hex().chars().take(32).collect()
}

/// How far a log was read when everything up to there is recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogMark {
    /// Number of the log.
    pub log: usize,
    /// Counts the marks of a log.
    pub sequence: u64,
    /// Where reading stands.
    pub position: Position,
}
