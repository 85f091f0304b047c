//! `default-value`: defaults keep the rules of their field.

use crate::Declarative;
use crate::lint::def::{Lint, Origin};
use crate::lint::model::{Line, Model, Subject};
use crate::lint::sink::{Sink, Spot};
use crate::settings::CompileSettings;
use crate::tags::{self, Requiredness};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use takeover_harness::case::{Operation, Options};
use takeover_harness::error::{ErrorType, FieldError};
use takeover_harness::object::{Arena, from_value};
use takeover_harness::oracle::{Answer, Objects, Oracle as _, Question, View};
use takeover_harness::schema::{Field, Kind, Presence, Schema, TypeId};

pub(in crate::lint) static DEFAULT_VALUE: Lint = Lint {
    name: "default-value",
    summary: "A default must fit the type and rules of its field.",
    explanation: "A struct with only the default is decoded and validated as a create, once with all options on and once with \
                  all off. If that fails, every request that leaves out the field fails.",
    source: Origin::Proposal,
    ..Lint::DEFAULT
};

pub(in crate::lint) fn default_value(model: &Model<'_>, sink: &mut Sink<'_>) {
    let settings = CompileSettings::default();
    let mut compiled: HashMap<TypeId, Option<Declarative>> = HashMap::new();
    for subject in &model.subjects {
        let Some((_, field)) = subject.field.filter(|(_, field)| field.presence == Presence::Named) else { continue };
        let Some((line, text)) = subject.default_marker() else { continue };
        // A default that is no JSON is one of the faults of the source; one by reference is the constant's value.
        let value = serde_json::from_str(text).ok().or_else(|| field.default.clone());
        let Some(value) = value.filter(|value: &Value| !value.is_null()) else { continue };
        let oracle = compiled
            .entry(subject.ty)
            .or_insert_with(|| Declarative::compile_type(model.idl, subject.ty, &settings).ok());
        for message in faults(model, subject, field, &value, oracle.as_ref()) {
            sink.report(subject, default_spot(line), message);
        }
    }
}

/// The value of a default marker.
pub(super) fn default_spot(line: &Line<'_>) -> Spot {
    let mut position = line.line.position.clone();
    let before = line.name.len() + "+=".len();
    position.column = position.column.saturating_add(u32::try_from(before).unwrap_or(u32::MAX));
    Spot::at(Some(position)).of_length((line.line.text.len() + 1).saturating_sub(before))
}

fn faults(
    model: &Model<'_>,
    subject: &Subject<'_>,
    field: &Field,
    value: &Value,
    oracle: Option<&Declarative>,
) -> BTreeSet<String> {
    let schema = &model.idl.schema;
    let mut object = serde_json::Map::new();
    object.insert(field.json_name.to_string(), as_decoded(&model.idl.schema, field.ty, value));
    let object = Value::Object(object);
    let arena = Arena::default();
    let node = match from_value(schema, subject.ty, &object, &arena) {
        Ok(node) => node,
        Err(error) => return BTreeSet::from([format!("the default does not fit the type of the field: {error}")]),
    };
    // Tags that do not compile are reported as such.
    let Some(oracle) = oracle else { return BTreeSet::new() };
    let names: BTreeSet<&String> = oracle.rules().iter().flat_map(|rule| &rule.options).map(|(name, _)| name).collect();
    let mut messages = BTreeSet::new();
    for on in [true, false] {
        let mut options = Options::new();
        names.iter().for_each(|name| options.set(name.as_str(), on));
        let question = Question {
            operation: Operation::Create,
            objects: Objects { schema, root: subject.ty, new: node, old: None, sent: None },
            options: &options,
            subresource: "",
        };
        let mut answer = Answer::new();
        // A nil pointer that nothing stops elsewhere in the struct says nothing about this field.
        if oracle.answer(&question, &View::none(), &mut answer).is_ok() {
            let own = answer.errors.iter().filter(|error| concerns(error, &field.json_name));
            let real = own.filter(|error| !is_said_elsewhere(error, oracle, subject, &field.json_name));
            messages.extend(real.map(|error| format!("the default breaks a rule: {error}")));
        }
    }
    messages
}

/// The value with the member names that Go's decoder would take the given ones for: it does not look at their case.
fn as_decoded(schema: &Schema, ty: TypeId, value: &Value) -> Value {
    match (schema.pointed(ty).1, value) {
        (Kind::List(element), Value::Array(items)) => {
            items.iter().map(|item| as_decoded(schema, *element, item)).collect()
        }
        (Kind::Map { value: inner, .. }, Value::Object(entries)) => {
            let entries = entries.iter().map(|(key, entry)| (key.clone(), as_decoded(schema, *inner, entry)));
            Value::Object(entries.collect())
        }
        (Kind::Struct(fields), Value::Object(entries)) => {
            let named = entries.iter().map(|(name, entry)| {
                let alike =
                    |field: &&Field| field.presence == Presence::Named && field.json_name.eq_ignore_ascii_case(name);
                let exact = fields.member(name).map(|member| (name.clone(), member.ty));
                match exact
                    .or_else(|| fields.fields.iter().find(alike).map(|field| (field.json_name.to_string(), field.ty)))
                {
                    Some((name, ty)) => (name, as_decoded(schema, ty, entry)),
                    None => (name.clone(), entry.clone()),
                }
            });
            Value::Object(named.collect())
        }
        _ => value.clone(),
    }
}

fn concerns(error: &FieldError, name: &str) -> bool {
    error.field.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// Members that have defaults of their own are set before validation. `required` on the field itself contradicts any default,
/// whatever its value, and so does `forbidden`, unless it depends on an option: fields of features that are off are wiped before
/// validation.
fn is_said_elsewhere(error: &FieldError, oracle: &Declarative, subject: &Subject<'_>, name: &str) -> bool {
    if *error.field != *name {
        let rule = error.rule.and_then(|rule| oracle.rules().get(rule.index()));
        return rule.is_some_and(|rule| rule.after_default);
    }
    let required =
        subject.tags().any(|(_, tag)| tag.chain().any(|tag| tags::requiredness(tag) == Some(Requiredness::Required)));
    error.error_type == ErrorType::Forbidden || (error.error_type == ErrorType::Required && required)
}
