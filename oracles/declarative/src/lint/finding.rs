//! What lint finds, each with its place.

use super::def::{Level, Lint};
use super::excerpt::Excerpt;
use crate::idl::Position;

/// One finding: lint, message, place and the source line.
#[derive(Clone, Debug)]
pub struct Finding {
    pub(super) lint: &'static Lint,
    pub(super) level: Level,
    pub(super) message: String,
    pub(super) help: Option<String>,
    pub(super) position: Option<Position>,
    /// How many bytes of the line are at fault.
    pub(super) length: usize,
    /// Qualified name of the type; empty when it is about no type.
    pub(super) go_type: String,
    pub(super) field: Option<String>,
    pub(super) excerpt: Option<Excerpt>,
}

impl Finding {
    /// Which lint.
    #[must_use]
    pub fn lint(&self) -> &'static Lint {
        self.lint
    }

    /// How much it weighs.
    #[must_use]
    pub fn level(&self) -> Level {
        self.level
    }

    /// What is wrong, without the place.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What to do.
    #[must_use]
    pub fn help_text(&self) -> Option<&str> {
        self.help.as_deref()
    }

    /// File, line and column; none when the fault has no place in a file.
    #[must_use]
    pub fn position(&self) -> Option<&Position> {
        self.position.as_ref()
    }

    /// How many bytes from the position on are at fault.
    #[must_use]
    pub fn length(&self) -> usize {
        self.length
    }

    /// Qualified name of the Go type; empty when the finding is about no type.
    #[must_use]
    pub fn go_type(&self) -> &str {
        &self.go_type
    }

    /// Go name of the field, or of the constant.
    #[must_use]
    pub fn field(&self) -> Option<&str> {
        self.field.as_deref()
    }

    /// The source line, without its line end.
    #[must_use]
    pub fn source_line(&self) -> Option<&str> {
        self.excerpt.as_ref().map(Excerpt::line)
    }

    /// The source line with its neighbours.
    #[must_use]
    pub fn excerpt(&self) -> Option<&Excerpt> {
        self.excerpt.as_ref()
    }
}
