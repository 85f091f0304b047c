//! Whether a value fits its type.

use super::atoms::{Shape, go_wrapped, scalar_problems};
use super::error::{Invalid, Problems};
use super::items::element;
use crate::fields::Element;
use crate::schema::{ListKind, ListType, MapType, Schema, TypeId};
use serde_json::Value;
use std::collections::BTreeSet;

/// Whether sets and maps may have several items of the same key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duplicates {
    /// As in stored objects.
    Allowed,
    /// As in what is applied.
    Refused,
}

/// Validates a value.
///
/// # Errors
/// Returns everything that is wrong with it: members that are not declared, values of other types, items that have no key, and
/// duplicates unless they are allowed. After a member that is not declared, no further member of its map is looked at.
pub fn validate(schema: &Schema, ty: TypeId, value: &Value, duplicates: Duplicates) -> Result<(), Invalid> {
    problems(schema, ty, value, duplicates).or(())
}

fn problems(schema: &Schema, ty: TypeId, value: &Value, duplicates: Duplicates) -> Problems {
    match schema.atom(ty).shape(Some(value)) {
        Shape::Map(map) => match value {
            Value::Null => Problems::default(),
            Value::Object(members) => of_members(schema, map, members, duplicates),
            other => Problems::one(format!("expected map, got {}", go_wrapped(other))),
        },
        Shape::List(list) => match value {
            Value::Null => Problems::default(),
            Value::Array(items) => of_items(schema, list, items, duplicates),
            other => Problems::one(format!("expected list, got {}", go_wrapped(other))),
        },
        Shape::Scalar(scalar) => scalar_problems(scalar, Some(value), ""),
        Shape::Nothing => Problems::one("schema error: invalid atom: inlined"),
    }
}

fn of_members(
    schema: &Schema,
    map: &MapType,
    members: &serde_json::Map<String, Value>,
    duplicates: Duplicates,
) -> Problems {
    let mut found = Problems::default();
    for (name, value) in members {
        let Some(ty) = map.member(name) else {
            found.extend_below(name, Problems::one("field not declared in schema"));
            break;
        };
        found.extend_below(name, problems(schema, ty, value, duplicates));
    }
    found
}

fn of_items(schema: &Schema, list: &ListType, items: &[Value], duplicates: Duplicates) -> Problems {
    let (mut found, mut seen) = (Problems::default(), BTreeSet::new());
    for (index, item) in items.iter().enumerate() {
        let at = if list.kind == ListKind::Atomic {
            Element::Index(i64::try_from(index).unwrap_or(i64::MAX))
        } else {
            match element(schema, list, item) {
                Ok(at) => at,
                Err(reason) => {
                    found.push(format!("element {index}: {reason}"));
                    return found;
                }
            }
        };
        if list.kind != ListKind::Atomic && duplicates == Duplicates::Refused && !seen.insert(at.clone()) {
            found.push(format!("duplicate entries for key {at}"));
        }
        found.extend_at(&at, problems(schema, list.item, item, duplicates));
    }
    found
}
