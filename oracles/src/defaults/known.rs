//! Caches the results for the last objects: both sides judge the same object, and are asked again to check that they are steady.

use super::bare::{Bare, Skeletons};
use super::rows::Row;
use super::tried::{Once, Orders, Sent, Tried};
use serde_json::Value;
use std::collections::{BTreeSet, VecDeque};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use takeover_harness::form::Defaulter;
use takeover_harness::object::{Json, Node, to_value};
use takeover_harness::oracle::{AsSent, Objects, OracleFailure};

/// The results for one object, computed when they are needed.
pub(super) struct Known {
    fingerprint: u128,
    /// The object as JSON.
    pub(super) before: Value,
    /// The object with every null, zero and empty value that was sent, where somebody reads it as text.
    given: Option<Value>,
    /// The object with the defaults of code, and with those of markers.
    by_code: OnceLock<Result<Once, OracleFailure>>,
    by_markers: OnceLock<Result<Once, OracleFailure>>,
    /// The results of defaulting it again and in other ways.
    code_tried: OnceLock<Tried>,
    markers_tried: OnceLock<Tried>,
    /// Its defaulted skeleton, and the defaults of the skeleton that code does not set in the object.
    bare: OnceLock<Option<Arc<Bare>>>,
    left_out: OnceLock<Vec<Row>>,
}

impl Known {
    fn of(fingerprint: u128, objects: &Objects<'_>, given: Option<Value>) -> Self {
        Self {
            fingerprint,
            before: to_value(objects.schema, objects.root, &objects.new),
            given,
            by_code: OnceLock::new(),
            by_markers: OnceLock::new(),
            code_tried: OnceLock::new(),
            markers_tried: OnceLock::new(),
            bare: OnceLock::new(),
            left_out: OnceLock::new(),
        }
    }

    /// The object as JSON, and as it was sent.
    pub(super) fn sent(&self) -> (&Value, Option<&Value>) {
        (&self.before, self.given.as_ref())
    }

    /// The object with the defaults of code.
    ///
    /// # Errors
    /// Returns an error when code refuses the object.
    pub(super) fn by_code(&self, code: &dyn Defaulter, sent: &Sent<'_>) -> Result<&Once, OracleFailure> {
        self.by_code.get_or_init(|| Once::of(code, sent)).as_ref().map_err(Clone::clone)
    }

    /// The object with the defaults of markers.
    ///
    /// # Errors
    /// Returns an error when they refuse the object.
    pub(super) fn by_markers(&self, markers: &dyn Defaulter, sent: &Sent<'_>) -> Result<&Once, OracleFailure> {
        self.by_markers.get_or_init(|| Once::of(markers, sent)).as_ref().map_err(Clone::clone)
    }

    /// The results of code when it defaults `found` again and in other ways.
    pub(super) fn code_tried<'a>(
        &self,
        code: &dyn Defaulter,
        found: &Once,
        sent: &Sent<'a>,
        orders: &Orders<'a>,
    ) -> &Tried {
        self.code_tried.get_or_init(|| Tried::of(code, &[], sent, found, orders))
    }

    /// The results of markers when they default `found` again and in other ways.
    pub(super) fn markers_tried<'a>(
        &self,
        markers: (&dyn Defaulter, &[Box<dyn Defaulter>]),
        found: &Once,
        sent: &Sent<'a>,
        orders: &Orders<'a>,
    ) -> &Tried {
        self.markers_tried.get_or_init(|| Tried::of(markers.0, markers.1, sent, found, orders))
    }

    /// The defaulted skeleton.
    pub(super) fn bare(&self, skeletons: &Skeletons, sent: &Sent<'_>) -> Option<&Bare> {
        self.bare.get_or_init(|| skeletons.bare(sent)).as_deref()
    }

    /// The defaults that code sets in the bare object, and not in this one.
    pub(super) fn left_out(&self, bare: &Bare, found: &Once, sent: &Sent<'_>) -> &[Row] {
        self.left_out.get_or_init(|| bare.left_out(&found.after, sent.given, (sent.schema, sent.root)))
    }
}

/// Objects that are kept, so that a few threads find theirs.
const REMEMBERED: usize = 8;

/// The results for the last objects.
#[derive(Default)]
pub(super) struct Last(Mutex<VecDeque<Arc<Known>>>);

impl Last {
    /// The results for the new object of a request.
    /// Somebody reads it as text if there are `nulls`: the path patterns at which null is a value of its own.
    pub(super) fn known(&self, objects: &Objects<'_>, nulls: Option<&BTreeSet<String>>) -> Arc<Known> {
        let sent = objects.sent.zip(nulls).map(|(sent, nulls)| AsSent { nulls: Some(nulls), ..sent });
        let given = nulls.and_then(|_| Objects { sent, ..*objects }.given());
        let mut fingerprint = fingerprint(&objects.new);
        if let Some(given) = &given {
            let mut hasher = DefaultHasher::new();
            given.to_string().hash(&mut hasher);
            fingerprint ^= u128::from(hasher.finish());
        }
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().iter().find(|known| known.fingerprint == fingerprint) {
            return Arc::clone(known);
        }
        let known = Arc::new(Known::of(fingerprint, objects, given));
        let mut last = lock();
        last.truncate(REMEMBERED - 1);
        last.push_front(Arc::clone(&known));
        known
    }
}

/// Identifies a decoded object of a type: objects with the same fingerprint get the same defaults.
fn fingerprint(object: &Node<'_>) -> u128 {
    let half = |number: u8| {
        let mut hasher = DefaultHasher::new();
        hasher.write_u8(number);
        add(object, &mut hasher);
        hasher.finish()
    };
    (u128::from(half(0)) << u64::BITS) | u128::from(half(1))
}

fn add(node: &Node<'_>, into: &mut DefaultHasher) {
    std::mem::discriminant(node).hash(into);
    match node {
        Node::Text(text) => text.hash(into),
        Node::Struct { fields, pointer } => {
            (fields.len(), pointer).hash(into);
            for (slot, field) in *fields {
                slot.hash(into);
                add(field, into);
            }
        }
        Node::List(items) => {
            items.len().hash(into);
            items.iter().for_each(|item| add(item, into));
        }
        Node::Map(entries) => {
            entries.len().hash(into);
            for (key, value) in *entries {
                key.hash(into);
                add(value, into);
            }
        }
        Node::Int(number) => number.hash(into),
        Node::Raw(json) => add_json(json, into),
        // Their debug output has all that distinguishes them.
        other => format!("{other:?}").hash(into),
    }
}

fn add_json(json: &Json<'_>, into: &mut DefaultHasher) {
    std::mem::discriminant(json).hash(into);
    match json {
        Json::Text(text) => text.hash(into),
        Json::Array(items) => {
            items.len().hash(into);
            items.iter().for_each(|item| add_json(item, into));
        }
        Json::Object(members) => {
            members.len().hash(into);
            for (name, value) in *members {
                name.hash(into);
                add_json(value, into);
            }
        }
        other => format!("{other:?}").hash(into),
    }
}

#[cfg(test)]
mod tests {
    use super::fingerprint;
    use crate::defaults::orders::is_ordered;
    use crate::registry::Registry;
    use serde_json::Value;
    use takeover_harness::object::{Arena, InOrder, Order, from_bytes, from_value, identical, to_value};

    #[test]
    fn objects_have_the_same_fingerprint_if_they_are_identical() {
        let registry = Registry::of_builtin().unwrap();
        let (schema, root, arena) = (registry.schema(), registry.root("v1", "Pod").unwrap(), Arena::new());
        let texts = [
            r#"{}"#,
            r#"{"spec": {"containers": []}}"#,
            r#"{"spec": {"containers": [{}]}}"#,
            r#"{"spec": {"containers": [{"name": "a"}]}}"#,
            r#"{"spec": {"containers": [{"image": "a"}]}}"#,
            r#"{"spec": {"containers": [{}, {}]}}"#,
            r#"{"spec": {"initContainers": [{}]}}"#,
            r#"{"spec": {"activeDeadlineSeconds": 0}}"#,
            r#"{"spec": {"hostNetwork": true}}"#,
            r#"{"spec": {"securityContext": {}}}"#,
            r#"{"metadata": {"labels": {}}}"#,
            r#"{"metadata": {"labels": {"a": "b"}}}"#,
            r#"{"metadata": {"labels": {"b": "a"}}}"#,
            r#"{"metadata": {"creationTimestamp": "2026-01-01T00:00:00Z"}}"#,
            r#"{"spec": {"overhead": {"cpu": "1"}}}"#,
            r#"{"spec": {"overhead": {"cpu": "1000m"}}}"#,
        ];
        let nodes = texts.map(|text| from_bytes(schema, root, text.as_bytes(), &arena).unwrap());
        for (one, text) in nodes.iter().zip(texts) {
            for (other, beside) in nodes.iter().zip(texts) {
                let is_same = fingerprint(one) == fingerprint(other);
                assert_eq!(is_same, identical(one, other), "{text} beside {beside}");
            }
            let again = from_bytes(schema, root, text.as_bytes(), &arena).unwrap();
            assert_eq!(fingerprint(one), fingerprint(&again), "{text}");
        }
    }

    #[test]
    fn only_json_of_no_known_type_is_decoded_in_its_order() {
        let registry = Registry::of_builtin().unwrap();
        let (schema, arena) = (registry.schema(), Arena::new());
        let claim = |parameters: &str| {
            let opaque = format!(r#"{{"driver": "a", "parameters": {parameters}}}"#);
            format!(r#"{{"metadata": {{"name": "a"}}, "spec": {{"devices": {{"config": [{{"opaque": {opaque}}}]}}}}}}"#)
        };
        for (text, expected) in [
            (claim(r#"{"a": {"b": 1, "c": 2}}"#), true),
            (claim(r#"[{"b": 1, "c": 2}]"#), true),
            (claim(r#"{"a": [{"b": 1}, null]}"#), false),
            (r#"{"metadata": {"name": "a", "labels": {"a": "1", "b": "2"}}}"#.to_owned(), false),
        ] {
            let value: Value = serde_json::from_str(&text).unwrap();
            let root = registry.root("resource.k8s.io/v1", "ResourceClaim").unwrap();
            let straight = from_value(schema, root, &value, &arena).unwrap();
            assert_eq!(is_ordered(&straight), expected, "{text}");
            let before = to_value(schema, root, &straight);
            let orders = Order::OTHERS.map(|order| InOrder(&before, order).to_string());
            let differs = |text: &String| {
                let other = from_bytes(schema, root, text.as_bytes(), &arena).unwrap();
                fingerprint(&other) != fingerprint(&straight)
            };
            assert_eq!(orders.iter().any(differs), expected, "{text}");
        }
    }
}
