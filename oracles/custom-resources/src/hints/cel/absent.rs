//! Rules that end in an error where an optional field is absent.

use super::reading::read;
use super::values::Maker;
use crate::coerce::set_defaults;
use crate::rules::{NodeLanguage, Old, Outcome, Program};
use crate::structural::{CelRule, Structural};
use crate::validate::accepts;
use serde_json::Value;
use takeover_cel::cost::limits;
use takeover_cel::names::unescape;
use takeover_cel::syntax::{Ast, Kind, NodeId, parse};

/// How errors of a field that is not there begin.
const NO_SUCH_KEY: &str = "no such key: ";
/// Old values that are tried with each new one.
const MOST_OLD: usize = 8;
/// Selections inside of selections.
const DEPTH: usize = 100;

/// A field that a rule reads where it is absent.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Absent {
    /// What it is read from, as the rule writes it: `self.spec`.
    pub(crate) operand: String,
    /// The field, as the rule writes it.
    pub(crate) field: String,
    /// A value at the node of the rule, with defaults, with which evaluation ends in the error; none where each that was tried breaks a rule
    /// that does not speak of the field.
    pub(crate) value: Option<Value>,
    /// The stored value of the update in which it does, for rules of changes.
    pub(crate) old: Option<Value>,
}

/// Which other rules a value keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kept {
    /// Not all of those that may have to do with the field.
    No,
    /// All that speak of the field.
    ButElsewhere,
    All,
}

/// Finds the smallest value that the schema of a node accepts, on which a rule ends in an error because a field is absent. `is_kept`
/// tells which other rules a value, and the stored one of an update, keeps, where the field is absent. `None` when no value that was tried
/// keeps those that speak of the field.
pub(crate) fn absent(
    language: &NodeLanguage,
    node: &Structural,
    rule: &CelRule,
    whole: bool,
    is_kept: &mut dyn FnMut(&str, &Value, Option<&Value>) -> Kept,
) -> Option<Absent> {
    let ast = parse(&rule.rule).ok()?;
    let program = language.compile(rule).ok()?;
    let read = read(&ast);
    let made = Maker::new(&read.literals).values(node, &read.wanted, whole, 0);
    let mut values: Vec<Value> = Vec::new();
    for mut value in made.into_iter().filter_map(|made| made.full) {
        set_defaults(node, &mut value);
        // Servers make the name of an object before they validate it.
        if let Some(metadata) = value.get_mut("metadata").and_then(Value::as_object_mut).filter(|_| whole) {
            metadata.entry("name").or_insert_with(|| Value::from("a"));
        }
        if !values.contains(&value) && accepts(node, &value) {
            values.push(value);
        }
    }
    let optional = rule.optional_old_self == Some(true);
    let olds: Vec<Option<&Value>> = match program.uses_old() && !optional {
        true => values.iter().take(MOST_OLD).map(Some).collect(),
        false => vec![None],
    };
    let mut found: Vec<(usize, String, &Value, Option<&Value>)> = Vec::new();
    for value in &values {
        for old in olds.iter().copied().filter(|old| *old != Some(value)) {
            if let Some(key) = missing(&*program, value, old, optional) {
                let size = value.to_string().len() + old.map_or(0, |old| old.to_string().len());
                found.push((size, key, value, old));
            }
        }
    }
    found.sort_by_key(|(size, ..)| *size);
    let mut elsewhere = None;
    for (_, key, value, old) in found {
        let Some((operand, field)) = selection(&ast, &key, value, old) else { continue };
        match is_kept(&field, value, old) {
            Kept::All => return Some(Absent { operand, field, value: Some(value.clone()), old: old.cloned() }),
            Kept::ButElsewhere if elsewhere.is_none() => {
                elsewhere = Some(Absent { operand, field, value: None, old: None });
            }
            _ => {}
        }
    }
    elsewhere
}

/// The key without which a rule ends in an error.
fn missing(program: &dyn Program, value: &Value, old: Option<&Value>, optional: bool) -> Option<String> {
    let old = match old {
        Some(old) => Old::Value(old),
        None if optional => Old::Optional(None),
        None => Old::Unbound,
    };
    match program.run(value, old, limits::PER_CALL).outcome {
        Outcome::Error(text) => Some(text.strip_prefix(NO_SUCH_KEY)?.to_owned()),
        _ => None,
    }
}

/// The selection of a key in an expression: of those that may have failed, one that did as far as that can be told.
fn selection(ast: &Ast, key: &str, value: &Value, old: Option<&Value>) -> Option<(String, String)> {
    let all = ast.nodes().iter().filter_map(|node| match &node.kind {
        Kind::Select { operand, field, test: false } if is_named(field, key) => {
            Some((path(ast, *operand, 0)?, field.to_string()))
        }
        _ => None,
    });
    let all: Vec<(Vec<String>, String)> = all.collect();
    let certain = all.iter().find(|(path, _)| is_without(path, key, value, old) == Some(true));
    let (path, field) = certain.or_else(|| all.iter().find(|(path, _)| is_without(path, key, value, old).is_none()))?;
    Some((path.join("."), field.clone()))
}

fn is_named(field: &str, key: &str) -> bool {
    field == key || unescape(field).is_some_and(|name| *name == *key)
}

/// The names of a chain of selections, outermost value first.
fn path(ast: &Ast, id: NodeId, depth: usize) -> Option<Vec<String>> {
    match ast.kind(id)? {
        Kind::Ident(name) => Some(vec![name.to_string()]),
        Kind::Select { operand, field, test: false } if depth < DEPTH => {
            let mut names = path(ast, *operand, depth + 1)?;
            names.push(field.to_string());
            Some(names)
        }
        _ => None,
    }
}

/// Whether what a chain of names stands for is an object without the key; `None` when the chain starts at a variable of a loop.
fn is_without(path: &[String], key: &str, value: &Value, old: Option<&Value>) -> Option<bool> {
    let (first, rest) = path.split_first()?;
    let start = match first.as_str() {
        "self" => Some(value),
        "oldSelf" => old,
        _ => return None,
    };
    let at = rest.iter().try_fold(start?, |at, name| {
        at.as_object()?.iter().find(|(member, _)| is_named(name, member)).map(|(_, value)| value)
    });
    Some(at.and_then(Value::as_object).is_some_and(|members| !members.contains_key(key)))
}
