//! How to lint.

use super::def::Lint;
use super::exceptions::Exceptions;
use std::collections::BTreeSet;
use takeover_harness::release::Release;

/// How to lint.
#[derive(Clone, Debug, Default)]
pub struct LintSettings {
    /// Makes errors of notes.
    pub strict: bool,
    /// Lints whose findings are errors whatever their level, by name; those that run only when asked for run too.
    pub deny: BTreeSet<&'static str>,
    /// Lints that do not run, by name.
    pub allow: BTreeSet<&'static str>,
    /// The release that graduation is judged for; without one it is not judged.
    pub release: Option<Release>,
    /// Findings that are intended.
    pub exceptions: Exceptions,
}

impl LintSettings {
    /// Whether a lint runs.
    #[must_use]
    pub fn runs(&self, lint: &Lint) -> bool {
        let asked = !lint.on_request || self.deny.contains(lint.name);
        asked && !self.allow.contains(lint.name)
    }
}
