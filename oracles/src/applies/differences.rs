//! Where two objects differ.

use serde_json::Value;
use takeover_harness::path::Path;
use takeover_harness::schema::{Kind, Schema, TypeId};

/// A place where two objects differ.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Difference {
    /// Its path.
    pub(super) field: String,
    /// What is there in the first object.
    pub(super) first: Option<Value>,
    /// What is there in the second object.
    pub(super) second: Option<Value>,
}

/// The types along a path; `None` where they are not known.
type Types<'s> = Option<(&'s Schema, TypeId)>;

/// The innermost places where two objects of a type differ. Items of lists are compared by index.
#[must_use]
pub(super) fn differences(types: &Schema, root: TypeId, first: &Value, second: &Value) -> Vec<Difference> {
    let mut found = Vec::new();
    compare(Some(first), Some(second), Some((types, root)), &Path::ROOT, &mut found);
    found
}

fn compare(
    first: Option<&Value>,
    second: Option<&Value>,
    types: Types<'_>,
    path: &Path<'_>,
    found: &mut Vec<Difference>,
) {
    if first == second {
        return;
    }
    match (first, second) {
        (Some(Value::Object(one)), Some(Value::Object(other))) => {
            let is_map = matches!(shape(types), Some(Kind::Map { .. }));
            for name in one.keys().chain(other.keys().filter(|name| !one.contains_key(*name))) {
                let below = if is_map { path.key(name) } else { path.child(name) };
                compare(one.get(name), other.get(name), member(types, name), &below, found);
            }
        }
        (Some(Value::Array(one)), Some(Value::Array(other))) => {
            let item = match (types, shape(types)) {
                (Some((schema, _)), Some(Kind::List(item))) => Some((schema, *item)),
                _ => None,
            };
            for at in 0..one.len().max(other.len()) {
                compare(one.get(at), other.get(at), item, &path.index(at), found);
            }
        }
        _ => found.push(Difference { field: path.to_field(), first: first.cloned(), second: second.cloned() }),
    }
}

fn shape(types: Types<'_>) -> Option<&Kind> {
    let (schema, mut id) = types?;
    for _ in 0..schema.len() {
        match schema.native(id).1 {
            Kind::Pointer(inner) => id = *inner,
            shape => return Some(shape),
        }
    }
    None
}

fn member<'s>(types: Types<'s>, name: &str) -> Types<'s> {
    let (schema, _) = types?;
    match shape(types)? {
        Kind::Map { value, .. } => Some((schema, *value)),
        Kind::Struct(fields) => fields.member(name).map(|member| (schema, member.ty)),
        _ => None,
    }
}
