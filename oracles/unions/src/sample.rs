//! The smallest value of a type that is not empty.

use serde_json::{Map, Value, json};
use takeover_apply::schema::{Atom, ListKind, MapType, Scalar, Schema, TypeId};

/// How deeply nested types are filled.
const MOST_DEPTH: usize = 4;

/// A value that is neither zero nor empty, if the type allows one: for a struct, its first member without parts, or else its first.
pub(crate) fn sample(schema: &Schema, ty: TypeId) -> Value {
    of(schema, ty, 0)
}

fn of(schema: &Schema, ty: TypeId, depth: usize) -> Value {
    let atom = schema.atom(ty);
    match atom {
        _ if ty == Schema::DEDUCED || ty == Schema::UNTYPED => json!({}),
        Atom { map: Some(map), scalar: None, .. } => Value::Object(members(schema, map, depth)),
        Atom { list: Some(list), scalar: None, .. } => {
            let mut item = of(schema, list.item, depth + 1);
            if let (ListKind::Map(keys), Some(members)) = (&list.kind, item.as_object_mut()) {
                let map = schema.atom(list.item).map.as_ref();
                for key in keys {
                    let ty = map.and_then(|map| map.member(key));
                    let of_key = || ty.map_or(Value::Null, |ty| of(schema, ty, depth + 1));
                    members.entry(key.clone()).or_insert_with(of_key);
                }
            }
            json!([item])
        }
        Atom { scalar: Some(Scalar::Numeric), .. } => json!(1),
        Atom { scalar: Some(Scalar::Boolean), .. } => json!(true),
        Atom { scalar: Some(_), .. } => json!("one"),
        _ => json!({}),
    }
}

fn members(schema: &Schema, map: &MapType, depth: usize) -> Map<String, Value> {
    let mut made = Map::new();
    if depth >= MOST_DEPTH {
        return made;
    }
    let is_scalar = |ty: TypeId| schema.atom(ty).scalar.is_some() && ty != Schema::DEDUCED && ty != Schema::UNTYPED;
    let scalar = map.fields.iter().find(|(_, field)| is_scalar(field.ty));
    if let Some((name, field)) = scalar.or_else(|| map.fields.iter().next()) {
        made.insert(name.clone(), of(schema, field.ty, depth + 1));
    } else if let Some(ty) = map.others.filter(|ty| is_scalar(*ty)) {
        made.insert("key".to_owned(), of(schema, ty, depth + 1));
    }
    made
}
