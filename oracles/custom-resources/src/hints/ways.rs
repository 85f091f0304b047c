//! Values that take different ways through the alternatives of a schema.

use super::example::example;
use super::joined::{alternatives, joined, plain};
use super::row::Junctor;
use super::texts;
use crate::structural::{Additional, SchemaType, Structural};
use crate::validate::accepts;
use serde_json::{Map, Value};
use std::collections::HashSet;

/// Alternatives and members inside of each other.
const DEPTH: usize = 4;
/// Schemas that say something of one value.
const MOST_SCHEMAS: usize = 48;
/// Members of an object, values of each, and values that are tried.
const MOST_MEMBERS: usize = 10;
const MOST_VALUES: usize = 12;
const MOST_TRIED: usize = 600;

const JUNCTORS: [Junctor; 4] = [Junctor::AllOf, Junctor::AnyOf, Junctor::OneOf, Junctor::Not];

/// Returns values of a node that take new ways through its alternatives: for each value, a different set of alternatives, or of their
/// parts, holds than for all values before it and in `known`.
pub(super) fn ways<'v>(node: &Structural, known: impl Iterator<Item = &'v Value>, most: usize) -> Vec<Value> {
    let way = |value: &Value| {
        let mut way = Vec::new();
        for alternative in JUNCTORS.into_iter().flat_map(|junctor| alternatives(node, junctor)) {
            walk(alternative, Some(value), DEPTH, &mut way);
        }
        way
    };
    let mut seen: HashSet<Vec<u8>> = known.map(way).collect();
    let mut ways = Vec::new();
    for value in pool(&[node], DEPTH) {
        if ways.len() < most && seen.insert(way(&value)) {
            ways.push(value);
        }
    }
    ways
}

/// Notes what holds of a value.
fn walk(schema: &Structural, value: Option<&Value>, depth: usize, way: &mut Vec<u8>) {
    let Some(value) = value else { return way.push(u8::MAX) };
    way.push(accepts(schema, value).into());
    let allowed = &schema.checks.enumeration;
    if !allowed.is_empty() {
        let others = [Value::from("Unknown"), Value::from(987_654_321)];
        let at = allowed.iter().chain(&others).position(|allowed| allowed == value);
        way.push(at.and_then(|at| u8::try_from(at).ok()).unwrap_or(u8::MAX));
    }
    let Some(depth) = depth.checked_sub(1) else { return };
    for alternative in JUNCTORS.into_iter().flat_map(|junctor| alternatives(schema, junctor)) {
        walk(alternative, Some(value), depth, way);
    }
    for name in &schema.checks.required {
        way.push(value.get(name).is_some().into());
    }
    for (name, member) in &schema.properties {
        walk(member, value.get(name), depth, way);
    }
    if let (Some(items), Some(elements)) = (&schema.items, value.as_array()) {
        elements.iter().take(2).for_each(|element| walk(items, Some(element), depth, way));
    }
}

/// The schemas, with all their alternatives.
fn flat<'s>(schemas: &[&'s Structural], depth: usize, all: &mut Vec<&'s Structural>) {
    for schema in schemas {
        if all.len() >= MOST_SCHEMAS {
            return;
        }
        all.push(schema);
        if depth > 0 {
            for junctor in JUNCTORS {
                let below: Vec<&Structural> = alternatives(schema, junctor).iter().map(AsRef::as_ref).collect();
                flat(&below, depth - 1, all);
            }
        }
    }
}

/// Values that these schemas of one value, and their alternatives, tell apart; the first is an ordinary one of the first schema.
fn pool(schemas: &[&Structural], depth: usize) -> Vec<Value> {
    let Some(first) = schemas.first() else { return Vec::new() };
    let base = example(&plain(first), 0);
    let mut all = Vec::new();
    flat(schemas, depth, &mut all);
    let ty = all.iter().find_map(|schema| schema.ty);
    let mut values = vec![base.clone()];
    match (ty, &base) {
        (Some(SchemaType::Object), Value::Object(base)) => values.extend(objects(base, &all, depth)),
        (Some(SchemaType::Array), _) => {
            values.push(Value::Array(Vec::new()));
            let items: Vec<&Structural> = all.iter().filter_map(|schema| schema.items.as_deref()).collect();
            if let (Some(below), false) = (depth.checked_sub(1), items.is_empty()) {
                values.extend(pool(&items, below).into_iter().take(MOST_VALUES).map(|item| Value::Array(vec![item])));
            }
        }
        _ => {
            for schema in &all {
                let joined = joined(first, Junctor::AllOf, schema);
                values.extend([example(&plain(&joined), 0), example(&plain(&joined), 1)]);
                values.extend(edges(schema));
            }
        }
    }
    let mut known: Vec<Value> = Vec::new();
    for value in values {
        if known.len() < MOST_TRIED && !known.contains(&value) {
            known.push(value);
        }
    }
    known
}

/// Values at the edges of what a schema of a value without parts accepts.
fn edges(schema: &Structural) -> Vec<Value> {
    let checks = &schema.checks;
    let mut all = checks.enumeration.clone();
    if !all.is_empty() {
        let other = if all.iter().all(Value::is_number) { Value::from(987_654_321) } else { Value::from("Unknown") };
        all.push(other);
    }
    for bound in [checks.minimum, checks.maximum].into_iter().flatten() {
        #[expect(clippy::cast_possible_truncation, reason = "bounds of samples are small, and others saturate")]
        let whole = bound as i64;
        all.extend([whole, whole.saturating_sub(1), whole.saturating_add(1)].map(Value::from));
    }
    for length in [checks.min_length, checks.max_length].into_iter().flatten() {
        let sizes = [length, length - 1, length + 1].into_iter().filter(|size| (0..=4_096).contains(size));
        all.extend(sizes.filter_map(|size| Some(Value::from("a".repeat(usize::try_from(size).ok()?)))));
    }
    if let Some((good, bad)) = checks.format.as_deref().and_then(texts::of_format) {
        all.extend([Value::from(good), Value::from(bad)]);
    }
    if let Some(pattern) = &checks.pattern {
        for matching in [true, false] {
            let mut texts = texts::candidates(pattern).iter().filter(|text| pattern.is_match(text) == matching);
            all.extend(texts.next().map(|text| Value::from(text.as_str())));
        }
    }
    all
}

/// Objects whose members take all values together, if those are not too many; else each value beside ordinary and beside absent others,
/// then mixtures.
fn objects(base: &Map<String, Value>, all: &[&Structural], depth: usize) -> Vec<Value> {
    let Some(below) = depth.checked_sub(1) else { return Vec::new() };
    let mut names: Vec<&String> = Vec::new();
    // What alternatives speak of; the first schema is the one that has them.
    for schema in all.iter().skip(1) {
        for name in schema.checks.required.iter().chain(schema.properties.keys()) {
            if names.len() < MOST_MEMBERS && !names.contains(&name) {
                names.push(name);
            }
        }
    }
    let members: Vec<(&String, Vec<Option<Value>>)> = names
        .into_iter()
        .map(|name| {
            let of_name: Vec<&Structural> = all
                .iter()
                .filter_map(|schema| match (schema.properties.get(name), &schema.additional) {
                    (Some(member), _) => Some(member.as_ref()),
                    (None, Some(Additional::Schema(member))) => Some(member.as_ref()),
                    _ => None,
                })
                .collect();
            let mut values: Vec<Option<Value>> = vec![None];
            values.extend(pool(&of_name, below).into_iter().take(MOST_VALUES).map(Some));
            (name, values)
        })
        .collect();
    let with = |choice: &dyn Fn(usize) -> usize| {
        let mut object = base.clone();
        for (at, (name, values)) in members.iter().enumerate() {
            match values.get(choice(at)) {
                Some(Some(value)) => drop(object.insert((*name).clone(), value.clone())),
                _ => drop(object.remove(*name)),
            }
        }
        Value::Object(object)
    };
    let counts: Vec<usize> = members.iter().map(|(_, values)| values.len()).collect();
    let product = counts.iter().try_fold(1_usize, |product, count| product.checked_mul(*count));
    if let Some(product) = product.filter(|product| *product <= MOST_TRIED) {
        let digits = |number: usize| {
            let before = move |at: usize, counts: &[usize]| counts.iter().take(at).product::<usize>();
            let counts = counts.clone();
            move |at: usize| number / before(at, &counts) % counts.get(at).copied().unwrap_or(1)
        };
        return (0..product).map(|number| with(&digits(number))).collect();
    }
    let mut made = Vec::new();
    for (at, count) in counts.iter().enumerate() {
        for value in 0..*count {
            for other in [0, 1] {
                made.push(with(&|member| if member == at { value } else { other }));
            }
        }
    }
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    while made.len() < MOST_TRIED {
        let choice: Vec<usize> = counts
            .iter()
            .map(|count| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                usize::try_from(state >> 33).unwrap_or_default() % count
            })
            .collect();
        made.push(with(&|at| choice.get(at).copied().unwrap_or_default()));
    }
    made
}
