//! The markers of a type and of what is in it, as rules.

use super::rows::{Row, Types, is_zero, origin};
use super::unfit::reason;
use super::zero::is_zero_scalar;
use serde_json::{Map, Value};
use takeover_harness::error::ErrorType;
use takeover_harness::path::{Path, members, pattern};
use takeover_harness::rule::{Boundary, ErrorShape, Rule, RuleId, Sample};
use takeover_harness::schema::{Kind, Presence, Schema, TypeId, WellKnown};

/// The step to the items of a list, and to the entries of a map.
pub(super) const EACH: &str = "[*]";

/// A marker in one place below the root.
#[derive(Clone, Debug)]
pub(super) struct Marker {
    /// What it says, as a rule: its path is the place.
    pub(super) rule: Rule,
    /// The steps to the values, with `[*]` for the items of lists and the entries of maps.
    pub(super) steps: Vec<String>,
    /// Whether an explicit zero value is kept, because the field is a pointer.
    pub(super) is_pointer: bool,
    /// Whether it sets a struct behind a pointer.
    is_struct: bool,
    /// Whether no code sets the field.
    pub(super) is_alone: bool,
}

impl Marker {
    /// The default of the values of a type at the end of the steps.
    pub(super) fn new(id: RuleId, schema: &Schema, steps: Vec<String>, ty: TypeId, default: &Value) -> Self {
        let is_pointer = matches!(schema.native(ty).1, Kind::Pointer(_));
        let is_struct = is_pointer && default.is_object() && schema.as_struct(ty).is_some();
        let path = joined(&steps);
        let mut reports = Vec::new();
        if is_struct {
            reports.push(report(&path, &Value::Object(Map::new())));
        }
        shapes(default, Some((schema, ty)), &path, &mut reports);
        let is_item = steps.last().is_some_and(|step| step == EACH);
        let rule = Rule {
            stability: Some(super::LEVEL),
            reports,
            boundaries: boundaries(default, schema.pointed(ty).1, is_pointer, is_item),
            ..Rule::new(id, path, format!("default={default}"))
        };
        Self { rule, steps, is_pointer, is_struct, is_alone: false }
    }

    /// Notes that zero is a value in a schema, and null where it is kept.
    pub(super) fn keeps_as_a_schema_does(&mut self, is_null_kept: bool) {
        for class in &mut self.rule.boundaries {
            class.breaks &= class.class != ZERO && !(is_null_kept && class.class == NULL);
        }
    }

    /// Whether the struct around the field is there in an object, or an item or entry.
    pub(super) fn is_reached(&self, object: &Value) -> bool {
        let around = match self.steps.split_last() {
            Some((last, around)) if last != EACH => around,
            _ => &self.steps,
        };
        any_at(object, around, &|_| true)
    }

    /// A row for each struct of the field that is there after defaulting, and was not before. Its default may leave all that is in it to
    /// other markers.
    pub(super) fn new_structs(&self, before: &Value, after: &Value) -> Vec<Row> {
        let mut found = Vec::new();
        if self.is_struct {
            new_structs_at(Some(before), after, &self.steps, &Path::ROOT, &mut found);
        }
        found
    }

    /// Whether some value of the field satisfies `is`.
    pub(super) fn any_value(&self, object: &Value, is: &dyn Fn(&Value) -> bool) -> bool {
        any_at(object, &self.steps, is)
    }
}

/// The pattern of a path without its recursion, since markers of a recursive type are listed once. `None` if the path does not recurse.
pub(super) fn folded(schema: &Schema, root: TypeId, field: &str) -> Option<String> {
    let (mut ty, mut path) = (root, String::new());
    let mut inside: Vec<(TypeId, usize)> = Vec::new();
    let mut is_folded = false;
    for step in members(field) {
        match (schema.pointed(ty), step) {
            ((id, Kind::Struct(fields)), Some(name)) => {
                if let Some(at) = inside.iter().position(|(of, _)| *of == id) {
                    path.truncate(inside.get(at).map_or(0, |(_, end)| *end));
                    inside.truncate(at);
                    is_folded = true;
                }
                inside.push((id, path.len()));
                path.push_str(if path.is_empty() { "" } else { "." });
                path.push_str(name);
                ty = fields.member(name)?.ty;
            }
            ((_, Kind::List(inner) | Kind::Map { value: inner, .. }), None) => {
                path.push_str(EACH);
                ty = *inner;
            }
            _ => return None,
        }
    }
    is_folded.then_some(path)
}

/// Whether some value at a path satisfies `is`.
fn any_at(value: &Value, path: &[String], is: &dyn Fn(&Value) -> bool) -> bool {
    let Some((step, rest)) = path.split_first() else { return is(value) };
    match (step.as_str(), value) {
        (EACH, Value::Array(items)) => items.iter().any(|item| any_at(item, rest, is)),
        (EACH, Value::Object(entries)) => entries.values().any(|entry| any_at(entry, rest, is)),
        (name, Value::Object(members)) => members.get(name).is_some_and(|member| any_at(member, rest, is)),
        _ => false,
    }
}

fn new_structs_at(before: Option<&Value>, after: &Value, steps: &[String], path: &Path<'_>, found: &mut Vec<Row>) {
    let Some((step, rest)) = steps.split_first() else {
        if after.is_object() && before.is_none_or(Value::is_null) {
            found.push(Row::of_struct(path));
        }
        return;
    };
    match (step.as_str(), after) {
        (EACH, Value::Array(items)) => {
            for (at, item) in items.iter().enumerate() {
                new_structs_at(before.and_then(|of| of.get(at)), item, rest, &path.index(at), found);
            }
        }
        (EACH, Value::Object(entries)) => {
            for (key, entry) in entries {
                new_structs_at(before.and_then(|of| of.get(key)), entry, rest, &path.key(key), found);
            }
        }
        (name, Value::Object(members)) => {
            if let Some(member) = members.get(name) {
                new_structs_at(before.and_then(|of| of.get(name)), member, rest, &path.child(name), found);
            }
        }
        _ => {}
    }
}

/// Every marker whose default shows, in the order of a walk through the types. A type is entered once on each way from the root. `items`
/// are the defaults of the items of lists and the values of maps, by their type, and `types` those of other fields without a marker.
pub(super) fn markers(
    schema: &Schema,
    root: TypeId,
    (items, types): (&[Option<Value>], &[Option<Value>]),
) -> Vec<Marker> {
    let mut walk = Walk { schema, items, types, around: Vec::new(), inside: Vec::new(), found: Vec::new() };
    walk.enter(root, &[]);
    walk.found
}

struct Walk<'s> {
    schema: &'s Schema,
    items: &'s [Option<Value>],
    types: &'s [Option<Value>],
    around: Vec<String>,
    inside: Vec<TypeId>,
    found: Vec<Marker>,
}

impl Walk<'_> {
    /// Enters a type; `inside` are the defaults that a schema has for what is inside a list or map, the outermost first.
    fn enter(&mut self, id: TypeId, inside: &[Option<Value>]) {
        let (id, kind) = self.schema.native(id);
        match kind {
            Kind::Pointer(inner) => self.enter(*inner, inside),
            Kind::List(inner) | Kind::Map { value: inner, .. } => {
                self.around.push(EACH.to_owned());
                let of_type = || self.items.get(inner.0 as usize)?.as_ref();
                if let Some(default) = inside.first().and_then(Option::as_ref).or_else(of_type) {
                    self.note(*inner, &default.clone());
                }
                self.enter(*inner, inside.get(1..).unwrap_or_default());
                self.around.pop();
            }
            Kind::Struct(_) if !self.inside.contains(&id) => {
                self.inside.push(id);
                self.members(id);
                self.inside.pop();
            }
            _ => {}
        }
    }

    fn members(&mut self, id: TypeId) {
        let Some((owner, fields)) = self.schema.as_struct(id) else { return };
        for field in &fields.fields {
            match field.presence {
                Presence::Hidden => {}
                Presence::Inlined => self.members(field.ty),
                Presence::Named => {
                    self.around.push(field.json_name.to_string());
                    let of_type = || self.types.get(field.ty.0 as usize)?.as_ref();
                    if let Some(default) = field.default.as_ref().or_else(of_type) {
                        self.note(field.ty, &default.clone());
                    }
                    self.enter(field.ty, self.schema.item_defaults(owner, &field.json_name));
                    self.around.pop();
                }
            }
        }
    }

    /// Notes the default of the values of this type at the end of the steps.
    fn note(&mut self, ty: TypeId, default: &Value) {
        let is_pointer = matches!(self.schema.native(ty).1, Kind::Pointer(_));
        // The zero value of a value is what is there without a default, and what does not fit its type sets nothing.
        if !is_pointer && is_zero_scalar(default) || reason(self.schema, ty, default).is_some() {
            return;
        }
        let Ok(number) = u32::try_from(self.found.len()) else { return };
        self.found.push(Marker::new(RuleId(number), self.schema, self.around.clone(), ty, default));
    }
}

/// The errors of a default: one for each of its innermost values that Go does not print anyway.
fn shapes(value: &Value, types: Types<'_>, path: &str, into: &mut Vec<ErrorShape>) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            for (name, value) in members {
                let (path, types) = match types.map(|(schema, id)| (schema, schema.pointed(id).1)) {
                    Some((schema, Kind::Map { value, .. })) => (format!("{path}{EACH}"), Some((schema, *value))),
                    Some((schema, Kind::Struct(fields))) => {
                        let types = fields.member(name).map(|member| (schema, member.ty));
                        (format!("{path}.{name}"), types)
                    }
                    _ => (format!("{path}.{name}"), None),
                };
                shapes(value, types, &path, into);
            }
        }
        _ if is_zero(value, types) => {}
        _ => {
            let new = report(path, value);
            if !into.contains(&new) {
                into.push(new);
            }
        }
    }
}

pub(super) fn report(path: &str, value: &Value) -> ErrorShape {
    ErrorShape { error_type: ErrorType::Required, field: pattern(path), origin: origin(value) }
}

/// The class of null.
const NULL: &str = "null";
/// The class of the zero value.
const ZERO: &str = "zero";
/// The class of values that are neither zero nor the default.
pub(super) const ANOTHER: &str = "another value";

/// The values that a marker treats differently: absent, null, zero, the default itself, and another one. List items are never absent.
fn boundaries(default: &Value, kind: &Kind, is_pointer: bool, is_item: bool) -> Vec<Boundary> {
    let class = |class: &str, breaks: bool, sample: Sample| Boundary {
        class: class.to_owned(),
        breaks,
        sample,
        options: Vec::new(),
    };
    let mut classes = vec![class(NULL, true, Sample::Value(Value::Null))];
    if !is_item {
        classes.insert(0, class("absent", true, Sample::Absent));
    }
    let (zero, other) = match default {
        Value::Bool(flag) => (Some(Value::from(false)), Some(Value::from(!flag))),
        Value::Number(number) => {
            (Some(Value::from(0)), number.as_i64().and_then(|number| number.checked_add(1)).map(Value::from))
        }
        Value::String(_) => {
            let (zero, other) = texts(kind);
            (zero.map(Value::from), Some(Value::from(other)))
        }
        _ => (None, None),
    };
    if let Some(zero) = zero.filter(|zero| zero != default) {
        classes.push(class(ZERO, !is_pointer, Sample::Value(zero)));
    }
    classes.push(class("the default", false, Sample::Value(default.clone())));
    if let Some(other) = other.filter(|other| !is_zero_scalar(other) || other.is_string()) {
        classes.push(class(ANOTHER, false, Sample::Value(other)));
    }
    classes
}

/// The zero value of a type that is written as a text, if it has one, and another one.
fn texts(kind: &Kind) -> (Option<&'static str>, &'static str) {
    match kind {
        Kind::WellKnown(WellKnown::Quantity) => (Some("0"), "2"),
        Kind::WellKnown(WellKnown::Duration) => (Some("0s"), "2s"),
        Kind::WellKnown(WellKnown::Time) => (None, "2026-01-02T03:04:05Z"),
        Kind::WellKnown(WellKnown::MicroTime) => (None, "2026-01-02T03:04:05.000006Z"),
        Kind::Bytes => (Some(""), "Yg=="),
        _ => (Some(""), "another"),
    }
}

fn joined(steps: &[String]) -> String {
    let mut path = String::new();
    for step in steps {
        if !path.is_empty() && step != EACH {
            path.push('.');
        }
        path.push_str(step);
    }
    path
}
