//! Values of fields that decide what code sets elsewhere, found by trying: cases that do not have them would show such a default as
//! constant.

use super::rows::rows;
use super::skeleton::{Lone, each_alone};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use takeover_harness::form::{Defaulter, Text};
use takeover_harness::object::{Arena, Order, from_value, to_value};
use takeover_harness::path::pattern;
use takeover_harness::rule::{Boundary, Rule, RuleId, Sample};
use takeover_harness::schema::{Kind, Presence, Schema, TypeId};

/// Texts of forms that code tells apart: names with and without path, tag, digest and port, addresses, numbers, what nothing lists.
const TEXTS: [&str; 9] = [
    "a",
    "a/b",
    "a:1",
    "a:latest",
    "a@sha256:0000000000000000000000000000000000000000000000000000000000000000",
    "a.example:5000/b",
    "10.0.0.1",
    "::1",
    "1",
];

/// Most values with the same outcome that cases try.
const MOST_OF_OUTCOME: usize = 3;

/// The rules that stand for fields whose value alone decides what `code` sets elsewhere. Their classes are a few values for each outcome;
/// they break nothing. `everything` is an object that has every struct, `values` are known values of texts, by path pattern.
pub(super) fn deciding(
    code: &dyn Defaulter,
    (schema, root): (&Schema, TypeId),
    everything: &Value,
    values: &BTreeMap<String, Vec<String>>,
) -> Vec<Rule> {
    let mut found = Vec::new();
    each_alone(schema, root, everything, &mut |lone| {
        let set = |members: Map<String, Value>| set_elsewhere(code, (schema, root), &lone, members);
        let nothing = set(Map::new());
        for (name, ty) in scalars(schema, lone.ty) {
            let field = lone.path.child(&name).to_field();
            let path = pattern(&field);
            // By outcome, the values that have it; the first outcome is that of the absent value.
            let mut absent = nothing.clone();
            absent.iter_mut().for_each(|set| drop(set.remove(&field)));
            let mut by_outcome = vec![(absent, Vec::new())];
            for value in tried(schema, ty, values.get(&path)) {
                let outcome = set([(name.clone(), value.clone())].into_iter().collect());
                match by_outcome.iter_mut().find(|(known, _)| *known == outcome) {
                    Some((_, values)) if values.contains(&value) => {}
                    Some((_, values)) => values.push(value),
                    None => by_outcome.push((outcome, vec![value])),
                }
            }
            if by_outcome.len() == 1 {
                continue;
            }
            let values = by_outcome.into_iter().flat_map(|(_, values)| values.into_iter().take(MOST_OF_OUTCOME));
            let mut classes: Vec<Boundary> =
                values.map(|value| class(format!("decides: {value}"), Sample::Value(value))).collect();
            classes.push(class("absent".to_owned(), Sample::Absent));
            found.push(Rule { boundaries: classes, ..Rule::new(RuleId(u32::MAX), path, "decides a default") });
        }
    });
    found
}

fn class(class: String, sample: Sample) -> Boundary {
    Boundary { class, breaks: false, sample, options: Vec::new() }
}

/// What code sets in an object with nothing but these members in one of its structs, by path, except the members themselves.
fn set_elsewhere(
    code: &dyn Defaulter,
    (schema, root): (&Schema, TypeId),
    lone: &Lone<'_>,
    members: Map<String, Value>,
) -> Option<BTreeMap<String, Value>> {
    let own: Vec<String> = members.keys().map(|name| lone.path.child(name).to_field()).collect();
    let arena = Arena::new();
    let object = (lone.around)(Value::Object(members));
    let node = from_value(schema, root, &object, &arena).ok()?;
    let text = Text { object: Some(&object), order: Order::Same };
    let made = code.attempt((schema, root), node, text, &arena).ok()?.object;
    let [before, after] = [node, made].map(|object| to_value(schema, root, &object));
    let rows = rows(&before, &after, schema, root).into_iter().filter(|row| row.is_set());
    Some(rows.filter(|row| !own.contains(&row.field)).map(|row| (row.field, row.value)).collect())
}

/// The fields of a struct with a single value.
fn scalars(schema: &Schema, ty: TypeId) -> Vec<(String, TypeId)> {
    let Some((_, fields)) = schema.as_struct(ty) else { return Vec::new() };
    let mut found = Vec::new();
    for field in &fields.fields {
        match (field.presence, schema.pointed(field.ty).1) {
            (Presence::Inlined, _) => found.extend(scalars(schema, field.ty)),
            (Presence::Named, Kind::Text | Kind::Bool | Kind::Int { .. }) => {
                found.push((field.json_name.to_string(), field.ty));
            }
            _ => {}
        }
    }
    found
}

/// The values that are tried of a type.
fn tried(schema: &Schema, ty: TypeId, known: Option<&Vec<String>>) -> Vec<Value> {
    match schema.pointed(ty).1 {
        Kind::Text => {
            let known = known.into_iter().flatten().map(String::as_str);
            known.chain(TEXTS).map(Value::from).collect()
        }
        Kind::Bool => vec![true.into(), false.into()],
        Kind::Int { .. } => vec![1.into(), 0.into()],
        _ => Vec::new(),
    }
}
