//! What was done to an object, value by value.

use super::skeleton::holds_structs;
use super::zero::is_zero_scalar;
use serde_json::{Map, Value};
use takeover_harness::error::{BadValue, ErrorType, FieldError};
use takeover_harness::path::Path;
use takeover_harness::schema::{Kind, Schema, TypeId};

/// The origin of errors for values that code sets without a marker, depending on other fields.
const BY_CODE: &str = "default by code";

/// What happened to one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deed {
    Set,
    Changed,
    Removed,
}

/// A value that defaulting changed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    /// Its path.
    pub(crate) field: String,
    /// The value after defaulting, or before it if it was removed.
    pub(crate) value: Value,
    deed: Deed,
}

impl Row {
    /// Whether the value was unset before.
    pub(crate) fn is_set(&self) -> bool {
        self.deed == Deed::Set
    }

    /// Whether the value was set before, and is no more.
    pub(crate) fn is_removed(&self) -> bool {
        self.deed == Deed::Removed
    }

    /// The row of a struct that is there, and was not.
    pub(super) fn of_struct(path: &Path<'_>) -> Self {
        row(path, &Value::Object(Map::new()), Deed::Set)
    }

    /// Whether the value is the one at this path, or inside it.
    pub(super) fn is_within(&self, path: &str) -> bool {
        self.field.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    }

    /// The default as an error; one that depends on other fields has the same origin for all values.
    pub(super) fn error(&self, depends: bool) -> FieldError {
        let Self { field, value, .. } = self;
        let origin = if depends { BY_CODE.to_owned() } else { origin(value) };
        let detail = format!("takes the default {value}");
        let error = FieldError::new(ErrorType::Required, &Path::ROOT, BadValue::Hidden, detail).with_origin(origin);
        FieldError { field: field.clone(), ..error }
    }
}

/// The origin of errors for unset values that defaulting sets.
pub(super) fn origin(value: &Value) -> String {
    format!("default={value}")
}

/// The differences from `before` to `after`; a new value is listed by its innermost values.
pub(crate) fn rows(before: &Value, after: &Value, schema: &Schema, root: TypeId) -> Vec<Row> {
    let mut found = Vec::new();
    if before != after {
        compare(Some(before), Some(after), Some((schema, root)), &Path::ROOT, &mut found);
    }
    found
}

/// The same for two values of a type at a path.
pub(super) fn rows_at(before: &Value, after: &Value, (schema, ty): (&Schema, TypeId), path: &Path<'_>) -> Vec<Row> {
    let mut found = Vec::new();
    compare(Some(before), Some(after), Some((schema, ty)), path, &mut found);
    found
}

pub(super) type Types<'s> = Option<(&'s Schema, TypeId)>;

fn compare(before: Option<&Value>, after: Option<&Value>, types: Types<'_>, path: &Path<'_>, found: &mut Vec<Row>) {
    if before == after {
        return;
    }
    match (before, after) {
        (None, Some(value)) => set(value, types, path, found),
        (Some(Value::Object(old)), Some(Value::Object(new))) => {
            for (name, value) in new {
                below(name, types, path, |path, types| compare(old.get(name), Some(value), types, path, found));
            }
            for (name, value) in old.iter().filter(|(name, _)| !new.contains_key(*name)) {
                below(name, types, path, |path, types| compare(Some(value), None, types, path, found));
            }
        }
        (Some(Value::Array(old)), Some(value @ Value::Array(_))) if old.is_empty() => set(value, types, path, found),
        (Some(Value::Array(old)), Some(Value::Array(new))) => {
            let element = types.and_then(|(schema, id)| match schema.pointed(id).1 {
                Kind::List(element) => Some((schema, *element)),
                _ => None,
            });
            for at in 0..old.len().max(new.len()) {
                compare(old.get(at), new.get(at), element, &path.index(at), found);
            }
        }
        // Go leaves out what is printed only in some objects, though nobody set it.
        (Some(value), None) if types.is_some() && is_zero(value, types) => {}
        (Some(value), None) => found.push(row(path, value, Deed::Removed)),
        (Some(old), Some(value)) if is_zero(old, types) => set(value, types, path, found),
        (_, Some(value)) => found.push(row(path, value, Deed::Changed)),
        (None, None) => {}
    }
}

/// Whether Go prints this for an unset field: one without `omitempty` that is not a pointer.
pub(super) fn is_zero(value: &Value, types: Types<'_>) -> bool {
    match types.map(|(schema, id)| schema.native(id).1) {
        Some(Kind::Pointer(_)) => value.is_null(),
        Some(Kind::Struct(_)) => value.is_null() || value.as_object().is_some_and(Map::is_empty),
        _ => value.is_null() || is_zero_scalar(value),
    }
}

/// Lists the innermost values of a new one; a list counts as one value.
fn set(value: &Value, types: Types<'_>, path: &Path<'_>, found: &mut Vec<Row>) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            for (name, value) in members {
                below(name, types, path, |path, types| set(value, types, path, found));
            }
        }
        // Go prints it in a new struct though nothing set it.
        _ if is_zero(value, types) => {}
        _ => found.push(row(path, value, Deed::Set)),
    }
}

fn row(path: &Path<'_>, value: &Value, deed: Deed) -> Row {
    Row { field: path.to_field(), value: value.clone(), deed }
}

/// A list, a map or a value of any type that an object gives.
pub(super) struct Given {
    field: String,
    part: Part,
}

/// How much of a default a given value replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// The whole value and anything in it.
    Whole,
    /// The entries of a map.
    Entries,
    /// Items beyond so many.
    ItemsFrom(usize),
}

impl Given {
    /// Whether it replaces a default.
    pub(super) fn replaces(&self, row: &Row) -> bool {
        let inside = || row.field.strip_prefix(&self.field).and_then(|rest| rest.strip_prefix('['));
        match self.part {
            Part::Whole => row.is_within(&self.field),
            Part::Entries => inside().and_then(|rest| rest.strip_suffix(']')).is_some_and(|key| !key.contains("].")),
            Part::ItemsFrom(first) => {
                let at = inside().and_then(|rest| rest.split_once(']')?.0.parse::<usize>().ok());
                at.is_some_and(|at| at >= first)
            }
        }
    }
}

/// The lists, maps and values of any type that an object gives.
pub(super) fn given(value: &Value, schema: &Schema, root: TypeId) -> Vec<Given> {
    let mut found = Vec::new();
    add_given(value, Some((schema, root)), &Path::ROOT, &mut found);
    found
}

fn add_given(value: &Value, types: Types<'_>, path: &Path<'_>, found: &mut Vec<Given>) {
    let of_type = types.map(|(schema, id)| (schema, schema.pointed(id).1));
    match value {
        Value::Array(items) => {
            let element = match of_type {
                Some((schema, Kind::List(element))) => Some((schema, *element)),
                _ => None,
            };
            // Items of plain values have no defaults inside; what is null may still take the default of the type.
            let is_plain = element.is_none_or(|(schema, id)| !holds_structs(schema, id));
            let is_whole = items.is_empty() || (is_plain && !items.iter().any(Value::is_null));
            let part = if is_whole { Part::Whole } else { Part::ItemsFrom(items.len()) };
            found.push(Given { field: path.to_field(), part });
            for (at, item) in items.iter().enumerate() {
                add_given(item, element, &path.index(at), found);
            }
        }
        Value::Object(members) => {
            let part = match of_type {
                Some((_, Kind::Map { .. })) if !members.is_empty() => Some(Part::Entries),
                Some((_, Kind::Struct(_))) => None,
                _ => Some(Part::Whole),
            };
            found.extend(part.map(|part| Given { field: path.to_field(), part }));
            for (name, value) in members {
                below(name, types, path, |path, types| add_given(value, types, path, found));
            }
        }
        _ => {}
    }
}

/// Calls with the path and types of what `name` stands for: a member, or an entry of a map.
fn below(name: &str, types: Types<'_>, path: &Path<'_>, call: impl FnOnce(&Path<'_>, Types<'_>)) {
    match types.map(|(schema, id)| (schema, schema.pointed(id).1)) {
        Some((schema, Kind::Map { value, .. })) => call(&path.key(name), Some((schema, *value))),
        Some((schema, Kind::Struct(fields))) => {
            call(&path.child(name), fields.member(name).map(|member| (schema, member.ty)));
        }
        _ => call(&path.child(name), None),
    }
}
