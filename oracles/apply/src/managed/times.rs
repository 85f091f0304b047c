//! Requests that change nothing but times.

use super::entries::entries;
use super::metadata::{set, without_managed_fields};
use serde_json::Value;

/// What a server stores after a request: what was there before, if nothing but the times of managers would change.
#[must_use]
pub fn without_new_times(live: &Value, made: Value) -> Value {
    let timeless = |object: &Value| {
        let mut entries = entries(object).unwrap_or_default();
        entries.iter_mut().for_each(|entry| entry.time = None);
        entries
    };
    if timeless(live) != timeless(&made) || without_managed_fields(live.clone()) != without_managed_fields(made.clone())
    {
        return made;
    }
    let before = live.get("metadata").and_then(|metadata| metadata.get("managedFields")).cloned();
    let mut kept = made;
    set(&mut kept, "managedFields", before);
    kept
}

#[cfg(test)]
mod tests {
    use super::without_new_times;
    use serde_json::{Value, json};

    fn object(data: &str, field: &str, time: &str) -> Value {
        let entry = json!({"manager": "one", "operation": "Apply", "apiVersion": "v1", "time": time,
            "fieldsType": "FieldsV1", "fieldsV1": {"f:data": {field: {}}}});
        json!({"data": {"a": data}, "metadata": {"managedFields": [entry]}})
    }

    #[test]
    fn a_new_time_is_kept_only_with_another_change() {
        let (first, second) = ("2026-01-01T00:00:01Z", "2026-01-01T00:00:02Z");
        let live = object("1", "f:a", first);
        assert_eq!(without_new_times(&live, object("1", "f:a", second)), live);
        for changed in [object("2", "f:a", second), object("1", "f:b", second)] {
            assert_eq!(without_new_times(&live, changed.clone()), changed);
        }
    }
}
