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

/// The value at a path with a leading dot; `None` if it or an object on the way is absent or, on the way, null. An error names the
/// path down to the member that could not be looked up.
fn found<'v>(object: &'v Value, path: &str) -> Result<Option<&'v Value>, String> {
    let mut value = object;
    let mut reached = String::new();
    for name in path.trim_start_matches('.').split('.') {
        reached = format!("{reached}.{name}");
        value = match value {
            Value::Object(members) => match members.get(name) {
                Some(member) => member,
                None => return Ok(None),
            },
            Value::Null => return Ok(None),
            other => return Err(wrong(&reached, other, "map[string]interface{}")),
        };
    }
    Ok(Some(value))
}

fn wrong(path: &str, value: &Value, expected: &str) -> String {
    format!("{path} accessor error: {} is of the type {}, expected {expected}", go_value(value), go_type(value))
}

#[cfg(test)]
mod tests {
    use super::validate_scale;
    use crate::kind::ScalePaths;
    use serde_json::json;

    #[test]
    fn a_number_in_the_place_of_an_object_is_named_by_the_member_that_it_lacks() {
        let scale = ScalePaths {
            spec_replicas: ".spec.gateway.instances".to_owned(),
            status_replicas: ".status.replicas".to_owned(),
            label_selector: None,
        };
        let errors = validate_scale(&scale, &json!({"spec": 7}), false);
        let said: Vec<_> = errors.iter().map(ToString::to_string).collect();
        let error = ".spec.gateway accessor error: 7 is of the type int64, expected map[string]interface{}";
        assert_eq!(said, [format!(".spec.gateway.instances: Invalid value: 0: {error}")]);
    }
}
