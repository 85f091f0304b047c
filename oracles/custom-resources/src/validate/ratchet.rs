//! What of an object is the same as before.

use crate::structural::{ListType, Structural};
use serde_json::{Map, Value};

/// A value of the new object and the one that it was in the old object.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link<'l> {
    schema: &'l Structural,
    new: &'l Value,
    old: &'l Value,
}

impl<'l> Link<'l> {
    /// Of whole objects.
    pub(super) fn root(schema: &'l Structural, new: &'l Value, old: &'l Value) -> Self {
        Self { schema, new, old }
    }

    /// Of a member that the schema knows.
    pub(super) fn member(self, key: &str, new: &'l Value) -> Option<Self> {
        Some(Self { schema: self.schema.member(key)?, new, old: self.old.as_object()?.get(key)? })
    }

    /// Of an element of a list whose elements have keys.
    pub(super) fn element(self, new: &'l Value) -> Option<Self> {
        if self.schema.list_type != ListType::Map || self.schema.list_map_keys.is_empty() {
            return None;
        }
        let keys = keys(self.schema, new)?;
        let old = self.old.as_array()?.iter().find(|old| self::keys(self.schema, old).as_ref() == Some(&keys))?;
        Some(Self { schema: self.schema.items.as_deref()?, new, old })
    }

    /// Whether the value is what it was, as far as the schema tells.
    pub(super) fn is_unchanged(self) -> bool {
        match (self.new, self.old) {
            (Value::Object(new), Value::Object(old)) => self.same_members(new, old),
            (Value::Array(new), Value::Array(old)) if self.schema.list_type == ListType::Map => {
                new.len() == old.len()
                    && new.iter().all(|item| self.element(item).is_some_and(|element| element.is_unchanged()))
            }
            (new, old) => new == old,
        }
    }

    fn same_members(self, new: &'l Map<String, Value>, old: &Map<String, Value>) -> bool {
        new.len() == old.len()
            && new.iter().all(|(key, value)| self.member(key, value).is_some_and(|member| member.is_unchanged()))
    }
}

/// The values of the keys of an element, which are scalars.
fn keys<'v>(schema: &Structural, item: &'v Value) -> Option<Vec<&'v Value>> {
    let members = item.as_object()?;
    let scalar = |value: &&Value| matches!(value, Value::Bool(_) | Value::Number(_) | Value::String(_));
    schema.list_map_keys.iter().map(|key| members.get(key).filter(scalar)).collect()
}
