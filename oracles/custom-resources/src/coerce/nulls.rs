//! Removal of nulls that mean nothing.

use crate::structural::Structural;
use serde_json::Value;

/// Removes the members of objects that are null, are known to the schema, may not be null and have no default. Elements of lists
/// stay.
pub fn drop_nulls(structural: &Structural, value: &mut Value) {
    match value {
        Value::Object(members) => members.retain(|key, value| match structural.member(key) {
            Some(schema) if value.is_null() => schema.nullable || schema.default.is_some(),
            Some(schema) => {
                drop_nulls(schema, value);
                true
            }
            None => true,
        }),
        Value::Array(items) => {
            if let Some(schema) = &structural.items {
                items.iter_mut().for_each(|item| drop_nulls(schema, item));
            }
        }
        _ => {}
    }
}
