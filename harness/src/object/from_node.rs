//! Structs that borrow from a decoded object, for code that reads members by name.

use super::{Arena, Instant, Json, Node, Quantity};
use crate::schema::{Kind, Presence, Schema, Struct, TypeId};
use serde::ser::{Serialize, Serializer};
use serde_json::Value;
use std::sync::LazyLock;

/// A type that borrows from a decoded value. Its lists, and structs behind references, are kept in the arena.
///
/// ```
/// use takeover_harness::object::{FromNode, Misread, Node, TypedNode};
/// #[derive(Clone, Copy, Default)]
/// struct Port<'a> {
///     name: Option<&'a str>,
///     number: i32,
/// }
/// impl<'a> FromNode<'a> for Port<'a> {
///     fn from_node(node: TypedNode<'a>) -> Result<Self, Misread> {
///         let mut port = Self::default();
///         node.each_member(Node::Unset, &["name", "containerPort"], &mut |member, node, _| {
///             match member {
///                 0 => port.name = node.read()?,
///                 _ => port.number = node.read()?,
///             }
///             Ok(())
///         })?;
///         Ok(port)
///     }
/// }
/// ```
pub trait FromNode<'a>: Copy {
    /// Reads the value.
    ///
    /// # Errors
    /// When the value has another form.
    fn from_node(node: TypedNode<'a>) -> Result<Self, Misread>;

    /// Reads the value beside `known`, which was read from `other`, if there is one: takes over what was read of structs and lists that
    /// both nodes share.
    ///
    /// # Errors
    /// When the value has another form.
    fn from_node_beside(node: TypedNode<'a>, _other: Node<'a>, _known: Option<&Self>) -> Result<Self, Misread> {
        Self::from_node(node)
    }
}

/// A decoded value with its type, and the arena for what is read from it.
#[derive(Clone, Copy)]
pub struct TypedNode<'a> {
    schema: &'a Schema,
    arena: &'a Arena,
    /// The shape of the type, below all names and pointers.
    kind: &'a Kind,
    node: Node<'a>,
}

/// The value does not have the form that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{found} where {wanted} is read")]
pub struct Misread {
    found: &'static str,
    wanted: &'static str,
}

/// The end of the name of the Go struct with version and kind.
const TYPE_META: &str = "/meta/v1.TypeMeta";

impl<'a> TypedNode<'a> {
    /// A value of type `ty`.
    #[must_use]
    pub fn new(schema: &'a Schema, arena: &'a Arena, ty: TypeId, node: Node<'a>) -> Self {
        Self { schema, arena, kind: schema.pointed(ty).1, node }
    }

    /// JSON whose type is not known, such as that of an annotation: members have the names that they are written with. Empty texts, zero
    /// and `false` are set. Bytes, durations and free-form JSON cannot be read from it.
    #[must_use]
    pub fn untyped(value: &'a Value, arena: &'a Arena) -> Self {
        static NO_TYPES: LazyLock<Schema> = LazyLock::new(Schema::new);
        Self { schema: &NO_TYPES, arena, kind: &Kind::Any, node: untyped(value, arena) }
    }

    /// Reads the value as a `T`.
    ///
    /// # Errors
    /// When the value has another form.
    #[inline]
    pub fn read<T: FromNode<'a>>(self) -> Result<T, Misread> {
        T::from_node(self)
    }

    /// Reads the value beside `known`, which was read from `other`, as [`FromNode::from_node_beside`] does.
    ///
    /// # Errors
    /// When the value has another form.
    #[inline]
    pub fn read_beside<T: FromNode<'a>>(self, other: Node<'a>, known: &T) -> Result<T, Misread> {
        if self.node.is_shared(&other) { Ok(*known) } else { T::from_node_beside(self, other, Some(known)) }
    }

    /// Calls `take` with each member of a struct that is set and named here: with the place of its name among `names`, the member, and the
    /// same member of `other`, another value of the type, which is unset where that has none. Members of inlined structs are members too.
    /// Version and kind are left out: they were compared when the object was decoded. It is fastest where the names are in the order of the
    /// Go type.
    ///
    /// # Errors
    /// Returns the errors of `take`, and one where the value is no struct.
    pub fn each_member(
        self,
        other: Node<'a>,
        names: &[&str],
        take: &mut dyn FnMut(usize, TypedNode<'a>, Node<'a>) -> Result<(), Misread>,
    ) -> Result<(), Misread> {
        match (self.kind, self.node) {
            (Kind::Struct(fields), _) => self.members_of(fields, other, names, &mut 0, take),
            // Free-form JSON, by the names that its members have.
            (_, Node::Map(entries)) => {
                entries.iter().try_for_each(|(name, node)| match place(names, name, 0, &mut 0) {
                    Some(member) => take(member, Self { node: *node, ..self }, Node::Unset),
                    None => Ok(()),
                })
            }
            _ => Err(self.misread("a struct")),
        }
    }

    fn members_of(
        self,
        fields: &'a Struct,
        other: Node<'a>,
        names: &[&str],
        next: &mut usize,
        take: &mut dyn FnMut(usize, TypedNode<'a>, Node<'a>) -> Result<(), Misread>,
    ) -> Result<(), Misread> {
        let mut others = other.fields().iter().peekable();
        let mut next_slot = 0;
        for (slot, node) in self.node.fields() {
            let skipped = usize::from(slot.saturating_sub(next_slot));
            next_slot = slot.saturating_add(1);
            while others.next_if(|(at, _)| at < slot).is_some() {}
            let other = others.peek().filter(|(at, _)| at == slot).map_or(Node::Unset, |(_, node)| *node);
            let Some(field) = fields.field(*slot) else { continue };
            match field.presence {
                Presence::Hidden => {}
                Presence::Inlined if self.schema.get(field.ty).name.ends_with(TYPE_META) => {}
                Presence::Inlined => {
                    if let Some((_, inner)) = self.schema.as_struct(field.ty) {
                        Self { node: *node, ..self }.members_of(inner, other, names, next, take)?;
                    }
                }
                Presence::Named => {
                    if let Some(member) = place(names, &field.json_name, skipped, next) {
                        take(member, Self::new(self.schema, self.arena, field.ty, *node), other)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The items of a list.
    fn items(self) -> Result<impl ExactSizeIterator<Item = TypedNode<'a>>, Misread> {
        let items = match self.node {
            Node::List(items) => items,
            Node::Unset => &[],
            _ => return Err(self.misread("a list")),
        };
        let item = match self.kind {
            Kind::List(element) => Self::new(self.schema, self.arena, *element, Node::Unset),
            _ => self,
        };
        Ok(items.iter().map(move |node| Self { node: *node, ..item }))
    }

    /// The entries of a map.
    fn entries(self) -> Result<impl ExactSizeIterator<Item = (&'a str, TypedNode<'a>)>, Misread> {
        let entries = match self.node {
            Node::Map(entries) => entries,
            Node::Unset => &[],
            _ => return Err(self.misread("a map")),
        };
        let value = match self.kind {
            Kind::Map { value, .. } => Self::new(self.schema, self.arena, *value, Node::Unset),
            _ => self,
        };
        Ok(entries.iter().map(move |(key, node)| (*key, Self { node: *node, ..value })))
    }

    fn misread(self, wanted: &'static str) -> Misread {
        let found = match self.node {
            Node::Unset => "nothing",
            Node::Bool(_) => "a bool",
            Node::Int(_) | Node::Uint(_) => "an integer",
            Node::Float(_) => "a float",
            Node::Text(_) => "text",
            Node::Bytes(_) => "bytes",
            Node::Struct { .. } => "a struct",
            Node::List(_) => "a list",
            Node::Map(_) => "a map",
            Node::Time(_) => "a time",
            Node::Quantity(_) => "a quantity",
            Node::Raw(_) => "free-form JSON",
        };
        Misread { found, wanted }
    }
}

fn untyped<'a>(value: &'a Value, arena: &'a Arena) -> Node<'a> {
    match value {
        Value::Null => Node::Unset,
        Value::Bool(value) => Node::Bool(*value),
        Value::Number(number) => match (number.as_i64(), number.as_u64(), number.as_f64()) {
            (Some(number), ..) => Node::Int(number),
            (_, Some(number), _) => Node::Uint(number),
            (.., number) => Node::Float(number.unwrap_or_default()),
        },
        Value::String(text) => Node::Text(text),
        Value::Array(items) => Node::List(arena.alloc_slice_fill_iter(items.iter().map(|item| untyped(item, arena)))),
        Value::Object(members) => {
            let mut entries: Vec<(&str, Node<'_>)> =
                members.iter().map(|(name, value)| (name.as_str(), untyped(value, arena))).collect();
            entries.sort_unstable_by_key(|(name, _)| *name);
            Node::Map(arena.alloc_slice_copy(&entries))
        }
    }
}

/// Finds a name: first behind the `skipped` that follow `next`, then everywhere. Moves `next` behind it.
fn place(names: &[&str], name: &str, skipped: usize, next: &mut usize) -> Option<usize> {
    let is_it = |at: &usize| names.get(*at).is_some_and(|known| *known == name);
    let likely = Some(*next + skipped).filter(is_it);
    let found = likely.or_else(|| (*next..names.len()).find(is_it)).or_else(|| (0..*next).find(is_it))?;
    *next = found + 1;
    Some(found)
}

/// A map, sorted by key.
#[derive(Debug, PartialEq)]
pub struct Map<'a, V>(&'a [(&'a str, V)]);

impl<V> Clone for Map<'_, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V> Copy for Map<'_, V> {}

impl<V> Default for Map<'_, V> {
    fn default() -> Self {
        Self(&[])
    }
}

impl<'a, V> Map<'a, V> {
    /// The map with these entries, which are in the order of their keys.
    #[must_use]
    pub fn new(entries: &'a [(&'a str, V)]) -> Self {
        Self(entries)
    }

    /// The map without the entries that `keep` refuses.
    #[must_use]
    pub fn filtered(self, arena: &'a Arena, mut keep: impl FnMut(&'a str, &'a V) -> bool) -> Self
    where
        V: Copy,
    {
        let kept: Vec<(&str, V)> = self.0.iter().filter(|(key, value)| keep(key, value)).copied().collect();
        Self(arena.alloc_slice_copy(&kept))
    }

    /// The value under a key.
    #[must_use]
    pub fn get(self, key: &str) -> Option<&'a V> {
        let at = self.0.binary_search_by(|(name, _)| (*name).cmp(key)).ok()?;
        self.0.get(at).map(|(_, value)| value)
    }

    /// Whether there is a value under a key.
    #[must_use]
    pub fn contains_key(self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// The keys, in order.
    pub fn keys(self) -> impl ExactSizeIterator<Item = &'a str> + Clone {
        self.0.iter().map(|(key, _)| *key)
    }

    /// The entries, in the order of their keys.
    pub fn iter(self) -> impl ExactSizeIterator<Item = (&'a str, &'a V)> + Clone {
        self.into_iter()
    }

    /// How many entries there are.
    #[must_use]
    pub fn len(self) -> usize {
        self.0.len()
    }

    /// Whether there is no entry.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0.is_empty()
    }
}

impl<'a, V> IntoIterator for Map<'a, V> {
    type Item = (&'a str, &'a V);
    type IntoIter = std::iter::Map<std::slice::Iter<'a, (&'a str, V)>, fn(&'a (&'a str, V)) -> (&'a str, &'a V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter().map(|(key, value)| (*key, value))
    }
}

impl<'a, V> IntoIterator for &Map<'a, V> {
    type Item = (&'a str, &'a V);
    type IntoIter = <Map<'a, V> as IntoIterator>::IntoIter;

    fn into_iter(self) -> Self::IntoIter {
        (*self).into_iter()
    }
}

impl<V: Serialize> Serialize for Map<'_, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(*self)
    }
}

/// `intstr.IntOrString`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntOrString<'a> {
    /// A number.
    Int(i32),
    /// Text, such as a percentage.
    String(&'a str),
}

impl Default for IntOrString<'_> {
    fn default() -> Self {
        Self::Int(0)
    }
}

impl Serialize for IntOrString<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Int(number) => number.serialize(serializer),
            Self::String(text) => text.serialize(serializer),
        }
    }
}

impl<'a, T: FromNode<'a>> FromNode<'a> for Option<T> {
    #[inline]
    fn from_node(node: TypedNode<'a>) -> Result<Self, Misread> {
        if node.node.is_unset() { Ok(None) } else { node.read().map(Some) }
    }

    #[inline]
    fn from_node_beside(node: TypedNode<'a>, other: Node<'a>, known: Option<&Self>) -> Result<Self, Misread> {
        match known.and_then(Option::as_ref) {
            Some(known) if !node.node.is_unset() => node.read_beside(other, known).map(Some),
            _ => node.read(),
        }
    }
}

impl<'a, T: FromNode<'a>> FromNode<'a> for &'a T {
    #[inline]
    fn from_node(node: TypedNode<'a>) -> Result<Self, Misread> {
        Ok(node.arena.alloc(node.read::<T>()?))
    }

    #[inline]
    fn from_node_beside(node: TypedNode<'a>, other: Node<'a>, known: Option<&Self>) -> Result<Self, Misread> {
        Ok(node.arena.alloc(T::from_node_beside(node, other, known.copied())?))
    }
}

impl<'a, T: FromNode<'a>> FromNode<'a> for &'a [T] {
    fn from_node(node: TypedNode<'a>) -> Result<Self, Misread> {
        Self::from_node_beside(node, Node::Unset, None)
    }

    fn from_node_beside(node: TypedNode<'a>, other: Node<'a>, known: Option<&Self>) -> Result<Self, Misread> {
        let mut items = node.items()?;
        let mut others = other.items().iter().zip(known.copied().unwrap_or_default());
        Ok(node.arena.alloc_slice_try_fill_with(items.len(), |_| match (items.next(), others.next()) {
            (Some(item), Some((other, known))) => item.read_beside(*other, known),
            (Some(item), None) => item.read(),
            (None, _) => Err(node.misread("an item")),
        })?)
    }
}

impl<'a, V: FromNode<'a>> FromNode<'a> for Map<'a, V> {
    fn from_node(node: TypedNode<'a>) -> Result<Self, Misread> {
        let mut entries = node.entries()?;
        let entries = node.arena.alloc_slice_try_fill_with(entries.len(), |_| match entries.next() {
            Some((key, value)) => Ok((key, value.read()?)),
            None => Err(node.misread("an entry")),
        })?;
        Ok(Self(entries))
    }
}

impl<'a> FromNode<'a> for &'a str {
    #[inline]
    fn from_node(node: TypedNode<'a>) -> Result<Self, Misread> {
        match node.node {
            Node::Text(text) => Ok(text),
            Node::Unset => Ok(""),
            _ => Err(node.misread("text")),
        }
    }
}

impl<'a> FromNode<'a> for bool {
    #[inline]
    fn from_node(node: TypedNode<'a>) -> Result<Self, Misread> {
        match node.node {
            Node::Bool(value) => Ok(value),
            Node::Unset => Ok(false),
            _ => Err(node.misread("a bool")),
        }
    }
}

impl<'a> FromNode<'a> for i64 {
    #[inline]
    fn from_node(node: TypedNode<'a>) -> Result<Self, Misread> {
        match node.node {
            Node::Int(value) => Ok(value),
            Node::Unset => Ok(0),
            _ => Err(node.misread("an integer")),
        }
    }
}

impl<'a> FromNode<'a> for i32 {
    #[inline]
    fn from_node(node: TypedNode<'a>) -> Result<Self, Misread> {
        i32::try_from(node.read::<i64>()?).map_err(|_| node.misread("an integer of 32 bits"))
    }
}

impl<'a> FromNode<'a> for &'a [u8] {
    fn from_node(node: TypedNode<'a>) -> Result<Self, Misread> {
        match node.node {
            Node::Bytes(bytes) => Ok(bytes),
            Node::Unset => Ok(&[]),
            _ => Err(node.misread("bytes")),
        }
    }
}

impl<'a> FromNode<'a> for Quantity<'a> {
    fn from_node(node: TypedNode<'a>) -> Result<Self, Misread> {
        match node.node {
            Node::Quantity(quantity) => Ok(*quantity),
            Node::Text(text) => Quantity::parse(text, false).map_err(|_| node.misread("a quantity")),
            Node::Unset => Ok(Quantity::default()),
            _ => Err(node.misread("a quantity")),
        }
    }
}

impl<'a> FromNode<'a> for Instant {
    fn from_node(node: TypedNode<'a>) -> Result<Self, Misread> {
        match node.node {
            Node::Time(instant) => Ok(instant),
            Node::Text(text) => Instant::parse(text).ok_or(node.misread("a time")),
            Node::Unset => Ok(Instant::ZERO),
            _ => Err(node.misread("a time")),
        }
    }
}

impl<'a> FromNode<'a> for IntOrString<'a> {
    fn from_node(node: TypedNode<'a>) -> Result<Self, Misread> {
        match node.node {
            Node::Text(text) => Ok(Self::String(text)),
            _ => node.read().map(Self::Int),
        }
    }
}

impl<'a> FromNode<'a> for &'a Json<'a> {
    fn from_node(node: TypedNode<'a>) -> Result<Self, Misread> {
        match node.node {
            Node::Raw(json) => Ok(json),
            Node::Unset => Ok(&Json::Null),
            _ => Err(node.misread("free-form JSON")),
        }
    }
}
