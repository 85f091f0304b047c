//! What is known wherever a value is validated.

use super::name::Name;
use super::outcome::{error, field};
use takeover_harness::error::{BadValue, ErrorType, FieldError};

/// Validates values below `prefix`: nothing, or the field that is validated alone.
#[derive(Clone, Copy, Debug)]
pub(super) struct Checker<'c> {
    pub(super) prefix: &'c str,
    /// The field that errors have which say only in their text where they are.
    pub(super) whole: &'c str,
}

impl<'c> Checker<'c> {
    pub(super) fn of(prefix: &'c str) -> Self {
        Self { prefix, whole: prefix }
    }
}

impl Checker<'_> {
    /// An error of a keyword at `name`.
    pub(super) fn error(
        &self,
        error_type: ErrorType,
        name: &Name<'_>,
        bad_value: impl Into<BadValue>,
        detail: impl Into<String>,
    ) -> FieldError {
        error(error_type, field(self.prefix, name), bad_value, detail)
    }

    /// An error that does not say where it is but in its text.
    pub(super) fn vague(&self, detail: impl Into<String>) -> FieldError {
        error(ErrorType::Invalid, self.whole.to_owned(), "", detail)
    }
}
