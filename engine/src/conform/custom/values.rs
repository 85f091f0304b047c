//! Recorded answers and ours in the same form.

use serde_json::{Map, Value};
use takeover_corpora::fixture::{Recorded, SourcedError};
use takeover_custom_resources::rules::Found;
use takeover_custom_resources::validate::Source;
use takeover_harness::compare::{Comparator, Unset};
use takeover_harness::error::{BadValue, ErrorType, FieldError};
use takeover_harness::path::Path;

/// Objects are compared member by member: what is absent is not null.
pub(in super::super) const OBJECTS: Comparator = Comparator::Objects { unset: Unset::Distinct };

/// An object with whole floats as integers, as Go's encoder writes them.
pub(super) fn as_written(value: Value) -> Value {
    match value {
        Value::Number(_) => BadValue::from(value).to_json(),
        Value::Array(items) => items.into_iter().map(as_written).collect(),
        Value::Object(members) => {
            members.into_iter().map(|(name, value)| (name, as_written(value))).collect::<Map<_, _>>().into()
        }
        other => other,
    }
}

/// An answer that is an object.
pub(in super::super) fn object(value: Value) -> Recorded {
    Recorded::object(Ok(as_written(value)))
}

/// An answer that is a list of texts, whose order does not count.
pub(in super::super) fn texts<'t>(texts: impl IntoIterator<Item = &'t String>) -> Recorded {
    let said = |text: &String| FieldError::new(ErrorType::Invalid, &Path::ROOT, BadValue::Hidden, text.clone());
    Recorded::errors(texts.into_iter().map(said).collect())
}

/// What is compared first of an error: its type, its field, the part of validation that it comes from, and the rule. Errors about
/// duplicates have no message, by which recordings tell the rule.
pub(super) fn essence(error: &FieldError, source: &str, rule: Option<usize>) -> FieldError {
    let rule = rule.filter(|_| error.error_type != ErrorType::Duplicate);
    let origin = rule.map_or_else(|| source.to_owned(), |rule| format!("{source} rule {rule}"));
    let essence = FieldError::new(error.error_type, &Path::ROOT, BadValue::Hidden, "").with_origin(origin);
    FieldError { field: error.field.clone(), ..essence }
}

/// Recorded errors as their essence.
pub(super) fn recorded_essences(errors: &[SourcedError]) -> Recorded {
    Recorded::errors(errors.iter().map(|found| essence(&found.error, &found.source, found.rule)).collect())
}

/// Recorded errors in full.
pub(super) fn recorded_in_full(errors: &[SourcedError]) -> Recorded {
    Recorded::errors(errors.iter().map(|found| found.error.clone()).collect())
}

/// Errors of ours as their essence.
pub(super) fn essences(errors: &[(Source, FieldError)], of_rules: &[Found]) -> Recorded {
    let errors = errors.iter().map(|(source, error)| essence(error, source.name(), None));
    let of_rules = of_rules.iter().map(|found| essence(&found.error, Source::Cel.name(), found.rule));
    Recorded::errors(errors.chain(of_rules).collect())
}

/// Errors of ours in full.
pub(super) fn in_full(errors: &[(Source, FieldError)], of_rules: &[Found]) -> Recorded {
    let errors = errors.iter().map(|(_, error)| error);
    Recorded::errors(errors.chain(of_rules.iter().map(|found| &found.error)).cloned().collect())
}
