//! Metadata that every kind has.

use super::support::Rows;
use serde_json::{Value, json};

fn dated(created: &str) -> Rows {
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap",
                     "metadata": {"name": "m", "namespace": "n", "resourceVersion": "1", "creationTimestamp": created}});
    Rows::of("v1", "ConfigMap", map)
}

#[test]
fn the_last_day_of_the_year_9999_is_a_day_like_any_other() {
    let created = |text: &str| [("/metadata/creationTimestamp", json!(text))];
    dated("9999-12-31T23:59:59Z").updated(&[
        (&[], &[]),
        (&created("9999-12-31T23:59:59.5Z"), &["metadata.creationTimestamp: Invalid value: \"9999-12-31T23:59:59Z\""]),
        (&created("9999-12-31T00:00:00Z"), &["metadata.creationTimestamp: Invalid value: \"9999-12-31T00:00:00Z\""]),
        (
            &created("9999-12-31T23:59:59-23:59"),
            &["metadata.creationTimestamp: Invalid value: \"10000-01-01T23:58:59Z\""],
        ),
        (
            &[("/metadata/creationTimestamp", Value::Null)],
            &["metadata.creationTimestamp: Invalid value: null: field is immutable"],
        ),
    ]);
}
