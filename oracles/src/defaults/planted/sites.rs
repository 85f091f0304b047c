//! The fields that defaulting sets, found by trying objects.

use crate::defaults::deciding::deciding;
use crate::defaults::markers::{ANOTHER, EACH, Marker, report};
use crate::defaults::rows::rows;
use crate::defaults::skeleton::{each_alone, everything};
use crate::defaults::zero::is_zero_scalar;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use takeover_harness::form::Defaulter;
use takeover_harness::object::{Arena, from_value, to_value};
use takeover_harness::path::members;
use takeover_harness::rule::{Rule, RuleId, Sample};
use takeover_harness::schema::{Kind, Schema, TypeId};

/// A field that defaulting sets, or a struct that it creates.
pub(super) struct Site {
    /// Its default as a rule, and where it is.
    pub(super) marker: Marker,
    /// Its type.
    pub(super) ty: TypeId,
    /// The default; where that depends on other fields, one of them.
    pub(super) default: Value,
    /// A value that is neither the default nor unset.
    pub(super) other: Option<Value>,
    /// Whether an explicit zero is kept.
    pub(super) keeps_zero: bool,
    /// Whether it takes a default only where another field has some value.
    pub(super) is_decided: bool,
    /// Whether it takes a default beside another field with a value.
    pub(super) is_set_beside: bool,
    /// Whether defaulting sets other fields of the struct around.
    pub(super) has_defaults_beside: bool,
}

impl Site {
    /// The value that the cases try of a class.
    pub(super) fn sample(&self, class: &str) -> Option<&Value> {
        self.marker.rule.boundaries.iter().find(|of| of.class == class).and_then(|of| match &of.sample {
            Sample::Value(value) => Some(value),
            _ => None,
        })
    }

    /// Whether it is a struct that defaulting creates.
    pub(super) fn is_created(&self) -> bool {
        self.default.is_object()
    }
}

/// What sets defaults: all of it, and the part of it that is code.
#[derive(Clone, Copy)]
pub(super) struct Setters<'s> {
    pub(super) whole: &'s dyn Defaulter,
    pub(super) code: Option<&'s dyn Defaulter>,
    /// Known values of texts, by path pattern.
    pub(super) values: &'s BTreeMap<String, Vec<String>>,
}

/// The fields that defaulting sets in an object with every struct, in each struct alone, and where the value of one field decides, with the
/// rules of the fields that decide. The rules of the sites have the numbers from 0.
pub(super) fn sites(setters: Setters<'_>, (schema, root): (&Schema, TypeId)) -> (Vec<Site>, Vec<Rule>) {
    let whole = everything(schema, root);
    let mut found = Found { schema, root, defaulter: setters.whole, values: BTreeMap::new() };
    found.note(&whole);
    each_alone(schema, root, &whole, &mut |lone| found.note(&(lone.around)(Value::Object(Map::new()))));
    let deciding = setters.code.map(|code| deciding(code, (schema, root), &whole, setters.values));
    let deciding = deciding.unwrap_or_default();
    let always: BTreeSet<Vec<String>> = found.values.keys().cloned().collect();
    for rule in &deciding {
        for class in &rule.boundaries {
            if let Sample::Value(value) = &class.sample {
                found.note(&with(&whole, &steps(&rule.path), value));
            }
        }
    }
    (found.sites(&whole, &always), deciding)
}

/// What was found so far.
struct Found<'s> {
    schema: &'s Schema,
    root: TypeId,
    defaulter: &'s dyn Defaulter,
    /// The values that are set, by path.
    values: BTreeMap<Vec<String>, Vec<Value>>,
}

impl Found<'_> {
    fn defaulted(&self, object: &Value) -> Option<[Value; 2]> {
        let (schema, root, arena) = (self.schema, self.root, Arena::new());
        let node = from_value(schema, root, object, &arena).ok()?;
        let after = self.defaulter.apply(schema, root, node, &arena);
        Some([node, after].map(|node| to_value(schema, root, &node)))
    }

    fn note(&mut self, object: &Value) {
        let Some([before, after]) = self.defaulted(object) else { return };
        let set = rows(&before, &after, self.schema, self.root).into_iter().filter(|row| row.is_set());
        let mut set: Vec<(Vec<String>, Value)> = set.map(|row| (steps(&row.field), row.value)).collect();
        created(self.schema, self.root, Some(&before), &after, &mut Vec::new(), &mut set);
        for (path, value) in set {
            let values = self.values.entry(path).or_default();
            if !values.contains(&value) {
                values.push(value);
            }
        }
    }

    /// Whether a field takes a default beside another one with a value.
    fn is_set_beside(&self, whole: &Value, path: &[String]) -> bool {
        let Some((own, around)) = path.split_last() else { return false };
        let ty = type_at(self.schema, self.root, around);
        let Some((_, fields)) = ty.and_then(|ty| self.schema.as_struct(ty)) else { return false };
        let others = fields.fields.iter().filter(|field| *field.json_name != **own);
        let samples = others.filter_map(|field| Some((&field.json_name, scalar(self.schema.pointed(field.ty).1)?)));
        let mut objects = samples.map(|(name, value)| {
            let beside: Vec<String> = around.iter().cloned().chain([name.to_string()]).collect();
            with(whole, &beside, &value)
        });
        objects.any(|object| {
            let is_set =
                |[before, after]: [Value; 2]| at(&after, path).is_some() && at(&before, path) != at(&after, path);
            self.defaulted(&object).is_some_and(is_set)
        })
    }

    /// The fields. `always` are those that take a default without another field that decides.
    fn sites(&self, whole: &Value, always: &BTreeSet<Vec<String>>) -> Vec<Site> {
        let mut sites = Vec::new();
        for (path, values) in &self.values {
            let (Some(ty), Some(default), Ok(number)) =
                (type_at(self.schema, self.root, path), values.first(), u32::try_from(sites.len()))
            else {
                continue;
            };
            let mut marker = Marker::new(RuleId(number), self.schema, path.clone(), ty, default);
            for other in values.iter().skip(1).filter(|value| !value.is_object()) {
                marker.rule.reports.push(report(&marker.rule.path, other));
            }
            let around = path.split_last().map_or(path.as_slice(), |(_, around)| around);
            let is_beside =
                |other: &Vec<String>| other != path && other.split_last().is_some_and(|(_, of)| of == around);
            let has_defaults_beside = self.values.keys().any(is_beside);
            let mut site = Site {
                ty,
                default: default.clone(),
                other: None,
                keeps_zero: false,
                is_decided: !always.contains(path),
                is_set_beside: self.is_set_beside(whole, path),
                has_defaults_beside,
                marker,
            };
            let flipped = default.as_bool().filter(|_| site.marker.is_pointer).map(|flag| Value::from(!flag));
            site.other = site.sample(ANOTHER).cloned().or(flipped);
            site.keeps_zero = site.sample("zero").is_some_and(|zero| {
                let after = self.defaulted(&with(whole, path, zero));
                after.is_some_and(|[_, after]| at(&after, path).is_some_and(is_zero_scalar))
            });
            sites.push(site);
        }
        sites
    }
}

/// A value of a type, if it is a single one.
fn scalar(kind: &Kind) -> Option<Value> {
    match kind {
        Kind::Text => Some("a".into()),
        Kind::Bool => Some(true.into()),
        Kind::Int { .. } => Some(1.into()),
        _ => None,
    }
}

/// Adds each outermost struct behind a pointer that is there after defaulting and was not before.
fn created(
    schema: &Schema,
    ty: TypeId,
    before: Option<&Value>,
    after: &Value,
    path: &mut Vec<String>,
    found: &mut Vec<(Vec<String>, Value)>,
) {
    let is_pointer = matches!(schema.native(ty).1, Kind::Pointer(_));
    let mut below = |step: &str, ty: TypeId, before: Option<&Value>, after: &Value| {
        path.push(step.to_owned());
        created(schema, ty, before, after, path, found);
        path.pop();
    };
    match (schema.pointed(ty).1, after) {
        (Kind::Struct(_), Value::Object(_)) if is_pointer && before.is_none_or(Value::is_null) => {
            found.push((path.clone(), after.clone()));
        }
        (Kind::Struct(fields), Value::Object(members)) => {
            for (name, value) in members {
                if let Some(member) = fields.member(name) {
                    below(name, member.ty, before.and_then(|of| of.get(name)), value);
                }
            }
        }
        (Kind::List(item), Value::Array(items)) => {
            for (number, value) in items.iter().enumerate() {
                below(EACH, *item, before.and_then(|of| of.get(number)), value);
            }
        }
        (Kind::Map { value: inner, .. }, Value::Object(entries)) => {
            for (key, value) in entries {
                below(EACH, *inner, before.and_then(|of| of.get(key)), value);
            }
        }
        _ => {}
    }
}

/// The steps of a path, with `[*]` for the items of lists and the entries of maps.
fn steps(path: &str) -> Vec<String> {
    members(path).map(|step| step.unwrap_or(EACH).to_owned()).collect()
}

/// The type of the values at a path.
fn type_at(schema: &Schema, root: TypeId, path: &[String]) -> Option<TypeId> {
    path.iter().try_fold(root, |ty, step| match (schema.pointed(ty).1, step.as_str()) {
        (Kind::Struct(fields), name) => Some(fields.member(name)?.ty),
        (Kind::List(inner) | Kind::Map { value: inner, .. }, EACH) => Some(*inner),
        _ => None,
    })
}

/// The first value at a path.
fn at<'v>(value: &'v Value, path: &[String]) -> Option<&'v Value> {
    path.iter().try_fold(value, |value, step| match (step.as_str(), value) {
        (EACH, Value::Array(items)) => items.first(),
        (EACH, Value::Object(entries)) => entries.values().next(),
        (name, value) => value.get(name),
    })
}

/// The object with a value at the first place of a path.
fn with(object: &Value, path: &[String], value: &Value) -> Value {
    let mut object = object.clone();
    let Some((last, around)) = path.split_last() else { return object };
    let place = around.iter().try_fold(&mut object, |value, step| match (step.as_str(), value) {
        (EACH, Value::Array(items)) => items.first_mut(),
        (EACH, Value::Object(entries)) => entries.values_mut().next(),
        (name, value) => value.get_mut(name),
    });
    match (last.as_str(), place) {
        (EACH, Some(place)) => *place = Value::Array(vec![value.clone()]),
        (name, Some(Value::Object(members))) => _ = members.insert(name.to_owned(), value.clone()),
        _ => {}
    }
    object
}
