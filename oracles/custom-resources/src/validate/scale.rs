//! The values that the scale subresource reads.

use super::outcome::error;
use crate::kind::ScalePaths;
use crate::text::{go_type, go_value};
use serde_json::Value;
use takeover_harness::error::{BadValue, ErrorList, ErrorType, FieldError};

/// Judges the numbers and the selector of an object at the paths of its scale subresource; `status_only` for an update of the
/// status, which does not touch the wanted number.
#[must_use]
pub fn validate_scale(scale: &ScalePaths, object: &Value, status_only: bool) -> ErrorList {
    let mut errors = Vec::new();
    if !status_only {
        errors.extend(replicas(object, &scale.spec_replicas));
    }
    errors.extend(replicas(object, &scale.status_replicas));
    if let Some(path) = scale.label_selector.as_deref().filter(|path| !path.is_empty()) {
        let found = found(object, path).and_then(|value| match value {
            None | Some(Value::String(_)) => Ok(()),
            Some(other) => Err(wrong(path, other, "string")),
        });
        errors.extend(found.err().map(|detail| error(ErrorType::Invalid, path.to_owned(), "", detail)));
    }
    errors.into()
}

fn replicas(object: &Value, path: &str) -> Option<FieldError> {
    let refuse =
        |bad: i64, detail: String| Some(error(ErrorType::Invalid, path.to_owned(), BadValue::Int(bad), detail));
    match found(object, path) {
        Err(detail) => refuse(0, detail),
        Ok(None) => None,
        Ok(Some(value)) => match value.as_i64() {
            None => refuse(0, wrong(path, value, "int64")),
            Some(count) if count < 0 => refuse(count, "should be a non-negative integer".to_owned()),
            Some(count) if count > i64::from(i32::MAX) => {
                refuse(count, format!("should be less than or equal to {}", i32::MAX))
            }
            Some(_) => None,
        },
    }
}

/// The value at a path with a leading dot; `None` if it or an object on the way is absent or, on the way, null.
fn found<'v>(object: &'v Value, path: &str) -> Result<Option<&'v Value>, String> {
    let mut value = object;
    for name in path.trim_start_matches('.').split('.') {
        value = match value {
            Value::Object(members) => match members.get(name) {
                Some(member) => member,
                None => return Ok(None),
            },
            Value::Null => return Ok(None),
            other => return Err(wrong(path, other, "map[string]interface{}")),
        };
    }
    Ok(Some(value))
}

fn wrong(path: &str, value: &Value, expected: &str) -> String {
    format!("{path} accessor error: {} is of the type {}, expected {expected}", go_value(value), go_type(value))
}
