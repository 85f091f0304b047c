//! What goes into validation.

use super::checker::Checker;
use super::embedded;
use super::lists;
use super::metadata::{validate_metadata, validate_metadata_update};
use super::name::Name;
use super::ratchet::Link;
use super::scale::validate_scale;
use crate::kind::CustomKind;
use crate::structural::Structural;
use serde_json::Value;
use takeover_harness::error::{ErrorList, ErrorType, FieldError};
use takeover_harness::path::Path;

/// Values inside values; JSON text that servers read is not deeper.
const MAX_DEPTH: usize = 500;

/// What is asked of a server.
#[derive(Clone, Copy, Debug)]
pub enum Request<'r> {
    /// To store a new object.
    Create,
    /// To change the object, which is this one so far.
    Update(&'r Value),
    /// To change the status of the object, which is this one so far, by its subresource.
    UpdateStatus(&'r Value),
}

/// Judges an object as a server does, all but CEL rules: its kind, its metadata, its schema, its scale, the objects and the lists
/// in it. Ends with what the server says if it does not evaluate CEL rules.
///
/// The object is as the steps before validation leave it: coerced, with the name and the generation that the server gives, and
/// without what the request may not change.
#[must_use]
pub fn validate_request(kind: &CustomKind, object: &Value, request: Request<'_>) -> ErrorList {
    let wrong_kind = type_meta(kind, object);
    let mut errors = wrong_kind.clone();
    if wrong_kind.is_empty() {
        let metadata = match request {
            Request::Create => validate_metadata(kind.scope, object),
            Request::Update(old) | Request::UpdateStatus(old) => validate_metadata_update(object, old),
        };
        errors.extend(metadata.into_vec());
        if let Some(scale) = &kind.scale {
            errors.extend(validate_scale(scale, object, matches!(request, Request::UpdateStatus(_))).into_vec());
        }
    }
    errors.extend(judge(&kind.structural, object, request, wrong_kind.is_empty()));
    let mut errors: ErrorList = errors.into();
    if let Some(error) = unchecked_rules(&kind.structural, &errors) {
        errors.push(error);
    }
    errors
}

fn type_meta(kind: &CustomKind, object: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for (name, expected) in [("kind", kind.kind.clone()), ("apiVersion", kind.api_version())] {
        let found = object.get(name).and_then(Value::as_str).unwrap_or_default();
        if found != expected {
            errors.push(FieldError::invalid(&Path::ROOT.child(name), found, format!("must be {expected}")));
        }
    }
    errors
}

/// Judges a new object by its schema.
#[must_use]
pub fn validate(structural: &Structural, object: &Value) -> ErrorList {
    judge(structural, object, Request::Create, true).into()
}

/// Whether keywords of OpenAPI accept a value, which is not deep.
pub(crate) fn accepts(structural: &Structural, value: &Value) -> bool {
    Checker { prefix: "" }.value(structural, value, &Name::Whole, None).is_valid()
}

/// Judges a changed object by its schema. What did not change is not refused, as long as the schema tells what is the same
/// (`CRDValidationRatcheting`).
#[must_use]
pub fn validate_update(structural: &Structural, object: &Value, old: &Value) -> ErrorList {
    judge(structural, object, Request::Update(old), true).into()
}

/// Judges an object whose `status` changed by its subresource: by the schema of the status alone, and the lists of the whole.
#[must_use]
pub fn validate_status_update(structural: &Structural, object: &Value, old: &Value) -> ErrorList {
    judge(structural, object, Request::UpdateStatus(old), true).into()
}

/// The errors of keywords, if they are asked for, of embedded objects and of lists.
fn judge(structural: &Structural, object: &Value, request: Request<'_>, keywords: bool) -> Vec<FieldError> {
    let old = match request {
        Request::Create => None,
        Request::Update(old) | Request::UpdateStatus(old) => Some(old),
    };
    if let Some(refusal) = [Some(object), old].into_iter().flatten().find_map(too_deep) {
        return vec![refusal];
    }
    let whole = Checker { prefix: "" };
    let mut errors = match request {
        _ if !keywords => Vec::new(),
        Request::Create => whole.errors(structural, object, None),
        Request::Update(old) => whole.errors(structural, object, Some(Link::root(structural, object, old))),
        Request::UpdateStatus(old) => match (structural.properties.get("status"), object.get("status")) {
            (Some(schema), Some(status)) => {
                let link = old.get("status").map(|old| Link::root(schema, status, old));
                Checker { prefix: "status" }.errors(schema, status, link)
            }
            _ => Vec::new(),
        },
    };
    if !matches!(request, Request::UpdateStatus(_)) {
        embedded::check(structural, object, &mut errors);
    }
    // Lists are judged only if those of the stored object have no error.
    let mut before = Vec::new();
    old.into_iter().for_each(|old| lists::check(structural, old, &mut before));
    if before.is_empty() {
        lists::check(structural, object, &mut errors);
    }
    errors
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
fn too_deep(object: &Value) -> Option<FieldError> {
    let mut open = vec![(object, 0)];
    while let Some((value, depth)) = open.pop() {
        if depth > MAX_DEPTH {
            let detail = format!("nested deeper than {MAX_DEPTH} levels");
            return Some(FieldError::new(ErrorType::Internal, &Path::ROOT, Value::Null, detail));
        }
        match value {
            Value::Array(items) => open.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(members) => open.extend(members.values().map(|member| (member, depth + 1))),
            _ => {}
        }
    }
    None
}
