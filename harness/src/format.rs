//! File formats: which version a file has, and whether this program can read it.
//!
//! A file says first what it is:
//!
//! ```json
//! {"format": {"name": "evidence", "major": 1, "minor": 1, "program": "0.1.0"}}
//! ```
//!
//! A minor version only adds members, and readers ignore members they do not know, so a program reads every minor version of its major
//! version. Older programs wrote a bare number, such as `"format": 1` or `"formatVersion": 1`, which is read as 1.0. Line-based files
//! give the version in the first line, as in `takeover baseline 1.0`.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;

/// A format that this program writes and reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// What the file is, in one word: `evidence`.
    pub name: &'static str,
    /// Changes when earlier files can no longer be read.
    pub major: u32,
    /// Changes when members are added.
    pub minor: u32,
    /// How to make such a file again: `run the soak again`. It completes "to get one that this program reads, …".
    pub remedy: &'static str,
}

/// What a file says about its own format.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "WrittenMark")]
pub struct FormatMark {
    /// Absent from files that have a bare number.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    major: u32,
    minor: u32,
    /// Version of the program that wrote the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    program: Option<String>,
}

/// The forms that a mark has in files.
#[derive(Deserialize)]
#[serde(untagged, expecting = "neither a version nor a map with `name`, `major` and `minor`")]
enum WrittenMark {
    Bare(u32),
    Whole { name: Option<String>, major: u32, minor: u32, program: Option<String> },
}

impl From<WrittenMark> for FormatMark {
    fn from(written: WrittenMark) -> Self {
        match written {
            WrittenMark::Bare(major) => Self { name: None, major, minor: 0, program: None },
            WrittenMark::Whole { name, major, minor, program } => Self { name, major, minor, program },
        }
    }
}

/// The part of a JSON file that is read first.
#[derive(Deserialize)]
struct Head {
    #[serde(alias = "formatVersion")]
    format: Option<FormatMark>,
}

/// A file that this program does not read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FormatError {
    /// It is not JSON, or its mark is malformed.
    #[error(transparent)]
    Damaged(#[from] serde_json::Error),
    /// It does not name its format.
    #[error("it does not state its format; `{}` has `format`", .0.name)]
    Unmarked(Format),
    /// It has another format.
    #[error("it is `{found}`, not `{}`", .wanted.name)]
    OtherName {
        /// The name of its format.
        found: String,
        /// The format that was expected.
        wanted: Format,
    },
    /// Its major version is an earlier one.
    #[error("too old: {}; to get one that this program reads, {}", Known(.found, .wanted), .wanted.remedy)]
    TooOld {
        /// What it says about itself.
        found: FormatMark,
        /// The format that was expected.
        wanted: Format,
    },
    /// Its major version is a later one.
    #[error("too new: {}; to read it, use {}", Known(.found, .wanted), Newer(.found))]
    TooNew {
        /// What it says about itself.
        found: FormatMark,
        /// The format that was expected.
        wanted: Format,
    },
}

impl Format {
    /// Returns the mark of a file that is written now.
    #[must_use]
    pub fn mark(self) -> FormatMark {
        let program = Some(env!("CARGO_PKG_VERSION").to_owned());
        FormatMark { name: Some(self.name.to_owned()), major: self.major, minor: self.minor, program }
    }

    /// Returns the version as line-based files give it in their first line.
    #[must_use]
    pub fn version(self) -> String {
        format!("{}.{}", self.major, self.minor)
    }

    /// Checks whether this program reads a file with this mark.
    ///
    /// # Errors
    /// Returns an error when the file has another format or another major version.
    pub fn check(self, found: &FormatMark) -> Result<(), FormatError> {
        if let Some(name) = found.name.as_deref().filter(|name| *name != self.name) {
            return Err(FormatError::OtherName { found: name.to_owned(), wanted: self });
        }
        match found.major.cmp(&self.major) {
            std::cmp::Ordering::Less => Err(FormatError::TooOld { found: found.clone(), wanted: self }),
            std::cmp::Ordering::Equal => Ok(()),
            std::cmp::Ordering::Greater => Err(FormatError::TooNew { found: found.clone(), wanted: self }),
        }
    }

    /// Checks by its mark whether this program reads the JSON file with this text.
    ///
    /// # Errors
    /// Returns an error when the text is not JSON, or has no mark or one that is not read.
    pub fn check_json(self, text: impl AsRef<[u8]>) -> Result<(), FormatError> {
        let head: Head = serde_json::from_slice(text.as_ref())?;
        self.check_head(&head)
    }

    /// Does the same as [`Format::check_json`], for JSON that was parsed already.
    ///
    /// # Errors
    /// Returns an error when it has no mark, or one that is not read.
    pub fn check_value(self, value: &Value) -> Result<(), FormatError> {
        self.check_head(&Head::deserialize(value)?)
    }

    fn check_head(self, head: &Head) -> Result<(), FormatError> {
        self.check(head.format.as_ref().ok_or(FormatError::Unmarked(self))?)
    }

    /// Checks whether this program reads a line-based file with this version in its first line: `1.0`, or `1` for 1.0.
    ///
    /// # Errors
    /// Returns an error when the text is not a version, or has another major version.
    pub fn check_version(self, version: &str) -> Result<(), FormatError> {
        let (major, minor) = version.split_once('.').unwrap_or((version, "0"));
        let (Ok(major), Ok(minor)) = (major.parse(), minor.parse()) else { return Err(FormatError::Unmarked(self)) };
        self.check(&FormatMark { name: Some(self.name.to_owned()), major, minor, program: None })
    }
}

/// Prints the format of a file and the one that this program reads.
struct Known<'f>(&'f FormatMark, &'f Format);

impl fmt::Display for Known<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(found, wanted) = self;
        write!(f, "`{}` of format {}.{}", wanted.name, found.major, found.minor)?;
        if let Some(program) = &found.program {
            write!(f, ", written by Takeover {program}")?;
        }
        write!(f, ", and Takeover {} reads format {}", env!("CARGO_PKG_VERSION"), wanted.major)
    }
}

/// Prints the program that reads the file of a newer program.
struct Newer<'f>(&'f FormatMark);

impl fmt::Display for Newer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.program {
            Some(program) => write!(f, "Takeover {program} or later"),
            None => f.write_str("a later Takeover"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Format, FormatError};

    const NOTES: Format = Format { name: "notes", major: 2, minor: 3, remedy: "take notes again" };

    #[test]
    fn a_mark_reads_back_and_is_read_whatever_the_minor_version() {
        let written = serde_json::json!({"format": NOTES.mark(), "more": [1]}).to_string();
        NOTES.check_json(&written).unwrap();
        for minor in [0, 2, 9] {
            NOTES.check_json(written.replace("\"minor\":3", &format!("\"minor\":{minor},\"later\":{{}}"))).unwrap();
        }
    }

    #[test]
    fn bare_numbers_are_versions_without_a_minor_one() {
        for member in ["format", "formatVersion"] {
            NOTES.check_json(format!("{{\"a\": 1, \"{member}\": 2}}")).unwrap();
            let old = NOTES.check_json(format!("{{\"{member}\": 1}}")).unwrap_err();
            assert!(matches!(old, FormatError::TooOld { .. }), "{old}");
        }
        for version in ["2", "2.0", "2.4"] {
            NOTES.check_version(version).unwrap();
        }
        assert!(matches!(NOTES.check_version("1.9"), Err(FormatError::TooOld { .. })));
        assert!(matches!(NOTES.check_version("3"), Err(FormatError::TooNew { .. })));
    }

    #[test]
    fn a_mark_that_was_read_is_written_as_one_that_is_read() {
        for text in ["1", "{\"name\":\"notes\",\"major\":2,\"minor\":9,\"program\":\"9.0.1\"}"] {
            let mark: super::FormatMark = serde_json::from_str(text).unwrap();
            let again = serde_json::from_str(&serde_json::to_string(&mark).unwrap()).unwrap();
            assert_eq!(mark, again);
        }
    }

    #[test]
    fn what_is_not_read_is_named_with_what_wrote_it_and_what_to_do() {
        let mark = |name: &str, major: u32, program: &str| {
            format!("{{\"format\": {{\"name\": \"{name}\", \"major\": {major}, \"minor\": 7{program}}}}}")
        };
        let own = env!("CARGO_PKG_VERSION");
        for (text, said) in [
            (
                mark("notes", 1, ", \"program\": \"0.0.9\""),
                format!(
                    "too old: `notes` of format 1.7, written by Takeover 0.0.9, and Takeover {own} reads format 2; to get one that \
                     this program reads, take notes again"
                ),
            ),
            (
                mark("notes", 3, ", \"program\": \"9.0.1\""),
                format!(
                    "too new: `notes` of format 3.7, written by Takeover 9.0.1, and Takeover {own} reads format 2; to read it, use \
                     Takeover 9.0.1 or later"
                ),
            ),
            (
                mark("notes", 3, ""),
                format!(
                    "too new: `notes` of format 3.7, and Takeover {own} reads format 2; to read it, use a later Takeover"
                ),
            ),
            (mark("songs", 2, ""), "it is `songs`, not `notes`".to_owned()),
            ("{\"version\": 2}".to_owned(), "it does not state its format; `notes` has `format`".to_owned()),
            (
                "{\"format\": \"int32\"}".to_owned(),
                "neither a version nor a map with `name`, `major` and `minor` at line 1 column 19".to_owned(),
            ),
            ("[".to_owned(), "EOF while parsing a list at line 1 column 1".to_owned()),
        ] {
            assert_eq!(NOTES.check_json(&text).unwrap_err().to_string(), said, "{text}");
        }
        assert!(matches!(NOTES.check_version("two"), Err(FormatError::Unmarked(_))));
    }
}
