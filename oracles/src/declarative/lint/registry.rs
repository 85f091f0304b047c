//! All lints.

use super::finding::Level;
use super::model::Model;
use super::rules;
use super::sink::Sink;
use std::fmt;

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
    /// Whether its errors say what `invalid-tags` says of the same line.
    pub(super) says_invalid: bool,
    pub(super) run: fn(&Model<'_>, &mut Sink<'_>),
}

/// Where a lint comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The linter of Kubernetes' generator has it.
    Generator,
    /// KEP-5073 asks for it.
    Proposal,
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
        says_invalid: false,
        run: |_, _| {},
    };
}

impl fmt::Debug for Lint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lint").field("name", &self.name).field("level", &self.level).finish_non_exhaustive()
    }
}

/// Every lint, in the order they run.
pub const LINTS: &[&Lint] = &[
    &rules::source::GO_SOURCE,
    &rules::invalid::INVALID_TAGS,
    &rules::lifecycle::PREFIX,
    &rules::lifecycle::NESTED,
    &rules::lifecycle::PAYLOAD,
    &rules::lifecycle::SINCE,
    &rules::lifecycle::OWNER,
    &rules::graduation::GRADUATION,
    &rules::stability::STABILITY,
    &rules::requiredness::REQUIREDNESS,
    &rules::tri_state::TRI_STATE,
    &rules::tri_state::OPTIONAL_DEFAULT,
    &rules::default_value::DEFAULT_VALUE,
    &rules::never_fires::NEVER_FIRES,
    &rules::drift::DRIFT,
    &rules::lost_tags::DETACHED,
    &rules::lost_tags::TYPEDEF,
    &rules::unknown::UNKNOWN_TAG,
    &rules::package::KNOWN_TAGS_ONLY,
    &rules::package::EXPLICIT_DISABLEMENT,
    &rules::source::UNUSED_EXCEPTION,
];

/// The lint of this name.
#[must_use]
pub fn lookup(name: &str) -> Option<&'static Lint> {
    LINTS.iter().find(|lint| lint.name == name).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lint_is_registered_once_and_documented() {
        let mut seen = std::collections::HashSet::new();
        for lint in LINTS {
            assert!(seen.insert(lint.name), "`{}` is registered twice", lint.name);
            assert!(lint.summary.ends_with('.') && lint.explanation.ends_with('.'), "`{}` lacks prose", lint.name);
        }
    }
}
