//! Ordinary values of a schema.

use super::joined::{alternatives, joined, keeps};
use super::row::Junctor;
use super::texts;
use crate::structural::{Additional, ListType, SchemaType, Structural};
use serde_json::{Map, Number, Value};
use std::cell::Cell;
use takeover_harness::rule::any_text;

/// Objects inside of examples.
const DEPTH: usize = 6;
/// Elements of an example.
const MOST: i64 = 64;
/// Alternatives that are tried for an example.
const MOST_ALTERNATIVES: usize = 16;
/// Values inside of an example.
const VALUES: usize = 4_000;
/// Values of each part of a large example.
const VALUES_OF_PART: usize = 4;

/// How deep an example may still go, and how many values it may still have.
#[derive(Clone, Copy)]
struct Room<'r> {
    depth: usize,
    values: &'r Cell<usize>,
}

impl Room<'_> {
    /// Room inside of a list or an object.
    fn below(self) -> Option<Self> {
        Some(Self { depth: self.depth.checked_sub(1)?, ..self })
    }

    /// Takes room for one value, if there is some.
    fn take(self) -> bool {
        let left = self.values.get();
        self.values.set(left.saturating_sub(1));
        left > 0
    }
}

/// Makes a value of about this many parts, with a budget of its own.
fn roomy<T>(parts: usize, make: impl FnOnce(Room<'_>) -> T) -> T {
    make(Room { depth: DEPTH, values: &Cell::new(VALUES.max(parts.saturating_mul(VALUES_OF_PART))) })
}

/// Value number `index` that the schema accepts, as far as constraints of single values tell. Different numbers give different
/// values where the type has them.
pub(super) fn example(node: &Structural, index: usize) -> Value {
    roomy(1, |room| within(node, index, room))
}

/// A value that fits the alternatives of the schema: the plain one if it does, else one made for an alternative.
fn within(node: &Structural, index: usize, room: Room<'_>) -> Value {
    let ordinary = without_alternatives(node, index, room);
    if keeps(node, &ordinary) {
        return ordinary;
    }
    let of_all = alternatives(node, Junctor::AllOf).iter().fold(None, |known: Option<Structural>, alternative| {
        Some(joined(known.as_ref().unwrap_or(node), Junctor::AllOf, alternative))
    });
    let of_one = [Junctor::OneOf, Junctor::AnyOf].into_iter().flat_map(|junctor| {
        alternatives(node, junctor).iter().map(move |alternative| joined(node, junctor, alternative))
    });
    let made = of_all.into_iter().chain(of_one).map(|joined| within(&joined, index, room));
    made.take(MOST_ALTERNATIVES).find(|value| keeps(node, value)).unwrap_or(ordinary)
}

fn without_alternatives(node: &Structural, index: usize, room: Room<'_>) -> Value {
    if !room.take() {
        return Value::Null;
    }
    let allowed = &node.checks.enumeration;
    if let Some(value) = allowed.get(index % allowed.len().max(1)) {
        return value.clone();
    }
    if let (0, Some(default)) = (index, &node.default) {
        return default.clone();
    }
    if node.int_or_string {
        return match &node.checks.pattern {
            Some(_) => Value::from(texts::number(&node.checks, index)),
            None => Value::from(index + 1),
        };
    }
    match node.ty {
        Some(SchemaType::Boolean) => Value::from(index.is_multiple_of(2)),
        Some(SchemaType::Integer) => integer(node, index),
        Some(SchemaType::Number) => number(node, index),
        Some(SchemaType::String) => {
            let text = texts::number(&node.checks, index);
            room.values.set(room.values.get().saturating_sub(text.len() / 32));
            Value::from(text)
        }
        Some(SchemaType::Array) => list(node, index, 1, room),
        Some(SchemaType::Object) | None => object(node, index, room),
    }
}

fn integer(node: &Structural, index: usize) -> Value {
    #[expect(clippy::cast_possible_truncation, reason = "a bound beyond the type saturates")]
    let whole = |bound: f64| bound as i64;
    let checks = &node.checks;
    let step = checks.multiple_of.map_or(1, whole).max(1);
    let least =
        checks.minimum.map_or(i64::MIN, |bound| whole(bound.ceil()).saturating_add(checks.exclusive_minimum.into()));
    let most =
        checks.maximum.map_or(i64::MAX, |bound| whole(bound.floor()).saturating_sub(checks.exclusive_maximum.into()));
    let index = i64::try_from(index).unwrap_or_default().saturating_mul(step);
    let first = if least <= 1 && most >= 1 {
        1_i64.max(step)
    } else if least > 1 {
        least
    } else {
        most
    };
    let value = if first.saturating_add(index) <= most {
        first.saturating_add(index)
    } else {
        first.saturating_sub(index).max(least)
    };
    Value::from(value - value.rem_euclid(step).min(value.abs()))
}

fn number(node: &Structural, index: usize) -> Value {
    let checks = &node.checks;
    let margin = |exclusive: bool| if exclusive { 0.5 } else { 0.0 };
    let least = checks.minimum.map(|bound| bound + margin(checks.exclusive_minimum));
    let most = checks.maximum.map(|bound| bound - margin(checks.exclusive_maximum));
    let offset = f64::from(u32::try_from(index).unwrap_or_default());
    let value = match (least, most) {
        (Some(least), Some(most)) => (least + offset).min(most),
        (Some(least), None) => least.max(1.0) + offset,
        (None, Some(most)) => most.min(1.0) - offset,
        (None, None) => 1.0 + offset,
    };
    Number::from_f64(value).map_or(Value::from(1), Value::Number)
}

/// A list of at least `least` elements, which differ.
fn list(node: &Structural, index: usize, least: i64, room: Room<'_>) -> Value {
    let checks = &node.checks;
    let count = checks.min_items.unwrap_or_default().max(least).min(checks.max_items.unwrap_or(MOST)).clamp(0, MOST);
    sized(node, usize::try_from(count).unwrap_or_default(), index, room)
}

/// A list of so many elements, which differ.
pub(super) fn list_of(node: &Structural, count: usize) -> Value {
    roomy(count, |room| sized(node, count, 0, room))
}

fn sized(node: &Structural, count: usize, index: usize, room: Room<'_>) -> Value {
    let Some(room) = room.below() else { return Value::Array(Vec::new()) };
    let element = |at: usize| match &node.items {
        Some(items) => {
            let mut value = within(items, at, room);
            if let (ListType::Map, Value::Object(members)) = (node.list_type, &mut value) {
                for key in &node.list_map_keys {
                    let known = items.properties.get(key).map(|key| within(key, at, room));
                    members.insert(key.clone(), known.unwrap_or_else(|| Value::from(any_text(at))));
                }
            }
            value
        }
        None => Value::from(any_text(at)),
    };
    (index..index + count).take_while(|_| room.values.get() > 0).map(element).collect()
}

fn object(node: &Structural, index: usize, room: Room<'_>) -> Value {
    let Some(room) = room.below() else { return Value::Object(Map::new()) };
    let mut members = Map::new();
    if node.embedded {
        members.insert("apiVersion".to_owned(), Value::from("v1"));
        members.insert("kind".to_owned(), Value::from("ConfigMap"));
    }
    for name in &node.checks.required {
        let known = node.member(name).map(|schema| within(schema, index, room));
        members.entry(name.clone()).or_insert_with(|| known.unwrap_or_else(|| Value::from(any_text(index))));
    }
    let least = usize::try_from(node.checks.min_properties.unwrap_or_default().clamp(0, MOST)).unwrap_or_default();
    let optional: Vec<&String> = node.properties.keys().filter(|name| !node.checks.required.contains(name)).collect();
    for name in optional {
        if members.len() >= least {
            break;
        }
        if let Some(schema) = node.properties.get(name) {
            members.insert(name.clone(), within(schema, index, room));
        }
    }
    let mut at = index;
    // Maps show one entry, so that there is a value.
    while members.len() < least.max(usize::from(node.properties.is_empty())) && at < index + 64 {
        let value = match &node.additional {
            Some(Additional::Schema(schema)) => within(schema, at, room),
            Some(Additional::Any) => Value::from(any_text(at)),
            _ => break,
        };
        members.insert(format!("a{at}"), value);
        at += 1;
    }
    Value::Object(members)
}

/// A map of so many entries; `None` if the object has none but named members.
pub(super) fn map_of(node: &Structural, count: usize) -> Option<Value> {
    roomy(count, |room| {
        let room = room.below()?;
        let entry = |at: usize| match &node.additional {
            Some(Additional::Schema(schema)) => Some(within(schema, at, room)),
            Some(Additional::Any) => Some(Value::from(any_text(at))),
            _ => None,
        };
        if node.properties.is_empty() {
            let entries: Option<Map<_, _>> = (0..count).map(|at| Some((format!("a{at}"), entry(at)?))).collect();
            return entries.map(Value::Object);
        }
        let named = node.properties.iter().take(count);
        let members: Map<String, Value> = named.map(|(name, schema)| (name.clone(), within(schema, 0, room))).collect();
        (members.len() == count).then_some(Value::Object(members))
    })
}
