//! What is changed in objects before they are sent. Documented in the module above.

use serde_json::{Map, Value};
use takeover_harness::object::Quantity;
use takeover_harness::oracle::OracleFailure;

/// What a server gives each stored object, and does not want to be told again.
const GIVEN: [&str; 6] =
    ["uid", "creationTimestamp", "generation", "selfLink", "deletionTimestamp", "deletionGracePeriodSeconds"];

/// An object to be created in a dry run; `namespace` is given if it has one.
pub(super) fn created(mut object: Value, namespace: Option<&str>) -> Value {
    if let Some(metadata) = metadata(&mut object) {
        metadata.remove("resourceVersion");
        if let Some(namespace) = namespace {
            metadata.insert("namespace".to_owned(), namespace.into());
        }
    }
    object
}

/// The old object of an update, to be stored under this name.
pub(super) fn stored(mut old: Value, namespace: &str, name: &str) -> Value {
    if let Some(metadata) = metadata(&mut old) {
        for member in GIVEN.into_iter().chain(["resourceVersion", "finalizers", "ownerReferences"]) {
            metadata.remove(member);
        }
        metadata.insert("namespace".to_owned(), namespace.into());
        metadata.insert("name".to_owned(), name.into());
    }
    old
}

/// The new object of an update from `old`, which the server has as `stored`.
pub(super) fn changed(mut new: Value, old: &Value, stored: &Value) -> Value {
    let in_metadata = |object: &Value, member: &str| object.get("metadata").and_then(|it| it.get(member)).cloned();
    if let Some(metadata) = metadata(&mut new) {
        for member in GIVEN {
            let before = in_metadata(old, member).filter(|value| !value.is_null());
            let after = metadata.get(member).filter(|value| !value.is_null()).cloned();
            if before == after {
                set(metadata, member, in_metadata(stored, member));
            }
        }
        for member in ["name", "namespace", "resourceVersion"] {
            set(metadata, member, in_metadata(stored, member));
        }
    }
    new
}

/// The object that a server made. Metadata that the server sets itself is as it was sent.
pub(super) fn as_sent(mut made: Value, sent: &Value) -> Value {
    let of_sent = |member: &str| sent.get("metadata").and_then(|it| it.get(member)).cloned();
    let Some(metadata) = metadata(&mut made) else { return made };
    for member in GIVEN.into_iter().chain(["resourceVersion", "managedFields", "name", "namespace", "generateName"]) {
        set(metadata, member, of_sent(member));
    }
    let is_empty = metadata.is_empty();
    if let Some(members) = made.as_object_mut().filter(|_| is_empty && sent.get("metadata").is_none()) {
        members.remove("metadata");
    }
    made
}

/// Makes sure that the server stored what it was given, but for metadata.
///
/// # Errors
/// Declines when something of the old object is missing or changed: the answer would be about another change.
pub(super) fn keeps(kept: &Value, old: &Value) -> Result<(), OracleFailure> {
    for (member, value) in old.as_object().into_iter().flatten() {
        if member != "metadata"
            && let Some(place) = lost(kept.get(member), value, member.clone())
        {
            return Err(OracleFailure::declined(
                "it stores another old object",
                format!("the server does not store `{place}` of the old object as given"),
            ));
        }
    }
    Ok(())
}

/// Where a value is not kept. What is empty need not be there: servers leave it out.
fn lost(kept: Option<&Value>, given: &Value, place: String) -> Option<String> {
    match (kept, given) {
        (_, given) if is_empty(given) => None,
        (Some(Value::Object(kept)), Value::Object(given)) => {
            given.iter().find_map(|(member, value)| lost(kept.get(member), value, format!("{place}.{member}")))
        }
        (Some(Value::Array(kept)), Value::Array(given)) => {
            let mut each = given.iter().enumerate();
            let longer_or_shorter = (kept.len() != given.len()).then(|| place.clone());
            longer_or_shorter
                .or_else(|| each.find_map(|(at, value)| lost(kept.get(at), value, format!("{place}[{at}]"))))
        }
        (Some(kept), given) => (kept != given && !is_same_quantity(kept, given)).then_some(place),
        (None, _) => Some(place),
    }
}

/// Whether both are texts of the same quantity: servers print `1500m` for `1.5`.
fn is_same_quantity(kept: &Value, given: &Value) -> bool {
    let (Some(kept), Some(given)) = (kept.as_str(), given.as_str()) else { return false };
    match (Quantity::parse(kept, false), Quantity::parse(given, false)) {
        (Ok(kept), Ok(given)) => kept.is_same_number(&given),
        _ => false,
    }
}

/// Whether Go leaves the value out.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.values().all(is_empty),
        Value::Bool(true) => false,
    }
}

fn set(members: &mut Map<String, Value>, name: &str, value: Option<Value>) {
    match value {
        Some(value) => {
            members.insert(name.to_owned(), value);
        }
        None => {
            members.remove(name);
        }
    }
}

/// The metadata, which are made where there are none; none where they are something else, which is for the server to say.
fn metadata(object: &mut Value) -> Option<&mut Map<String, Value>> {
    let metadata = object.as_object_mut()?.entry("metadata").or_insert(Value::Null);
    if metadata.is_null() {
        *metadata = Value::Object(Map::new());
    }
    metadata.as_object_mut()
}

#[cfg(test)]
mod tests {
    use super::{as_sent, changed, created, keeps, stored};
    use serde_json::json;

    #[test]
    fn a_create_keeps_its_name_and_loses_what_servers_refuse() {
        let object = json!({"metadata": {"name": "a", "namespace": "shop", "resourceVersion": "7", "uid": "u"}});
        assert_eq!(
            created(object.clone(), Some("scratch")),
            json!({"metadata": {"name": "a", "namespace": "scratch", "uid": "u"}})
        );
        assert_eq!(created(object, None), json!({"metadata": {"name": "a", "namespace": "shop", "uid": "u"}}));
        assert_eq!(created(json!({}), Some("s")), json!({"metadata": {"namespace": "s"}}));
    }

    #[test]
    fn what_a_server_gives_is_as_it_was_sent_in_the_object_that_it_makes() {
        let made = json!({"metadata": {"name": "x-abc", "generateName": "x-", "namespace": "scratch", "uid": "u",
            "labels": {"a": "b"}, "managedFields": [], "creationTimestamp": "now"}, "spec": {"size": 1}});
        let sent = json!({"metadata": {"generateName": "x-", "labels": {"a": "b"}, "creationTimestamp": null}});
        assert_eq!(
            as_sent(made, &sent),
            json!({"metadata": {"generateName": "x-", "labels": {"a": "b"}, "creationTimestamp": null}, "spec": {"size": 1}})
        );
        assert_eq!(as_sent(json!({"metadata": {"uid": "u"}, "spec": {}}), &json!({})), json!({"spec": {}}));
    }

    #[test]
    fn a_stored_object_can_be_deleted_again() {
        let old = json!({"metadata": {
            "name": "a", "labels": {"x": "y"}, "finalizers": ["f"], "ownerReferences": [{}], "uid": "u", "generation": 3,
            "creationTimestamp": null, "resourceVersion": "7",
        }});
        assert_eq!(
            stored(old, "scratch", "t-1"),
            json!({"metadata": {"name": "t-1", "namespace": "scratch", "labels": {"x": "y"}}})
        );
    }

    #[test]
    fn an_old_object_that_is_stored_otherwise_is_declined_at_its_place() {
        let kept = json!({"metadata": {"uid": "u"}, "spec": {"a": 1, "size": "1500m", "list": [{"b": "x", "defaulted": true}]}});
        for old in [
            json!({"metadata": {"name": "other"}, "spec": {"a": 1, "list": [{"b": "x"}]}}),
            json!({"spec": {"size": "1.5"}}),
            json!({"spec": {"empty": [], "zero": 0, "nothing": null, "text": "", "no": false, "inner": {"a": {}}}}),
        ] {
            assert_eq!(keeps(&kept, &old), Ok(()));
        }
        for (old, place) in [
            (json!({"spec": {"gated": 1}}), "`spec.gated`"),
            (json!({"spec": {"list": [{"b": "y"}]}}), "`spec.list[0].b`"),
            (json!({"spec": {"list": [{}, {}]}}), "`spec.list`"),
            (json!({"status": {"replicas": 1}}), "`status`"),
        ] {
            let failure = keeps(&kept, &old).unwrap_err();
            assert!(failure.to_string().contains(place), "{failure}");
            assert_eq!(failure.declined_because(), Some("it stores another old object"));
        }
    }

    #[test]
    fn what_an_update_leaves_alone_is_left_alone_and_what_it_changes_is_changed() {
        let old = json!({"metadata": {"name": "a", "uid": "u", "generation": 3, "creationTimestamp": null}});
        let new = json!({"metadata": {"name": "b", "uid": "u", "generation": 2, "finalizers": ["f"]}});
        let kept = json!({"metadata": {
            "name": "t-1", "namespace": "scratch", "uid": "s", "resourceVersion": "9", "creationTimestamp": "now", "generation": 1,
        }});
        assert_eq!(
            changed(new, &old, &kept),
            json!({"metadata": {
                "name": "t-1", "namespace": "scratch", "uid": "s", "resourceVersion": "9", "creationTimestamp": "now",
                "generation": 2, "finalizers": ["f"],
            }})
        );
    }
}
