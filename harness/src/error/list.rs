//! One field error, and the list a validator fills.

use super::{BadValue, ErrorType, Stability};
use crate::path::Path;
use crate::reach::RuleId;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// One complaint about one field (`field.Error` with the marks that comparison needs).
///
/// Two errors are equal when everything but the rule that made them is equal.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FieldError {
    /// What is wrong.
    #[serde(rename = "type")]
    pub error_type: ErrorType,
    /// Where, as text; `<nil>` for the object itself.
    pub field: String,
    /// Which check complained: a bare tag name or `format=<name>`; empty when the type says it all.
    #[serde(default)]
    pub origin: Cow<'static, str>,
    /// Explanation for people.
    #[serde(default)]
    pub detail: Cow<'static, str>,
    /// The value at fault; hidden where JSON has none.
    #[serde(default = "hidden", skip_serializing_if = "BadValue::is_hidden")]
    pub bad_value: BadValue,
    /// Level of the declarative rule; none is standard.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stability: Option<Stability>,
    /// Declarative only: made by a rule that stops the field when it fails.
    #[serde(default, skip_serializing_if = "is_false")]
    pub short_circuit: bool,
    /// Handwritten only: a declarative rule is expected to report this too.
    #[serde(default, skip_serializing_if = "is_false")]
    pub covered_by_declarative: bool,
    /// Set on every handwritten error before comparison.
    #[serde(default, skip_serializing_if = "is_false")]
    pub from_imperative: bool,
    /// The declarative rule that made the error, where there is one.
    #[serde(skip)]
    pub rule: Option<RuleId>,
}

fn hidden() -> BadValue {
    BadValue::Hidden
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn is_false(value: &bool) -> bool {
    !*value
}

impl PartialEq for FieldError {
    fn eq(&self, other: &Self) -> bool {
        self.error_type == other.error_type
            && self.field == other.field
            && self.origin == other.origin
            && self.detail == other.detail
            && self.bad_value == other.bad_value
            && self.stability == other.stability
            && self.short_circuit == other.short_circuit
            && self.covered_by_declarative == other.covered_by_declarative
    }
}

impl FieldError {
    /// An error of any type at `path`, without marks.
    #[must_use]
    pub fn new(
        error_type: ErrorType,
        path: &Path<'_>,
        bad_value: impl Into<BadValue>,
        detail: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self {
            error_type,
            field: path.to_field(),
            origin: Cow::Borrowed(""),
            detail: detail.into(),
            bad_value: bad_value.into(),
            stability: None,
            short_circuit: false,
            covered_by_declarative: false,
            from_imperative: false,
            rule: None,
        }
    }

    /// A malformed or out-of-bounds value.
    #[must_use]
    pub fn invalid(path: &Path<'_>, bad_value: impl Into<BadValue>, detail: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorType::Invalid, path, bad_value, detail)
    }

    /// A missing value.
    #[must_use]
    pub fn required(path: &Path<'_>, detail: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorType::Required, path, BadValue::EMPTY, detail)
    }

    /// A value that may not be given.
    #[must_use]
    pub fn forbidden(path: &Path<'_>, detail: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorType::Forbidden, path, BadValue::EMPTY, detail)
    }

    /// A value that occurs twice.
    #[must_use]
    pub fn duplicate(path: &Path<'_>, bad_value: impl Into<BadValue>) -> Self {
        Self::new(ErrorType::Duplicate, path, bad_value, "")
    }

    /// A reference to something that does not exist.
    #[must_use]
    pub fn not_found(path: &Path<'_>, bad_value: impl Into<BadValue>) -> Self {
        Self::new(ErrorType::NotFound, path, bad_value, "")
    }

    /// Sets the origin.
    #[must_use]
    pub fn with_origin(mut self, origin: impl Into<Cow<'static, str>>) -> Self {
        self.origin = origin.into();
        self
    }

    /// Marks a handwritten error as expected from a declarative rule too.
    #[must_use]
    pub fn covered(mut self) -> Self {
        self.covered_by_declarative = true;
        self
    }
}

/// The message as Kubernetes prints it: field, type, bad value where the type shows it, detail.
impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.error_type.printed())?;
        if self.error_type.shows_bad_value() && !matches!(self.bad_value, BadValue::Hidden) {
            write!(f, ": {}", self.bad_value)?;
        }
        if !self.detail.is_empty() {
            write!(f, ": {}", self.detail)?;
        }
        Ok(())
    }
}

/// The errors that a validator reports, in order.
///
/// Reused from case to case so that a valid object costs no allocation.
#[derive(Clone, Debug, Default)]
pub struct ErrorList {
    errors: Vec<FieldError>,
}

impl ErrorList {
    /// An empty list.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an error.
    pub fn push(&mut self, error: FieldError) {
        self.errors.push(error);
    }

    /// Forgets everything but the allocations.
    pub fn clear(&mut self) {
        self.errors.clear();
    }

    /// The errors so far.
    #[must_use]
    pub fn as_slice(&self) -> &[FieldError] {
        &self.errors
    }

    /// The errors, to mark them.
    pub fn as_mut_slice(&mut self) -> &mut [FieldError] {
        &mut self.errors
    }

    /// The errors from index `from` on, to mark what a rule has just added; empty when `from` is beyond the end.
    pub fn since_mut(&mut self, from: usize) -> &mut [FieldError] {
        self.errors.get_mut(from..).unwrap_or_default()
    }

    /// Drops the errors from index `len` on.
    pub fn truncate(&mut self, len: usize) {
        self.errors.truncate(len);
    }

    /// Number of errors.
    #[must_use]
    pub fn len(&self) -> usize {
        self.errors.len()
    }

    /// Whether nothing was reported.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.errors.is_empty()
    }

    /// The errors in order.
    pub fn iter(&self) -> std::slice::Iter<'_, FieldError> {
        self.errors.iter()
    }

    /// Takes the errors out.
    #[must_use]
    pub fn into_vec(self) -> Vec<FieldError> {
        self.errors
    }
}

impl From<Vec<FieldError>> for ErrorList {
    fn from(errors: Vec<FieldError>) -> Self {
        Self { errors }
    }
}

impl<'e> IntoIterator for &'e ErrorList {
    type Item = &'e FieldError;
    type IntoIter = std::slice::Iter<'e, FieldError>;

    fn into_iter(self) -> Self::IntoIter {
        self.errors.iter()
    }
}
