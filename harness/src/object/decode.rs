//! From JSON to a [`Node`], guided by the type graph: decided once, for both oracles.
//!
//! Strict, as a server with field validation is: an unknown or repeated field, a JSON type that does not fit, and a number
//! out of the Go type's range are errors that name the field.

use super::{Arena, Instant, Json, Node, Quantity, QuantityError};
use crate::schema::{Kind, Member, Schema, Slot, Struct, TypeId, WellKnown};
use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{GeneralPurpose, GeneralPurposeConfig};
use bumpalo::collections::Vec as ArenaVec;
use serde::Deserializer;
use serde::de::{DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use std::cell::RefCell;
use std::fmt;

/// Base64 as Go reads it: bits that do not fill a last byte are dropped, whatever they are.
const BASE64: GeneralPurpose =
    GeneralPurpose::new(&STANDARD, GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true));

/// Nesting at which decoding gives up, above anything the API types allow outside free-form JSON.
const MAX_DEPTH: u32 = 120;

/// An object that is not one of its type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{field}`: {detail}")]
pub struct Undecodable {
    /// Path of the field at fault; `<nil>` for the whole object.
    pub field: String,
    /// What sort of fault.
    pub reason: Reason,
    /// Explanation with the value at fault.
    pub detail: String,
}

/// Sorts of undecodable objects, to count them by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Reason {
    /// The text is not JSON.
    Syntax,
    /// A field that the type does not have.
    UnknownField,
    /// A field given twice.
    RepeatedField,
    /// A JSON type that does not fit the Go type.
    WrongType,
    /// A number that does not fit the Go type.
    OutOfRange,
    /// A text that is no time, duration, quantity or base64.
    Malformed,
    /// Nested deeper than the decoder goes.
    TooDeep,
    /// `apiVersion` or `kind` of another subject.
    WrongKind,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Syntax => "not JSON",
            Self::UnknownField => "unknown field",
            Self::RepeatedField => "repeated field",
            Self::WrongType => "wrong type",
            Self::OutOfRange => "number out of range",
            Self::Malformed => "malformed value",
            Self::TooDeep => "nested too deeply",
            Self::WrongKind => "wrong kind",
        })
    }
}

/// Decodes JSON text as a value of type `root`.
///
/// # Errors
/// When the text is not JSON or not a value of the type; the first fault is reported.
pub fn from_bytes<'a>(
    schema: &'a Schema,
    root: TypeId,
    text: &'a [u8],
    arena: &'a Arena,
) -> Result<Node<'a>, Undecodable> {
    let text = std::str::from_utf8(text).map_err(|error| Undecodable {
        field: "<nil>".to_owned(),
        reason: Reason::Syntax,
        detail: format!("invalid UTF-8 after byte {}", error.valid_up_to()),
    })?;
    let mut json = serde_json::Deserializer::from_str(text);
    let node = decode(schema, root, arena, &mut json)?;
    json.end().map_err(|error| Undecodable {
        field: "<nil>".to_owned(),
        reason: Reason::Syntax,
        detail: error.to_string(),
    })?;
    Ok(node)
}

/// Decodes a JSON tree as a value of type `root`. Texts are borrowed from the tree.
///
/// # Errors
/// When the tree is not a value of the type; the first fault is reported.
pub fn from_value<'a>(
    schema: &'a Schema,
    root: TypeId,
    value: &'a Value,
    arena: &'a Arena,
) -> Result<Node<'a>, Undecodable> {
    decode(schema, root, arena, value)
}

fn decode<'a, D: Deserializer<'a>>(
    schema: &'a Schema,
    root: TypeId,
    arena: &'a Arena,
    source: D,
) -> Result<Node<'a>, Undecodable>
where
    D::Error: fmt::Display,
{
    let faults = Faults { first: RefCell::new(None), arena };
    let place = Place { schema, faults: &faults, parent: None, step: Step::Root, depth: 0 };
    Typed { place, ty: root, pointer: false }.deserialize(source).map_err(|error| {
        faults.first.into_inner().unwrap_or_else(|| Undecodable {
            field: "<nil>".to_owned(),
            reason: if error.to_string().starts_with("recursion limit") { Reason::TooDeep } else { Reason::Syntax },
            detail: error.to_string(),
        })
    })
}

/// The first fault found, and the arena of the case.
struct Faults<'a> {
    first: RefCell<Option<Undecodable>>,
    arena: &'a Arena,
}

/// Where the decoder stands: a frame on the stack, as [`crate::path::Path`].
#[derive(Clone, Copy)]
struct Place<'p, 'a> {
    schema: &'a Schema,
    faults: &'p Faults<'a>,
    parent: Option<&'p Place<'p, 'a>>,
    step: Step<'p>,
    depth: u32,
}

#[derive(Clone, Copy)]
enum Step<'p> {
    Root,
    Field(&'p str),
    Index(usize),
    Key(&'p str),
}

impl<'p, 'a> Place<'p, 'a> {
    fn below(&'p self, step: Step<'p>) -> Place<'p, 'a> {
        Place { parent: Some(self), step, depth: self.depth + 1, ..*self }
    }

    fn field(&self) -> String {
        fn write(place: &Place<'_, '_>, out: &mut String) {
            if let Some(parent) = place.parent {
                write(parent, out);
            }
            match place.step {
                Step::Root => {}
                Step::Field(name) => {
                    if !out.is_empty() {
                        out.push('.');
                    }
                    out.push_str(name);
                }
                Step::Index(index) => {
                    out.push('[');
                    out.push_str(&index.to_string());
                    out.push(']');
                }
                Step::Key(key) => {
                    out.push('[');
                    out.push_str(key);
                    out.push(']');
                }
            }
        }
        let mut out = String::new();
        write(self, &mut out);
        if out.is_empty() { "<nil>".to_owned() } else { out }
    }

    /// Records a fault, keeping the first, and makes the error that stops serde.
    fn fault<E: serde::de::Error>(&self, reason: Reason, detail: impl fmt::Display) -> E {
        let mut first = self.faults.first.borrow_mut();
        if first.is_none() {
            *first = Some(Undecodable { field: self.field(), reason, detail: detail.to_string() });
        }
        E::custom("undecodable")
    }

    fn wrong_type<E: serde::de::Error>(&self, found: &str, ty: TypeId) -> E {
        self.fault(Reason::WrongType, format!("cannot take {found} as Go type `{}`", self.schema.get(ty).name))
    }
}

/// Decodes a value of a known type.
#[derive(Clone, Copy)]
struct Typed<'p, 'a> {
    place: Place<'p, 'a>,
    ty: TypeId,
    /// Whether the value stands behind a pointer: zero values are then explicit.
    pointer: bool,
}

impl<'a> DeserializeSeed<'a> for Typed<'_, 'a> {
    type Value = Node<'a>;

    fn deserialize<D: Deserializer<'a>>(self, source: D) -> Result<Node<'a>, D::Error> {
        if self.place.depth > MAX_DEPTH {
            return Err(self.place.fault(Reason::TooDeep, format!("nested deeper than {MAX_DEPTH} levels")));
        }
        let schema = self.place.schema;
        let (_, kind) = schema.native(self.ty);
        match kind {
            Kind::Pointer(inner) => Typed { ty: *inner, pointer: true, ..self }.deserialize(source),
            Kind::Any | Kind::WellKnown(WellKnown::Raw) | Kind::Unresolved => {
                let json = Free { place: self.place }.deserialize(source)?;
                Ok(match json {
                    Json::Null => Node::Unset,
                    other => Node::Raw(self.place.faults.arena.alloc(other)),
                })
            }
            _ => source.deserialize_any(self),
        }
    }
}

impl<'a> Typed<'_, 'a> {
    fn kind(&self) -> &'a Kind {
        self.place.schema.native(self.ty).1
    }

    /// The zero value of a value position is unset.
    fn unless_zero(&self, zero: bool, node: Node<'a>) -> Node<'a> {
        if zero && !self.pointer { Node::Unset } else { node }
    }

    fn integer<E: serde::de::Error>(&self, value: i128) -> Result<Node<'a>, E> {
        match self.kind() {
            Kind::Int { bits, signed } => {
                let (low, high) = if *signed {
                    (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1)
                } else {
                    (0, (1_i128 << bits) - 1)
                };
                if value < low || value > high {
                    return Err(self.place.fault(
                        Reason::OutOfRange,
                        format!("number {value} does not fit Go type `{}`", self.place.schema.get(self.ty).name),
                    ));
                }
                let node = i64::try_from(value)
                    .map_or_else(|_| Node::Uint(u64::try_from(value).unwrap_or(u64::MAX)), Node::Int);
                Ok(self.unless_zero(value == 0, node))
            }
            #[expect(clippy::cast_precision_loss, reason = "Go rounds to the nearest float as well")]
            Kind::Float { .. } => Ok(self.unless_zero(value == 0, Node::Float(value as f64))),
            Kind::WellKnown(WellKnown::IntOrString) => match i32::try_from(value) {
                Ok(value) => Ok(self.unless_zero(value == 0, Node::Int(i64::from(value)))),
                Err(_) => {
                    Err(self.place.fault(Reason::OutOfRange, format!("number {value} does not fit Go type `int32`")))
                }
            },
            Kind::WellKnown(WellKnown::Quantity) => {
                let text = bumpalo::format!(in self.place.faults.arena, "{}", value).into_bump_str();
                self.quantity(text)
            }
            _ => Err(self.place.wrong_type("a number", self.ty)),
        }
    }

    fn quantity<E: serde::de::Error>(&self, text: &'a str) -> Result<Node<'a>, E> {
        let quantity = Quantity::parse(text, self.pointer)
            .map_err(|error: QuantityError| self.place.fault(Reason::Malformed, format!("`{text}`: {error}")))?;
        Ok(Node::Quantity(self.place.faults.arena.alloc(quantity)))
    }

    fn text<E: serde::de::Error>(&self, text: &'a str) -> Result<Node<'a>, E> {
        match self.kind() {
            Kind::Text => Ok(self.unless_zero(text.is_empty(), Node::Text(text))),
            Kind::WellKnown(WellKnown::IntOrString) => Ok(Node::Text(text)),
            Kind::WellKnown(WellKnown::Quantity) => self.quantity(text),
            Kind::WellKnown(WellKnown::Time | WellKnown::MicroTime) => match Instant::parse(text) {
                Some(instant) => Ok(self.unless_zero(instant.is_zero(), Node::Time(instant))),
                None => Err(self.place.fault(Reason::Malformed, format!("`{text}` is not an RFC 3339 time"))),
            },
            Kind::WellKnown(WellKnown::Duration) => match super::time::parse_duration(text) {
                Some(nanos) => Ok(self.unless_zero(nanos == 0, Node::Int(nanos))),
                None => Err(self.place.fault(Reason::Malformed, format!("`{text}` is not a duration"))),
            },
            Kind::Bytes => match BASE64.decode(strip_newlines(text).as_ref()) {
                Ok(bytes) => Ok(Node::Bytes(self.place.faults.arena.alloc_slice_copy(&bytes))),
                Err(error) => Err(self.place.fault(Reason::Malformed, format!("not base64: {error}"))),
            },
            _ => Err(self.place.wrong_type("a string", self.ty)),
        }
    }
}

/// Go's base64 decoder skips line breaks.
fn strip_newlines(text: &str) -> std::borrow::Cow<'_, str> {
    if text.contains(['\n', '\r']) { text.replace(['\n', '\r'], "").into() } else { text.into() }
}

impl<'a> Visitor<'a> for Typed<'_, 'a> {
    type Value = Node<'a>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Go type {}", self.place.schema.get(self.ty).name)
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<Node<'a>, E> {
        Ok(Node::Unset)
    }

    fn visit_none<E: serde::de::Error>(self) -> Result<Node<'a>, E> {
        Ok(Node::Unset)
    }

    fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<Node<'a>, E> {
        match self.kind() {
            Kind::Bool => Ok(self.unless_zero(!value, Node::Bool(value))),
            _ => Err(self.place.wrong_type("a bool", self.ty)),
        }
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<Node<'a>, E> {
        self.integer(i128::from(value))
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<Node<'a>, E> {
        self.integer(i128::from(value))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Node<'a>, E> {
        match self.kind() {
            Kind::Float { bits } => {
                if *bits == 32 && value.is_finite() && value.abs() > f64::from(f32::MAX) {
                    return Err(self
                        .place
                        .fault(Reason::OutOfRange, format!("number {value} does not fit Go type `float32`")));
                }
                Ok(self.unless_zero(value == 0.0, Node::Float(value)))
            }
            Kind::WellKnown(WellKnown::Quantity) => {
                let text = bumpalo::format!(in self.place.faults.arena, "{}", value).into_bump_str();
                self.quantity(text)
            }
            // The parser reads `-0` as a float; Go reads it as the integer it is.
            Kind::Int { .. } if value == 0.0 && value.is_sign_negative() => self.integer(0),
            Kind::Int { .. } | Kind::WellKnown(WellKnown::IntOrString) => Err(self.place.fault(
                if value.fract() == 0.0 && value.abs() >= 9.2e18 { Reason::OutOfRange } else { Reason::WrongType },
                format!("number {value:?} is no integer of Go type `{}`", self.place.schema.get(self.ty).name),
            )),
            _ => Err(self.place.wrong_type("a number", self.ty)),
        }
    }

    fn visit_borrowed_str<E: serde::de::Error>(self, text: &'a str) -> Result<Node<'a>, E> {
        self.text(text)
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Node<'a>, E> {
        self.text(self.place.faults.arena.alloc_str(text))
    }

    fn visit_seq<A: SeqAccess<'a>>(self, mut items: A) -> Result<Node<'a>, A::Error> {
        match self.kind() {
            Kind::List(element) => {
                let mut nodes =
                    ArenaVec::with_capacity_in(items.size_hint().unwrap_or(4).min(64), self.place.faults.arena);
                loop {
                    let place = self.place.below(Step::Index(nodes.len()));
                    let next = items.next_element_seed(Typed { place, ty: *element, pointer: false })?;
                    match next {
                        Some(node) => nodes.push(node),
                        None => return Ok(Node::List(nodes.into_bump_slice())),
                    }
                }
            }
            Kind::Bytes => {
                // Go also takes an array of numbers for []byte.
                let mut bytes = ArenaVec::new_in(self.place.faults.arena);
                while let Some(byte) = items.next_element::<u8>()? {
                    bytes.push(byte);
                }
                Ok(Node::Bytes(bytes.into_bump_slice()))
            }
            _ => Err(self.place.wrong_type("an array", self.ty)),
        }
    }

    fn visit_map<A: MapAccess<'a>>(self, entries: A) -> Result<Node<'a>, A::Error> {
        match self.kind() {
            Kind::Struct(fields) => self.fields(fields, entries),
            Kind::Map { value, .. } => self.entries(*value, entries),
            _ => Err(self.place.wrong_type("an object", self.ty)),
        }
    }
}

impl<'a> Typed<'_, 'a> {
    fn fields<A: MapAccess<'a>>(self, fields: &'a Struct, mut entries: A) -> Result<Node<'a>, A::Error> {
        let arena = self.place.faults.arena;
        let mut set: ArenaVec<'_, (&'a [Slot], Node<'a>)> =
            ArenaVec::with_capacity_in(entries.size_hint().unwrap_or(8).min(64), arena);
        // Most structs have few fields: a bit per slot sees repetition without hashing.
        let mut seen: ArenaVec<'_, &'a [Slot]> = ArenaVec::new_in(arena);
        let mut seen_bits = 0_u64;
        while let Some(key) = entries.next_key_seed(Key { arena })? {
            let Some(Member { slots, ty }) = fields.member(key) else {
                let place = self.place.below(Step::Field(key));
                return Err(place.fault(Reason::UnknownField, "unknown field"));
            };
            let place = self.place.below(Step::Field(key));
            let repeated = match slots.as_ref() {
                [slot] if *slot < 64 => {
                    let bit = 1_u64 << slot;
                    let repeated = seen_bits & bit != 0;
                    seen_bits |= bit;
                    repeated
                }
                slots => {
                    let repeated = seen.contains(&slots);
                    seen.push(slots);
                    repeated
                }
            };
            if repeated {
                return Err(place.fault(Reason::RepeatedField, "given twice"));
            }
            let node = entries.next_value_seed(Typed { place, ty: *ty, pointer: false })?;
            if !node.is_unset() {
                set.push((slots, node));
            }
        }
        set.sort_unstable_by_key(|(slots, _)| *slots);
        Ok(assemble(&set, 0, self.pointer, arena))
    }

    fn entries<A: MapAccess<'a>>(self, value: TypeId, mut entries: A) -> Result<Node<'a>, A::Error> {
        let arena = self.place.faults.arena;
        let mut nodes: ArenaVec<'_, (&'a str, Node<'a>)> =
            ArenaVec::with_capacity_in(entries.size_hint().unwrap_or(4).min(64), arena);
        while let Some(key) = entries.next_key_seed(Key { arena })? {
            let place = self.place.below(Step::Key(key));
            let node = entries.next_value_seed(Typed { place, ty: value, pointer: false })?;
            nodes.push((key, node));
        }
        nodes.sort_by(|(a, _), (b, _)| a.as_bytes().cmp(b.as_bytes()));
        if let Some([(key, _), _]) = nodes.array_windows().find(|[(a, _), (b, _)]| a == b) {
            let place = self.place.below(Step::Key(key));
            return Err(place.fault(Reason::RepeatedField, "given twice"));
        }
        Ok(Node::Map(nodes.into_bump_slice()))
    }
}

/// Builds a struct from its set members, sorted by slots; members of inlined structs form structs of their own.
fn assemble<'a>(set: &[(&'a [Slot], Node<'a>)], level: usize, pointer: bool, arena: &'a Arena) -> Node<'a> {
    if set.is_empty() && !pointer {
        return Node::Unset;
    }
    let mut fields = ArenaVec::with_capacity_in(set.len(), arena);
    let mut rest = set;
    while let Some(((slots, node), _)) = rest.split_first() {
        let Some(slot) = slots.get(level) else { break };
        if slots.len() == level + 1 {
            fields.push((*slot, *node));
            rest = rest.get(1..).unwrap_or_default();
        } else {
            let count = rest.iter().take_while(|(slots, _)| slots.get(level) == Some(slot)).count();
            let (inner, tail) = rest.split_at_checked(count).unwrap_or((rest, &[]));
            fields.push((*slot, assemble(inner, level + 1, false, arena)));
            rest = tail;
        }
    }
    Node::Struct { fields: fields.into_bump_slice(), pointer }
}

/// An object key, borrowed from the source where it can be.
struct Key<'a> {
    arena: &'a Arena,
}

impl<'a> DeserializeSeed<'a> for Key<'a> {
    type Value = &'a str;

    fn deserialize<D: Deserializer<'a>>(self, source: D) -> Result<&'a str, D::Error> {
        source.deserialize_str(self)
    }
}

impl<'a> Visitor<'a> for Key<'a> {
    type Value = &'a str;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_borrowed_str<E: serde::de::Error>(self, text: &'a str) -> Result<&'a str, E> {
        Ok(text)
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<&'a str, E> {
        Ok(self.arena.alloc_str(text))
    }
}

/// Decodes JSON of no known type.
#[derive(Clone, Copy)]
struct Free<'p, 'a> {
    place: Place<'p, 'a>,
}

impl<'a> DeserializeSeed<'a> for Free<'_, 'a> {
    type Value = Json<'a>;

    fn deserialize<D: Deserializer<'a>>(self, source: D) -> Result<Json<'a>, D::Error> {
        if self.place.depth > MAX_DEPTH {
            return Err(self.place.fault(Reason::TooDeep, format!("nested deeper than {MAX_DEPTH} levels")));
        }
        source.deserialize_any(self)
    }
}

impl<'a> Visitor<'a> for Free<'_, 'a> {
    type Value = Json<'a>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<Json<'a>, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<Json<'a>, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<Json<'a>, E> {
        Ok(Json::Int(value))
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<Json<'a>, E> {
        Ok(i64::try_from(value).map_or(Json::Uint(value), Json::Int))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Json<'a>, E> {
        Ok(Json::Float(value))
    }

    fn visit_borrowed_str<E: serde::de::Error>(self, text: &'a str) -> Result<Json<'a>, E> {
        Ok(Json::Text(text))
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Json<'a>, E> {
        Ok(Json::Text(self.place.faults.arena.alloc_str(text)))
    }

    fn visit_seq<A: SeqAccess<'a>>(self, mut items: A) -> Result<Json<'a>, A::Error> {
        let mut nodes = ArenaVec::new_in(self.place.faults.arena);
        loop {
            let place = self.place.below(Step::Index(nodes.len()));
            match items.next_element_seed(Free { place })? {
                Some(node) => nodes.push(node),
                None => return Ok(Json::Array(nodes.into_bump_slice())),
            }
        }
    }

    fn visit_map<A: MapAccess<'a>>(self, mut entries: A) -> Result<Json<'a>, A::Error> {
        let mut nodes: ArenaVec<'_, (&'a str, Json<'a>)> = ArenaVec::new_in(self.place.faults.arena);
        while let Some(key) = entries.next_key_seed(Key { arena: self.place.faults.arena })? {
            let place = self.place.below(Step::Key(key));
            let node = entries.next_value_seed(Free { place })?;
            nodes.push((key, node));
        }
        Ok(Json::Object(nodes.into_bump_slice()))
    }
}
