//! The markers of a type and of what is in it, as rules.

use super::rows::{is_zero_scalar, origin};
use serde_json::Value;
use takeover_harness::error::ErrorType;
use takeover_harness::path::pattern;
use takeover_harness::rule::{Boundary, ErrorShape, Rule, RuleId, Sample};
use takeover_harness::schema::{Kind, Presence, Schema, TypeId};

/// The step to the items of a list, and to the entries of a map.
const EACH: &str = "[*]";

/// A marker in one place below the root.
#[derive(Clone, Debug)]
pub(super) struct Marker {
    /// What it says, as a rule: its path is the place.
    pub(super) rule: Rule,
    /// The steps to the values, with `[*]` for the items of lists and the entries of maps.
    steps: Vec<String>,
    /// Whether an explicit zero value is kept, because the field is a pointer.
    pub(super) is_pointer: bool,
    /// Whether no code sets the field.
    pub(super) is_alone: bool,
}

impl Marker {
    /// Whether the struct around the field is there in an object, or an item or entry.
    pub(super) fn is_reached(&self, object: &Value) -> bool {
        let around = match self.steps.split_last() {
            Some((last, around)) if last != EACH => around,
            _ => &self.steps,
        };
        any_at(object, around, &|_| true)
    }

    /// Whether some value of the field satisfies `is`.
    pub(super) fn any_value(&self, object: &Value, is: &dyn Fn(&Value) -> bool) -> bool {
        any_at(object, &self.steps, is)
    }
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

/// Every marker whose default shows, in the order of a walk through the types. A type is entered once on each way from the root. `items`
/// are the defaults of the items of lists and the values of maps, by their type.
pub(super) fn markers(schema: &Schema, root: TypeId, items: &[Option<Value>]) -> Vec<Marker> {
    let mut walk = Walk { schema, items, around: Vec::new(), inside: Vec::new(), found: Vec::new() };
    walk.enter(root);
    walk.found
}

struct Walk<'s> {
    schema: &'s Schema,
    items: &'s [Option<Value>],
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
                self.around.push(EACH.to_owned());
                if let Some(Some(default)) = self.items.get(inner.0 as usize) {
                    self.note(*inner, default);
                }
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
                    self.around.push(field.json_name.to_string());
                    if let Some(default) = &field.default {
                        self.note(field.ty, default);
                    }
                    self.enter(field.ty);
                    self.around.pop();
                }
            }
        }
    }

    /// Notes the default of the values of this type at the end of the steps.
    fn note(&mut self, ty: TypeId, default: &Value) {
        let is_pointer = matches!(self.schema.native(ty).1, Kind::Pointer(_));
        // The zero value of a value is what is there without a default.
        if !is_pointer && is_zero_scalar(default) {
            return;
        }
        let (Ok(number), path) = (u32::try_from(self.found.len()), joined(&self.around)) else { return };
        let mut reports = Vec::new();
        shapes(default, &path, &mut reports);
        let rule = Rule {
            stability: Some(super::LEVEL),
            reports,
            boundaries: boundaries(default, is_pointer, self.around.last().is_some_and(|step| step == EACH)),
            ..Rule::new(RuleId(number), path, format!("default={default}"))
        };
        self.found.push(Marker { rule, steps: self.around.clone(), is_pointer, is_alone: false });
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

/// The values that a marker treats differently: absent, null, zero, the default itself, and another one. List items are never absent.
fn boundaries(default: &Value, is_pointer: bool, is_item: bool) -> Vec<Boundary> {
    let class = |class: &str, breaks: bool, sample: Sample| Boundary {
        class: class.to_owned(),
        breaks,
        sample,
        options: Vec::new(),
    };
    let mut classes = vec![class("null", true, Sample::Value(Value::Null))];
    if !is_item {
        classes.insert(0, class("absent", true, Sample::Absent));
    }
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
