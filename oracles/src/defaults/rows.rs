//! What defaulting did to an object, value by value.

use serde_json::Value;
use takeover_harness::error::{BadValue, ErrorType, FieldError};
use takeover_harness::oracle::Objects;
use takeover_harness::path::Path;
use takeover_harness::schema::{Kind, Schema, TypeId};

/// The origin of errors for values that defaulting changes.
pub const CHANGED: &str = "default changes what is set";
/// The origin of errors for values that defaulting removes.
pub const REMOVED: &str = "default removes what is set";
/// The origin of errors for values that change when an object is defaulted again.
pub const UNSTEADY: &str = "default sets more when it is applied again";

/// The origin of errors for values that code sets without a marker.
const BY_CODE: &str = "default by code";

/// What happened to one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deed {
    Set,
    Changed,
    Removed,
    Unsteady,
}

/// A value that defaulting changed.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    /// Its path.
    pub(super) field: String,
    /// The value after defaulting, or before it if it was removed.
    value: Value,
    deed: Deed,
}

impl Row {
    /// The same row, found when the object was defaulted a second time.
    pub(super) fn unsteady(self) -> Self {
        Self { deed: Deed::Unsteady, ..self }
    }

    /// Whether this breaks a law: values that are set stay, and defaulting twice equals defaulting once.
    pub(super) fn breaks_law(&self) -> bool {
        self.deed != Deed::Set
    }

    /// The row as an error, with or without the value in its origin.
    pub(super) fn error(self, with_value: bool) -> FieldError {
        let Self { field, value, deed } = self;
        let (error_type, detail, origin) = match deed {
            Deed::Set if with_value => (ErrorType::Required, format!("takes the default {value}"), origin(&value)),
            Deed::Set => (ErrorType::Required, format!("takes the default {value}"), BY_CODE.to_owned()),
            Deed::Changed => (ErrorType::Invalid, format!("was set, and becomes {value}"), CHANGED.to_owned()),
            Deed::Removed => (ErrorType::Forbidden, format!("was {value}, and is taken away"), REMOVED.to_owned()),
            Deed::Unsteady => (ErrorType::Invalid, format!("becomes {value} at second sight"), UNSTEADY.to_owned()),
        };
        let error = FieldError::new(error_type, &Path::ROOT, BadValue::Hidden, detail).with_origin(origin);
        FieldError { field, ..error }
    }
}

/// The origin of errors for unset values that defaulting sets.
pub(super) fn origin(value: &Value) -> String {
    format!("default={value}")
}

/// The differences from `before` to `after`; a new value is listed by its innermost values.
pub(super) fn rows(before: &Value, after: &Value, objects: &Objects<'_>) -> Vec<Row> {
    let mut found = Vec::new();
    if before != after {
        compare(Some(before), Some(after), Some((objects.schema, objects.root)), &Path::ROOT, &mut found);
    }
    found
}

type Types<'s> = Option<(&'s Schema, TypeId)>;

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
        (Some(Value::Array(old)), Some(Value::Array(new))) => {
            let element = types.and_then(|(schema, id)| match shape(schema, id) {
                Kind::List(element) => Some((schema, *element)),
                _ => None,
            });
            for at in 0..old.len().max(new.len()) {
                compare(old.get(at), new.get(at), element, &path.index(at), found);
            }
        }
        (Some(value), None) => found.push(row(path, value, Deed::Removed)),
        (Some(old), Some(value)) if is_zero(old, types) => found.push(row(path, value, Deed::Set)),
        (_, Some(value)) => found.push(row(path, value, Deed::Changed)),
        (None, None) => {}
    }
}

/// Whether Go prints this for an unset field: one without `omitempty` that is not a pointer.
fn is_zero(value: &Value, types: Types<'_>) -> bool {
    if types.is_some_and(|(schema, id)| matches!(schema.native(id).1, Kind::Pointer(_))) {
        return value.is_null();
    }
    value.is_null() || is_zero_scalar(value)
}

/// Whether a value is the zero value of a Go boolean, number or string.
pub(super) fn is_zero_scalar(value: &Value) -> bool {
    match value {
        Value::Bool(flag) => !flag,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Null | Value::Array(_) | Value::Object(_) => false,
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
        _ => found.push(row(path, value, Deed::Set)),
    }
}

fn row(path: &Path<'_>, value: &Value, deed: Deed) -> Row {
    Row { field: path.to_field(), value: value.clone(), deed }
}

/// Calls with the path and types of what `name` stands for: a member, or an entry of a map.
fn below(name: &str, types: Types<'_>, path: &Path<'_>, call: impl FnOnce(&Path<'_>, Types<'_>)) {
    match types.map(|(schema, id)| (schema, shape(schema, id))) {
        Some((schema, Kind::Map { value, .. })) => call(&path.key(name), Some((schema, *value))),
        Some((schema, Kind::Struct(fields))) => {
            call(&path.child(name), fields.member(name).map(|member| (schema, member.ty)));
        }
        _ => call(&path.child(name), None),
    }
}

/// The shape of a type below names and pointers.
fn shape(schema: &Schema, mut id: TypeId) -> &Kind {
    for _ in 0..schema.len() {
        match schema.native(id).1 {
            Kind::Pointer(target) => id = *target,
            shape => return shape,
        }
    }
    &Kind::Any
}
