//! Times as errors show them.

use crate::types::Time;
use serde_json::Value;

/// The JSON that Kubernetes prints for a time: null for Go's zero time.
#[must_use]
pub fn json(time: Time) -> Value {
    if time.is_zero() { Value::Null } else { Value::String(time.to_seconds_text()) }
}
