//! The conflicts of an apply, as ownership has them.

use super::parts::{Granular, granular, key, key_element};
use serde_json::Value;
use takeover_apply::fields::{Element, Path};
use takeover_apply::schema::{Schema, TypeId};

/// What is set of a value beside what `unset` has. A server cannot tell a zero that somebody wrote from one that Go wrote unasked.
pub(super) fn beyond(value: &Value, unset: &Value) -> Value {
    match (value, unset) {
        (Value::Object(members), Value::Object(unset)) => {
            let of = |(name, value): (&String, &Value)| match unset.get(name) {
                Some(unset) if unset == value => None,
                Some(unset) => Some((name.clone(), beyond(value, unset))),
                None => Some((name.clone(), value.clone())),
            };
            Value::Object(members.iter().filter_map(of).collect())
        }
        _ => value.clone(),
    }
}

/// The fields of an object that somebody set as `owned` has them, and that change when `new` is applied.
pub(super) fn contested(schema: &Schema, root: TypeId, owned: &Value, live: &Value, new: &Value) -> Vec<Path> {
    let mut walk = Walk { schema, path: Vec::new(), found: Vec::new() };
    walk.value(root, Some(owned), Some(live), new);
    walk.found
}

struct Walk<'s> {
    schema: &'s Schema,
    path: Vec<Element>,
    found: Vec<Path>,
}

impl Walk<'_> {
    /// What is not there is added, and belongs to nobody.
    fn value(&mut self, ty: TypeId, owned: Option<&Value>, live: Option<&Value>, new: &Value) {
        let (Some(owned), Some(live)) = (owned, live) else { return };
        let schema = self.schema;
        match (granular(schema, ty, new), new) {
            // Go writes null for a pointer that is not set, and its owner owns that.
            (Some(Granular::Map(_)), Value::Object(members)) if members.is_empty() && live.is_null() => {
                self.found.push(Path(self.path.clone()));
            }
            // The same of a list.
            (Some(Granular::Keyed(..) | Granular::Set), Value::Array(items)) if items.is_empty() && live.is_null() => {
                self.found.push(Path(self.path.clone()));
            }
            (Some(Granular::Map(map)), Value::Object(members)) => {
                for (name, value) in members {
                    let ty = map.member(name).unwrap_or(Schema::UNTYPED);
                    self.below(Element::field(name), ty, owned.get(name), live.get(name), value);
                }
            }
            (Some(Granular::Keyed(list, keys)), Value::Array(items)) => {
                for item in items {
                    let wanted = key(schema, list, keys, item);
                    let is_same = |other: &&Value| key(schema, list, keys, other) == wanted;
                    let [owned, live] =
                        [owned, live].map(|list| list.as_array().and_then(|items| items.iter().find(is_same)));
                    self.below(key_element(keys, wanted), list.item, owned, live, item);
                }
            }
            // Items of sets are there or not.
            (Some(_), _) => {}
            (None, _) if live != new => self.found.push(Path(self.path.clone())),
            (None, _) => {}
        }
    }

    fn below(&mut self, step: Element, ty: TypeId, owned: Option<&Value>, live: Option<&Value>, new: &Value) {
        self.path.push(step);
        self.value(ty, owned, live, new);
        self.path.pop();
    }
}
