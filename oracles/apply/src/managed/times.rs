//! Requests that change nothing but times.

use super::entries::{Entry, entries};
use super::metadata::set;
use serde_json::{Map, Value};

/// What a server stores after a request: what was there before, if nothing but the times of managers would change.
#[must_use]
pub fn without_new_times(live: &Value, made: Value) -> Value {
    if !are_alike_but_for_managers(live, &made) || timeless(live) != timeless(&made) {
        return made;
    }
    let before = live.get("metadata").and_then(|metadata| metadata.get("managedFields")).cloned();
    let mut kept = made;
    set(&mut kept, "managedFields", before);
    kept
}

fn timeless(object: &Value) -> Vec<Entry<'_>> {
    let mut entries = entries(object).unwrap_or_default();
    entries.iter_mut().for_each(|entry| entry.time = None);
    entries
}

/// Whether two objects are the same but for their managed fields.
#[must_use]
pub fn are_alike_but_for_managers(one: &Value, other: &Value) -> bool {
    let metadata = |one: Option<&Value>, other: Option<&Value>| {
        one == other || are_alike_beside("managedFields", one, other, |_, _| true)
    };
    are_alike_beside("metadata", Some(one), Some(other), metadata)
}

/// Whether two objects have the same members but for one, which `is_alike` compares.
fn are_alike_beside(
    name: &str,
    one: Option<&Value>,
    other: Option<&Value>,
    is_alike: impl Fn(Option<&Value>, Option<&Value>) -> bool,
) -> bool {
    let (Some(one), Some(other)) = (one.and_then(Value::as_object), other.and_then(Value::as_object)) else {
        return false;
    };
    let rest = |members: &Map<String, Value>| members.len() - usize::from(members.contains_key(name));
    let mut of_one = one.iter().filter(|(of, _)| *of != name);
    rest(one) == rest(other)
        && of_one.all(|(of, value)| other.get(of) == Some(value))
        && is_alike(one.get(name), other.get(name))
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
