//! From a [`Node`] to a Rust struct with `Deserialize` (k8s-openapi's types), without going through JSON text.

use super::{Json, Node, time};
use crate::schema::{Kind, Presence, Schema, Slot, Struct, TypeId, WellKnown};
use base64::Engine as _;
use serde::de::value::{BorrowedStrDeserializer, MapDeserializer, SeqDeserializer};
use serde::de::{
    DeserializeSeed, Deserializer, Error as _, Expected, IntoDeserializer, MapAccess, SeqAccess, Unexpected, Visitor,
};
use serde::{Deserialize, forward_to_deserialize_any};

type Error = serde::de::value::Error;

/// The typed form of `node`, a value of type `ty`. What the object says of its own version and kind is left out: it was
/// compared when the object was decoded, and one struct may stand for several versions, which k8s-openapi's refuse. Times are
/// given as [`Instant::timestamp`](super::Instant::timestamp) has them.
///
/// # Errors
/// Returns an error when `T` does not take what the type graph allows; the message is serde's.
pub fn typed<'a, T: Deserialize<'a>>(schema: &'a Schema, ty: TypeId, node: Node<'a>) -> Result<T, Error> {
    T::deserialize(Source::new(schema, ty, node))
}

/// A node as a serde source.
#[derive(Clone, Copy)]
struct Source<'a> {
    schema: &'a Schema,
    /// The shape of the type, below all names.
    kind: &'a Kind,
    node: Node<'a>,
}

impl<'a> Source<'a> {
    fn new(schema: &'a Schema, ty: TypeId, node: Node<'a>) -> Self {
        Self { schema, kind: schema.native(ty).1, node }
    }

    /// The same node, as what its pointers point at; an unset pointer stays one.
    fn below_pointers(self) -> Self {
        match (self.kind, self.node) {
            (Kind::Pointer(_), Node::Unset) => self,
            (Kind::Pointer(inner), node) => Self::new(self.schema, *inner, node).below_pointers(),
            _ => self,
        }
    }

    /// What is said of a node that is not what was asked for.
    fn misfit(self, wanted: &dyn Expected) -> Error {
        let found = match (self.kind, self.node) {
            (_, Node::Text(text)) => Unexpected::Str(text),
            (_, Node::Bool(value)) => Unexpected::Bool(value),
            (_, Node::Int(value)) => Unexpected::Signed(value),
            (_, Node::Uint(value)) => Unexpected::Unsigned(value),
            (_, Node::Float(value)) => Unexpected::Float(value),
            (_, Node::Bytes(bytes)) => Unexpected::Bytes(bytes),
            (_, Node::Quantity(quantity)) => Unexpected::Str(quantity.text()),
            (_, Node::Time(_)) => Unexpected::Other("time"),
            (_, Node::Raw(_)) => Unexpected::Other("free-form JSON"),
            (Kind::Struct(_), _) | (_, Node::Map(_)) => Unexpected::Map,
            (_, Node::List(_)) => Unexpected::Seq,
            _ => Unexpected::Unit,
        };
        Error::invalid_type(found, wanted)
    }
}

impl<'de> Deserializer<'de> for Source<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match (self.kind, self.node) {
            // What most values are, and what no type has in another form.
            (_, Node::Text(text)) => visitor.visit_borrowed_str(text),
            (Kind::Pointer(_), Node::Unset) => visitor.visit_unit(),
            (Kind::Pointer(inner), _) => Source::new(self.schema, *inner, self.node).deserialize_any(visitor),
            (Kind::Struct(fields), node) => visitor.visit_map(Fields::new(self.schema, fields, node)),
            (_, Node::Bool(value)) => visitor.visit_bool(value),
            (Kind::WellKnown(WellKnown::Duration), Node::Int(nanos)) => {
                visitor.visit_string(time::duration_text(nanos))
            }
            (_, Node::Int(value)) => visitor.visit_i64(value),
            (_, Node::Uint(value)) => visitor.visit_u64(value),
            (_, Node::Float(value)) => visitor.visit_f64(value),
            (_, Node::Bytes(bytes)) => visitor.visit_string(base64::engine::general_purpose::STANDARD.encode(bytes)),
            (_, Node::Time(instant)) => visitor.visit_string(instant.timestamp().to_string()),
            (_, Node::Quantity(quantity)) => visitor.visit_borrowed_str(quantity.text()),
            (_, Node::Raw(json)) => json.into_deserializer().deserialize_any(visitor),
            (Kind::List(element), Node::List(items)) => {
                let item = Source::new(self.schema, *element, Node::Unset);
                visitor.visit_seq(Items { item, items: items.iter() })
            }
            (Kind::Map { value, .. }, Node::Map(entries)) => {
                let value = Source::new(self.schema, *value, Node::Unset);
                visitor.visit_map(Entries { value, entries: entries.iter() })
            }
            (kind, _) => visit_zero(kind, visitor),
        }
    }

    // Each kind of value is asked for by its own function where serde has one: what a struct is made from is then generated once,
    // rather than for every form in which a node can come.

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.below_pointers() {
            Source { kind: Kind::Struct(fields), node, schema } => visitor.visit_map(Fields::new(schema, fields, node)),
            other => Err(other.misfit(&visitor)),
        }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.below_pointers() {
            Source { kind: Kind::Map { value, .. }, node: Node::Map(entries), schema } => {
                let value = Source::new(schema, *value, Node::Unset);
                visitor.visit_map(Entries { value, entries: entries.iter() })
            }
            other => Err(other.misfit(&visitor)),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.below_pointers() {
            Source { kind: Kind::List(element), node: Node::List(items), schema } => {
                let item = Source::new(schema, *element, Node::Unset);
                visitor.visit_seq(Items { item, items: items.iter() })
            }
            other => Err(other.misfit(&visitor)),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match (self.node, self.kind) {
            // Absent value structs are not stored, so an unset node here is an explicit null or a nil element.
            (Node::Unset, Kind::Struct(_)) => visitor.visit_some(self),
            (Node::Unset, _) => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string
        bytes byte_buf unit unit_struct tuple
        tuple_struct enum identifier
    }
}

impl<'a> IntoDeserializer<'a, Error> for Source<'a> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// The zero value of a scalar type: an element of a list, or a value of a map, that is zero.
fn visit_zero<'a, V: Visitor<'a>>(kind: &Kind, visitor: V) -> Result<V::Value, Error> {
    match kind {
        Kind::Bool => visitor.visit_bool(false),
        Kind::Int { .. } | Kind::WellKnown(WellKnown::IntOrString) => visitor.visit_i64(0),
        Kind::Float { .. } => visitor.visit_f64(0.0),
        Kind::Text => visitor.visit_borrowed_str(""),
        Kind::WellKnown(WellKnown::Quantity) => visitor.visit_borrowed_str("0"),
        Kind::WellKnown(WellKnown::Duration) => visitor.visit_borrowed_str("0s"),
        Kind::WellKnown(WellKnown::Time | WellKnown::MicroTime) => visitor.visit_borrowed_str(time::ZERO),
        _ => visitor.visit_unit(),
    }
}

/// The end of the name of the Go struct with version and kind.
const TYPE_META: &str = "/meta/v1.TypeMeta";

/// The set members of a struct, inlined structs opened up.
struct Fields<'a> {
    schema: &'a Schema,
    stack: Level<'a>,
    outer: Vec<Level<'a>>,
    value: Option<Source<'a>>,
}

type Level<'a> = (&'a Struct, std::slice::Iter<'a, (Slot, Node<'a>)>);

impl<'a> Fields<'a> {
    fn new(schema: &'a Schema, fields: &'a Struct, node: Node<'a>) -> Self {
        Self { schema, stack: (fields, node.fields().iter()), outer: Vec::new(), value: None }
    }

    /// Goes to the next member that is set, and returns its name.
    fn advance(&mut self) -> Option<&'a str> {
        loop {
            let (fields, set) = &mut self.stack;
            let Some((slot, node)) = set.next() else {
                self.stack = self.outer.pop()?;
                continue;
            };
            let fields: &'a Struct = fields;
            let Some(field) = fields.field(*slot) else { continue };
            match field.presence {
                Presence::Hidden => {}
                Presence::Inlined if self.schema.get(field.ty).name.ends_with(TYPE_META) => {}
                Presence::Inlined => {
                    if let Some((_, inner)) = self.schema.as_struct(field.ty) {
                        let level = std::mem::replace(&mut self.stack, (inner, node.fields().iter()));
                        self.outer.push(level);
                    }
                }
                Presence::Named => {
                    self.value = Some(Source::new(self.schema, field.ty, *node));
                    return Some(&field.json_name);
                }
            }
        }
    }
}

impl<'a> MapAccess<'a> for Fields<'a> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'a>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        self.advance().map(|name| seed.deserialize(BorrowedStrDeserializer::new(name))).transpose()
    }

    fn next_value_seed<S: DeserializeSeed<'a>>(&mut self, seed: S) -> Result<S::Value, Error> {
        match self.value.take() {
            Some(source) => seed.deserialize(source),
            None => Err(Error::custom("a value was asked for before its key")),
        }
    }
}

struct Items<'a> {
    /// The form of all items.
    item: Source<'a>,
    items: std::slice::Iter<'a, Node<'a>>,
}

impl<'a> SeqAccess<'a> for Items<'a> {
    type Error = Error;

    fn next_element_seed<S: DeserializeSeed<'a>>(&mut self, seed: S) -> Result<Option<S::Value>, Error> {
        match self.items.next() {
            Some(node) => seed.deserialize(Source { node: *node, ..self.item }).map(Some),
            None => Ok(None),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len())
    }
}

struct Entries<'a> {
    /// The value of the entry whose key came last.
    value: Source<'a>,
    entries: std::slice::Iter<'a, (&'a str, Node<'a>)>,
}

impl<'a> MapAccess<'a> for Entries<'a> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'a>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        match self.entries.next() {
            Some((key, node)) => {
                self.value.node = *node;
                seed.deserialize(BorrowedStrDeserializer::new(key)).map(Some)
            }
            None => Ok(None),
        }
    }

    fn next_value_seed<S: DeserializeSeed<'a>>(&mut self, seed: S) -> Result<S::Value, Error> {
        seed.deserialize(self.value)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.entries.len())
    }
}

impl<'a> IntoDeserializer<'a, Error> for &'a Json<'a> {
    type Deserializer = FreeForm<'a>;

    fn into_deserializer(self) -> FreeForm<'a> {
        FreeForm(self)
    }
}

/// A serde source over free-form JSON.
#[derive(Clone, Copy)]
pub struct FreeForm<'a>(&'a Json<'a>);

impl<'de> Deserializer<'de> for FreeForm<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Json::Null => visitor.visit_unit(),
            Json::Bool(value) => visitor.visit_bool(*value),
            Json::Int(value) => visitor.visit_i64(*value),
            Json::Uint(value) => visitor.visit_u64(*value),
            Json::Float(value) => visitor.visit_f64(*value),
            Json::Text(text) => visitor.visit_borrowed_str(text),
            Json::Array(items) => visitor.visit_seq(SeqDeserializer::new(items.iter())),
            Json::Object(entries) => {
                visitor.visit_map(MapDeserializer::new(entries.iter().map(|(key, value)| (*key, value))))
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Json::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string
        bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct enum identifier ignored_any
    }
}
