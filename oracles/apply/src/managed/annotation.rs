//! The annotation in which `kubectl apply` on the client's side keeps what it applied last.

use super::kind::ObjectType;
use super::metadata::{annotations, set};
use crate::fields::FieldSet;
use crate::typed::{Duplicates, compare, field_set, validate};
use crate::value::go_json;
use serde_json::{Map, Value};

/// The name of the annotation.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The manager whose applies take over from the client's side.
pub(super) const KUBECTL: &str = "kubectl";

/// How many bytes the annotations of an object may have.
const MOST_BYTES: usize = 256 * 1024;

/// The fields that were applied on the client's side last and have not changed since; `None` if that cannot be told.
pub(super) fn unchanged_since(kind: &dyn ObjectType, live: &Value) -> Option<FieldSet> {
    let last = annotations(live)?.get(LAST_APPLIED)?.as_str().filter(|last| !last.is_empty())?;
    let live = kind.held(live.clone()).ok()?;
    let (schema, root) = kind.schema();
    validate(schema, root, &live, Duplicates::Refused).ok()?;
    let last: Value = serde_json::from_str(last).ok()?;
    let is = |name: &str, value: &str| last.get(name).and_then(Value::as_str) == Some(value);
    if !is("apiVersion", kind.api_version()) || !is("kind", kind.kind()) {
        return None;
    }
    validate(schema, root, &last, Duplicates::Refused).ok()?;
    let comparison = compare(schema, root, &last, &live).ok()?;
    let differs = comparison.modified.union(&comparison.added).union(&comparison.removed);
    Some(field_set(schema, root, &last).difference(&differs))
}

/// Keeps the annotation of an object that has one in step with what is applied.
pub(super) fn follow(object: &mut Value, applied: &Value) {
    let has_one = |annotations: &&Map<String, Value>| {
        annotations.get(LAST_APPLIED).and_then(Value::as_str).is_some_and(|last| !last.is_empty())
    };
    let Some(mut kept) = annotations(object).filter(has_one).cloned() else { return };
    let mut applied = applied.clone();
    let mut without = annotations(&applied).cloned();
    if let Some(annotations) = &mut without {
        annotations.remove(LAST_APPLIED);
    }
    set(&mut applied, "annotations", without.map(Value::Object));
    kept.insert(LAST_APPLIED.to_owned(), Value::String(go_json(&applied) + "\n"));
    let bytes: usize = kept.iter().map(|(name, value)| name.len() + value.as_str().map_or(0, str::len)).sum();
    if bytes > MOST_BYTES {
        kept.remove(LAST_APPLIED);
    }
    set(object, "annotations", Some(Value::Object(kept)));
}
