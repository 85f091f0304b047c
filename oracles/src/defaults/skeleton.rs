//! Objects without what defaults may depend on.

use super::zero::is_zero_scalar;
use serde_json::{Map, Value};
use takeover_harness::path::Path;
use takeover_harness::schema::{Kind, Presence, Schema, TypeId};

/// An object without the values of its fields. It keeps its structs, the lists and maps of structs and nulls, `apiVersion` and `kind`. The
/// defaults that it gets depend on no other field.
pub(super) fn skeleton(schema: &Schema, root: TypeId, object: &Value) -> Value {
    let mut bare = bare(schema, root, object).unwrap_or_else(|| Value::Object(Map::new()));
    for name in ["apiVersion", "kind"] {
        if let (Some(of), Some(members)) = (object.get(name), bare.as_object_mut()) {
            members.insert(name.to_owned(), of.clone());
        }
    }
    bare
}

fn bare(schema: &Schema, ty: TypeId, value: &Value) -> Option<Value> {
    match (schema.pointed(ty).1, value) {
        (Kind::Struct(fields), Value::Object(members)) => {
            let inner =
                |(name, value): (&String, &Value)| Some((name.clone(), bare(schema, fields.member(name)?.ty, value)?));
            Some(Value::Object(members.iter().filter_map(inner).collect()))
        }
        (Kind::List(element), Value::Array(items)) if holds_structs(schema, *element) => {
            let item = |item: &Value| bare(schema, *element, item).unwrap_or(Value::Null);
            Some(Value::Array(items.iter().map(item).collect()))
        }
        (Kind::Map { value: inner, .. }, Value::Object(entries)) if holds_structs(schema, *inner) => {
            let entry =
                |(key, value): (&String, &Value)| (key.clone(), bare(schema, *inner, value).unwrap_or(Value::Null));
            Some(Value::Object(entries.iter().map(entry).collect()))
        }
        // What is null or zero may take the default of the type.
        (Kind::List(_), Value::Array(items)) if items.iter().any(is_nothing) => {
            Some(Value::Array(items.iter().map(nothing).collect()))
        }
        (Kind::Map { .. }, Value::Object(entries)) if entries.values().any(is_nothing) => {
            Some(Value::Object(entries.iter().map(|(key, value)| (key.clone(), nothing(value))).collect()))
        }
        _ => None,
    }
}

/// Whether an item or entry is null or zero.
fn is_nothing(value: &Value) -> bool {
    value.is_null() || is_zero_scalar(value)
}

/// The item or entry if it is null or zero, and otherwise null.
fn nothing(value: &Value) -> Value {
    if is_nothing(value) { value.clone() } else { Value::Null }
}

/// A struct of a skeleton, or a list or map with nulls, with only what encloses it.
pub(super) struct Lone<'l> {
    /// Where it is.
    pub(super) path: &'l Path<'l>,
    pub(super) ty: TypeId,
    /// Objects of a type that contain a single value with the same name are equal.
    pub(super) name: String,
    /// The value itself; empty for a struct.
    pub(super) value: &'l Value,
    /// Sets a value at its place in an otherwise empty object.
    pub(super) around: &'l dyn Fn(Value) -> Value,
}

/// Calls `call` with each struct below the root of a skeleton, and with each list or map with nulls. Earlier items of an enclosing list
/// stay, empty.
pub(super) fn each_alone(schema: &Schema, root: TypeId, skeleton: &Value, call: &mut dyn FnMut(Lone<'_>)) {
    let identity = || ["apiVersion", "kind"].into_iter().filter_map(|name| Some((name, skeleton.get(name)?)));
    let around = |inner: Value| {
        let mut object = inner;
        if let Some(members) = object.as_object_mut() {
            members.extend(identity().map(|(name, of)| (name.to_owned(), of.clone())));
        }
        object
    };
    let name = identity().map(|(name, of)| format!("{name}={of} ")).collect::<String>();
    each_struct(schema, root, skeleton, (&Path::ROOT, &name), &around, call);
}

/// The same of a value, and of its struct if that is not the root. `around` puts a value in the place of this one, into an object with
/// nothing else, and `name` names the place: no two places have the same name, whatever is in their keys.
fn each_struct(
    schema: &Schema,
    ty: TypeId,
    value: &Value,
    (path, name): (&Path<'_>, &str),
    around: &dyn Fn(Value) -> Value,
    call: &mut dyn FnMut(Lone<'_>),
) {
    let member = |name: &str, value: Value| Value::Object([(name.to_owned(), value)].into_iter().collect());
    let name_below = |step: &str| format!("{name}/{}:{step}", step.len());
    let with_nulls = || Lone { path, ty, name: format!("{name}={value}"), value, around };
    match (schema.pointed(ty).1, value) {
        (Kind::Struct(fields), Value::Object(members)) => {
            if !path.is_root() {
                call(Lone { path, ty, name: name.to_owned(), value: &Value::Object(Map::new()), around });
            }
            for (name, value) in members {
                let Some(of) = fields.member(name) else { continue };
                let around = |inner| around(member(name, inner));
                each_struct(schema, of.ty, value, (&path.child(name), &name_below(name)), &around, call);
            }
        }
        (Kind::List(element), Value::Array(items)) => {
            if items.iter().any(is_nothing) {
                call(with_nulls());
            }
            let empty = match schema.pointed(*element).1 {
                Kind::Struct(_) => Value::Object(Map::new()),
                _ => Value::Null,
            };
            for (at, item) in items.iter().enumerate() {
                let around = |inner| {
                    let before = std::iter::repeat_n(empty.clone(), at);
                    around(Value::Array(before.chain([inner]).collect()))
                };
                each_struct(schema, *element, item, (&path.index(at), &format!("{name}[{at}]")), &around, call);
            }
        }
        (Kind::Map { value: inner, .. }, Value::Object(entries)) => {
            if entries.values().any(is_nothing) {
                call(with_nulls());
            }
            for (key, value) in entries {
                let around = |inner| around(member(key, inner));
                each_struct(schema, *inner, value, (&path.key(key), &name_below(key)), &around, call);
            }
        }
        _ => {}
    }
}

/// Whether values of a type have members, items or entries, so that defaults may stand inside them.
pub(super) fn holds_structs(schema: &Schema, ty: TypeId) -> bool {
    matches!(schema.pointed(ty).1, Kind::Struct(_) | Kind::List(_) | Kind::Map { .. })
}

/// An object of a type in which every struct is there once: one item in each list of structs, and one entry in each map to structs. A
/// type is entered once on each way from the root.
pub(crate) fn everything(schema: &Schema, root: TypeId) -> Value {
    whole(schema, root, &mut Vec::new()).unwrap_or(Value::Null)
}

fn whole(schema: &Schema, ty: TypeId, inside: &mut Vec<TypeId>) -> Option<Value> {
    match schema.pointed(ty).1 {
        Kind::Struct(_) => {
            let (id, _) = schema.as_struct(native_below_pointers(schema, ty))?;
            if inside.contains(&id) {
                return None;
            }
            inside.push(id);
            let mut members = Map::new();
            add_members(schema, id, inside, &mut members);
            inside.pop();
            Some(Value::Object(members))
        }
        Kind::List(element) if holds_structs(schema, *element) => {
            Some(Value::Array(vec![whole(schema, *element, inside)?]))
        }
        Kind::Map { value, .. } if holds_structs(schema, *value) => {
            Some(Value::Object([("key".to_owned(), whole(schema, *value, inside)?)].into_iter().collect()))
        }
        _ => None,
    }
}

fn add_members(schema: &Schema, id: TypeId, inside: &mut Vec<TypeId>, members: &mut Map<String, Value>) {
    let Some((_, fields)) = schema.as_struct(id) else { return };
    for field in &fields.fields {
        match field.presence {
            Presence::Hidden => {}
            Presence::Inlined => add_members(schema, field.ty, inside, members),
            Presence::Named => {
                if let Some(value) = whole(schema, field.ty, inside) {
                    members.insert(field.json_name.to_string(), value);
                }
            }
        }
    }
}

fn native_below_pointers(schema: &Schema, mut ty: TypeId) -> TypeId {
    for _ in 0..schema.len() {
        match schema.native(ty) {
            (_, Kind::Pointer(target)) => ty = *target,
            (id, _) => return id,
        }
    }
    ty
}
