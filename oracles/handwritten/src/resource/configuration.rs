//! Configuration of devices, which Kubernetes hands to a driver unread.

use crate::driver::validate_driver_name;
use crate::report::{Covered, too_long};
use crate::types::resource::v1::OpaqueDeviceConfiguration;
use std::io;
use takeover_harness::error::{BadValue, ErrorList, FieldError};
use takeover_harness::object::Json;
use takeover_harness::path::Path;

/// Longest parameters, in bytes of JSON.
const PARAMETERS_LIMIT: usize = 10 * 1024;

/// Whether a configuration is new, or was stored before its length was limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Age {
    /// New or changed.
    New,
    /// As stored.
    Stored,
}

/// Checks the only sort of configuration that there is, below the configuration at `path`.
pub fn validate_configuration(
    opaque: Option<&OpaqueDeviceConfiguration>,
    age: Age,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let at = path.child("opaque");
    match opaque {
        None => errors.push(FieldError::required(&at, "")),
        Some(opaque) => {
            validate_driver_name(opaque.driver, Covered::Yes, &at.child("driver"), errors);
            validate_raw(opaque.parameters, PARAMETERS_LIMIT, age, &at.child("parameters"), errors);
        }
    }
}

/// Checks JSON that Kubernetes passes on: an object of at most `limit` bytes.
pub fn validate_raw(value: &Json, limit: usize, age: Age, path: &Path<'_>, errors: &mut ErrorList) {
    match value {
        Json::Null => errors.push(FieldError::required(path, "")),
        value if age == Age::New && json_length(value) > limit => errors.push(too_long(path, limit)),
        Json::Object(_) => {}
        _ => errors.push(FieldError::invalid(path, BadValue::OMITTED, "must be a valid JSON object")),
    }
}

/// The bytes of the shortest JSON text of a value.
fn json_length(value: &Json) -> usize {
    struct Count(usize);

    impl io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self.0.saturating_add(bytes.len());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    let mut count = Count(0);
    // INVARIANT: counting never fails, and a JSON value always has a text.
    let _ = serde_json::to_writer(&mut count, value);
    count.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_json_is_an_object_of_bounded_length() {
        let long = Json::Object(&[("a", Json::Text("xxxxxxxxxxxxxxxxxxxx"))]);
        for (value, age, expected) in [
            (Json::Object(&[("a", Json::Array(&[Json::Int(1)]))]), Age::New, ""),
            (Json::Null, Age::New, "Required x "),
            (Json::Array(&[]), Age::New, "Invalid x must be a valid JSON object"),
            (Json::Text("a"), Age::Stored, "Invalid x must be a valid JSON object"),
            (long, Age::New, "TooLong x may not be more than 20 bytes"),
            (long, Age::Stored, ""),
        ] {
            let mut errors = ErrorList::new();
            validate_raw(&value, 20, age, &Path::ROOT.child("x"), &mut errors);
            let line = |error: &FieldError| format!("{:?} {} {}", error.error_type, error.field, error.detail);
            assert_eq!(errors.iter().map(line).collect::<Vec<_>>().join("; "), expected, "{value:?}");
        }
    }
}
