//! Which fields differ between two values.

use super::atoms::{Shape, items, members, scalar_problems};
use super::error::{Invalid, Problems};
use super::items::element;
use super::side_by_side::side_by_side;
use crate::fields::{Element, FieldSet};
use crate::schema::{ListKind, ListType, MapType, Schema, TypeId};
use crate::value::equal;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The fields in which the second of two values differs from the first. No field is in two of the sets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Fields that only the first has.
    pub removed: FieldSet,
    /// Fields that both have, with different values.
    pub modified: FieldSet,
    /// Fields that only the second has.
    pub added: FieldSet,
}

impl Comparison {
    /// The comparison without the fields of `excluded` and those below them.
    #[must_use]
    pub fn without(&self, excluded: &FieldSet) -> Self {
        Self {
            removed: self.removed.recursive_difference(excluded),
            modified: self.modified.recursive_difference(excluded),
            added: self.added.recursive_difference(excluded),
        }
    }
}

/// Compares two values of a type.
///
/// # Errors
/// Returns an error when an item of a set or map has no key, in a part that is not the same in both.
pub fn compare(schema: &Schema, ty: TypeId, left: &Value, right: &Value) -> Result<Comparison, Invalid> {
    let mut walk = Walk { schema, path: Vec::new(), comparison: Comparison::default() };
    let problems = walk.both(ty, Some(left), Some(right));
    problems.or(walk.comparison)
}

struct Walk<'s> {
    schema: &'s Schema,
    path: Vec<Element>,
    comparison: Comparison,
}

impl Walk<'_> {
    fn both(&mut self, ty: TypeId, left: Option<&Value>, right: Option<&Value>) -> Problems {
        if left == right {
            return Problems::default();
        }
        let schema = self.schema;
        let (first, last) = schema.atom(ty).shapes(left, right);
        let mut problems = Problems::default();
        for shape in first.into_iter().chain([last]) {
            problems.extend(self.by_shape(shape, left, right));
        }
        match (left, right) {
            (None, _) => self.comparison.added.insert(&self.path),
            (_, None) => self.comparison.removed.insert(&self.path),
            _ => {}
        }
        problems
    }

    fn by_shape(&mut self, shape: Shape<'_>, left: Option<&Value>, right: Option<&Value>) -> Problems {
        match shape {
            Shape::Scalar(scalar) => {
                let (mut of_left, of_right) =
                    (scalar_problems(scalar, left, "lhs: "), scalar_problems(scalar, right, "rhs: "));
                if !of_left.is_empty() && !of_right.is_empty() {
                    of_left.extend(of_right);
                    return of_left;
                }
                self.leaf(left, right)
            }
            Shape::Map(map) => {
                let (of_left, of_right) = (members(left), members(right));
                let has = |members: Option<&Map<String, Value>>| members.is_some_and(|members| !members.is_empty());
                if map.atomic || !(has(of_left) || has(of_right)) {
                    return self.leaf(left, right);
                }
                self.members(map, of_left, of_right)
            }
            Shape::List(list) => {
                let (of_left, of_right) = (items(left).unwrap_or_default(), items(right).unwrap_or_default());
                if list.kind == ListKind::Atomic || (of_left.is_empty() && of_right.is_empty()) {
                    return self.leaf(left, right);
                }
                self.items(list, of_left, of_right)
            }
            Shape::Nothing => Problems::one("schema error: invalid atom: inlined"),
        }
    }

    fn leaf(&mut self, left: Option<&Value>, right: Option<&Value>) -> Problems {
        if let (Some(left), Some(right)) = (left, right)
            && !equal(left, right)
        {
            self.comparison.modified.insert(&self.path);
        }
        Problems::default()
    }

    fn members(
        &mut self,
        map: &MapType,
        left: Option<&Map<String, Value>>,
        right: Option<&Map<String, Value>>,
    ) -> Problems {
        let mut problems = Problems::default();
        for (name, [left, right]) in side_by_side(left, right) {
            if left == right {
                continue;
            }
            let Some(ty) = map.member(name) else {
                problems.extend_below(name, Problems::one("schema error: invalid atom: inlined"));
                continue;
            };
            self.path.push(Element::field(name));
            let part = self.both(ty, left, right);
            self.path.pop();
            problems.extend_below(name, part);
        }
        problems
    }

    fn items(&mut self, list: &ListType, left: &[Value], right: &[Value]) -> Problems {
        let mut problems = Problems::default();
        let left = by_element(self.schema, list, left, &mut problems);
        let right = by_element(self.schema, list, right, &mut problems);
        let elements: BTreeSet<&Element> = left.keys().chain(right.keys()).collect();
        for at in elements {
            let none = Vec::new();
            let (of_left, of_right) = (left.get(at).unwrap_or(&none), right.get(at).unwrap_or(&none));
            self.path.push(at.clone());
            let part = match (of_left.as_slice(), of_right.as_slice()) {
                ([] | [_], [] | [_]) => self.both(list.item, of_left.first().copied(), of_right.first().copied()),
                // Items that several have the key of are one piece, and are no single item.
                ([_, _, ..], [_, _, ..]) => {
                    let are_equal = of_left.len() == of_right.len()
                        && of_left.iter().zip(of_right).all(|(left, right)| equal(left, right));
                    if !are_equal {
                        self.comparison.modified.insert(&self.path);
                    }
                    Problems::default()
                }
                ([_, _, ..], single) => {
                    let part = single.first().map(|item| self.both(list.item, None, Some(item)));
                    self.comparison.removed.insert(&self.path);
                    part.unwrap_or_default()
                }
                (single, _) => {
                    let part = single.first().map(|item| self.both(list.item, Some(item), None));
                    self.comparison.added.insert(&self.path);
                    part.unwrap_or_default()
                }
            };
            self.path.pop();
            problems.extend_at(at, part);
        }
        problems
    }
}

fn by_element<'v>(
    schema: &Schema,
    list: &ListType,
    items: &'v [Value],
    problems: &mut Problems,
) -> BTreeMap<Element, Vec<&'v Value>> {
    let mut found: BTreeMap<Element, Vec<&Value>> = BTreeMap::new();
    for (index, item) in items.iter().enumerate() {
        match element(schema, list, item) {
            Ok(at) => found.entry(at).or_default().push(item),
            Err(reason) => problems.push(format!("element {index}: {reason}")),
        }
    }
    found
}
