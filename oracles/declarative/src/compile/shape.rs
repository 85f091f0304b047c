//! Go types as the tag compiler looks at them: native kinds below named layers, nilability, comparability, members by JSON
//! name.

use takeover_harness::schema::{Field, Kind, Presence, Schema, Slot, Struct, TypeId};

/// The native kind of a type: all named layers removed, pointers kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A struct, or a type of the API machinery that Go defines as one.
    Struct,
    /// A pointer to the type.
    Pointer(TypeId),
    /// A list; `[]byte` has no element type of its own.
    List(Option<TypeId>),
    /// A map with string keys.
    Map {
        /// Key type.
        key: TypeId,
        /// Value type.
        value: TypeId,
    },
    /// A scalar.
    Builtin(Builtin),
    /// An interface, or a type whose package is absent.
    Any,
}

/// A scalar kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Builtin {
    /// `string`
    Text,
    /// `bool`
    Bool,
    /// An integer.
    Int {
        /// Width.
        bits: u8,
        /// Whether it has a sign. `int8` counts as unsigned: the generator models it as `byte`.
        signed: bool,
    },
    /// A float.
    Float,
}

/// The native kind of `ty`.
pub(crate) fn shape(schema: &Schema, ty: TypeId) -> Shape {
    match schema.native(ty).1 {
        Kind::Struct(_) | Kind::WellKnown(_) => Shape::Struct,
        Kind::Pointer(inner) => Shape::Pointer(*inner),
        Kind::List(element) => Shape::List(Some(*element)),
        Kind::Bytes => Shape::List(None),
        Kind::Map { key, value } => Shape::Map { key: *key, value: *value },
        Kind::Bool => Shape::Builtin(Builtin::Bool),
        Kind::Int { bits, signed } => Shape::Builtin(Builtin::Int { bits: *bits, signed: *signed && *bits != 8 }),
        Kind::Float { .. } => Shape::Builtin(Builtin::Float),
        Kind::Text => Shape::Builtin(Builtin::Text),
        _ => Shape::Any,
    }
}

/// The type behind a pointer, or the type itself.
pub(crate) fn non_pointer(schema: &Schema, ty: TypeId) -> TypeId {
    match shape(schema, ty) {
        Shape::Pointer(inner) => inner,
        _ => ty,
    }
}

/// The native kind behind at most one pointer.
pub(crate) fn value_shape(schema: &Schema, ty: TypeId) -> Shape {
    shape(schema, non_pointer(schema, ty))
}

/// Whether Go can compare the type with nil.
pub(crate) fn is_nilable(schema: &Schema, ty: TypeId) -> bool {
    matches!(shape(schema, ty), Shape::Pointer(_) | Shape::List(_) | Shape::Map { .. } | Shape::Any)
}

/// Whether the type is written as a pointer.
pub(crate) fn is_pointer(schema: &Schema, ty: TypeId) -> bool {
    matches!(schema.kind(ty), Kind::Pointer(_))
}

/// The struct a type is, behind named layers and at most one pointer.
pub(crate) fn as_struct(schema: &Schema, ty: TypeId) -> Option<(TypeId, &Struct)> {
    schema.as_struct(ty)
}

/// The direct member with this JSON name; members of inlined structs are not found.
pub(crate) fn member<'s>(schema: &'s Schema, ty: TypeId, json_name: &str) -> Option<(Slot, &'s Field)> {
    let (_, fields) = as_struct(schema, ty)?;
    fields.fields.iter().enumerate().find_map(|(slot, field)| {
        let named = field.presence == Presence::Named && *field.json_name == *json_name;
        named.then(|| Slot::try_from(slot).ok().map(|slot| (slot, field))).flatten()
    })
}

/// The JSON names of the direct members.
pub(crate) fn members(schema: &Schema, ty: TypeId) -> impl Iterator<Item = &str> {
    let fields = as_struct(schema, ty).into_iter().flat_map(|(_, fields)| fields.fields.iter());
    fields.filter(|field| field.presence == Presence::Named).map(|field| &*field.json_name)
}

/// Types of the keys and of the elements or values of a list or map; of what is neither, the type itself.
pub(crate) fn parts(schema: &Schema, ty: TypeId) -> (TypeId, TypeId) {
    match value_shape(schema, ty) {
        Shape::List(Some(element)) => (ty, element),
        Shape::Map { key, value } => (key, value),
        _ => (ty, ty),
    }
}

/// The type as people write it, for messages.
pub(crate) fn name(schema: &Schema, ty: TypeId) -> &str {
    &schema.get(ty).name
}
