//! Types that a schema declares: the static type, the fields, and what is known about sizes.

use super::ty::Type;
use crate::names;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A type declared by a schema.
#[derive(Clone, Debug, PartialEq)]
pub struct DeclaredType {
    ty: Type,
    /// What it is made of.
    pub shape: Shape,
    /// Upper bound of the size of its values: bytes of a string, elements of a list, entries of a map, 0 for anything else. Bounds in
    /// a schema that overflow wrap around, as in API servers.
    pub max_elements: u64,
    /// Bytes that a value takes in JSON at least.
    pub min_serialized_size: i64,
}

/// What a declared type is made of.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Shape {
    /// Neither of the others.
    Scalar,
    /// A list of elements.
    List(Arc<DeclaredType>),
    /// A map from strings to values.
    Map(Arc<DeclaredType>),
    /// Fields by their names in expressions.
    Object(BTreeMap<Arc<str>, DeclaredField>),
}

/// A field of an object.
#[derive(Clone, Debug, PartialEq)]
pub struct DeclaredField {
    /// The name that the property has in JSON.
    pub property: Arc<str>,
    /// Its type.
    pub declared: Arc<DeclaredType>,
}

impl DeclaredType {
    /// Declares a type without parts.
    #[must_use]
    pub fn scalar(ty: Type, max_elements: u64, min_serialized_size: i64) -> Self {
        Self { ty, shape: Shape::Scalar, max_elements, min_serialized_size }
    }

    /// Declares a list of at most `max_items` elements.
    #[must_use]
    pub fn list(element: Arc<Self>, max_items: u64) -> Self {
        let ty = Type::list(element.ty.clone());
        Self { ty, shape: Shape::List(element), max_elements: max_items, min_serialized_size: 2 }
    }

    /// Declares a map from strings to values, of at most `max_properties` entries.
    #[must_use]
    pub fn map(value: Arc<Self>, max_properties: u64) -> Self {
        let ty = Type::map(Type::String, value.ty.clone());
        Self { ty, shape: Shape::Map(value), max_elements: max_properties, min_serialized_size: 2 }
    }

    /// Declares an object by the name of its type and its fields, each under its name in expressions.
    #[must_use]
    pub fn object(name: &str, fields: BTreeMap<Arc<str>, DeclaredField>, min_serialized_size: i64) -> Self {
        Self { ty: Type::object(name), shape: Shape::Object(fields), max_elements: 0, min_serialized_size }
    }

    /// Returns the static type.
    #[must_use]
    pub fn ty(&self) -> &Type {
        &self.ty
    }

    /// Returns the type of list elements or map values.
    #[must_use]
    pub fn element(&self) -> Option<&Arc<Self>> {
        match &self.shape {
            Shape::List(element) | Shape::Map(element) => Some(element),
            _ => None,
        }
    }

    /// Looks up a field by its name in expressions.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&DeclaredField> {
        match &self.shape {
            Shape::Object(fields) => fields.get(name),
            _ => None,
        }
    }

    /// Looks up a field as the checker does: a reserved word may be written without its escapes.
    #[must_use]
    pub fn field_or_keyword(&self, name: &str) -> Option<&DeclaredField> {
        self.field(name).or_else(|| {
            let escaped = format!("__{name}__");
            if names::escape(name).is_some_and(|name| name == escaped) { self.field(&escaped) } else { None }
        })
    }
}
