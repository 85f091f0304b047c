//! What a schema says about values at run time.

use serde_json::{Map as Members, Value as Json};
use std::collections::BTreeMap;

/// A node of a structural schema, as far as values depend on it.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Whether null is a value.
    pub nullable: bool,
    /// The kind of value.
    pub kind: ShapeKind,
}

/// The kind of value that a schema describes.
#[derive(Clone, Debug)]
pub enum ShapeKind {
    /// `x-kubernetes-int-or-string`
    IntOrString,
    /// An object with named properties.
    Object(BTreeMap<String, Shape>),
    /// `additionalProperties` with a schema.
    Map(Box<Shape>),
    /// An object without either.
    Empty,
    /// A list.
    List(Option<Box<Shape>>, ListShape),
    /// A string.
    String(Format),
    /// `number`
    Number,
    /// `integer`
    Integer,
    /// `boolean`
    Bool,
    /// No type, unknown fields preserved.
    Preserved,
    /// No usable type.
    Untyped(String),
}

/// `x-kubernetes-list-type`
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListShape {
    /// Order counts.
    Atomic,
    /// A set of scalars.
    Set,
    /// Items are named by these fields, escaped.
    Map(Vec<String>),
    /// A type that does not exist.
    Unknown(String),
}

/// A format of strings that makes another type of value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A string.
    Plain,
    /// `duration`
    Duration,
    /// `date`
    Date,
    /// `date-time`
    DateTime,
    /// `byte`
    Byte,
}

impl Shape {
    /// The shape of a structural schema's node. `resource`: whether it is the schema of a whole custom resource, whose type and name
    /// are always known.
    #[must_use]
    pub fn of(schema: &Json, resource: bool) -> Self {
        let flag = |name: &str| schema.get(name).and_then(Json::as_bool).unwrap_or_default();
        let text = |name: &str| schema.get(name).and_then(Json::as_str).unwrap_or_default();
        let embedded = resource || flag("x-kubernetes-embedded-resource");
        let kind = if flag("x-kubernetes-int-or-string") {
            ShapeKind::IntOrString
        } else {
            match text("type") {
                "object" => Self::object(schema, embedded),
                "array" => ShapeKind::List(
                    schema.get("items").filter(|items| items.is_object()).map(|items| Box::new(Self::of(items, false))),
                    Self::list_type(schema, text("x-kubernetes-list-type")),
                ),
                "string" => ShapeKind::String(match text("format") {
                    "duration" => Format::Duration,
                    "date" => Format::Date,
                    "date-time" => Format::DateTime,
                    "byte" => Format::Byte,
                    _ => Format::Plain,
                }),
                "number" => ShapeKind::Number,
                "integer" => ShapeKind::Integer,
                "boolean" => ShapeKind::Bool,
                _ if flag("x-kubernetes-preserve-unknown-fields") => ShapeKind::Preserved,
                other => ShapeKind::Untyped(other.to_owned()),
            }
        };
        Self { nullable: flag("nullable"), kind }
    }

    fn object(schema: &Json, embedded: bool) -> ShapeKind {
        let properties = schema.get("properties").and_then(Json::as_object).filter(|properties| !properties.is_empty());
        if embedded || properties.is_some() {
            let empty = Members::new();
            let mut properties: BTreeMap<String, Self> = properties
                .unwrap_or(&empty)
                .iter()
                .map(|(name, schema)| (name.clone(), Self::of(schema, false)))
                .collect();
            if embedded {
                let string = || Self { nullable: false, kind: ShapeKind::String(Format::Plain) };
                properties.insert("apiVersion".to_owned(), string());
                properties.insert("kind".to_owned(), string());
                let known = ["name", "generateName"].map(|name| (name.to_owned(), string()));
                let metadata = ShapeKind::Object(known.into_iter().collect());
                properties.insert("metadata".to_owned(), Self { nullable: false, kind: metadata });
            }
            return ShapeKind::Object(properties);
        }
        match schema.get("additionalProperties") {
            Some(values @ Json::Object(_)) => ShapeKind::Map(Box::new(Self::of(values, false))),
            _ => ShapeKind::Empty,
        }
    }

    fn list_type(schema: &Json, name: &str) -> ListShape {
        match name {
            "" | "atomic" => ListShape::Atomic,
            "set" => ListShape::Set,
            "map" => {
                let keys = schema.get("x-kubernetes-list-map-keys").and_then(Json::as_array);
                let keys = keys.into_iter().flatten().filter_map(Json::as_str);
                ListShape::Map(keys.map(|key| crate::names::escape(key).unwrap_or_else(|| key.to_owned())).collect())
            }
            other => ListShape::Unknown(other.to_owned()),
        }
    }
}
