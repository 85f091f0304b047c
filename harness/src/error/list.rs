//! One field error, and the list a validator fills.

use super::{BadValue, ErrorType, Stability};
use crate::cause::Cause;
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
    /// How the law came to be broken that the error is about, where that is known.
    #[serde(skip)]
    pub cause: Option<Cause>,
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
            cause: None,
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

    /// About how many bytes its texts take.
    fn bytes(&self) -> usize {
        self.field.len() + self.detail.len() + self.bad_value.bytes()
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

/// The errors that a validator reports, in order, as far as there is room for them.
///
/// Reused from case to case so that a valid object costs no allocation.
///
/// INVARIANT: an object of a few bytes can break a rule at every item of a list, so the room is bounded while a validator reports:
/// what finds no room is counted ([`ErrorList::cut`]) and dropped.
#[derive(Clone, Debug, Default)]
pub struct ErrorList {
    errors: Vec<FieldError>,
    bytes: usize,
    cut: u64,
}

impl ErrorList {
    /// Most errors that a list holds.
    pub const MOST: usize = 10_000;
    /// Most bytes of text that its errors hold together.
    pub const MOST_BYTES: usize = 16 << 20;

    /// An empty list.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an error, or counts it where there is no room.
    pub fn push(&mut self, error: FieldError) {
        let bytes = self.bytes.saturating_add(error.bytes());
        if self.cut > 0 || self.errors.len() >= Self::MOST || bytes > Self::MOST_BYTES {
            self.cut = self.cut.saturating_add(1);
            return;
        }
        self.bytes = bytes;
        self.errors.push(error);
    }

    /// How many errors found no room. A list that was cut says that the object is rejected, but not which errors it has.
    #[must_use]
    pub fn cut(&self) -> u64 {
        self.cut
    }

    /// Forgets everything but the allocations.
    #[inline]
    pub fn clear(&mut self) {
        if !self.errors.is_empty() || self.cut > 0 {
            self.truncate(0);
        }
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
    #[inline]
    pub fn since_mut(&mut self, from: usize) -> &mut [FieldError] {
        self.errors.get_mut(from..).unwrap_or_default()
    }

    /// Drops the errors from index `len` on, and with any of them those that found no room.
    pub fn truncate(&mut self, len: usize) {
        let dropped = self.errors.get(len..).unwrap_or_default();
        if len == 0 || !dropped.is_empty() {
            self.cut = 0;
        }
        let bytes = dropped.iter().map(FieldError::bytes).sum();
        self.bytes = self.bytes.saturating_sub(bytes);
        self.errors.truncate(len);
    }

    /// Number of errors.
    #[must_use]
    #[inline]
    pub fn len(&self) -> usize {
        self.errors.len()
    }

    /// Whether nothing was reported.
    #[must_use]
    #[inline]
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
        let mut list = Self::new();
        errors.into_iter().for_each(|error| list.push(error));
        list
    }
}

impl<'e> IntoIterator for &'e ErrorList {
    type Item = &'e FieldError;
    type IntoIter = std::slice::Iter<'e, FieldError>;

    fn into_iter(self) -> Self::IntoIter {
        self.errors.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::{ErrorList, FieldError};
    use crate::path::Path;

    #[test]
    fn errors_without_room_are_counted_while_they_are_pushed() {
        let mut list = ErrorList::new();
        for number in 0..ErrorList::MOST + 7 {
            list.push(FieldError::invalid(&Path::ROOT, number, "bad"));
        }
        assert_eq!((list.len(), list.cut()), (ErrorList::MOST, 7));
        let whole = ErrorList::from(list.clone().into_vec());
        assert_eq!((whole.len(), whole.cut()), (ErrorList::MOST, 0));
        list.truncate(ErrorList::MOST);
        assert_eq!(list.cut(), 7, "nothing was dropped");
        list.truncate(3);
        assert_eq!((list.len(), list.cut()), (3, 0));
        list.push(FieldError::required(&Path::ROOT, ""));
        assert_eq!(list.len(), 4);
    }

    #[test]
    fn long_errors_fill_a_list_sooner() {
        let long = "x".repeat(ErrorList::MOST_BYTES / 4);
        let errors = [
            FieldError::invalid(&Path::ROOT, long.as_str(), ""),
            FieldError::invalid(&Path::ROOT.child(&long), 1, ""),
            FieldError::invalid(&Path::ROOT, 1, long.clone()),
            FieldError::invalid(&Path::ROOT, serde_json::json!({"a": [long.as_str()]}), ""),
        ];
        let mut list = ErrorList::from(errors.to_vec());
        assert_eq!((list.len(), list.cut()), (3, 1));
        list.push(FieldError::required(&Path::ROOT, ""));
        assert_eq!((list.len(), list.cut()), (3, 2), "no error is left out between others");
        list.clear();
        list.push(FieldError::required(&Path::ROOT, ""));
        assert_eq!((list.len(), list.cut()), (1, 0));
    }
}
