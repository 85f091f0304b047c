//! Setting of defaults.

use crate::structural::Structural;
use serde_json::Value;

/// Sets the defaults of the schema in every object that is there: of members that are absent, or null where they may not be.
pub fn set_defaults(structural: &Structural, value: &mut Value) {
    match value {
        Value::Object(members) => {
            for (name, schema) in &structural.properties {
                let Some(default) = &schema.default else { continue };
                match members.get_mut(name) {
                    None => {
                        members.insert(name.clone(), default.clone());
                    }
                    Some(value) if value.is_null() && !schema.nullable => value.clone_from(default),
                    Some(_) => {}
                }
            }
            for (name, value) in members.iter_mut() {
                let Some(schema) = structural.member(name) else { continue };
                if !structural.properties.contains_key(name) {
                    unless_null(schema, value);
                }
                set_defaults(schema, value);
            }
        }
        Value::Array(items) => {
            let Some(schema) = &structural.items else { return };
            for item in items {
                unless_null(schema, item);
                set_defaults(schema, item);
            }
        }
        _ => {}
    }
}

/// Null that is no value becomes the default, if there is one.
fn unless_null(schema: &Structural, value: &mut Value) {
    if value.is_null()
        && !schema.nullable
        && let Some(default) = &schema.default
    {
        value.clone_from(default);
    }
}
