//! Names a rule and the line where it is written, as data. They become text only where they are printed.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A rule of a subject, by what it says and where; its lifecycle level is no part of its identity.
///
/// Printed as exceptions and baselines name it: path and chain, with `<nil>` for the object itself.
///
/// ```
/// use takeover_harness::rule::RuleRef;
/// let rule = |path: &str, chain: &str| RuleRef { path: path.to_owned(), chain: chain.to_owned() };
/// assert_eq!(rule("spec.replicas", "minimum=0").to_string(), "spec.replicas minimum=0");
/// assert_eq!(rule("", "union").to_string(), "<nil> union");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RuleRef {
    /// Path pattern of the value under test, `[*]` for indexes and keys, empty for the object itself.
    pub path: String,
    /// The tag chain without lifecycle wrapper: `minimum=0`.
    pub chain: String,
}

impl fmt::Display for RuleRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, chain } = self;
        write!(f, "{} {chain}", if path.is_empty() { "<nil>" } else { path })
    }
}

/// A text that names no rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a rule such as `spec.replicas minimum=0`")]
pub struct RuleRefError(String);

impl FromStr for RuleRef {
    type Err = RuleRefError;

    /// Reads the printed form. A path has no space.
    fn from_str(text: &str) -> Result<Self, RuleRefError> {
        let (path, chain) = text.split_once(' ').ok_or_else(|| RuleRefError(text.to_owned()))?;
        if path.is_empty() || chain.is_empty() {
            return Err(RuleRefError(text.to_owned()));
        }
        Ok(Self { path: if path == "<nil>" { String::new() } else { path.to_owned() }, chain: chain.to_owned() })
    }
}

/// A line of a file. Printed, and read, as `core/v1/types.go:10`.
///
/// ```
/// use takeover_harness::rule::Source;
/// let source: Source = "core/v1/types.go:10".parse()?;
/// assert_eq!((source.file.as_str(), source.line), ("core/v1/types.go", 10));
/// assert_eq!(source.to_string(), "core/v1/types.go:10");
/// # Ok::<(), takeover_harness::rule::SourceError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Source {
    /// The file, as the reader of its text named it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

impl FromStr for Source {
    type Err = SourceError;

    /// The last colon separates the line, since names of files may hold others.
    fn from_str(text: &str) -> Result<Self, SourceError> {
        let error = || SourceError { text: text.to_owned() };
        let (file, line) = text.rsplit_once(':').ok_or_else(error)?;
        let line = line.parse().ok().filter(|line| *line > 0).ok_or_else(error)?;
        if file.is_empty() { Err(error()) } else { Ok(Self { file: file.to_owned(), line }) }
    }
}

/// A text that names no line of a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not `file:line`")]
pub struct SourceError {
    text: String,
}

#[cfg(test)]
mod tests {
    use super::{RuleRef, Source};

    #[test]
    fn a_rule_reads_as_it_is_printed() {
        for text in ["spec.replicas minimum=0", "<nil> union", "spec eachVal=pattern=\"a b\""] {
            assert_eq!(text.parse::<RuleRef>().unwrap().to_string(), text);
        }
        for text in ["", "spec.replicas", " minimum=0", "spec "] {
            assert!(text.parse::<RuleRef>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_source_reads_as_it_is_printed() {
        for (text, file, line) in [("a.go:1", "a.go", 1), ("C:\\a b.go:12", "C:\\a b.go", 12), ("a:1:2", "a:1", 2)] {
            let source: Source = text.parse().unwrap();
            assert_eq!((source.file.as_str(), source.line), (file, line));
            assert_eq!(source.to_string(), text);
        }
    }

    #[test]
    fn what_names_no_line_of_a_file_is_refused() {
        for text in ["", "a.go", "a.go:", "a.go:0", "a.go:-1", "a.go:x", ":3", "a.go:4294967296"] {
            assert_eq!(text.parse::<Source>().unwrap_err().to_string(), format!("`{text}` is not `file:line`"));
        }
    }
}
