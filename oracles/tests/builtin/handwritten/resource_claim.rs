//! Claims of devices.

use super::support::Rows;
use serde_json::{Value, json};

#[test]
fn a_changed_spec_shows_amounts_as_kubernetes_writes_them() {
    let claim = |amount: &str| -> Value {
        json!({"devices": {"requests": [{"name": "a", "exactly":
            {"deviceClassName": "c", "allocationMode": "ExactCount", "count": 1, "capacity": {"requests": {"memory": amount}}}}]}})
    };
    let rows = Rows::of(
        "resource.k8s.io/v1",
        "ResourceClaim",
        json!({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
            "metadata": {"name": "c", "namespace": "n", "resourceVersion": "1"}, "spec": claim("1")}),
    );
    for (amount, shown) in [("1.5", "1500m"), ("2000", "2k"), ("1Gi", "1Gi")] {
        let spec = format!(
            "spec: Invalid value…\"Capacity\":{{\"Requests\":{{\"memory\":\"{shown}\"}}}}…: field is immutable *"
        );
        rows.updated(&[(&[("/spec", claim(amount))], &[&spec])]);
    }
}
