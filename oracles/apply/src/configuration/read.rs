//! Configurations from the graph of types, and from how they merge.

use super::model::{Configuration, Configurations, Member, Merging, Object, Shape};
use super::names;
use crate::schema::{Atom, ListKind, Schema, TypeId};
use std::collections::{BTreeMap, BTreeSet};
use takeover_harness::schema::{self as go, Kind, Presence, Slot, Struct, WellKnown};

/// A kind to read.
#[derive(Clone, Debug)]
pub struct Root<'s> {
    /// Group and version.
    pub api_version: String,
    /// Kind.
    pub kind: String,
    /// The graph that its type is in.
    pub types: &'s go::Schema,
    /// Its type.
    pub ty: go::TypeId,
    /// How its values merge, if that is known.
    pub merging: Option<(&'s Schema, TypeId)>,
    /// The scalar fields with the option `string` in their Go tag: each by its struct and its place there.
    pub quoted: Option<&'s Quoted>,
}

/// Fields that Go writes as texts that hold their JSON.
pub type Quoted = BTreeSet<(go::TypeId, usize)>;

/// The members of metadata that only servers write.
pub(super) const OF_SERVER: [&str; 2] = ["managedFields", "selfLink"];
const OBJECT_META: &str = "k8s.io/apimachinery/pkg/apis/meta/v1.ObjectMeta";

/// Whether a struct is the metadata of objects.
pub(super) fn is_metadata(of: &Configuration) -> bool {
    of.type_name == OBJECT_META
}

impl Configurations {
    /// The apply configurations of kinds and of every struct that they contain. Types with the same full name are read once.
    #[must_use]
    pub fn read(roots: &[Root<'_>]) -> Self {
        let mut drafts = Drafts::default();
        for root in roots {
            let (merging, quoted) = (root.merging.map(|of| of.0), root.quoted);
            let mut reader = Reader { types: root.types, merging, quoted, drafts: &mut drafts };
            let shape = reader.shape(root.ty, root.merging.map(|of| of.1));
            if let Shape::Struct(index) = shape
                && let Some(draft) = drafts.structs.get_mut(index)
            {
                let (api_version, kind) = (root.api_version.clone(), root.kind.clone());
                draft.object.get_or_insert(Object { api_version, kind });
            }
        }
        drafts.finish()
    }

    /// Types and every struct that they contain, with all their members, also those that only servers write. Each comes with how its values
    /// merge.
    #[must_use]
    pub fn of_types(types: &go::Schema, roots: &[(go::TypeId, &Schema, TypeId)]) -> Self {
        let mut drafts = Drafts { keeps_all: true, ..Drafts::default() };
        for (ty, merging, root) in roots {
            Reader { types, merging: Some(merging), quoted: None, drafts: &mut drafts }.shape(*ty, Some(*root));
        }
        drafts.finish()
    }
}

#[derive(Default)]
struct Drafts {
    structs: Vec<Configuration>,
    known: BTreeMap<String, usize>,
    /// Whether members that only servers write are kept.
    keeps_all: bool,
}

struct Reader<'s, 'd> {
    types: &'s go::Schema,
    merging: Option<&'s Schema>,
    quoted: Option<&'s Quoted>,
    drafts: &'d mut Drafts,
}

impl Reader<'_, '_> {
    fn shape(&mut self, ty: go::TypeId, merging: Option<TypeId>) -> Shape {
        let types = self.types;
        let text = |format| Shape::Text(Some(format));
        match types.native(ty) {
            (_, Kind::Pointer(inner)) => self.shape(*inner, merging),
            (_, Kind::Bool) => Shape::Boolean,
            (_, Kind::Int { bits, signed }) => Shape::Integer { bits: *bits, signed: *signed },
            (_, Kind::Float { bits }) => Shape::Float { bits: *bits },
            (_, Kind::Text) => Shape::Text(None),
            (_, Kind::Bytes) => text("byte"),
            (_, Kind::WellKnown(known)) => match known {
                WellKnown::Time | WellKnown::MicroTime => text("date-time"),
                WellKnown::Duration => text("duration"),
                WellKnown::Quantity => text("quantity"),
                WellKnown::IntOrString => Shape::IntOrString,
                WellKnown::Raw => Shape::Any,
            },
            (_, Kind::List(item)) => {
                let below = self.atom(merging).and_then(|atom| Some(atom.list.as_ref()?.item));
                Shape::List(Box::new(self.shape(*item, below)))
            }
            (_, Kind::Map { value, .. }) => {
                let below = self.atom(merging).and_then(|atom| atom.map.as_ref()?.others);
                Shape::Map(Box::new(self.shape(*value, below)))
            }
            (id, Kind::Struct(fields)) => Shape::Struct(self.structure(id, fields, merging)),
            _ => Shape::Any,
        }
    }

    fn atom(&self, merging: Option<TypeId>) -> Option<&Atom> {
        Some(self.merging?.atom(merging?))
    }

    fn structure(&mut self, id: go::TypeId, fields: &Struct, merging: Option<TypeId>) -> usize {
        let types = self.types;
        let name = types.get(id).name.to_string();
        if let Some(known) = self.drafts.known.get(&name) {
            return *known;
        }
        let index = self.drafts.structs.len();
        self.drafts.known.insert(name.clone(), index);
        // A struct without members of its own is no map, although everything in it merges.
        let map = self.atom(merging).and_then(|atom| atom.map.as_ref());
        let keeps_unknown = map.is_some_and(|map| !map.fields.is_empty() && map.others.is_some());
        let (object, members) = (None, Vec::new());
        let draft = Configuration { name: String::new(), type_name: name, object, members, keeps_unknown };
        self.drafts.structs.push(draft);
        let mut members = Vec::new();
        self.members(fields, (id, fields), &mut Vec::new(), merging, &mut members);
        let keeps_all = self.drafts.keeps_all;
        if let Some(draft) = self.drafts.structs.get_mut(index) {
            let keeps_all = keeps_all || !is_metadata(draft);
            members.retain(|member| keeps_all || !OF_SERVER.contains(&member.name.as_str()));
            draft.members = members;
        }
        index
    }

    /// Adds the members of a struct at these slots of the outer one, unless a shallower one has the name.
    fn members(
        &mut self,
        outer: &Struct,
        (id, fields): (go::TypeId, &Struct),
        slots: &mut Vec<Slot>,
        merging: Option<TypeId>,
        into: &mut Vec<Member>,
    ) {
        let types = self.types;
        for (field, slot) in fields.fields.iter().zip(0..) {
            slots.push(slot);
            match field.presence {
                Presence::Hidden => {}
                Presence::Inlined => {
                    if let Some(inner) = types.as_struct(field.ty) {
                        self.members(outer, inner, slots, merging, into);
                    }
                }
                Presence::Named => {
                    if outer.member(&field.json_name).is_some_and(|member| *member.slots == **slots) {
                        let below = self.atom(merging).and_then(|atom| atom.map.as_ref()?.member(&field.json_name));
                        let how = self.atom(below).and_then(merges);
                        let is_quoted = self.quoted.is_some_and(|of| of.contains(&(id, usize::from(slot))));
                        let shape = if is_quoted { Shape::Text(Some("quoted")) } else { self.shape(field.ty, below) };
                        let name = field.json_name.to_string();
                        into.push(Member { name, shape, merging: how, recursive: false });
                    }
                }
            }
            slots.pop();
        }
    }
}

fn merges(atom: &Atom) -> Option<Merging> {
    match (&atom.list, &atom.map) {
        (Some(list), None) => Some(match &list.kind {
            ListKind::Atomic => Merging::Atomic,
            ListKind::Set => Merging::Set,
            ListKind::Map(keys) => Merging::Map(keys.clone()),
        }),
        (None, Some(map)) => map.atomic.then_some(Merging::Atomic),
        _ => None,
    }
}

impl Drafts {
    /// The configurations sorted by name, with their circles marked.
    fn finish(mut self) -> Configurations {
        let names = names::of_types(self.structs.iter().map(|of| of.type_name.as_str()));
        let names: Vec<String> =
            self.structs.iter().map(|of| names.get(of.type_name.as_str()).cloned().unwrap_or_default()).collect();
        let mut order: Vec<usize> = (0..names.len()).collect();
        order.sort_by_key(|at| names.get(*at));
        let places: BTreeMap<usize, usize> = order.iter().enumerate().map(|(place, at)| (*at, place)).collect();
        for (of, name) in self.structs.iter_mut().zip(&names) {
            of.name.clone_from(name);
            of.members.iter_mut().for_each(|member| renumber(&mut member.shape, &places));
        }
        self.structs.sort_by(|one, other| one.name.cmp(&other.name));
        let reached: Vec<BTreeSet<usize>> = (0..self.structs.len()).map(|at| reached(&self.structs, at)).collect();
        for (at, of) in self.structs.iter_mut().enumerate() {
            for member in &mut of.members {
                let Shape::Struct(inner) = member.shape else { continue };
                member.recursive = inner == at || reached.get(inner).is_some_and(|below| below.contains(&at));
            }
        }
        Configurations { structs: self.structs }
    }
}

fn renumber(shape: &mut Shape, places: &BTreeMap<usize, usize>) {
    match shape {
        Shape::List(of) | Shape::Map(of) => renumber(of, places),
        Shape::Struct(index) => *index = places.get(index).copied().unwrap_or(*index),
        _ => {}
    }
}

/// The structs inside a struct that no list or map is around.
fn reached(structs: &[Configuration], from: usize) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        let members = structs.get(at).into_iter().flat_map(|of| &of.members);
        for member in members {
            if let Shape::Struct(inner) = member.shape
                && found.insert(inner)
            {
                open.push(inner);
            }
        }
    }
    found
}
