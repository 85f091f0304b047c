//! Patterns of texts.

use std::ops::Deref;
use std::sync::OnceLock;
use takeover_cel::library::pattern;
pub use takeover_cel::library::pattern::PatternError;

/// A pattern in Go's syntax. Texts to try on it are made once, as many schemas may have it.
#[derive(Clone, Debug)]
pub struct Pattern {
    compiled: pattern::Pattern,
    pub(crate) candidates: OnceLock<Vec<String>>,
}

impl Pattern {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// Returns an error when Go refuses it, or when it takes too much memory.
    pub fn new(text: &str) -> Result<Self, PatternError> {
        Ok(Self { compiled: pattern::Pattern::new(text)?, candidates: OnceLock::new() })
    }
}

impl Deref for Pattern {
    type Target = pattern::Pattern;

    fn deref(&self) -> &Self::Target {
        &self.compiled
    }
}
