//! Where the objects of a question can be put: under which name, and whether a server could have them at all.

use crate::http::metadata;
use serde_json::Value;
use takeover_harness::oracle::OracleFailure;

/// Longest name for which another one stands: some kinds take no longer ones.
const LONGEST_NAME: usize = 40;

/// Longest name of a namespace.
const LONGEST_NAMESPACE: usize = 63;

/// Under which name the old object of an update is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Its own name is one that every kind takes, as the name that stands for it is.
    Anywhere,
    /// Its own, which the kind may refuse.
    Under(String),
}

/// Where the objects can be put.
///
/// # Errors
/// Declines what no request can say: a name or namespace that changes or is missing, and an old object that is going.
pub(super) fn placed(new: &Value, old: Option<&Value>, namespaced: bool) -> Result<Place, OracleFailure> {
    let namespace = metadata(new, "namespace");
    if namespaced && !is_label(namespace, LONGEST_NAMESPACE) && !namespace.is_empty() {
        return Err(OracleFailure::declined(
            "its objects go to a namespace of their own",
            format!("namespace `{namespace}` is not asked about: the object would go to the scratch namespace"),
        ));
    }
    let Some(old) = old else { return Ok(Place::Anywhere) };
    for member in ["name", "namespace"] {
        let (before, after) = (metadata(old, member), metadata(new, member));
        if before != after && !(before.is_empty() && member == "namespace") {
            return Err(OracleFailure::declined(
                "an update goes to the name and namespace of the old object",
                format!("an update from {member} `{before}` to `{after}` is not asked: no such request is possible"),
            ));
        }
    }
    let name = metadata(old, "name");
    if name.is_empty() {
        return Err(OracleFailure::declined(
            "the old object has no name",
            "an update of an object without a name is not asked: no server stores one",
        ));
    }
    if !metadata(old, "deletionTimestamp").is_empty() {
        return Err(OracleFailure::declined(
            "the old object is being deleted",
            "an update of an object that is being deleted is not asked",
        ));
    }
    let usual = name.bytes().next().is_some_and(|byte| byte.is_ascii_lowercase()) && is_label(name, LONGEST_NAME);
    Ok(if usual { Place::Anywhere } else { Place::Under(name.to_owned()) })
}

/// The path of an object.
pub(super) fn object_path(objects: &str, name: &str) -> String {
    let mut path = format!("{objects}/");
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'~' => path.push(char::from(byte)),
            // `.` and `..` alone would lead elsewhere.
            b'.' if name.bytes().any(|byte| byte != b'.') => path.push('.'),
            byte => path.push_str(&format!("%{byte:02X}")),
        }
    }
    path
}

/// Whether it is a DNS label of RFC 1123.
fn is_label(name: &str, longest: usize) -> bool {
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    name.len() <= longest
        && name.bytes().all(fits)
        && !name.is_empty()
        && !name.starts_with('-')
        && !name.ends_with('-')
}

#[cfg(test)]
mod tests {
    use super::{Place, object_path, placed};
    use serde_json::{Value, json};

    fn of(metadata: Value) -> Value {
        json!({ "metadata": metadata })
    }

    #[test]
    fn usual_names_are_stood_for_and_others_are_kept() {
        for (name, place) in [
            ("a", Place::Anywhere),
            ("1a", Place::Under("1a".to_owned())),
            ("A", Place::Under("A".to_owned())),
            ("a.b", Place::Under("a.b".to_owned())),
            ("system:a", Place::Under("system:a".to_owned())),
        ] {
            let object = of(json!({"name": name, "namespace": "shop"}));
            assert_eq!(placed(&object, Some(&object), true).unwrap(), place);
        }
        assert!(matches!(
            placed(&of(json!({"name": "a".repeat(41)})), Some(&of(json!({"name": "a".repeat(41)}))), true),
            Ok(Place::Under(_))
        ));
    }

    #[test]
    fn what_no_request_can_say_is_declined_with_its_reason() {
        let named = |name: &str, namespace: &str| of(json!({"name": name, "namespace": namespace}));
        let going = of(json!({"name": "a", "deletionTimestamp": "2026-11-24T00:00:00Z"}));
        for (new, old, reason) in [
            (named("a", "A"), None, "its objects go to a namespace of their own"),
            (named("b", "s"), Some(named("a", "s")), "an update goes to the name and namespace of the old object"),
            (named("a", "t"), Some(named("a", "s")), "an update goes to the name and namespace of the old object"),
            (named("", "s"), Some(named("a", "s")), "an update goes to the name and namespace of the old object"),
            (named("", "s"), Some(named("", "s")), "the old object has no name"),
            (going.clone(), Some(going), "the old object is being deleted"),
        ] {
            let failure = placed(&new, old.as_ref(), true).unwrap_err();
            assert_eq!(failure.declined_because(), Some(reason), "{failure}");
        }
        // Kinds without namespaces have none that could be replaced.
        assert_eq!(placed(&named("a", "A"), None, false).unwrap(), Place::Anywhere);
    }

    #[test]
    fn names_lead_nowhere_else() {
        for (name, path) in [
            ("a.b-c", "/x/a.b-c"),
            ("system:a", "/x/system%3Aa"),
            ("../y", "/x/..%2Fy"),
            ("..", "/x/%2E%2E"),
            ("a?b#c%d é", "/x/a%3Fb%23c%25d%20%C3%A9"),
        ] {
            assert_eq!(object_path("/x", name), path);
        }
    }
}
