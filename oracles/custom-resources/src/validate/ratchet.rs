//! What of an object is the same as before.

use crate::structural::{ListType, Structural};
use serde_json::{Map, Value};
use std::collections::HashMap;

/// A value of the new object and the one that it was in the old object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link<'l> {
    schema: &'l Structural,
    new: &'l Value,
    old: &'l Value,
}

impl<'l> Link<'l> {
    /// Of whole objects.
    pub(crate) fn root(schema: &'l Structural, new: &'l Value, old: &'l Value) -> Self {
        Self { schema, new, old }
    }

    /// What the value was.
    pub(crate) fn old(self) -> &'l Value {
        self.old
    }

    /// Of a member that the schema knows.
    pub(crate) fn member(self, key: &str, new: &'l Value) -> Option<Self> {
        Some(Self { schema: self.schema.member(key)?, new, old: self.old.as_object()?.get(key)? })
    }

    /// The old elements of a list whose elements have keys.
    pub(crate) fn elements(self) -> Option<Elements<'l>> {
        if self.schema.list_type != ListType::Map || self.schema.list_map_keys.is_empty() {
            return None;
        }
        let (schema, old) = (self.schema, self.old.as_array()?);
        let keyed = || old.iter().rev().filter_map(|item| Some((keys(schema, item)?.collect(), item)));
        let by_keys = (old.len() > FEW).then(|| keyed().collect());
        Some(Elements { schema, old, by_keys })
    }

    /// Whether the value is what it was, as far as the schema tells.
    pub(crate) fn is_unchanged(self) -> bool {
        match (self.new, self.old) {
            (Value::Object(new), Value::Object(old)) => self.same_members(new, old),
            (Value::Array(new), Value::Array(old)) if self.schema.list_type == ListType::Map => {
                let is_unchanged =
                    |of: &Elements<'l>, item| of.element(item).is_some_and(|element| element.is_unchanged());
                new.len() == old.len()
                    && (new.is_empty()
                        || self.elements().is_some_and(|of| new.iter().all(|item| is_unchanged(&of, item))))
            }
            (new, old) => new == old,
        }
    }

    fn same_members(self, new: &'l Map<String, Value>, old: &Map<String, Value>) -> bool {
        new.len() == old.len()
            && new.iter().all(|(key, value)| self.member(key, value).is_some_and(|member| member.is_unchanged()))
    }
}

/// Up to how many elements are compared one by one.
const FEW: usize = 16;

/// The elements of a list that have keys, as they were.
pub(crate) struct Elements<'l> {
    schema: &'l Structural,
    old: &'l [Value],
    /// The first with these keys; none where there are few elements.
    by_keys: Option<HashMap<Vec<&'l Value>, &'l Value>>,
}

impl<'l> Elements<'l> {
    /// An element beside the old one with the same keys.
    pub(crate) fn element(&self, new: &'l Value) -> Option<Link<'l>> {
        let own = keys(self.schema, new)?;
        let old = match &self.by_keys {
            None => self.old.iter().find(|old| keys(self.schema, old).is_some_and(|other| other.eq(own.clone())))?,
            Some(by_keys) => by_keys.get(&own.collect::<Vec<_>>())?,
        };
        Some(Link { schema: self.schema.items.as_deref()?, new, old })
    }
}

/// The values of the keys of an element; `None` if one is missing or no scalar.
fn keys<'v>(schema: &'v Structural, item: &'v Value) -> Option<impl Iterator<Item = &'v Value> + Clone> {
    let members = item.as_object()?;
    let scalar = |value: &&Value| matches!(value, Value::Bool(_) | Value::Number(_) | Value::String(_));
    let of = move |key: &'v String| members.get(key).filter(scalar);
    let all = schema.list_map_keys.iter();
    all.clone().all(|key| of(key).is_some()).then(|| all.filter_map(of))
}

#[cfg(test)]
mod tests {
    use crate::crd::kinds_of_crd;
    use crate::kind::CustomKind;
    use crate::validate::{validate_status_update, validate_update};
    use serde_json::{Value, json};

    fn kind() -> CustomKind {
        let pattern = json!({"type": "string", "pattern": "^a"});
        let item = json!({"type": "object", "properties": {"name": {"type": "string"}, "text": pattern}});
        let list = |extra: Value| {
            let mut list = json!({"type": "array", "items": item});
            extra.as_object().unwrap().iter().for_each(|(key, value)| list[key] = value.clone());
            list
        };
        let crd = json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "spec": {
            "group": "example.com", "scope": "Cluster", "names": {"kind": "Gadget", "plural": "gadgets"},
            "versions": [{"name": "v1", "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                "spec": {"type": "object", "required": ["must"], "properties": {
                    "must": {"type": "string"}, "text": pattern, "other": {"type": "string"}, "plain": list(json!({})),
                    "set": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
                    "keyed": list(json!({"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]}))}},
                "status": {"type": "object", "properties": {"text": pattern}}}}}}]}});
        kinds_of_crd(&crd).unwrap().remove(0)
    }

    fn fields(old: &Value, new: &Value) -> Vec<String> {
        let (old, new) = (json!({"spec": old}), json!({"spec": new}));
        validate_update(&kind().structural, &new, &old).into_vec().into_iter().map(|error| error.field).collect()
    }

    #[test]
    fn what_did_not_change_is_not_refused() {
        let same = ["spec.must"; 0];
        assert_eq!(fields(&json!({"text": "b"}), &json!({"text": "b"})), same);
        // Of what is missing the object around is at fault, which did change.
        assert_eq!(fields(&json!({"text": "b"}), &json!({"text": "b", "other": "c"})), ["spec.must"]);
        assert_eq!(fields(&json!({"must": "", "text": "b"}), &json!({"must": "", "text": "c"})), ["spec.text"]);
        assert_eq!(fields(&json!({"must": ""}), &json!({"must": "", "text": "b"})), ["spec.text"]);
    }

    #[test]
    fn elements_are_the_same_by_their_keys_only() {
        let bad = json!({"name": "x", "text": "b"});
        let more = json!({"name": "y", "text": "a"});
        let spec = |list: &str, items: Value| json!({"must": "", list: items});
        let moved = |list| fields(&spec(list, json!([bad])), &spec(list, json!([more, bad])));
        assert_eq!(moved("keyed"), [""; 0]);
        assert_eq!(moved("plain"), ["spec.plain[1].text"]);
    }

    #[test]
    fn the_elements_of_long_lists_are_found_like_those_of_short_ones() {
        for length in [3, 40] {
            let items: Vec<Value> = (0..length).map(|at| json!({"name": format!("n{at}"), "text": "b"})).collect();
            let mut reversed = items.clone();
            reversed.reverse();
            let spec = |items: &[Value]| json!({"must": "", "keyed": items});
            assert_eq!(fields(&spec(&items), &spec(&reversed)), [""; 0]);
            *reversed.last_mut().unwrap() = json!({"name": "new", "text": "b"});
            assert_eq!(fields(&spec(&items), &spec(&reversed)), [format!("spec.keyed[{}].text", length - 1)]);
        }
    }

    #[test]
    fn lists_with_errors_before_are_not_judged() {
        let spec = |items: Value| json!({"must": "", "set": items});
        assert_eq!(fields(&spec(json!(["a"])), &spec(json!(["a", "a"]))), ["spec.set[1]"]);
        assert_eq!(fields(&spec(json!(["b", "b"])), &spec(json!(["a", "a"]))), [""; 0]);
    }

    #[test]
    fn of_a_status_update_only_the_status_is_judged() {
        let old = json!({"spec": {}, "status": {"text": "b"}});
        let new = json!({"spec": {}, "status": {"text": "c"}});
        let errors = validate_status_update(&kind().structural, &new, &old);
        let shown: Vec<String> = errors.iter().map(ToString::to_string).collect();
        assert_eq!(shown, ["status.text: Invalid value: \"c\": text in body should match '^a'"]);
        assert!(validate_status_update(&kind().structural, &old, &old).is_empty());
    }
}
