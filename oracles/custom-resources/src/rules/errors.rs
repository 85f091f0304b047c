//! What errors of rules say.

use super::language::Outcome;
use crate::structural::{CelRule, SchemaType, Structural};
use serde_json::Value;
use takeover_harness::error::{BadValue, ErrorType, FieldError};
use takeover_harness::path::Path;

/// The longest message that an expression may make, in bytes.
const MAX_MESSAGE: usize = 5120;

pub(super) const OUT_OF_BUDGET: &str =
    "validation failed due to running out of cost budget, no further validation rules will be run";
pub(super) const MESSAGE_OUT_OF_BUDGET: &str =
    "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run";

/// An error about the evaluation, not about the value.
pub(super) fn of_evaluation(node: &Structural, path: &Path<'_>, detail: String) -> FieldError {
    FieldError::invalid(path, node.ty.map_or("", SchemaType::name), detail)
}

/// The error of a rule that could not be evaluated; none for one that could.
pub(super) fn of_outcome(node: &Structural, rule: &CelRule, path: &Path<'_>, outcome: &Outcome) -> Option<FieldError> {
    let shown = shown(rule);
    let detail = match outcome {
        Outcome::Holds | Outcome::Fails => return None,
        Outcome::Error(text) => format!("{text} evaluating rule: {shown}"),
        Outcome::NoOverload(text) => format!(
            "'{text}': call arguments did not match a supported operator, function or macro signature for rule: {shown}"
        ),
        Outcome::TooExpensive => format!(
            "'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds \
             limit for rule: {shown}"
        ),
    };
    Some(of_evaluation(node, path, detail))
}

/// What names a rule in errors: its message, or its text.
fn shown(rule: &CelRule) -> &str {
    let message = rule.message.as_deref().unwrap_or_default().trim();
    if message.is_empty() { rule.rule.trim() } else { message }
}

/// The message of a rule that does not hold, when no expression makes one.
pub(super) fn message(rule: &CelRule) -> String {
    let message = rule.message.as_deref().unwrap_or_default().trim();
    if message.is_empty() { format!("failed rule: {}", rule.rule.trim()) } else { message.to_owned() }
}

/// A message that an expression made, if a server takes it.
pub(super) fn made_message(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty() && text.len() <= MAX_MESSAGE && !text.contains('\n')).then(|| text.to_owned())
}

/// The error of a rule that does not hold.
pub(super) fn of_failure(
    node: &Structural,
    (rule, below): (&CelRule, Option<&str>),
    value: &Value,
    path: &Path<'_>,
    message: String,
) -> FieldError {
    let value = match node.ty {
        Some(SchemaType::Object | SchemaType::Array) => BadValue::Hidden,
        _ => BadValue::from(value.clone()),
    };
    let error = match rule.reason.as_deref() {
        Some("FieldValueForbidden") => FieldError::forbidden(path, message),
        Some("FieldValueRequired") => FieldError::required(path, message),
        Some("FieldValueDuplicate") => FieldError::duplicate(path, value),
        _ => FieldError::new(ErrorType::Invalid, path, value, message),
    };
    at_field_path(below, path, error)
}

/// The error about the message of a rule that does not hold.
pub(super) fn of_message(node: &Structural, below: Option<&str>, path: &Path<'_>, detail: String) -> FieldError {
    at_field_path(below, path, of_evaluation(node, path, detail))
}

/// The error at the field that the rule points to.
fn at_field_path(below: Option<&str>, path: &Path<'_>, error: FieldError) -> FieldError {
    match below {
        Some(below) if path.is_root() => FieldError { field: below.to_owned(), ..error },
        Some(below) => FieldError { field: format!("{}.{below}", error.field), ..error },
        None => error,
    }
}

/// The error of a rule that does not hold or was not evaluated, at a field, with the message that it states: type, field and text are those
/// of a server; `ty` is the type of the value.
pub(crate) fn failure(rule: &CelRule, below: Option<&str>, outcome: &Outcome, field: &str, ty: &str) -> FieldError {
    let node = Structural { ty: SchemaType::of(ty), ..Structural::default() };
    let error = match of_outcome(&node, rule, &Path::ROOT, outcome) {
        Some(error) => error,
        None => of_failure(&node, (rule, below), &Value::Null, &Path::ROOT, message(rule)),
    };
    let field = match (field, error.field.as_str()) {
        ("", own) => own.to_owned(),
        (field, "<nil>") => field.to_owned(),
        (field, below) => format!("{field}.{below}"),
    };
    FieldError { field, ..error }
}
