//! The graph of types.

use serde_json::Value;
use std::collections::BTreeMap;

/// Index of a type in its [`Schema`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(u32);

/// What a type may be: one of these, or several where its values decide.
#[derive(Clone, Debug, Default)]
pub struct Atom {
    /// A value without parts.
    pub scalar: Option<Scalar>,
    /// A list.
    pub list: Option<ListType>,
    /// A map or struct.
    pub map: Option<MapType>,
}

/// Values without parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// Integers and floats.
    Numeric,
    /// Texts.
    Text,
    /// Booleans.
    Boolean,
    /// Any of them.
    Untyped,
}

/// A list.
#[derive(Clone, Debug)]
pub struct ListType {
    /// The type of its items.
    pub item: TypeId,
    /// How it merges.
    pub kind: ListKind,
}

/// How a list merges (`x-kubernetes-list-type`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListKind {
    /// As one piece.
    Atomic,
    /// Item by item; an item is its value.
    Set,
    /// Item by item; these members of an item are its key.
    Map(Vec<String>),
}

/// A map or struct.
#[derive(Clone, Debug, Default)]
pub struct MapType {
    /// The members that are declared.
    pub fields: BTreeMap<String, Declared>,
    /// The type of the others; `None` if others are not allowed.
    pub others: Option<TypeId>,
    /// Whether it merges as one piece (`x-kubernetes-map-type: atomic`).
    pub atomic: bool,
}

/// A declared member.
#[derive(Clone, Debug)]
pub struct Declared {
    /// Its type.
    pub ty: TypeId,
    /// What it is in a key of a list where an item does not have it.
    pub default: Option<Value>,
}

/// A closed graph of types. Recursive types refer to themselves by id.
#[derive(Clone, Debug)]
pub struct Schema {
    atoms: Vec<Atom>,
}

impl Schema {
    /// Any value; lists and maps are one piece.
    pub const UNTYPED: TypeId = TypeId(0);
    /// Any value; maps merge member by member, lists are one piece.
    pub const DEDUCED: TypeId = TypeId(1);

    /// The graph that has nothing but [`Schema::UNTYPED`] and [`Schema::DEDUCED`].
    #[must_use]
    pub fn new() -> Self {
        let any = |others, atomic| Atom {
            scalar: Some(Scalar::Untyped),
            list: Some(ListType { item: Self::UNTYPED, kind: ListKind::Atomic }),
            map: Some(MapType { fields: BTreeMap::new(), others: Some(others), atomic }),
        };
        Self { atoms: vec![any(Self::UNTYPED, true), any(Self::DEDUCED, false)] }
    }

    /// Adds a type and returns its id.
    pub fn add(&mut self, atom: Atom) -> TypeId {
        let id = TypeId(u32::try_from(self.atoms.len()).unwrap_or(u32::MAX));
        self.atoms.push(atom);
        id
    }

    /// Fills in a type that was added before what it refers to.
    pub fn define(&mut self, id: TypeId, atom: Atom) {
        if let Some(place) = self.atoms.get_mut(id.0 as usize) {
            *place = atom;
        }
    }

    /// The type with this id; any value for an id of another graph.
    #[must_use]
    pub fn atom(&self, id: TypeId) -> &Atom {
        static NOTHING: Atom = Atom { scalar: Some(Scalar::Untyped), list: None, map: None };
        self.atoms.get(id.0 as usize).unwrap_or(&NOTHING)
    }

    /// Every type, in the order of their ids.
    pub fn atoms(&self) -> impl Iterator<Item = &Atom> {
        self.atoms.iter()
    }

    /// The graph with every type changed; ids stay.
    #[must_use]
    pub fn changed(&self, change: impl Fn(&mut Atom)) -> Self {
        let mut changed = self.clone();
        changed.atoms.iter_mut().for_each(change);
        changed
    }

    /// Adds a scalar and returns its id.
    pub fn scalar(&mut self, scalar: Scalar) -> TypeId {
        self.add(Atom { scalar: Some(scalar), ..Atom::default() })
    }

    /// Adds a list and returns its id.
    pub fn list(&mut self, item: TypeId, kind: ListKind) -> TypeId {
        self.add(Atom { list: Some(ListType { item, kind }), ..Atom::default() })
    }

    /// Adds a map and returns its id.
    pub fn map(&mut self, map: MapType) -> TypeId {
        self.add(Atom { map: Some(map), ..Atom::default() })
    }
}

impl Default for Schema {
    fn default() -> Self {
        Self::new()
    }
}

impl MapType {
    /// The type of a member; `None` if it is not allowed.
    #[must_use]
    pub fn member(&self, name: &str) -> Option<TypeId> {
        self.fields.get(name).map(|field| field.ty).or(self.others)
    }

    /// A struct with these members.
    #[must_use]
    pub fn of_fields<'n>(fields: impl IntoIterator<Item = (&'n str, TypeId)>) -> Self {
        let declared = |(name, ty): (&str, TypeId)| (name.to_owned(), Declared { ty, default: None });
        Self { fields: fields.into_iter().map(declared).collect(), ..Self::default() }
    }

    /// A map of values of this type.
    #[must_use]
    pub fn of_values(value: TypeId) -> Self {
        Self { others: Some(value), ..Self::default() }
    }
}
