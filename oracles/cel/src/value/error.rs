//! Errors of evaluation, which are values too: `&&` and `||` may absorb them.

use std::borrow::Cow;
use std::sync::Arc;

/// What evaluation of a part gives.
pub type Outcome<T> = Result<T, Error>;

/// Why a part of an expression has no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    message: Arc<str>,
    fatal: bool,
}

impl Error {
    /// An error that `&&` and `||` may absorb.
    #[must_use]
    pub fn new<'m>(message: impl Into<Cow<'m, str>>) -> Self {
        Self { message: Arc::from(message.into()), fatal: false }
    }

    /// An error that ends the whole evaluation.
    #[must_use]
    pub fn fatal<'m>(message: impl Into<Cow<'m, str>>) -> Self {
        Self { message: Arc::from(message.into()), fatal: true }
    }

    /// No function takes these operands.
    #[must_use]
    pub fn no_such_overload() -> Self {
        Self::new("no such overload")
    }

    /// Whether it ends the whole evaluation.
    #[must_use]
    pub fn is_fatal(&self) -> bool {
        self.fatal
    }

    /// The text.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}
