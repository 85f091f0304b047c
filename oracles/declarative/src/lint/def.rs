//! What a lint registers.

use serde::Serialize;
use std::fmt;

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Said for the record; an error when lint is strict.
    Note,
    /// Worth a look; never fails a run.
    Warning,
    /// Fails the run.
    Error,
}

/// A registered lint.
pub struct Lint {
    /// Name, as exceptions and machine-readable output write it: `lifecycle-prefix`.
    pub name: &'static str,
    /// How much its findings weigh, unless one of them says otherwise.
    pub level: Level,
    /// One sentence.
    pub summary: &'static str,
    /// When exactly it finds something, and why that matters.
    pub explanation: &'static str,
    /// Where the rule comes from.
    pub source: Origin,
    /// Whether it runs only when asked for.
    pub on_request: bool,
    /// Whether each finding is a hint, for which a line is enough.
    pub is_hint: bool,
    /// Whether its errors say what `invalid-tags` says of the same line.
    pub(super) says_invalid: bool,
}

/// Where a lint comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The linter of Kubernetes' generator has it.
    Generator,
    /// KEP-5073 asks for it.
    Proposal,
    /// KEP-1929 asks for it.
    Defaults,
    /// This project adds it.
    Own,
}

impl Lint {
    /// What a lint is when its registration says nothing else.
    pub(super) const DEFAULT: Lint = Lint {
        name: "",
        level: Level::Error,
        summary: "",
        explanation: "",
        source: Origin::Own,
        on_request: false,
        is_hint: false,
        says_invalid: false,
    };
}

impl fmt::Debug for Lint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lint").field("name", &self.name).field("level", &self.level).finish_non_exhaustive()
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}
