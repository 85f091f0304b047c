//! From a [`Node`] back to JSON, as Go's encoder prints a value of the type.

use super::{Json, Node, time};
use crate::schema::{Kind, Presence, Schema, Struct, TypeId, WellKnown};
use base64::Engine as _;
use serde_json::{Map, Number, Value};

/// The JSON of `node` as a value of type `ty`: zero values without `omitempty` are printed, others left out.
#[must_use]
pub fn to_value(schema: &Schema, ty: TypeId, node: &Node<'_>) -> Value {
    Encoder { schema, keeps_empty: false, leaves_unset: false }.encode(ty, node, false, &[])
}

/// Does the same as [`to_value`], but prints only those members of structs that lead to one of the `places`, and all of what stands there.
/// Prints everything if there are no places.
pub(crate) fn to_value_at(schema: &Schema, ty: TypeId, node: &Node<'_>, places: &[&[&str]]) -> Value {
    Encoder { schema, keeps_empty: false, leaves_unset: false }.encode(ty, node, false, places)
}

/// As [`to_value`], but lists, maps and bytes that are given and empty are printed, too: who decodes the JSON gets the same object.
#[must_use]
pub fn to_value_with_empty(schema: &Schema, ty: TypeId, node: &Node<'_>) -> Value {
    Encoder { schema, keeps_empty: true, leaves_unset: false }.encode(ty, node, false, &[])
}

/// As [`to_value_with_empty`], but nothing is printed for a field that is unset: the object as somebody writes it who sets no more.
#[must_use]
pub fn to_value_as_set(schema: &Schema, ty: TypeId, node: &Node<'_>) -> Value {
    Encoder { schema, keeps_empty: true, leaves_unset: true }.encode(ty, node, false, &[])
}

struct Encoder<'s> {
    schema: &'s Schema,
    /// Whether fields that are unset are left out, also without `omitempty`.
    leaves_unset: bool,
    /// Whether `omitempty` keeps what is given and empty.
    keeps_empty: bool,
}

impl Encoder<'_> {
    fn encode(&self, ty: TypeId, node: &Node<'_>, pointer: bool, places: &[&[&str]]) -> Value {
        let (_, kind) = self.schema.native(ty);
        match kind {
            Kind::Pointer(inner) => match node {
                Node::Unset => Value::Null,
                node => self.encode(*inner, node, true, places),
            },
            Kind::Struct(fields) => {
                let mut object = Map::new();
                self.write_fields(fields, node, places, &mut object);
                Value::Object(object)
            }
            Kind::List(element) => match node {
                Node::List(items) => items.iter().map(|item| self.encode(*element, item, false, &[])).collect(),
                _ => Value::Null,
            },
            Kind::Map { value, .. } => match node {
                Node::Map(entries) => entries
                    .iter()
                    .map(|(key, node)| ((*key).to_owned(), self.encode(*value, node, false, &[])))
                    .collect::<Map<_, _>>()
                    .into(),
                _ => Value::Null,
            },
            _ => scalar(kind, node, pointer),
        }
    }

    fn write_fields(&self, fields: &Struct, node: &Node<'_>, places: &[&[&str]], object: &mut Map<String, Value>) {
        let is_whole = places.is_empty() || places.iter().any(|place| place.is_empty());
        for (slot, field) in fields.fields.iter().enumerate() {
            let value = u16::try_from(slot).map_or(Node::Unset, |slot| node.field(slot));
            match field.presence {
                Presence::Hidden => {}
                Presence::Inlined => {
                    if let Some((_, inner)) = self.schema.as_struct(field.ty) {
                        self.write_fields(inner, &value, places, object);
                    }
                }
                Presence::Named => {
                    let mut inside = Vec::new();
                    if !is_whole {
                        inside.extend(places.iter().filter_map(|place| {
                            let (name, inside) = place.split_first()?;
                            (**name == *field.json_name).then_some(inside)
                        }));
                        if inside.is_empty() {
                            continue;
                        }
                    }
                    let is_left_out = self.leaves_unset && value.is_unset();
                    if is_left_out || (field.omit_empty && self.omits(field.ty, &value)) {
                        continue;
                    }
                    object.insert(field.json_name.to_string(), self.encode(field.ty, &value, false, &inside));
                }
            }
        }
    }

    /// Whether `omitempty` leaves the value out: nil, empty lists and maps unless they are kept, zero scalars; never a struct by value.
    fn omits(&self, ty: TypeId, node: &Node<'_>) -> bool {
        match self.schema.native(ty).1 {
            Kind::List(_) | Kind::Map { .. } | Kind::Bytes if self.keeps_empty => node.is_unset(),
            Kind::List(_) => node.items().is_empty(),
            Kind::Map { .. } => node.entries().is_empty(),
            Kind::Bytes => matches!(node, Node::Unset | Node::Bytes([])),
            // `omitempty` keeps value structs; the API types that matter say `omitzero` beside it.
            _ => node.is_unset(),
        }
    }
}

fn scalar(kind: &Kind, node: &Node<'_>, pointer: bool) -> Value {
    match node {
        Node::Bool(value) => Value::Bool(*value),
        Node::Int(nanos) if matches!(kind, Kind::WellKnown(WellKnown::Duration)) => {
            Value::String(time::duration_text(*nanos))
        }
        Node::Int(value) => Value::from(*value),
        Node::Uint(value) => Value::from(*value),
        Node::Float(value) => Number::from_f64(*value).map_or(Value::Null, Value::Number),
        Node::Text(text) => Value::String((*text).to_owned()),
        Node::Bytes(bytes) => Value::String(base64::engine::general_purpose::STANDARD.encode(bytes)),
        Node::Time(instant) => match kind {
            Kind::WellKnown(WellKnown::Time) if instant.is_zero() && !pointer => Value::Null,
            Kind::WellKnown(WellKnown::MicroTime) => Value::String(instant.to_micro_text()),
            _ => Value::String(instant.to_seconds_text()),
        },
        Node::Quantity(quantity) => Value::String(quantity.text().to_owned()),
        Node::Raw(json) => json.to_value(),
        Node::Unset | Node::Struct { .. } | Node::List(_) | Node::Map(_) => zero(kind),
    }
}

/// What Go prints for the zero value of a scalar type.
fn zero(kind: &Kind) -> Value {
    match kind {
        Kind::Bool => Value::Bool(false),
        Kind::Int { .. } | Kind::WellKnown(WellKnown::IntOrString) => Value::from(0),
        Kind::Float { .. } => Value::from(0),
        Kind::Text => Value::String(String::new()),
        Kind::WellKnown(WellKnown::Quantity) => Value::String("0".to_owned()),
        Kind::WellKnown(WellKnown::Duration) => Value::String("0s".to_owned()),
        _ => Value::Null,
    }
}

impl Json<'_> {
    /// The same JSON as an owned tree.
    #[must_use]
    pub fn to_value(&self) -> Value {
        match self {
            Json::Null => Value::Null,
            Json::Bool(value) => Value::Bool(*value),
            Json::Int(value) => Value::from(*value),
            Json::Uint(value) => Value::from(*value),
            Json::Float(value) => Number::from_f64(*value).map_or(Value::Null, Value::Number),
            Json::Text(text) => Value::String((*text).to_owned()),
            Json::Array(items) => items.iter().map(Json::to_value).collect(),
            Json::Object(entries) => {
                entries.iter().map(|(key, value)| ((*key).to_owned(), value.to_value())).collect::<Map<_, _>>().into()
            }
        }
    }
}
