//! Mistakes in the constraints of a schema.

use crate::hints::{Constraint, Junctor, has_length};
use crate::structural::{Additional, Checks, ListType, Pattern, SchemaType, Structural};
use crate::validate::keyword_errors;
use serde_json::Value;
use std::sync::Arc;

/// Faults of one rule.
const MOST: usize = 64;
/// Schemas inside of alternatives.
const DEPTH: usize = 6;

/// A change of a schema.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Edit {
    Minimum(Option<f64>),
    Maximum(Option<f64>),
    ExclusiveMinimum,
    ExclusiveMaximum,
    MultipleOf(Option<f64>),
    MinLength(Option<i64>),
    MaxLength(Option<i64>),
    MinItems(Option<i64>),
    MaxItems(Option<i64>),
    MinProperties(Option<i64>),
    MaxProperties(Option<i64>),
    NoPattern,
    NoFormat,
    NotUnique,
    NoEnum,
    WithoutValue(usize),
    WithValue(Value),
    NotRequired(String),
    Atomic,
    WithoutKey(usize),
    NoAlternatives(Junctor),
    WithoutAlternative(Junctor, usize),
    AnyForOne,
    Inside(Box<Way>, Box<Edit>),
}

/// A step into an alternative or a part of it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Way {
    Alternative(Junctor, usize),
    Member(String),
    Other,
    Element,
}

impl Edit {
    /// The schema with the change.
    pub(super) fn apply(&self, node: &mut Structural) {
        let checks = &mut node.checks;
        match self {
            Self::Minimum(bound) => checks.minimum = *bound,
            Self::Maximum(bound) => checks.maximum = *bound,
            Self::ExclusiveMinimum => checks.exclusive_minimum = !checks.exclusive_minimum,
            Self::ExclusiveMaximum => checks.exclusive_maximum = !checks.exclusive_maximum,
            Self::MultipleOf(factor) => checks.multiple_of = *factor,
            Self::MinLength(bound) => checks.min_length = *bound,
            Self::MaxLength(bound) => checks.max_length = *bound,
            Self::MinItems(bound) => checks.min_items = *bound,
            Self::MaxItems(bound) => checks.max_items = *bound,
            Self::MinProperties(bound) => checks.min_properties = *bound,
            Self::MaxProperties(bound) => checks.max_properties = *bound,
            Self::NoPattern => checks.pattern = None,
            Self::NoFormat => checks.format = None,
            Self::NotUnique => checks.unique_items = false,
            Self::NoEnum => checks.enumeration.clear(),
            Self::WithoutValue(index) => drop_at(&mut checks.enumeration, *index),
            Self::WithValue(value) => checks.enumeration.push(value.clone()),
            Self::NotRequired(name) => checks.required.retain(|known| known != name),
            Self::Atomic => node.list_type = ListType::Atomic,
            Self::WithoutKey(index) => drop_at(&mut node.list_map_keys, *index),
            Self::NoAlternatives(Junctor::Not) => checks.not = None,
            Self::NoAlternatives(junctor) => alternatives(checks, *junctor).into_iter().for_each(Vec::clear),
            Self::WithoutAlternative(junctor, index) => {
                alternatives(checks, *junctor).into_iter().for_each(|all| drop_at(all, *index));
            }
            Self::AnyForOne => {
                let one = std::mem::take(&mut checks.one_of);
                checks.any_of.extend(one);
            }
            Self::Inside(way, edit) => {
                let part = match &**way {
                    Way::Alternative(Junctor::Not, _) => checks.not.as_mut(),
                    Way::Alternative(junctor, index) => {
                        alternatives(checks, *junctor).and_then(|all| all.get_mut(*index))
                    }
                    Way::Member(name) => node.properties.get_mut(name),
                    Way::Element => node.items.as_mut(),
                    Way::Other => match &mut node.additional {
                        Some(Additional::Schema(schema)) => Some(schema),
                        _ => None,
                    },
                };
                if let Some(part) = part {
                    edit.apply(Arc::make_mut(part));
                }
            }
        }
    }
}

fn drop_at<T>(all: &mut Vec<T>, index: usize) {
    if index < all.len() {
        all.remove(index);
    }
}

fn alternatives(checks: &mut Checks, junctor: Junctor) -> Option<&mut Vec<Arc<Structural>>> {
    match junctor {
        Junctor::AllOf => Some(&mut checks.all_of),
        Junctor::AnyOf => Some(&mut checks.any_of),
        Junctor::OneOf => Some(&mut checks.one_of),
        Junctor::Not => None,
    }
}

/// A change with its name, and why no case can show it, if that is so.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub(super) name: String,
    pub(super) edit: Edit,
    pub(super) equivalent: Option<&'static str>,
}

const SET_FIRST: &str = "the default is set first";
const NOTHING_BELOW: &str = "nothing is smaller";
const EVERY_TEXT: &str = "every text matches";
const TOO_SHORT: &str = "the pattern rejects such short texts with an error of the same type";
const ONE_ALTERNATIVE: &str = "there is one alternative";
const REPEATED: &str = "the enums beside it say the same";
const HIGHER: &str = "bound one higher";

/// Every change of a constraint of a node; none for CEL rules.
pub(super) fn edits(node: &Structural, what: &Constraint) -> Vec<Named> {
    let mut all = List { all: Vec::new() };
    all.constraint(node, what, 0);
    all.all.truncate(MOST);
    all.all
}

struct List {
    all: Vec<Named>,
}

impl List {
    fn add(&mut self, name: impl Into<String>, edit: Edit) {
        self.all.push(Named { name: name.into(), edit, equivalent: None });
    }

    fn constraint(&mut self, node: &Structural, what: &Constraint, depth: usize) {
        let checks = &node.checks;
        match what {
            Constraint::Required(name) => {
                self.add("dropped", Edit::NotRequired(name.clone()));
                let has_default = node.properties.get(name).is_some_and(|schema| schema.default.is_some());
                if let (true, Some(last)) = (has_default, self.all.last_mut()) {
                    last.equivalent = Some(SET_FIRST);
                }
            }
            Constraint::Enum => {
                self.add("dropped", Edit::NoEnum);
                for (index, value) in checks.enumeration.iter().enumerate().take(MOST / 2) {
                    // Without its only value an enum says nothing.
                    if checks.enumeration.len() > 1 {
                        self.add(format!("value {} dropped", crate::text::shortened(value)), Edit::WithoutValue(index));
                    }
                }
                let numbers = checks.enumeration.iter().all(Value::is_number);
                let value = if numbers { Value::from(987_654_321) } else { Value::from("Unknown") };
                if !checks.enumeration.contains(&value) {
                    self.add(format!("value {value} added"), Edit::WithValue(value));
                }
            }
            Constraint::Minimum => self.bound(checks.minimum, Edit::Minimum, Edit::ExclusiveMinimum),
            Constraint::Maximum => self.bound(checks.maximum, Edit::Maximum, Edit::ExclusiveMaximum),
            Constraint::MultipleOf => {
                self.add("dropped", Edit::MultipleOf(None));
                self.add("factor doubled", Edit::MultipleOf(checks.multiple_of.map(|factor| factor * 2.0)));
            }
            Constraint::Pattern => {
                self.add("dropped", Edit::NoPattern);
                let all = checks.pattern.as_ref().is_some_and(|pattern| matches_all(pattern));
                if let (true, Some(last)) = (all, self.all.last_mut()) {
                    last.equivalent = Some(EVERY_TEXT);
                }
            }
            Constraint::Format => self.add("dropped", Edit::NoFormat),
            Constraint::Unique => self.add("dropped", Edit::NotUnique),
            Constraint::MinLength => {
                let before = self.all.len();
                self.size(checks.min_length, false, Edit::MinLength);
                for named in self.all.iter_mut().skip(before) {
                    if let Edit::MinLength(bound) = named.edit
                        && !may_be_decided(checks, bound)
                    {
                        named.equivalent = Some(TOO_SHORT);
                    }
                }
            }
            Constraint::MaxLength => self.size(checks.max_length, true, Edit::MaxLength),
            Constraint::MinItems => self.size(checks.min_items, false, Edit::MinItems),
            Constraint::MaxItems => self.size(checks.max_items, true, Edit::MaxItems),
            Constraint::MinProperties => self.size(checks.min_properties, false, Edit::MinProperties),
            Constraint::MaxProperties => self.size(checks.max_properties, true, Edit::MaxProperties),
            Constraint::ListType => {
                self.add("dropped", Edit::Atomic);
                if node.list_map_keys.len() > 1 {
                    for (index, key) in node.list_map_keys.iter().enumerate() {
                        self.add(format!("key `{key}` dropped"), Edit::WithoutKey(index));
                    }
                }
            }
            Constraint::Alternatives(junctor) => {
                let before = self.all.len();
                self.alternatives(node, *junctor, depth);
                if depth == 0 && is_of_enums(node) {
                    let same = |named: &&mut Named| is_repeated(node, &named.edit);
                    self.all.iter_mut().skip(before).filter(same).for_each(|named| named.equivalent = Some(REPEATED));
                }
            }
            Constraint::IntOrString | Constraint::Cel(_) => {}
        }
    }

    fn bound(&mut self, bound: Option<f64>, edit: fn(Option<f64>) -> Edit, exclusive: Edit) {
        let Some(bound) = bound else { return };
        self.add("dropped", edit(None));
        self.add(HIGHER, edit(Some(bound + 1.0)));
        self.add("bound one lower", edit(Some(bound - 1.0)));
        self.add("bound itself decided the other way", exclusive);
    }

    fn size(&mut self, bound: Option<i64>, upper: bool, edit: fn(Option<i64>) -> Edit) {
        let Some(bound) = bound else { return };
        let before = self.all.len();
        self.add("dropped", edit(None));
        self.add(HIGHER, edit(bound.checked_add(1)));
        if bound > 0 {
            self.add("bound one lower", edit(Some(bound - 1)));
        }
        if let (false, true, Some(dropped)) = (upper, bound <= 0, self.all.get_mut(before)) {
            dropped.equivalent = Some(NOTHING_BELOW);
        }
    }

    fn alternatives(&mut self, node: &Structural, junctor: Junctor, depth: usize) {
        self.add("dropped", Edit::NoAlternatives(junctor));
        let all = crate::hints::alternatives(node, junctor);
        if junctor == Junctor::OneOf {
            self.add("several alternatives may hold", Edit::AnyForOne);
            if let (1, Some(last)) = (all.len(), self.all.last_mut()) {
                last.equivalent = Some(ONE_ALTERNATIVE);
            }
        }
        for (index, schema) in all.iter().enumerate() {
            if all.len() > 1 {
                self.add(format!("alternative {} dropped", index + 1), Edit::WithoutAlternative(junctor, index));
            }
            let place = match junctor {
                Junctor::Not => "inside".to_owned(),
                _ => format!("in alternative {}", index + 1),
            };
            self.inside(schema, &Way::Alternative(junctor, index), &place, depth + 1);
        }
    }

    /// The changes of all constraints of a part.
    fn inside(&mut self, part: &Structural, way: &Way, place: &str, depth: usize) {
        if depth > DEPTH || self.all.len() >= MOST {
            return;
        }
        let mut below = Self { all: Vec::new() };
        for what in constraints(part) {
            let before = below.all.len();
            below.constraint(part, &what, depth);
            for named in below.all.iter_mut().skip(before) {
                let of = match &what {
                    Constraint::Required(name) => format!("required `{name}`"),
                    what => what.keyword(),
                };
                named.name = format!("{of} {}", named.name);
                // Defaults are not set in alternatives, and sizes there count as any.
                named.equivalent = named.equivalent.filter(|reason| *reason != SET_FIRST);
            }
        }
        for (name, schema) in &part.properties {
            below.inside(schema, &Way::Member(name.clone()), &format!("at `{name}`"), depth + 1);
        }
        if let Some(schema) = &part.items {
            below.inside(schema, &Way::Element, "at elements", depth + 1);
        }
        if let Some(Additional::Schema(schema)) = &part.additional {
            below.inside(schema, &Way::Other, "at other members", depth + 1);
        }
        for named in below.all {
            let edit = Edit::Inside(Box::new(way.clone()), Box::new(named.edit));
            self.all.push(Named { name: format!("{place}: {}", named.name), edit, equivalent: named.equivalent });
        }
    }
}

/// Whether some text tells the least length from another one in its place: one of the two rejects it, and the pattern does not. To a
/// comparison, an error of the pattern and one of the length are the same.
fn may_be_decided(checks: &Checks, other: Option<i64>) -> bool {
    let greatest = checks.min_length.max(other).unwrap_or_default().saturating_sub(1);
    let Some(pattern) = &checks.pattern else { return true };
    usize::try_from(greatest).is_ok_and(|length| has_length(pattern, length))
}

/// Whether all that a schema says of values of one type is which of them are allowed.
fn is_of_enums(node: &Structural) -> bool {
    let is_enum = |schema: &Arc<Structural>| {
        schema.properties.is_empty() && schema.items.is_none() && constraints(schema) == [Constraint::Enum]
    };
    let Checks { all_of, any_of, one_of, not, .. } = &node.checks;
    let of_node = constraints(node);
    matches!(node.ty, Some(SchemaType::String | SchemaType::Integer))
        && of_node.iter().all(|what| matches!(what, Constraint::Enum | Constraint::Alternatives(_)))
        && all_of.iter().chain(any_of).chain(one_of).chain(not).all(is_enum)
}

/// Whether a schema of enums rejects the same values in the same way after a change.
fn is_repeated(node: &Structural, edit: &Edit) -> bool {
    let Checks { all_of, any_of, one_of, not, .. } = &node.checks;
    let parts = all_of.iter().chain(any_of).chain(one_of).chain(not);
    let others = [Value::from("Unknown"), Value::from(987_654_321), Value::from("takeover"), Value::from(-1)];
    let values = parts.flat_map(|part| &part.checks.enumeration).chain(&node.checks.enumeration).chain(&others);
    let mut changed = node.clone();
    edit.apply(&mut changed);
    let errors = |node: &Structural, value: &Value| {
        let mut all: Vec<_> =
            keyword_errors(node, value, "").into_iter().map(|error| (error.error_type, error.field)).collect();
        all.sort();
        all.dedup();
        all
    };
    values.into_iter().all(|value| errors(node, value) == errors(&changed, value))
}

/// Whether a pattern, which is searched, matches every text: it matches the empty one wherever that is.
fn matches_all(pattern: &Pattern) -> bool {
    pattern.is_match("") && !["$", "\\b", "\\B", "\\z", "\\Z"].iter().any(|end| pattern.as_str().contains(end))
}

/// The constraints of a schema itself.
fn constraints(node: &Structural) -> Vec<Constraint> {
    let checks = &node.checks;
    let mut all: Vec<Constraint> = checks.required.iter().cloned().map(Constraint::Required).collect();
    let stated = [
        (!checks.enumeration.is_empty(), Constraint::Enum),
        (checks.minimum.is_some(), Constraint::Minimum),
        (checks.maximum.is_some(), Constraint::Maximum),
        (checks.multiple_of.is_some(), Constraint::MultipleOf),
        (checks.pattern.is_some(), Constraint::Pattern),
        (crate::validate::kept_format(node).is_some(), Constraint::Format),
        (checks.min_length.is_some(), Constraint::MinLength),
        (checks.max_length.is_some(), Constraint::MaxLength),
        (checks.min_items.is_some(), Constraint::MinItems),
        (checks.max_items.is_some(), Constraint::MaxItems),
        (checks.min_properties.is_some(), Constraint::MinProperties),
        (checks.max_properties.is_some(), Constraint::MaxProperties),
        (!checks.all_of.is_empty(), Constraint::Alternatives(Junctor::AllOf)),
        (!checks.any_of.is_empty(), Constraint::Alternatives(Junctor::AnyOf)),
        (!checks.one_of.is_empty(), Constraint::Alternatives(Junctor::OneOf)),
        (checks.not.is_some(), Constraint::Alternatives(Junctor::Not)),
    ];
    all.extend(stated.into_iter().filter(|(stated, _)| *stated).map(|(_, what)| what));
    all
}
