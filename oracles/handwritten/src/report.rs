//! Errors that handwritten checks of many kinds make.

use takeover_harness::error::{BadValue, ErrorList, ErrorType, FieldError};
use takeover_harness::path::Path;

/// What Kubernetes says of a negative number.
pub const NEGATIVE: &str = "must be greater than or equal to 0";
/// What Kubernetes says of a field that an update may not change.
pub const IMMUTABLE: &str = "field is immutable";

/// A value outside of `supported`, which is printed in the given order.
#[must_use]
pub fn not_supported(path: &Path<'_>, bad_value: impl Into<BadValue>, supported: &[&str]) -> FieldError {
    let mut detail = String::from("supported values: ");
    for (index, value) in supported.iter().enumerate() {
        if index > 0 {
            detail.push_str(", ");
        }
        detail.push('"');
        detail.push_str(value);
        detail.push('"');
    }
    FieldError::new(ErrorType::NotSupported, path, bad_value, detail)
}

/// A text or map of more than `limit` bytes. The value itself is never shown.
#[must_use]
pub fn too_long(path: &Path<'_>, limit: usize) -> FieldError {
    FieldError::new(ErrorType::TooLong, path, BadValue::OMITTED, format!("may not be more than {limit} bytes"))
}

/// A list of `count` elements that may have at most `limit`.
#[must_use]
pub fn too_many(path: &Path<'_>, count: usize, limit: usize) -> FieldError {
    let items = if limit == 1 { "item" } else { "items" };
    FieldError::new(ErrorType::TooMany, path, count, format!("must have at most {limit} {items}"))
}

/// A failure of the server itself.
#[must_use]
pub fn internal(path: &Path<'_>, detail: String) -> FieldError {
    FieldError::new(ErrorType::Internal, path, BadValue::Null, detail)
}

/// Reports a number below zero, with the origin `minimum`.
pub fn non_negative(value: i64, path: &Path<'_>, covered: Covered, errors: &mut ErrorList) {
    if value < 0 {
        let error = FieldError::invalid(path, value, NEGATIVE).with_origin("minimum");
        errors.push(if covered == Covered::Yes { error.covered() } else { error });
    }
}

/// Whether a check is marked as covered by a declarative rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Covered {
    /// Marked.
    Yes,
    /// Not marked.
    No,
}

/// The text of an optional member; absent and empty are the same in the API types.
#[must_use]
pub fn text(value: Option<&str>) -> &str {
    value.unwrap_or_default()
}
