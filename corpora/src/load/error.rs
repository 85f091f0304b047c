//! What can be wrong with an input.

use crate::requests::Skip;
use crate::shortened::shortened;
use std::fmt;

/// A document, file or folder that could not be loaded. Names the file and, where there is one, line and column.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {detail}", FilePosition(.path, *.line, *.column))]
pub struct LoadError {
    path: String,
    line: Option<u64>,
    column: Option<u64>,
    kind: LoadErrorKind,
    detail: String,
}

impl LoadError {
    pub(super) fn new(path: impl Into<String>, fault: Fault) -> Self {
        Self { path: path.into(), line: fault.line, column: fault.column, kind: fault.kind, detail: fault.detail }
    }

    /// The file or folder as named by the user or found below a named folder; `-` for standard input.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Line of the fault or of the document at fault, from 1.
    #[must_use]
    pub fn line(&self) -> Option<u64> {
        self.line
    }

    /// Column of the fault, from 1.
    #[must_use]
    pub fn column(&self) -> Option<u64> {
        self.column
    }

    /// The sort of fault.
    #[must_use]
    pub fn kind(&self) -> LoadErrorKind {
        self.kind
    }

    /// The explanation without the place.
    #[must_use]
    pub fn detail(&self) -> &str {
        &self.detail
    }
}

/// Sorts of faults, to count them by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum LoadErrorKind {
    /// The file or folder could not be read.
    Unreadable,
    /// The compressed data is broken.
    Compression,
    /// The text is not UTF-8.
    Encoding,
    /// Neither YAML nor JSON.
    Syntax,
    /// A key given twice in one map.
    RepeatedKey,
    /// A key or value that JSON cannot hold, or a value that its tag does not allow.
    Unrepresentable,
    /// An alias within its own anchor, or one that names no anchor.
    Alias,
    /// Nested deeper than the limit.
    TooDeep,
    /// Longer than the limit.
    TooLarge,
    /// More values than the limit, written out or by aliases.
    TooManyValues,
    /// Not an object with `apiVersion` and `kind`.
    NotAnObject,
    /// A case that lacks a part or has one too many.
    BadCase,
    /// A corpus has a format that is not read, so that none of its cases is read.
    OtherFormat,
    /// No object in any of the inputs.
    NothingFound,
    /// A recorded request that was read and that no case comes of. It is no fault of the input.
    NoCase(Skip),
}

impl fmt::Display for LoadErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unreadable => "unreadable",
            Self::Compression => "broken compression",
            Self::Encoding => "not UTF-8",
            Self::Syntax => "broken syntax",
            Self::RepeatedKey => "repeated key",
            Self::Unrepresentable => "not representable",
            Self::Alias => "bad alias",
            Self::TooDeep => "nested too deeply",
            Self::TooLarge => "too large",
            Self::TooManyValues => "too many values",
            Self::NotAnObject => "not an object",
            Self::BadCase => "bad case",
            Self::OtherFormat => "another format",
            Self::NothingFound => "nothing found",
            Self::NoCase(skip) => return skip.fmt(f),
        })
    }
}

/// A fault in a file whose name is known further out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) line: Option<u64>,
    pub(super) column: Option<u64>,
    pub(super) kind: LoadErrorKind,
    pub(super) detail: String,
}

impl Fault {
    pub(super) fn new(kind: LoadErrorKind, detail: impl Into<String>) -> Self {
        Self { line: None, column: None, kind, detail: detail.into() }
    }

    pub(super) fn at(mut self, line: u64, column: u64) -> Self {
        self.line = Some(line);
        self.column = Some(column);
        self
    }

    pub(super) fn on_line(mut self, line: u64) -> Self {
        self.line = Some(line);
        self
    }

    pub(super) fn too_large(limit: usize) -> Self {
        Self::new(
            LoadErrorKind::TooLarge,
            format!(
                "a document here is longer than the limit of {limit} bytes; \
                 the rest of the file is left out (raise the limit or split the file)"
            ),
        )
    }

    pub(super) fn too_deep(limit: usize) -> Self {
        Self::new(LoadErrorKind::TooDeep, format!("lists and maps are nested deeper than the limit of {limit} levels"))
    }

    pub(super) fn too_many_values(limit: usize) -> Self {
        Self::new(LoadErrorKind::TooManyValues, format!("the document contains more values than the limit of {limit}"))
    }

    pub(super) fn repeated_key(key: &str) -> Self {
        Self::new(LoadErrorKind::RepeatedKey, format!("key `{}` occurs twice in one map", shortened(key)))
    }

    pub(super) fn unreadable(error: &std::io::Error) -> Self {
        // Decoders report broken data by these kinds; everything else comes from the file system.
        let kind = match error.kind() {
            std::io::ErrorKind::FileTooLarge => LoadErrorKind::TooLarge,
            std::io::ErrorKind::InvalidInput
            | std::io::ErrorKind::InvalidData
            | std::io::ErrorKind::UnexpectedEof
            | std::io::ErrorKind::Other => LoadErrorKind::Compression,
            _ => LoadErrorKind::Unreadable,
        };
        Self::new(kind, format!("failed to read: {error}"))
    }
}

struct FilePosition<'e>(&'e str, Option<u64>, Option<u64>);

impl fmt::Display for FilePosition<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}", self.0)?;
        if let Some(line) = self.1 {
            write!(f, ":{line}")?;
        }
        if let Some(column) = self.2 {
            write!(f, ":{column}")?;
        }
        f.write_str("`")
    }
}
