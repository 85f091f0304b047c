//! Times as errors show them.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use serde_json::Value;
use takeover_harness::object::Instant;

/// The JSON that Kubernetes prints for a time: null for Go's zero time.
#[must_use]
pub fn json(time: &Time) -> Value {
    // INVARIANT: typed objects hold times as `Instant::timestamp` has them.
    let instant = Instant::from(time.0);
    if instant.is_zero() { Value::Null } else { Value::String(instant.to_seconds_text()) }
}
