//! The markers of a type and of what is in it, as rules.

use super::rows::{is_zero_scalar, origin};
use serde_json::Value;
use takeover_harness::error::ErrorType;
use takeover_harness::path::pattern;
use takeover_harness::rule::{Boundary, ErrorShape, Rule, RuleId, Sample};
use takeover_harness::schema::{Kind, Presence, Schema, TypeId};

/// A marker in one place below the root.
#[derive(Clone, Debug)]
pub(super) struct Marker {
    /// What it says, as a rule: its path is the place.
    pub(super) rule: Rule,
    /// The path of the struct around, with `[*]` for the items of lists and the entries of maps.
    around: Vec<String>,
    /// The JSON name of the field.
    name: String,
    /// Whether an explicit zero value is kept, because the field is a pointer.
    pub(super) is_pointer: bool,
    /// Whether no code sets the field.
    pub(super) is_alone: bool,
}

impl Marker {
    /// Whether the struct around the field is there in an object.
    pub(super) fn is_reached(&self, object: &Value) -> bool {
        any_at(object, &self.around, &|_| true)
    }

    /// Whether some value of the field satisfies `is`.
    pub(super) fn any_value(&self, object: &Value, is: &dyn Fn(&Value) -> bool) -> bool {
        let of_struct = |value: &Value| value.get(&self.name).is_some_and(is);
        any_at(object, &self.around, &of_struct)
    }
}

/// Whether some value at a path satisfies `is`.
fn any_at(value: &Value, path: &[String], is: &dyn Fn(&Value) -> bool) -> bool {
    let Some((step, rest)) = path.split_first() else { return is(value) };
    match (step.as_str(), value) {
        ("[*]", Value::Array(items)) => items.iter().any(|item| any_at(item, rest, is)),
        ("[*]", Value::Object(entries)) => entries.values().any(|entry| any_at(entry, rest, is)),
        (name, Value::Object(members)) => members.get(name).is_some_and(|member| any_at(member, rest, is)),
        _ => false,
    }
}

/// Every marker whose default shows, in the order of a walk through the types. A type is entered once on each way from the root.
pub(super) fn markers(schema: &Schema, root: TypeId) -> Vec<Marker> {
    let mut walk = Walk { schema, around: Vec::new(), inside: Vec::new(), found: Vec::new() };
    walk.enter(root);
    walk.found
}

struct Walk<'s> {
    schema: &'s Schema,
    around: Vec<String>,
    inside: Vec<TypeId>,
    found: Vec<Marker>,
}

impl Walk<'_> {
    fn enter(&mut self, id: TypeId) {
        let (id, kind) = self.schema.native(id);
        match kind {
            Kind::Pointer(inner) => self.enter(*inner),
            Kind::List(inner) | Kind::Map { value: inner, .. } => {
                self.around.push("[*]".to_owned());
                self.enter(*inner);
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
        let Some((_, fields)) = self.schema.as_struct(id) else { return };
        for field in &fields.fields {
            match field.presence {
                Presence::Hidden => {}
                Presence::Inlined => self.members(field.ty),
                Presence::Named => {
                    if let Some(default) = &field.default {
                        self.note(&field.json_name, field.ty, default);
                    }
                    self.around.push(field.json_name.to_string());
                    self.enter(field.ty);
                    self.around.pop();
                }
            }
        }
    }

    fn note(&mut self, name: &str, ty: TypeId, default: &Value) {
        let is_pointer = matches!(self.schema.native(ty).1, Kind::Pointer(_));
        // The zero value of a value is what is there without a default.
        if !is_pointer && is_zero_scalar(default) {
            return;
        }
        let (Ok(number), path) = (u32::try_from(self.found.len()), joined(&self.around, name)) else { return };
        let mut reports = Vec::new();
        shapes(default, &path, &mut reports);
        let rule = Rule {
            stability: Some(super::LEVEL),
            reports,
            boundaries: boundaries(default, is_pointer),
            ..Rule::new(RuleId(number), path, format!("default={default}"))
        };
        self.found.push(Marker {
            rule,
            around: self.around.clone(),
            name: name.to_owned(),
            is_pointer,
            is_alone: false,
        });
    }
}

/// The errors of a default: one for each of its innermost values.
fn shapes(value: &Value, path: &str, into: &mut Vec<ErrorShape>) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            members.iter().for_each(|(name, value)| shapes(value, &format!("{path}.{name}"), into));
        }
        _ => into.push(ErrorShape { error_type: ErrorType::Required, field: pattern(path), origin: origin(value) }),
    }
}

/// Absent, null, zero, the default itself, and another value: what a marker tells apart.
fn boundaries(default: &Value, is_pointer: bool) -> Vec<Boundary> {
    let class = |class: &str, breaks: bool, sample: Sample| Boundary {
        class: class.to_owned(),
        breaks,
        sample,
        options: Vec::new(),
    };
    let mut classes = vec![class("absent", true, Sample::Absent), class("null", true, Sample::Value(Value::Null))];
    let (zero, other) = match default {
        Value::Bool(flag) => (Some(Value::from(false)), Some(Value::from(!flag))),
        Value::Number(number) => {
            (Some(Value::from(0)), number.as_i64().and_then(|number| number.checked_add(1)).map(Value::from))
        }
        Value::String(_) => (Some(Value::from("")), Some(Value::from("another"))),
        _ => (None, None),
    };
    if let Some(zero) = zero.filter(|zero| zero != default) {
        classes.push(class("zero", !is_pointer, Sample::Value(zero)));
    }
    classes.push(class("the default", false, Sample::Value(default.clone())));
    if let Some(other) = other.filter(|other| !is_zero_scalar(other) || other.is_string()) {
        classes.push(class("another value", false, Sample::Value(other)));
    }
    classes
}

fn joined(around: &[String], name: &str) -> String {
    let mut path = String::new();
    for step in around.iter().map(String::as_str).chain([name]) {
        if !path.is_empty() && step != "[*]" {
            path.push('.');
        }
        path.push_str(step);
    }
    path
}
