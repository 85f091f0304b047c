//! The type graph: what Go types say about the JSON of an object. Decoding, defaulting and generation are driven by it.
//!
//! Built by a front end from Go source; knows no tags.

use crate::text::nearest;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;

/// Index of a type in its [`Schema`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(pub u32);

/// Position of a field in its struct, in Go source order (embedded structs count as one field).
pub type Slot = u16;

/// The name of the types whose values are to fit into 32 bits.
pub const INT32: &str = "int32";

/// A closed graph of types. Recursive types refer to themselves by id.
#[derive(Clone, Debug, Default)]
pub struct Schema {
    types: Vec<Type>,
    by_name: HashMap<String, TypeId>,
    /// By type, what is below all named layers, and below all pointers, too; empty before [`Schema::link`].
    natives: Vec<[TypeId; 2]>,
    /// The list types of members, by struct and JSON name: of the member itself, then of each list or map inside the one before. Lists
    /// that are not here are atomic, and a map in between takes a place.
    lists: HashMap<TypeId, HashMap<Box<str>, Vec<ListType>>>,
    /// The defaults of list items and map values, by struct and JSON name: of what is in the member, then of what is in each of those.
    item_defaults: HashMap<TypeId, HashMap<Box<str>, Vec<Option<Value>>>>,
}

/// What tells the items of a list apart (`+listType`, `x-kubernetes-list-type`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ListType {
    /// Their position.
    #[default]
    Atomic,
    /// Their value: no two are the same, and their order says nothing.
    Set,
    /// These members of each item: no two items have the same, and their order says nothing.
    Map(Vec<String>),
}

/// One Go type.
#[derive(Clone, Debug)]
pub struct Type {
    /// Qualified name (`k8s.io/api/core/v1.PodSpec`) of a defined type, or the Go expression (`[]string`) of an unnamed one.
    pub name: Arc<str>,
    /// Its shape.
    pub kind: Kind,
}

/// The shape of a type.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Kind {
    /// Declared but not yet filled in; only while a graph is being built.
    Unresolved,
    /// `bool`
    Bool,
    /// An integer of `bits` (8, 16, 32 or 64; `int` and `uint` are 64).
    Int {
        /// Width in bits.
        bits: u8,
        /// Whether negative values exist.
        signed: bool,
    },
    /// `float32` or `float64`.
    Float {
        /// Width in bits.
        bits: u8,
    },
    /// `string`
    Text,
    /// `[]byte`: base64 text in JSON.
    Bytes,
    /// `*T`
    Pointer(TypeId),
    /// `[]T`
    List(TypeId),
    /// `map[K]V`
    Map {
        /// Key type: string or a named type over string.
        key: TypeId,
        /// Value type.
        value: TypeId,
    },
    /// A struct (a definition over a struct is its own struct).
    Struct(Struct),
    /// A defined type over anything but a struct: `type Phase string`.
    Named(TypeId),
    /// A type with its own JSON form.
    WellKnown(WellKnown),
    /// Any JSON: interfaces, and types whose package is absent.
    Any,
}

/// Types of `k8s.io/apimachinery` that decode themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WellKnown {
    /// `metav1.Time`: RFC 3339, second precision when printed.
    Time,
    /// `metav1.MicroTime`: RFC 3339 with microseconds.
    MicroTime,
    /// `metav1.Duration`: Go duration text.
    Duration,
    /// `resource.Quantity`
    Quantity,
    /// `intstr.IntOrString`
    IntOrString,
    /// `runtime.RawExtension`, `metav1.FieldsV1`, `apiextensions.JSON`: JSON kept as it is.
    Raw,
}

/// A struct and the way from JSON names to its fields.
#[derive(Clone, Debug, Default)]
pub struct Struct {
    /// Fields in Go source order.
    pub fields: Vec<Field>,
    members: Vec<(Box<str>, Member)>,
    /// Where the member of a name is: at the hash of the name or in the places after it.
    /// INVARIANT: the length is a power of two, and half the places at least are free.
    places: Vec<Place>,
}

/// A place in the table of the members of a struct.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    /// The position of the member plus one; zero in a free place.
    position: u32,
    /// What its name begins and ends with.
    ends: Ends,
}

/// The length of a name, with its first and last eight bytes or as many as it has: what tells names of up to sixteen bytes apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Ends {
    len: usize,
    head: u64,
    tail: u64,
}

/// One field of a struct.
#[derive(Clone, Debug)]
pub struct Field {
    /// Go name; for an embedded struct the name of its type.
    pub go_name: Box<str>,
    /// JSON name; for an inlined struct empty; for a field that JSON ignores (`json:"-"`) empty too.
    pub json_name: Box<str>,
    /// Its type.
    pub ty: TypeId,
    /// How its JSON name relates to the parent's.
    pub presence: Presence,
    /// `omitempty` or `omitzero` in the struct tag: the zero value is not printed.
    pub omit_empty: bool,
    /// Value of the `+default=` marker.
    pub default: Option<Value>,
}

/// How a field occurs in the JSON of its struct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// Under its own JSON name.
    Named,
    /// Its members stand among the parent's.
    Inlined,
    /// Not at all (`json:"-"`).
    Hidden,
}

/// Where a JSON name leads: through inlined structs to a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Slots from the outer struct through inlined structs to the field itself; never empty, one long for direct members.
    pub slots: Box<[Slot]>,
    /// Type of the field.
    pub ty: TypeId,
}

impl Struct {
    /// A struct with these fields. [`Schema::link`] must run before JSON names of inlined members are found.
    #[must_use]
    pub fn new(fields: Vec<Field>) -> Self {
        Self { fields, ..Self::default() }
    }

    /// The field at `slot`.
    #[must_use]
    pub fn field(&self, slot: Slot) -> Option<&Field> {
        self.fields.get(usize::from(slot))
    }

    /// The member with this JSON name, direct or through inlined structs; the shallowest wins.
    #[must_use]
    #[inline]
    pub fn member(&self, json_name: &str) -> Option<&Member> {
        let mask = self.places.len().checked_sub(1)?;
        let ends = Ends::of(json_name);
        let mut at = ends.hash();
        loop {
            let place = self.places.get(at & mask)?;
            let (name, member) = self.members.get(usize::try_from(place.position).ok()?.checked_sub(1)?)?;
            if place.ends == ends && (ends.are_all() || **name == *json_name) {
                return Some(member);
            }
            at = at.wrapping_add(1);
        }
    }

    /// The JSON name of the member that was probably meant, for messages.
    pub(crate) fn nearest(&self, json_name: &str) -> Option<&str> {
        nearest(json_name, self.members.iter().map(|(name, _)| &**name))
    }

    fn set_members(&mut self, members: HashMap<Box<str>, Member>) {
        self.members = members.into_iter().collect();
        self.members.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        self.places = vec![Place::default(); (self.members.len() * 2).next_power_of_two()];
        let mask = self.places.len() - 1;
        for ((name, _), position) in self.members.iter().zip(1..) {
            let ends = Ends::of(name);
            let mut places = (0..=mask).map(|step| ends.hash().wrapping_add(step) & mask);
            if let Some(at) = places.find(|at| self.places.get(*at).is_some_and(|place| place.position == 0))
                && let Some(place) = self.places.get_mut(at)
            {
                *place = Place { position, ends };
            }
        }
    }

    /// The slot of the direct member with this JSON name.
    #[must_use]
    pub fn direct(&self, json_name: &str) -> Option<Slot> {
        self.member(json_name).and_then(|member| match member.slots.as_ref() {
            [slot] => Some(*slot),
            _ => None,
        })
    }
}

impl Schema {
    /// An empty graph.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a type and returns its id. A name that is already there keeps its first id for [`Schema::lookup`].
    pub fn add(&mut self, name: impl Into<Arc<str>>, kind: Kind) -> TypeId {
        let id = TypeId(u32::try_from(self.types.len()).unwrap_or(u32::MAX));
        let name = name.into();
        self.by_name.entry(name.as_ref().to_owned()).or_insert(id);
        self.types.push(Type { name, kind });
        id
    }

    /// Fills in a type that was added earlier (for recursion: add as [`Kind::Unresolved`], then define).
    pub fn define(&mut self, id: TypeId, kind: Kind) {
        if let Some(ty) = self.types.get_mut(id.0 as usize) {
            ty.kind = kind;
            self.natives.clear();
        }
    }

    /// The type with this qualified name or Go expression.
    #[must_use]
    pub fn lookup(&self, name: &str) -> Option<TypeId> {
        self.by_name.get(name).copied()
    }

    /// The type with this id; [`Kind::Any`] for an id of another graph.
    #[must_use]
    pub fn get(&self, id: TypeId) -> &Type {
        static FOREIGN: std::sync::LazyLock<Type> =
            std::sync::LazyLock::new(|| Type { name: Arc::from("<foreign>"), kind: Kind::Any });
        self.types.get(id.0 as usize).unwrap_or(&FOREIGN)
    }

    /// The shape of a type.
    #[must_use]
    pub fn kind(&self, id: TypeId) -> &Kind {
        &self.get(id).kind
    }

    /// The shape below all named layers; pointers are kept.
    #[must_use]
    #[inline]
    pub fn native(&self, id: TypeId) -> (TypeId, &Kind) {
        let known = self.natives.get(id.0 as usize).map(|[native, _]| *native);
        self.as_native(known.unwrap_or_else(|| self.below_names(id)))
    }

    fn as_native(&self, id: TypeId) -> (TypeId, &Kind) {
        match self.kind(id) {
            Kind::Named(_) => (id, &Kind::Any),
            other => (id, other),
        }
    }

    /// The shape below all names and pointers.
    #[must_use]
    #[inline]
    pub fn pointed(&self, id: TypeId) -> (TypeId, &Kind) {
        let known = self.natives.get(id.0 as usize).map(|[_, pointed]| *pointed);
        self.as_native(known.unwrap_or_else(|| self.below_pointers(id)))
    }

    /// The type one step down: of this member, or of the items or entries of a list or map.
    #[must_use]
    pub fn below(&self, id: TypeId, member: Option<&str>) -> Option<TypeId> {
        match (self.pointed(id).1, member) {
            (Kind::Struct(fields), Some(name)) => fields.member(name).map(|member| member.ty),
            (Kind::List(below) | Kind::Map { value: below, .. }, None) => Some(*below),
            _ => None,
        }
    }

    /// The type below all named layers and pointers.
    fn below_pointers(&self, id: TypeId) -> TypeId {
        let mut id = self.below_names(id);
        // Hostile types may go in a circle.
        for _ in &self.types {
            let Kind::Pointer(target) = self.kind(id) else { break };
            id = self.below_names(*target);
        }
        id
    }

    /// The type below all named layers; a named one only where definitions go in a circle, which Go does not have.
    fn below_names(&self, id: TypeId) -> TypeId {
        let mut id = id;
        for _ in 0..=self.types.len() {
            match self.kind(id) {
                Kind::Named(inner) => id = *inner,
                _ => break,
            }
        }
        id
    }

    /// How many bits the values of an integer type are to have. A server decodes an int32 of a custom resource as 64 bits and judges its
    /// range afterwards: such a type is named after what it is to hold, and its shape is what is decoded.
    #[must_use]
    pub fn meant_bits(&self, id: TypeId) -> u8 {
        let (id, kind) = self.native(id);
        match kind {
            Kind::Int { bits, .. } if &*self.get(id).name == INT32 => (*bits).min(32),
            Kind::Int { bits, .. } => *bits,
            _ => 0,
        }
    }

    /// The struct behind a type, through named layers and at most one pointer.
    #[must_use]
    #[inline]
    pub fn as_struct(&self, id: TypeId) -> Option<(TypeId, &Struct)> {
        let (id, kind) = match self.native(id) {
            (_, Kind::Pointer(inner)) => self.native(*inner),
            other => other,
        };
        match kind {
            Kind::Struct(fields) => Some((id, fields)),
            _ => None,
        }
    }

    /// Says what tells the items of a list apart: the member of a struct with this JSON name, which may be inlined.
    pub fn set_list_type(&mut self, owner: TypeId, json_name: &str, list_type: ListType) {
        self.set_list_types(owner, json_name, vec![list_type]);
    }

    /// Says what tells the items apart of a member and of the lists inside it, the outermost first. A map takes a place, too: what it
    /// says of that does not count.
    pub fn set_list_types(&mut self, owner: TypeId, json_name: &str, list_types: Vec<ListType>) {
        self.lists.entry(owner).or_default().insert(json_name.into(), list_types);
    }

    /// What tells the items of a member of a struct apart, and those of the lists inside it; those that are not there are atomic.
    #[must_use]
    pub fn list_types(&self, owner: TypeId, json_name: &str) -> &[ListType] {
        self.lists.get(&owner).and_then(|members| members.get(json_name)).map(Vec::as_slice).unwrap_or_default()
    }

    /// Says what the items or values of a member of a struct get where they are null, and then those inside them.
    pub fn set_item_defaults(&mut self, owner: TypeId, json_name: &str, defaults: Vec<Option<Value>>) {
        self.item_defaults.entry(owner).or_default().insert(json_name.into(), defaults);
    }

    /// What the items or values of a member of a struct get where they are null, and then those inside them.
    #[must_use]
    pub fn item_defaults(&self, owner: TypeId, json_name: &str) -> &[Option<Value>] {
        self.item_defaults.get(&owner).and_then(|members| members.get(json_name)).map(Vec::as_slice).unwrap_or_default()
    }

    /// Number of types.
    #[must_use]
    pub fn len(&self) -> usize {
        self.types.len()
    }

    /// Whether there are no types.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.types.is_empty()
    }

    /// Every type with its id.
    pub fn iter(&self) -> impl Iterator<Item = (TypeId, &Type)> {
        self.types.iter().enumerate().map(|(i, ty)| (TypeId(u32::try_from(i).unwrap_or(u32::MAX)), ty))
    }

    /// Builds the JSON name tables of all structs. Call once, after the last type is defined.
    pub fn link(&mut self) {
        self.natives = self.iter().map(|(id, _)| [self.below_names(id), self.below_pointers(id)]).collect();
        let tables: Vec<Option<HashMap<Box<str>, Member>>> = self
            .types
            .iter()
            .map(|ty| match &ty.kind {
                Kind::Struct(fields) => Some(self.members_of(fields)),
                _ => None,
            })
            .collect();
        for (ty, table) in self.types.iter_mut().zip(tables) {
            if let (Kind::Struct(fields), Some(table)) = (&mut ty.kind, table) {
                fields.set_members(table);
            }
        }
    }

    /// Breadth first over inlined structs: the shallowest member of a name wins, the first among equals.
    fn members_of(&self, root: &Struct) -> HashMap<Box<str>, Member> {
        let mut members = HashMap::new();
        let mut seen: Vec<TypeId> = Vec::new();
        let mut level: Vec<(Vec<Slot>, &Struct)> = vec![(Vec::new(), root)];
        while !level.is_empty() {
            let mut next = Vec::new();
            for (prefix, fields) in level {
                for (slot, field) in fields.fields.iter().enumerate() {
                    let Ok(slot) = Slot::try_from(slot) else { break };
                    let mut slots = prefix.clone();
                    slots.push(slot);
                    match field.presence {
                        Presence::Hidden => {}
                        Presence::Named => {
                            members
                                .entry(field.json_name.clone())
                                .or_insert(Member { slots: slots.into_boxed_slice(), ty: field.ty });
                        }
                        Presence::Inlined => {
                            if let Some((id, inner)) = self.as_struct(field.ty)
                                && !seen.contains(&id)
                            {
                                seen.push(id);
                                next.push((slots, inner));
                            }
                        }
                    }
                }
            }
            level = next;
        }
        members
    }
}

impl Ends {
    #[inline]
    fn of(name: &str) -> Self {
        let bytes = name.as_bytes();
        let (head, tail) = match (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
            (Some(head), Some(tail)) => (u64::from_le_bytes(*head), u64::from_le_bytes(*tail)),
            _ => match (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
                (Some(head), Some(tail)) => (u32::from_le_bytes(*head).into(), u32::from_le_bytes(*tail).into()),
                _ => (0, bytes.iter().fold(0, |all, byte| all << 8 | u64::from(*byte))),
            },
        };
        Self { len: bytes.len(), head, tail }
    }

    /// Whether nothing of the name is left out.
    fn are_all(self) -> bool {
        self.len <= 16
    }

    /// A hash that costs a few instructions.
    #[inline]
    fn hash(self) -> usize {
        let mixed = self.head.rotate_left(29) ^ self.tail;
        let mixed = mixed.wrapping_add(self.len as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        usize::try_from(mixed >> 32).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
