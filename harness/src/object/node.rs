//! The canonical form of a decoded value.

use super::{Instant, Quantity};
use crate::schema::Slot;
use serde::{Serialize, Serializer};

/// Memory for trees and decoded values, which are freed together.
pub type Arena = bumpalo::Bump;

/// A vector in an [`Arena`].
pub type ArenaVec<'a, T> = bumpalo::collections::Vec<'a, T>;

/// A decoded value of some Go type. Copying copies a reference.
///
/// INVARIANT (canonical form): in a value position (struct field, list element or map value that is not a pointer, slice,
/// map or interface) the Go zero value is [`Node::Unset`], except that value structs which hold an empty list or map,
/// however deep, stay [`Node::Struct`]. Behind a pointer the zero value is explicit (`Int(0)`, `Text("")`,
/// `Struct { fields: &[], pointer: true }`), and `Unset` is nil. Struct fields that are unset are not stored.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Node<'a> {
    /// Nil, or the zero value of a value type.
    Unset,
    /// A bool.
    Bool(bool),
    /// An integer of any Go width. `metav1.Duration` is an integer of nanoseconds; an integral IntOrString is one too.
    Int(i64),
    /// An unsigned integer above the range of `i64`.
    Uint(u64),
    /// A float.
    Float(f64),
    /// A string, named string, or textual IntOrString.
    Text(&'a str),
    /// Decoded `[]byte`.
    Bytes(&'a [u8]),
    /// A struct: stored fields sorted by slot; an inlined struct is a struct in its own slot.
    Struct {
        /// Fields that are set.
        fields: &'a [(Slot, Node<'a>)],
        /// Whether the position is a pointer to the struct.
        pointer: bool,
    },
    /// A non-nil list.
    List(&'a [Node<'a>]),
    /// A non-nil map, sorted by key (byte order), keys unique.
    Map(&'a [(&'a str, Node<'a>)]),
    /// `metav1.Time` or `metav1.MicroTime`.
    Time(Instant),
    /// `resource.Quantity`
    Quantity(&'a Quantity<'a>),
    /// JSON kept as it is (`RawExtension`, `FieldsV1`, interfaces, opaque types).
    Raw(&'a Json<'a>),
}

/// JSON of no known type, in source order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Json<'a> {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// An integer in the range of `i64`.
    Int(i64),
    /// An integer above it.
    Uint(u64),
    /// Any other number.
    Float(f64),
    /// Text.
    Text(&'a str),
    /// Array.
    Array(&'a [Json<'a>]),
    /// Object in source order.
    Object(&'a [(&'a str, Json<'a>)]),
}

impl Default for &Json<'_> {
    fn default() -> Self {
        &Json::Null
    }
}

impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_value().serialize(serializer)
    }
}

impl<'a> Node<'a> {
    /// Whether this is nil or a zero value (not: an empty list, or a pointer to zero).
    #[must_use]
    #[inline]
    pub fn is_unset(&self) -> bool {
        matches!(self, Node::Unset)
    }

    /// Whether two structs, lists or maps of one type use the same memory. Those that are empty may do so by chance.
    #[must_use]
    pub fn is_shared(&self, other: &Node<'_>) -> bool {
        match (self, other) {
            (Node::Struct { fields: one, pointer }, Node::Struct { fields: other, pointer: other_pointer }) => {
                pointer == other_pointer && std::ptr::eq(*one, *other)
            }
            (Node::List(one), Node::List(other)) => std::ptr::eq(*one, *other),
            (Node::Map(one), Node::Map(other)) => std::ptr::eq(*one, *other),
            _ => false,
        }
    }

    /// The field at `slot` of a struct; unset for an unset struct.
    #[must_use]
    #[inline]
    pub fn field(&self, slot: Slot) -> Node<'a> {
        match self {
            Node::Struct { fields, .. } => fields
                .iter()
                .find(|(at, _)| *at >= slot)
                .map_or(Node::Unset, |(at, node)| if *at == slot { *node } else { Node::Unset }),
            _ => Node::Unset,
        }
    }

    /// The field reached through `slots` (see [`crate::schema::Member`]).
    #[must_use]
    pub fn member(&self, slots: &[Slot]) -> Node<'a> {
        slots.iter().fold(*self, |node, slot| node.field(*slot))
    }

    /// The stored fields of a struct; empty for an unset one.
    #[must_use]
    pub fn fields(&self) -> &'a [(Slot, Node<'a>)] {
        match self {
            Node::Struct { fields, .. } => fields,
            _ => &[],
        }
    }

    /// The elements of a list; empty for an unset one.
    #[must_use]
    #[inline]
    pub fn items(&self) -> &'a [Node<'a>] {
        match self {
            Node::List(items) => items,
            _ => &[],
        }
    }

    /// The entries of a map, sorted by key; empty for an unset one.
    #[must_use]
    #[inline]
    pub fn entries(&self) -> &'a [(&'a str, Node<'a>)] {
        match self {
            Node::Map(entries) => entries,
            _ => &[],
        }
    }

    /// The value under a map key.
    #[must_use]
    pub fn entry(&self, key: &str) -> Option<Node<'a>> {
        let entries = self.entries();
        let at = entries.binary_search_by(|(name, _)| name.as_bytes().cmp(key.as_bytes())).ok()?;
        entries.get(at).map(|(_, node)| *node)
    }

    /// The text of a string; empty for an unset one.
    #[must_use]
    #[inline]
    pub fn text(&self) -> &'a str {
        match self {
            Node::Text(text) => text,
            _ => "",
        }
    }

    /// The value of an integer; 0 for an unset one. Integers above `i64` saturate.
    #[must_use]
    pub fn int(&self) -> i64 {
        match self {
            Node::Int(value) => *value,
            Node::Uint(_) => i64::MAX,
            _ => 0,
        }
    }

    /// The value of a bool; false for an unset one.
    #[must_use]
    #[inline]
    pub fn bool(&self) -> bool {
        matches!(self, Node::Bool(true))
    }
}
