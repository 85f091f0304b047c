//! What is wrong with tags, and where.

use crate::idl::Position;
use std::fmt;
use takeover_harness::text::nearest;

/// A complaint about tags or types, with its place in the Go source.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Diagnostic {
    /// Where the tag, field or type stands, where known.
    pub position: Option<Position>,
    /// What is wrong, naming the type or field.
    pub message: String,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(position) = &self.position {
            write!(f, "{}:{}:{}: ", position.file, position.line, position.column)?;
        }
        f.write_str(&self.message)
    }
}

/// A complaint while one tag compiles; whoever compiles the field adds the place.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    /// What is wrong.
    pub(crate) message: String,
    /// Where, when it is not where the outermost tag stands.
    pub(crate) position: Option<Position>,
}

impl Problem {
    /// A complaint.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), position: None }
    }

    /// A complaint about a name, with the known one that was probably meant.
    pub(crate) fn misspelt<'k>(
        message: impl Into<String>,
        name: &str,
        known: impl IntoIterator<Item = &'k str>,
    ) -> Self {
        let meant = nearest(name, known).map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        Self::new(message.into() + &meant)
    }

    /// With a place, unless it has one.
    pub(crate) fn at(mut self, position: &Position) -> Self {
        self.position.get_or_insert_with(|| position.clone());
        self
    }
}
