//! What becomes of a value when another is applied over it.

use super::atoms::{Shape, items, members, scalar_problems};
use super::error::{Invalid, Problems};
use super::items::element;
use super::side_by_side::side_by_side;
use crate::fields::Element;
use crate::schema::{ListKind, ListType, MapType, Schema, TypeId};
use crate::value::is_empty;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Merges `right` into `left`: leaves are those of `right` where it has them, nothing is removed. Items of lists stand in the order of
/// `left` where `right` has none of them, and in that of `right` otherwise.
///
/// # Errors
/// Returns an error when lists cannot be merged: an item of `right` occurs twice or has no key.
pub fn merge(schema: &Schema, ty: TypeId, left: &Value, right: &Value) -> Result<Value, Invalid> {
    let (merged, problems) = both(schema, ty, Some(left), Some(right));
    problems.or(merged.unwrap_or(Value::Null))
}

type Merged = (Option<Value>, Problems);

fn both(schema: &Schema, ty: TypeId, left: Option<&Value>, right: Option<&Value>) -> Merged {
    let (first, last) = schema.atom(ty).shapes(left, right);
    let first_problems = first.map(|shape| by_shape(schema, shape, left, right).1).unwrap_or_default();
    let (merged, problems) = by_shape(schema, last, left, right);
    let mut all = first_problems;
    all.extend(problems);
    (merged, all)
}

fn by_shape(schema: &Schema, shape: Shape<'_>, left: Option<&Value>, right: Option<&Value>) -> Merged {
    let leaf = || (right.or(left).cloned(), Problems::default());
    match shape {
        Shape::Scalar(scalar) => {
            let (mut of_left, of_right) =
                (scalar_problems(scalar, left, "lhs: "), scalar_problems(scalar, right, "rhs: "));
            if !of_left.is_empty() && !of_right.is_empty() {
                of_left.extend(of_right);
                return (None, of_left);
            }
            leaf()
        }
        Shape::Map(map) => {
            let (left, right) = (members(left), members(right));
            let has_members = |members: Option<&Map<String, Value>>| members.is_some_and(|members| !members.is_empty());
            if map.atomic || !(has_members(left) || has_members(right)) {
                return leaf();
            }
            of_members(schema, map, left, right)
        }
        Shape::List(list) => {
            let (left, right) = (items(left).unwrap_or_default(), items(right).unwrap_or_default());
            if list.kind == ListKind::Atomic || (left.is_empty() && right.is_empty()) {
                return leaf();
            }
            of_items(schema, list, left, right)
        }
        Shape::Nothing => (None, Problems::one("schema error: invalid atom: inlined")),
    }
}

fn of_members(
    schema: &Schema,
    map: &MapType,
    left: Option<&Map<String, Value>>,
    right: Option<&Map<String, Value>>,
) -> Merged {
    let (mut merged, mut problems) = (Map::new(), Problems::default());
    for (name, [left, right]) in side_by_side(left, right) {
        let Some(ty) = map.member(name) else {
            problems.extend_below(name, Problems::one("schema error: invalid atom: inlined"));
            continue;
        };
        let (value, part) = both(schema, ty, left, right);
        problems.extend_below(name, part);
        if let Some(value) = value {
            merged.insert(name.clone(), value);
        }
    }
    ((!merged.is_empty()).then_some(Value::Object(merged)), problems)
}

/// The items of a list with their elements, and by element.
struct Indexed<'v> {
    order: Vec<(Element, &'v Value)>,
    /// Null stands for an element that several items have.
    by_element: BTreeMap<Element, &'v Value>,
}

fn indexed<'v>(
    schema: &Schema,
    list: &ListType,
    items: &'v [Value],
    allow_duplicates: bool,
    problems: &mut Problems,
) -> Indexed<'v> {
    let mut indexed = Indexed { order: Vec::with_capacity(items.len()), by_element: BTreeMap::new() };
    for (index, item) in items.iter().enumerate() {
        match element(schema, list, item) {
            Err(reason) => problems.push(format!("element {index}: {reason}")),
            Ok(at) if indexed.by_element.contains_key(&at) => {
                if !allow_duplicates {
                    problems.push(format!("duplicate entries for key {at}"));
                    continue;
                }
                indexed.by_element.insert(at.clone(), &Value::Null);
                indexed.order.push((at, item));
            }
            Ok(at) => {
                indexed.by_element.insert(at.clone(), item);
                indexed.order.push((at, item));
            }
        }
    }
    indexed
}

fn of_items(schema: &Schema, list: &ListType, left: &[Value], right: &[Value]) -> Merged {
    let mut problems = Problems::default();
    let right = indexed(schema, list, right, false, &mut problems);
    let left = indexed(schema, list, left, true, &mut problems);
    if !problems.is_empty() {
        return (None, problems);
    }
    // What is wrong inside of items was found when the values were validated.
    let merged_item = |left: Option<&Value>, right: Option<&Value>| both(schema, list.item, left, right).0;
    let mut shared = right.order.iter().map(|(at, _)| at).filter(|at| left.by_element.contains_key(*at));
    let mut next_shared = shared.next();
    let mut merged = Vec::with_capacity(left.order.len().max(right.order.len()));
    let mut taken: BTreeSet<&Element> = BTreeSet::new();
    let (mut of_left, mut of_right) = (left.order.iter().peekable(), right.order.iter().peekable());
    while of_left.peek().is_some() || of_right.peek().is_some() {
        if let (Some((at, _)), Some((at_right, item))) = (of_left.peek(), of_right.peek()) {
            if at == at_right {
                taken.insert(at);
                merged.extend(merged_item(left.by_element.get(at).copied(), Some(item)));
                of_left.next();
                of_right.next();
                next_shared = shared.next();
                continue;
            }
            // An item of both that is not due yet comes with that of the right side.
            if right.by_element.contains_key(at) && next_shared.is_some_and(|next| next != at) {
                of_left.next();
                continue;
            }
        }
        if let Some((at, item)) = of_left.peek() {
            if !right.by_element.contains_key(at) {
                merged.extend(merged_item(Some(item), None));
                of_left.next();
                continue;
            }
            if taken.contains(at) {
                of_left.next();
            }
        }
        if let Some((at, item)) = of_right.next() {
            taken.insert(at);
            merged.extend(merged_item(left.by_element.get(at).copied(), Some(item)));
            if next_shared == Some(at) {
                next_shared = shared.next();
            }
        }
    }
    let merged = Value::Array(merged);
    ((!is_empty(Some(&merged))).then_some(merged), problems)
}
