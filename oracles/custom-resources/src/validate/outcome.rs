//! What validation of a value by one schema gives.

use super::name::Name;
use takeover_harness::error::{BadValue, ErrorType, FieldError};
use takeover_harness::path::Path;

/// Errors, and how well the value fits: of several alternatives that fail, the one that fits best shows its errors.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub(super) errors: Vec<FieldError>,
    pub(super) matches: u64,
}

impl Outcome {
    pub(super) fn is_valid(&self) -> bool {
        self.errors.is_empty()
    }

    /// Adds the errors and the fit of a part.
    pub(super) fn merge(&mut self, part: Self) {
        self.errors.extend(part.errors);
        self.matches += part.matches;
    }
}

/// An error at `field`; the empty one is the whole object.
pub(super) fn error(
    error_type: ErrorType,
    field: String,
    bad_value: impl Into<BadValue>,
    detail: impl Into<String>,
) -> FieldError {
    let mut error = FieldError::new(error_type, &Path::ROOT, bad_value, detail.into());
    if !field.is_empty() {
        error.field = field;
    }
    error
}

/// The field of an error at `name` below `prefix`.
pub(super) fn field(prefix: &str, name: &Name<'_>) -> String {
    let name = name.to_string();
    let name = name.trim_start_matches('.');
    match (prefix, name) {
        ("", name) => name.to_owned(),
        (prefix, "") => prefix.to_owned(),
        (prefix, name) if name.starts_with('[') => format!("{prefix}{name}"),
        (prefix, name) => format!("{prefix}.{name}"),
    }
}
