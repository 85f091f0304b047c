//! Decoding of values of a known Go type.

use super::free::{Free, Key};
use super::misfit::{FieldValidation, Misfit};
use super::place::{MAX_DEPTH, Place, Step};
use crate::object::{Arena, Instant, Json, Node, Quantity, QuantityError, time};
use crate::schema::{Kind, Member, Slot, Struct, TypeId, WellKnown};
use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{GeneralPurpose, GeneralPurposeConfig};
use bumpalo::collections::Vec as ArenaVec;
use serde::Deserializer;
use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// Base64 as Go reads it: bits that do not fill a last byte are dropped, whatever they are.
const BASE64: GeneralPurpose =
    GeneralPurpose::new(&STANDARD, GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true));

/// Decodes a value of a known type.
#[derive(Clone, Copy)]
pub(super) struct Typed<'p, 'a> {
    pub place: Place<'p, 'a>,
    pub ty: TypeId,
    /// Whether the value stands behind a pointer: zero values are then explicit.
    pub pointer: bool,
}

impl<'a> DeserializeSeed<'a> for Typed<'_, 'a> {
    type Value = Node<'a>;

    fn deserialize<D: Deserializer<'a>>(self, source: D) -> Result<Node<'a>, D::Error> {
        if self.place.depth > MAX_DEPTH {
            return Err(self.place.fault(Misfit::TooDeep, format!("nested deeper than {MAX_DEPTH} levels")));
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
                        Misfit::OutOfRange,
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
                    Err(self.place.fault(Misfit::OutOfRange, format!("number {value} does not fit Go type `int32`")))
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
            .map_err(|error: QuantityError| self.place.fault(Misfit::Malformed, format!("`{text}`: {error}")))?;
        Ok(Node::Quantity(self.place.faults.arena.alloc(quantity)))
    }

    fn text<E: serde::de::Error>(&self, text: &'a str) -> Result<Node<'a>, E> {
        match self.kind() {
            Kind::Text => Ok(self.unless_zero(text.is_empty(), Node::Text(text))),
            Kind::WellKnown(WellKnown::IntOrString) => Ok(Node::Text(text)),
            Kind::WellKnown(WellKnown::Quantity) => self.quantity(text),
            Kind::WellKnown(WellKnown::Time | WellKnown::MicroTime) => match Instant::parse(text) {
                Some(instant) => Ok(self.unless_zero(instant.is_zero(), Node::Time(instant))),
                None => Err(self.place.fault(Misfit::Malformed, format!("`{text}` is not an RFC 3339 time"))),
            },
            Kind::WellKnown(WellKnown::Duration) => match time::parse_duration(text) {
                Some(nanos) => Ok(self.unless_zero(nanos == 0, Node::Int(nanos))),
                None => Err(self.place.fault(Misfit::Malformed, format!("`{text}` is not a duration"))),
            },
            Kind::Bytes => match BASE64.decode(strip_newlines(text).as_ref()) {
                Ok(bytes) => Ok(Node::Bytes(self.place.faults.arena.alloc_slice_copy(&bytes))),
                Err(error) => Err(self.place.fault(Misfit::Malformed, format!("not base64: {error}"))),
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
                        .fault(Misfit::OutOfRange, format!("number {value} does not fit Go type `float32`")));
                }
                Ok(self.unless_zero(value == 0.0, Node::Float(value)))
            }
            Kind::WellKnown(WellKnown::Quantity) => {
                let text = bumpalo::format!(in self.place.faults.arena, "{}", value).into_bump_str();
                self.quantity(text)
            }
            Kind::Int { .. } | Kind::WellKnown(WellKnown::IntOrString) => Err(self.place.fault(
                if value.fract() == 0.0 && value.abs() >= 9.2e18 { Misfit::OutOfRange } else { Misfit::WrongType },
                format!("number {value:?} is not an integer for Go type `{}`", self.place.schema.get(self.ty).name),
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
        let mut set = Fields::new(fields, entries.size_hint(), arena);
        while let Some(key) = entries.next_key_seed(Key { arena })? {
            let Some(Member { slots, ty }) = set.open(&self.place, key)? else {
                entries.next_value::<IgnoredAny>()?;
                continue;
            };
            let place = self.place.below(Step::Field(key));
            let node = entries.next_value_seed(Typed { place, ty: *ty, pointer: false })?;
            set.set(slots, node);
        }
        Ok(set.into_struct(self.pointer, arena))
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
            self.place.below(Step::Key(key)).superfluous(Misfit::RepeatedField, "given twice")?;
            // Sorting keeps the order of equal keys: the last one of a run counts.
            nodes.dedup_by(|later, kept| {
                later.0 == kept.0 && {
                    *kept = *later;
                    true
                }
            });
        }
        Ok(Node::Map(nodes.into_bump_slice()))
    }
}

/// The fields of a struct that is being read.
pub(super) struct Fields<'a> {
    of: &'a Struct,
    set: ArenaVec<'a, (Slot, Node<'a>)>,
    /// Members of inlined structs, which form structs of their own.
    inlined: ArenaVec<'a, (&'a [Slot], Node<'a>)>,
    seen: ArenaVec<'a, &'a [Slot]>,
    /// Most structs have few fields: a bit per slot sees repetition without hashing.
    seen_bits: u64,
}

impl<'a> Fields<'a> {
    pub(super) fn new(of: &'a Struct, expected: Option<usize>, arena: &'a Arena) -> Self {
        Self {
            of,
            set: ArenaVec::with_capacity_in(expected.unwrap_or(8).min(64), arena),
            inlined: ArenaVec::new_in(arena),
            seen: ArenaVec::new_in(arena),
            seen_bits: 0,
        }
    }

    /// Finds the member with this name in the struct at `place`; returns `None` if its value is to be dropped. Reports unknown and repeated
    /// names. A repeated name replaces the earlier value.
    pub(super) fn open<E: serde::de::Error>(
        &mut self,
        place: &Place<'_, 'a>,
        key: &str,
    ) -> Result<Option<&'a Member>, E> {
        let Some(member) = self.of.member(key) else {
            // Where unknown fields are dropped, nobody reads what was meant, and there may be many.
            let strict = place.faults.validation == FieldValidation::Strict;
            let meant = if strict { self.of.nearest(key) } else { None };
            let meant = meant.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
            let detail = format!("{}{meant}", Misfit::UnknownField);
            place.below(Step::Field(key)).superfluous(Misfit::UnknownField, &detail)?;
            return Ok(None);
        };
        let repeated = match member.slots.as_ref() {
            [slot] if *slot < 64 => {
                let bit = 1_u64 << slot;
                let repeated = self.seen_bits & bit != 0;
                self.seen_bits |= bit;
                repeated
            }
            slots => {
                let repeated = self.seen.contains(&slots);
                self.seen.push(slots);
                repeated
            }
        };
        if repeated {
            place.below(Step::Field(key)).superfluous(Misfit::RepeatedField, "given twice")?;
            self.set.retain(|(at, _)| [*at] != member.slots.as_ref());
            self.inlined.retain(|(at, _)| *at != member.slots.as_ref());
        }
        Ok(Some(member))
    }

    /// Sets the member that these slots lead to.
    pub(super) fn set(&mut self, slots: &'a [Slot], node: Node<'a>) {
        match slots {
            _ if node.is_unset() => {}
            [slot] => self.set.push((*slot, node)),
            slots => self.inlined.push((slots, node)),
        }
    }

    /// The struct with what was set.
    pub(super) fn into_struct(mut self, pointer: bool, arena: &'a Arena) -> Node<'a> {
        self.inlined.sort_unstable_by_key(|(slots, _)| *slots);
        for inner in self.inlined.chunk_by(|(one, _), (other, _)| one.first() == other.first()) {
            let slot = inner.first().and_then(|(slots, _)| slots.first());
            self.set.extend(slot.map(|slot| (*slot, assemble(inner, 1, arena))));
        }
        if self.set.is_empty() && !pointer {
            return Node::Unset;
        }
        self.set.sort_unstable_by_key(|(slot, _)| *slot);
        Node::Struct { fields: self.set.into_bump_slice(), pointer }
    }
}

/// Builds an inlined struct from its set members, sorted by slots, of which the first `level` lead to it.
fn assemble<'a>(set: &[(&'a [Slot], Node<'a>)], level: usize, arena: &'a Arena) -> Node<'a> {
    let mut fields = ArenaVec::with_capacity_in(set.len(), arena);
    for inner in set.chunk_by(|(one, _), (other, _)| one.get(level) == other.get(level)) {
        match inner {
            [(slots, node), ..] if slots.len() == level + 1 => fields.extend(slots.last().map(|slot| (*slot, *node))),
            [(slots, _), ..] => {
                fields.extend(slots.get(level).map(|slot| (*slot, assemble(inner, level + 1, arena))));
            }
            [] => {}
        }
    }
    Node::Struct { fields: fields.into_bump_slice(), pointer: false }
}
