//! Lists that are sets, or maps by keys of their elements.

use crate::structural::{Additional, ListType, Structural};
use serde_json::{Map, Value};
use std::collections::HashMap;
use takeover_harness::error::{BadValue, FieldError};
use takeover_harness::path::Path;

/// Adds the errors of all lists of an object.
pub(super) fn check(structural: &Structural, object: &Value, errors: &mut Vec<FieldError>) {
    walk(structural, object, &Path::ROOT, errors);
}

fn walk(node: &Structural, value: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                match (node.properties.get(key), &node.additional) {
                    (Some(schema), _) => walk(schema, value, &path.child(key), errors),
                    (None, Some(Additional::Schema(schema))) => walk(schema, value, &path.key(key), errors),
                    _ => {}
                }
            }
        }
        Value::Array(items) => {
            match node.list_type {
                ListType::Set if surely_differ(items, |item| [Some(item)]) => {}
                ListType::Set => unique(items, path, errors, Clone::clone),
                ListType::Map => by_keys(node, items, path, errors),
                ListType::Atomic => {}
            }
            if let Some(schema) = &node.items {
                items.iter().enumerate().for_each(|(index, item)| walk(schema, item, &path.index(index), errors));
            }
        }
        _ => {}
    }
}

/// Elements with more keys are told apart by their texts.
const MOST_KEYS: usize = 4;

/// The values of the keys of an element.
fn of_keys<'v>(node: &Structural, item: &'v Value) -> [Option<&'v Value>; MOST_KEYS] {
    let mut values = [None; MOST_KEYS];
    for (value, key) in values.iter_mut().zip(&node.list_map_keys) {
        *value = item.get(key);
    }
    values
}

fn by_keys(node: &Structural, items: &[Value], path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let odd = items.iter().enumerate().find(|(_, item)| !item.is_object() && !item.is_null());
    if let Some((index, item)) = odd {
        let detail = "must be an object for an array of list-type map";
        errors.push(FieldError::invalid(&path.index(index), item.clone(), detail));
        return;
    }
    let few_keys = node.list_map_keys.len() <= MOST_KEYS;
    if few_keys && surely_differ(items, |item| of_keys(node, item)) {
        return;
    }
    unique(items, path, errors, |item| {
        let keys = node.list_map_keys.iter().filter_map(|key| Some((key.clone(), item.get(key)?.clone())));
        Value::Object(keys.collect::<Map<_, _>>())
    });
}

/// Lists up to this length are looked through in pairs.
const SHORT: usize = 64;

/// Whether elements surely have different identities: they are few, and no identity holds a float, which texts may show as an integer.
fn surely_differ<'v, const N: usize>(items: &'v [Value], parts: impl Fn(&'v Value) -> [Option<&'v Value>; N]) -> bool {
    let is_plain = |part: &Option<&Value>| match part {
        None | Some(Value::String(_) | Value::Bool(_)) => true,
        Some(Value::Number(number)) => number.is_i64(),
        Some(_) => false,
    };
    if items.len() > SHORT {
        return false;
    }
    let known: Vec<[Option<&Value>; N]> = items.iter().map(parts).collect();
    known.iter().flatten().all(is_plain)
        && known.iter().enumerate().all(|(at, one)| known.iter().take(at).all(|other| other != one))
}

/// Refuses the second of elements that have the same identity. JSON text tells them apart, numbers by their type too.
fn unique(items: &[Value], path: &Path<'_>, errors: &mut Vec<FieldError>, identity: impl Fn(&Value) -> Value) {
    let mut seen: HashMap<String, usize> = HashMap::new();
    for (index, item) in items.iter().enumerate() {
        let identity = identity(item);
        let text = match &identity {
            Value::Object(_) | Value::Array(_) => BadValue::from(identity.clone()).to_string(),
            scalar => scalar.to_string(),
        };
        let times = seen.entry(text).or_default();
        *times += 1;
        if *times == 2 {
            errors.push(FieldError::duplicate(&path.index(index), identity));
        }
    }
}
