//! What goes into validation.

use super::embedded;
use super::lists;
use super::name::Name;
use super::ratchet::Link;
use super::value::Checker;
use crate::structural::Structural;
use serde_json::Value;
use takeover_harness::error::{ErrorList, ErrorType, FieldError};
use takeover_harness::path::Path;

/// Values inside values; JSON text that servers read is not deeper.
const MAX_DEPTH: usize = 500;

/// Judges a new object.
#[must_use]
pub fn validate(structural: &Structural, object: &Value) -> ErrorList {
    if let Some(refusal) = too_deep(object) {
        return refusal;
    }
    let mut errors = Checker { prefix: "" }.errors(structural, object, None);
    embedded::check(structural, object, &mut errors);
    lists::check(structural, object, &mut errors);
    errors.into()
}

/// Whether keywords of OpenAPI accept a value, which is not deep.
pub(crate) fn accepts(structural: &Structural, value: &Value) -> bool {
    Checker { prefix: "" }.value(structural, value, &Name::Whole, None).is_valid()
}

/// Judges a changed object. What did not change is not refused, as long as the schema tells what is the same
/// (`CRDValidationRatcheting`).
#[must_use]
pub fn validate_update(structural: &Structural, object: &Value, old: &Value) -> ErrorList {
    if let Some(refusal) = too_deep(object).or_else(|| too_deep(old)) {
        return refusal;
    }
    let link = Link::root(structural, object, old);
    let mut errors = Checker { prefix: "" }.errors(structural, object, Some(link));
    embedded::check(structural, object, &mut errors);
    lists_of_update(structural, object, old, &mut errors);
    errors.into()
}

/// Judges an object whose `status` changed by its subresource: by the schema of the status alone, and the lists of the whole.
#[must_use]
pub fn validate_status_update(structural: &Structural, object: &Value, old: &Value) -> ErrorList {
    if let Some(refusal) = too_deep(object).or_else(|| too_deep(old)) {
        return refusal;
    }
    let mut errors = Vec::new();
    if let (Some(schema), Some(status)) = (structural.properties.get("status"), object.get("status")) {
        let link = old.get("status").map(|old| Link::root(schema, status, old));
        errors = Checker { prefix: "status" }.errors(schema, status, link);
    }
    lists_of_update(structural, object, old, &mut errors);
    errors.into()
}

/// What a server says in place of CEL rules when the other errors of an object, also those of its metadata, keep it from evaluating
/// them; none if it evaluates them or there are none.
#[must_use]
pub fn unchecked_rules(structural: &Structural, errors: &ErrorList) -> Option<FieldError> {
    let stops = errors.iter().any(|error| {
        matches!(
            error.error_type,
            ErrorType::NotSupported
                | ErrorType::Required
                | ErrorType::TooLong
                | ErrorType::TooMany
                | ErrorType::TypeInvalid
        )
    });
    let detail = "some validation rules were not checked because the object was invalid; correct the existing errors to complete \
                  validation";
    (stops && structural.cel_rules() > 0).then(|| FieldError::invalid(&Path::ROOT, Value::Null, detail))
}

/// Lists are judged only if those of the stored object have no error.
fn lists_of_update(structural: &Structural, object: &Value, old: &Value, errors: &mut Vec<FieldError>) {
    let mut before = Vec::new();
    lists::check(structural, old, &mut before);
    if before.is_empty() {
        lists::check(structural, object, errors);
    }
}

impl Checker<'_> {
    /// The errors of a whole value, without repetition.
    fn errors(&self, structural: &Structural, value: &Value, link: Option<Link<'_>>) -> Vec<FieldError> {
        let outcome = self.value(structural, value, &Name::Whole, link);
        let mut errors: Vec<FieldError> = Vec::with_capacity(outcome.errors.len());
        for error in outcome.errors {
            if !errors.contains(&error) {
                errors.push(error);
            }
        }
        errors
    }
}

/// The one error of an object that is too deep to be walked.
fn too_deep(object: &Value) -> Option<ErrorList> {
    let mut open = vec![(object, 0)];
    while let Some((value, depth)) = open.pop() {
        if depth > MAX_DEPTH {
            let detail = format!("nested deeper than {MAX_DEPTH} levels");
            return Some(vec![FieldError::new(ErrorType::Internal, &Path::ROOT, Value::Null, detail)].into());
        }
        match value {
            Value::Array(items) => open.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(members) => open.extend(members.values().map(|member| (member, depth + 1))),
            _ => {}
        }
    }
    None
}
