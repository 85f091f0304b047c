//! Which item of a list an item is.

use crate::fields::Element;
use crate::schema::{ListKind, ListType, Schema};
use crate::value::go_quoted;
use serde_json::Value;

/// The element by which an item of a set or map is found.
///
/// # Errors
/// Returns why it cannot be one.
pub(super) fn element(schema: &Schema, list: &ListType, item: &Value) -> Result<Element, String> {
    match &list.kind {
        ListKind::Atomic => Err("invalid indexing of non-associative list".to_owned()),
        ListKind::Map(keys) if !keys.is_empty() => by_keys(schema, list, keys, item),
        ListKind::Map(_) | ListKind::Set => by_value(item),
    }
}

fn by_value(item: &Value) -> Result<Element, String> {
    match item {
        Value::Object(_) => Err("associative list without keys has an element that's a map type".to_owned()),
        Value::Array(_) => Err("not supported: associative list with lists as elements".to_owned()),
        Value::Null => Err("associative list without keys has an element that's an explicit null".to_owned()),
        scalar => Ok(Element::Value(scalar.clone())),
    }
}

fn by_keys(schema: &Schema, list: &ListType, keys: &[String], item: &Value) -> Result<Element, String> {
    let members = match item {
        Value::Object(members) => members,
        Value::Null => return Err("associative list with keys may not have a null element".to_owned()),
        _ => return Err("associative list with keys may not have non-map elements".to_owned()),
    };
    let mut found = Vec::with_capacity(keys.len());
    for key in keys {
        if let Some(value) = members.get(key) {
            found.push((key.clone(), value.clone()));
            continue;
        }
        let Some(map) = &schema.atom(list.item).map else {
            let reason = "associative list may not have non-map types";
            return Err(format!("couldn't find default value for {key}: {reason}"));
        };
        let default = map.fields.get(key).and_then(|field| field.default.as_ref());
        if let Some(default) = default.filter(|default| !default.is_null()) {
            found.push((key.clone(), default.clone()));
        }
    }
    if found.is_empty() {
        let keys = keys.iter().map(|key| go_quoted(key)).collect::<Vec<_>>().join(" ");
        return Err(format!(
            "associative list with keys has an element that omits all key fields [{keys}] (and doesn't have default values for any key fields)"
        ));
    }
    Ok(Element::keys(found))
}
