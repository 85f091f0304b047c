//! Values that samples for the generator are made of: as small as the types allow, and different where they must be.

use super::list_kind;
use crate::compile::build::Build;
use crate::compile::context::Context;
use crate::compile::shape::{self, Builtin, Shape};
use crate::idl::ConstantValue;
use serde_json::{Map, Value};
use std::sync::Arc;
use takeover_harness::rule::{Boundary, Sample, Unreachable, any_text};
use takeover_harness::schema::{Field, Kind, Presence, TypeId, WellKnown};

/// Elements of this many members are told apart by their first scalars; deeper ones are not looked for.
const DEPTH: usize = 3;

/// A recipe for values of one type.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Recipe {
    /// Always this value.
    Fixed(Value),
    /// Texts that stand for any.
    Text,
    /// The constants of the type, then as text.
    Constants(Vec<Arc<str>>),
    /// 1, 2, … up to the largest value.
    Int(usize),
    /// In turns.
    Bool,
    /// Base64 of zeros, so many.
    Bytes,
    /// A value of the API machinery.
    Known(WellKnown),
    /// A struct with these members; the generator grows the others.
    Members(Vec<(Arc<str>, Recipe)>),
    /// A list of one.
    List(Box<Recipe>),
    /// A list of one, of two, …, for elements that are all alike.
    Longer(Box<Recipe>),
    /// A map of one.
    Map(Box<Recipe>),
}

impl Recipe {
    /// For values of type `ty`.
    pub(super) fn of(build: &Build<'_>, ty: TypeId) -> Self {
        Self::within(build, ty, DEPTH)
    }

    fn within(build: &Build<'_>, ty: TypeId, depth: usize) -> Self {
        let schema = build.schema();
        let value = shape::non_pointer(schema, ty);
        let Some(depth) = depth.checked_sub(1) else { return Self::Fixed(Value::Object(Map::new())) };
        match shape::shape(schema, value) {
            Shape::Builtin(Builtin::Text) => match constants(build, value) {
                known if known.is_empty() => Self::Text,
                known => Self::Constants(known),
            },
            Shape::Builtin(Builtin::Bool) => Self::Bool,
            Shape::Builtin(Builtin::Int { bits, .. }) => Self::Int(if bits <= 8 { 100 } else { 30_000 }),
            Shape::Builtin(Builtin::Float) => Self::Int(30_000),
            Shape::List(Some(element)) => Self::List(Box::new(Self::within(build, element, depth))),
            Shape::List(None) => Self::Bytes,
            Shape::Map { value, .. } => Self::Map(Box::new(Self::within(build, value, depth))),
            Shape::Struct => match schema.native(value).1 {
                Kind::WellKnown(known) => Self::Known(*known),
                _ => Self::Members(Vec::new()),
            },
            Shape::Pointer(_) | Shape::Any => Self::Fixed(Value::Object(Map::new())),
        }
    }

    /// For values that differ where the type has two: structs in one member, by preference a scalar of their own.
    pub(super) fn distinct(build: &Build<'_>, ty: TypeId) -> Self {
        Self::telling(build, ty, DEPTH).unwrap_or_else(|| Self::of(build, ty))
    }

    /// A recipe whose first two values differ.
    fn telling(build: &Build<'_>, ty: TypeId, depth: usize) -> Option<Self> {
        let schema = build.schema();
        let plain = Self::within(build, ty, depth);
        if plain.value(0) != plain.value(1) {
            return Some(plain);
        }
        let depth = depth.checked_sub(1)?;
        match shape::value_shape(schema, ty) {
            Shape::List(Some(element)) => Some(match Self::telling(build, element, depth) {
                Some(each) => Self::List(Box::new(each)),
                None => Self::Longer(Box::new(Self::of(build, element))),
            }),
            Shape::Struct => {
                let (name, recipe) = Self::member(build, ty, depth)?;
                Some(Self::Members(vec![(name, recipe)]))
            }
            _ => None,
        }
    }

    /// The members of the struct `ty` that are not among `keys` and could be such, with recipes whose first two values differ;
    /// another member if there are none.
    pub(super) fn beside(build: &Build<'_>, ty: TypeId, keys: &[Arc<str>]) -> Vec<(Arc<str>, Self)> {
        let schema = build.schema();
        let scalar = |field: &Field| matches!(shape::value_shape(schema, field.ty), Shape::Builtin(_));
        let telling = |field: &Field| Some((Arc::from(&*field.json_name), Self::telling(build, field.ty, DEPTH)?));
        let members = Self::members(build, ty, keys);
        let scalars: Vec<_> = members.iter().filter(|field| scalar(field)).filter_map(|field| telling(field)).collect();
        if scalars.is_empty() { members.into_iter().find_map(telling).into_iter().collect() } else { scalars }
    }

    fn member(build: &Build<'_>, ty: TypeId, depth: usize) -> Option<(Arc<str>, Self)> {
        Self::members(build, ty, &[])
            .into_iter()
            .find_map(|field| Some((Arc::from(&*field.json_name), Self::telling(build, field.ty, depth)?)))
    }

    /// The members of the struct `ty` but for those `without`, the plain ones first.
    fn members<'b>(build: &Build<'b>, ty: TypeId, without: &[Arc<str>]) -> Vec<&'b Field> {
        let schema = build.schema();
        let Some((_, fields)) = shape::as_struct(schema, ty) else { return Vec::new() };
        let rank = |ty| match shape::value_shape(schema, ty) {
            Shape::Builtin(Builtin::Text | Builtin::Int { .. }) => 0,
            Shape::Struct | Shape::Any | Shape::Pointer(_) if shape::as_struct(schema, ty).is_some() => 2,
            _ => 1,
        };
        let named = fields.fields.iter().filter(|field| field.presence == Presence::Named);
        let mut members: Vec<&Field> =
            named.filter(|field| without.iter().all(|name| **name != *field.json_name)).collect();
        members.sort_by_key(|field| rank(field.ty));
        members
    }

    /// For elements of the list that `context` stands on: different as the kind of the list asks for.
    pub(super) fn of_elements(build: &Build<'_>, context: &Context, element: TypeId) -> Self {
        if let Some(keys) = list_kind::map_keys(build, context) {
            let members = keys.iter().filter_map(|(name, _)| {
                let (ty, _) = list_kind::key_member(build, element, name).ok()?;
                Some((Arc::clone(name), Self::of(build, ty)))
            });
            return Self::Members(members.collect());
        }
        match list_kind::semantic(build, &context.path) {
            Some(Some(list_kind::Semantic::Set)) => Self::distinct(build, element),
            _ => Self::of(build, element),
        }
    }

    /// Value number `index`.
    pub(super) fn value(&self, index: usize) -> Value {
        match self {
            Self::Fixed(value) => value.clone(),
            Self::Text => Value::from(any_text(index)),
            Self::Constants(known) => match known.get(index) {
                Some(constant) => Value::from(constant.as_ref()),
                None => Value::from(any_text(index)),
            },
            Self::Int(limit) => Value::from(1 + index % limit),
            Self::Bool => Value::from(index.is_multiple_of(2)),
            Self::Bytes => bytes(index + 1),
            Self::Known(known) => well_known(*known, index),
            Self::Members(members) => {
                // Where other keys tell elements apart, enumerations stay within their values.
                let free = members.iter().any(|(_, recipe)| matches!(recipe, Self::Text | Self::Int(_)));
                let each = members.iter().map(|(name, recipe)| {
                    let value = match recipe {
                        Self::Constants(known) if free => recipe.value(index % known.len()),
                        recipe => recipe.value(index),
                    };
                    (name.to_string(), value)
                });
                Value::Object(each.collect())
            }
            Self::List(element) => Value::Array(vec![element.value(index)]),
            Self::Longer(element) => Value::Array(vec![element.value(0); index + 1]),
            Self::Map(value) => Value::Object(Map::from_iter([(format!("a{index}"), value.value(0))])),
        }
    }

    /// The value of a scalar that JSON leaves out; none for what has no zero value of its own.
    pub(super) fn zero(&self) -> Option<Value> {
        match self {
            Self::Text | Self::Constants(_) => Some(Value::from("")),
            Self::Int(_) => Some(Value::from(0)),
            Self::Bool => Some(Value::from(false)),
            Self::Bytes => Some(Value::from("")),
            Self::List(_) | Self::Longer(_) => Some(Value::Array(Vec::new())),
            Self::Map(_) => Some(Value::Object(Map::new())),
            Self::Fixed(_) | Self::Members(_) | Self::Known(_) => None,
        }
    }
}

/// So many zero bytes as JSON has them.
pub(super) fn bytes(size: usize) -> Value {
    let rest = ["", "AA==", "AAA="].get(size % 3).copied().unwrap_or_default();
    Value::from("AAAA".repeat(size / 3) + rest)
}

/// An ordinary value of type `ty` that counts as set.
pub(crate) fn example(build: &Build<'_>, ty: TypeId) -> Value {
    Recipe::of(build, ty).value(0)
}

/// Classes that no value of the type shows.
pub(super) fn without(classes: &[&str], reason: &str) -> Vec<Unreachable> {
    classes.iter().map(|class| Unreachable::new(*class, reason)).collect()
}

/// A class of values.
pub(super) fn class(class: impl Into<String>, breaks: bool, value: Value) -> Boundary {
    Boundary { class: class.into(), breaks, sample: Sample::Value(value), options: Vec::new() }
}

/// Absence as a class.
pub(super) fn unset(breaks: bool) -> Boundary {
    Boundary { class: "unset".to_owned(), breaks, sample: Sample::Absent, options: Vec::new() }
}

/// The texts that are constants of the type, without the empty one.
pub(super) fn constants(build: &Build<'_>, ty: TypeId) -> Vec<Arc<str>> {
    let constants = build.info(ty).map(|info| info.constants.as_slice()).unwrap_or_default();
    let mut known: Vec<Arc<str>> = Vec::new();
    for constant in constants {
        if let ConstantValue::Text(text) = &constant.value
            && !text.is_empty()
            && !known.iter().any(|other| **other == **text)
        {
            known.push(Arc::from(text.as_ref()));
        }
    }
    known
}

fn well_known(known: WellKnown, index: usize) -> Value {
    let (count, second) = (index + 1, index % 60);
    match known {
        WellKnown::Time => Value::from(format!("2026-01-02T03:04:{second:02}Z")),
        WellKnown::MicroTime => Value::from(format!("2026-01-02T03:04:{second:02}.000006Z")),
        WellKnown::Duration => Value::from(format!("{count}m0s")),
        WellKnown::Quantity => Value::from(count.to_string()),
        WellKnown::IntOrString => Value::from(1 + index % 30_000),
        WellKnown::Raw => Value::Object(Map::from_iter([("a".to_owned(), Value::from(count))])),
    }
}
