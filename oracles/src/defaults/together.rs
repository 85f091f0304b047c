//! Defaults that validation rejects for what is around them: by a rule over several fields, or a schema of their struct.
//!
//! They are tried in an object that sets nothing but what is required.

use super::rows::Row;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use takeover_harness::error::{ErrorType, FieldError};
use takeover_harness::path::{Path, is_inside as is_inside_of};

/// How often what is missing is added: a struct that is added may require more.
const ROUNDS: usize = 3;

/// Most defaults that are taken away one at a time.
const MOST: usize = 64;

/// Most errors that are looked into for each object, and most values beside the defaults that they may be due to.
const MOST_ERRORS: usize = 4;
const MOST_ADDED: usize = 16;

/// The field of errors about the whole object.
const WHOLE: &str = "<nil>";

/// What defaulting and validation make of objects.
pub(super) struct Trial<'t> {
    /// The object of the request.
    pub(super) sent: &'t Value,
    /// It without the values of its fields.
    pub(super) skeleton: &'t dyn Fn() -> Value,
    /// An object before and after defaulting; `None` if it cannot be decoded.
    pub(super) defaulted: &'t dyn Fn(&Value) -> Option<(Value, Value)>,
    /// What is set between both.
    pub(super) rows: &'t dyn Fn(&Value, &Value) -> Vec<Row>,
    /// What validation reports; `None` if it cannot judge.
    pub(super) judge: &'t dyn Fn(&Value) -> Option<Vec<FieldError>>,
}

/// An object that sets nothing but what is required.
struct Required {
    before: Value,
    after: Value,
    errors: Vec<FieldError>,
    /// The paths of what the skeleton lacked.
    added: Vec<String>,
}

impl Trial<'_> {
    /// The defaults without which validation would not report an error about what encloses them, with the error. `errors` and `rows` are
    /// those of the defaulted skeleton.
    pub(super) fn rejected(&self, errors: &[FieldError], rows: &[Row]) -> Vec<(Row, FieldError)> {
        if !errors.iter().any(|error| is_around(error, rows)) {
            return Vec::new();
        }
        self.found().unwrap_or_default()
    }

    fn found(&self) -> Option<Vec<(Row, FieldError)>> {
        let Required { before, after, errors, added } = self.required()?;
        let rows = (self.rows)(&before, &after);
        let mut around = errors.into_iter().filter(|error| is_around(error, &rows)).peekable();
        around.peek()?;
        let before = (self.judge)(&before)?;
        let mut found: Vec<(Row, FieldError)> = Vec::new();
        for error in around.take(MOST_ERRORS) {
            // An expression that reads what is unset says nothing about defaults.
            let is_old = before.iter().any(|other| is_same(other, &error));
            if is_old || error.detail.contains(" evaluating rule: ") || self.reads(&added, &after, &rows, &error) {
                continue;
            }
            for row in rows.iter().filter(|row| is_inside(&row.field, &error)).take(MOST) {
                let is_known = found.iter().any(|(known, _)| known.field == row.field);
                let gone = |members: &mut Map<String, Value>, name: &str| drop(members.remove(name));
                if !is_known && !self.is_reported(&edited(&after, &row.field, &gone), &error) {
                    found.push((row.clone(), error.clone()));
                }
            }
        }
        Some(found)
    }

    /// Whether an error may be due to a value that is required, and not to defaults alone: with another value, it is gone.
    fn reads(&self, added: &[String], object: &Value, rows: &[Row], error: &FieldError) -> bool {
        added.iter().filter(|field| is_inside(field, error) || holds(field, error)).take(MOST_ADDED).any(|field| {
            let instead = |value: &Value| -> Vec<Value> {
                let alike = |other: &&Value| std::mem::discriminant(*other) == std::mem::discriminant(value);
                let defaults = rows.iter().map(|row| &row.value).filter(alike).take(MOST).cloned();
                defaults.chain(others(value)).collect()
            };
            let mut tried = Vec::new();
            edit(&mut object.clone(), &Path::ROOT, field, &mut |members, name| {
                tried = members.get(name).map(instead).unwrap_or_default();
            });
            tried.into_iter().any(|other| {
                let changed =
                    edited(object, field, &|members, name| drop(members.insert(name.to_owned(), other.clone())));
                !self.is_reported(&changed, error)
            })
        })
    }

    fn is_reported(&self, object: &Value, error: &FieldError) -> bool {
        (self.judge)(object).is_none_or(|errors| errors.iter().any(|other| is_same(other, error)))
    }

    /// The skeleton with the values of the request where validation reports that they are missing.
    fn required(&self) -> Option<Required> {
        let mut object = (self.skeleton)();
        let mut added = Vec::new();
        for _ in 0..ROUNDS {
            let (before, after) = (self.defaulted)(&object)?;
            let errors = (self.judge)(&after)?;
            let missing: BTreeSet<&str> = errors
                .iter()
                .filter(|error| error.error_type == ErrorType::Required)
                .map(|error| error.field.as_str())
                .collect();
            let known = added.len();
            add(&mut object, self.sent, &Path::ROOT, &missing, &mut added);
            name(&mut object, &missing, &mut added);
            if added.len() == known {
                return Some(Required { before, after, errors, added });
            }
        }
        None
    }
}

/// Adds the values at missing paths.
fn add(into: &mut Value, from: &Value, path: &Path<'_>, missing: &BTreeSet<&str>, added: &mut Vec<String>) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (name, value) in from.iter().filter(|(_, value)| !value.is_null()) {
                let path = path.child(name);
                match into.get_mut(name) {
                    Some(inner) => add(inner, value, &path, missing, added),
                    None if missing.contains(path.to_field().as_str()) => {
                        into.insert(name.clone(), value.clone());
                        added.push(path.to_field());
                    }
                    None => {}
                }
            }
        }
        (Value::Array(into), Value::Array(from)) => {
            for (at, (inner, value)) in into.iter_mut().zip(from).enumerate() {
                add(inner, value, &path.index(at), missing, added);
            }
        }
        _ => {}
    }
}

/// Adds the name and namespace that every object needs.
fn name(object: &mut Value, missing: &BTreeSet<&str>, added: &mut Vec<String>) {
    for (field, member, value) in [("metadata.name", "name", "a"), ("metadata.namespace", "namespace", "default")] {
        if !missing.contains(field) || added.iter().any(|known| known == field) {
            continue;
        }
        let metadata = object.as_object_mut().map(|members| members.entry("metadata").or_insert_with(|| json!({})));
        if let Some(metadata) = metadata.and_then(Value::as_object_mut) {
            metadata.insert(member.to_owned(), json!(value));
            added.push(field.to_owned());
        }
    }
}

/// Other values of the same JSON type.
fn others(value: &Value) -> Vec<Value> {
    match value {
        Value::Bool(of) => vec![json!(!of)],
        Value::Number(of) => match of.as_i64() {
            Some(of) => vec![json!(of.saturating_add(1000)), json!(of.saturating_sub(1000))],
            None => vec![json!(0)],
        },
        Value::String(of) => vec![json!(format!("{of}x")), json!("")],
        Value::Array(_) => vec![json!([])],
        Value::Object(_) => vec![json!({})],
        Value::Null => Vec::new(),
    }
}

/// An object with a change at a path.
fn edited(object: &Value, field: &str, change: &dyn Fn(&mut Map<String, Value>, &str)) -> Value {
    let mut object = object.clone();
    edit(&mut object, &Path::ROOT, field, &mut |members, name| change(members, name));
    object
}

/// Calls `change` with the member at a path.
fn edit(value: &mut Value, path: &Path<'_>, field: &str, change: &mut dyn FnMut(&mut Map<String, Value>, &str)) {
    let leads = |path: &str| field.strip_prefix(path).is_some_and(|rest| rest.starts_with(['.', '[']));
    match value {
        Value::Object(members) => {
            let names: Vec<String> = members.keys().cloned().collect();
            for name in names {
                for path in [path.child(&name), path.key(&name)] {
                    if path.to_field() == field {
                        change(members, &name);
                    } else if leads(&path.to_field())
                        && let Some(inner) = members.get_mut(&name)
                    {
                        edit(inner, &path, field, change);
                    }
                }
            }
        }
        Value::Array(items) => {
            for (at, item) in items.iter_mut().enumerate() {
                let path = path.index(at);
                if leads(&path.to_field()) {
                    edit(item, &path, field, change);
                }
            }
        }
        _ => {}
    }
}

/// Whether an error is about a default or what it has inside. Items of one list are alike where nothing is set in them, so that only a
/// default for the whole list or for what encloses it can bring the same item twice.
pub(super) fn is_about(error: &FieldError, row: &Row) -> bool {
    let may_repeat = error.error_type != ErrorType::Duplicate || row.value.is_array() && row.field != error.field;
    may_repeat && holds(&row.field, error)
}

/// Whether an error is about what encloses a default, and about no default alone.
fn is_around(error: &FieldError, rows: &[Row]) -> bool {
    !matches!(error.error_type, ErrorType::Required | ErrorType::Duplicate)
        && rows.iter().any(|row| is_inside(&row.field, error))
        && !rows.iter().any(|row| is_about(error, row))
}

fn is_inside(field: &str, error: &FieldError) -> bool {
    error.field == WHOLE || field.strip_prefix(error.field.as_str()).is_some_and(|rest| rest.starts_with(['.', '[']))
}

/// Whether an error is about a value or what it has inside.
fn holds(field: &str, error: &FieldError) -> bool {
    // Errors of custom resources name the entries of maps as they name members.
    is_inside_of(&error.field, field) || field.contains('[') && is_inside_dotted(&error.field, field)
}

/// Whether a path leads to the place of another one, or below it, where both are written without brackets: `a[b].c` as `a.b.c`.
fn is_inside_dotted(path: &str, around: &str) -> bool {
    let (path, around) = (path.as_bytes(), around.as_bytes());
    // Paths of one object often have a long beginning in common.
    let words = path.as_chunks::<8>().0.iter().zip(around.as_chunks::<8>().0);
    let same = 8 * words.take_while(|(one, other)| one == other).count();
    let mut rest = dotted(path.get(same..).unwrap_or_default());
    dotted(around.get(same..).unwrap_or_default()).all(|letter| rest.next() == Some(letter))
        && rest.next().is_none_or(|letter| letter == b'.')
}

fn dotted(path: &[u8]) -> impl Iterator<Item = u8> {
    path.iter().filter(|letter| **letter != b']').map(|letter| if *letter == b'[' { b'.' } else { *letter })
}

fn is_same(one: &FieldError, other: &FieldError) -> bool {
    one.error_type == other.error_type && one.field == other.field && one.detail == other.detail
}

#[cfg(test)]
mod tests {
    use super::is_inside_dotted;
    use takeover_harness::path::is_inside;

    #[test]
    fn brackets_and_dots_name_the_same_place() {
        let dotted = |path: &str| path.replace('[', ".").replace(']', "");
        let paths = [
            "spec.template.spec.containers[0].ports[12].protocol",
            "spec.template.spec.containers[0].ports[12]",
            "spec.template.spec.containers[0].ports[1]",
            "spec.template.spec.containers[0].ports[13].protocol",
            "spec.template.spec.containers.0.ports.12.protocol.name",
            "spec.labels.a.b",
            "spec.labels[a].b",
            "spec.labels[a]",
            "spec.labels[a.b]",
            "spec",
            "[0]",
            "",
        ];
        for (path, around) in paths.iter().flat_map(|path| paths.map(|around| (path, around))) {
            if !around.is_empty() {
                assert_eq!(
                    is_inside_dotted(path, around),
                    is_inside(&dotted(path), &dotted(around)),
                    "{path}, {around}"
                );
            }
        }
        assert!(
            is_inside_dotted("spec.labels.a.b", "spec.labels[a]")
                && !is_inside_dotted("spec.labels.ab", "spec.labels[a]")
        );
    }
}
