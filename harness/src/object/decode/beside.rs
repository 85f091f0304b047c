//! Decoding of a tree that shares parts with a decoded tree, whose nodes are reused.

use super::place::{Place, Step};
use super::typed::{Fields, Typed};
use crate::object::{ArenaVec, Members, Node, Tree};
use crate::schema::{Kind, Member, Struct, TypeId};
use serde::de::DeserializeSeed;
use serde_json::Error;

/// A decoded tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known<'a> {
    pub tree: &'a Tree<'a>,
    pub node: Node<'a>,
}

/// Decodes a tree, given the decoded tree that stands at the same place. Depth was checked when that one was decoded.
pub(super) struct Beside<'p, 'a> {
    pub typed: Typed<'p, 'a>,
    pub known: Known<'a>,
}

impl<'a> Beside<'_, 'a> {
    pub(super) fn decode(mut self, tree: &'a Tree<'a>) -> Result<Node<'a>, Error> {
        if tree.is_shared(self.known.tree) {
            return Ok(self.known.node);
        }
        let schema = self.typed.place.schema;
        let kind = loop {
            match schema.native(self.typed.ty).1 {
                Kind::Pointer(inner) => self.typed = Typed { ty: *inner, pointer: true, ..self.typed },
                kind => break kind,
            }
        };
        match (kind, tree, self.known.tree) {
            (Kind::Struct(fields), Tree::Object(members), Tree::Object(known)) => self.fields(fields, *members, *known),
            (Kind::Map { value, .. }, Tree::Object(members), Tree::Object(known)) => {
                self.entries(*value, *members, *known)
            }
            (Kind::List(item), Tree::Array(items), Tree::Array(known)) => self.items(*item, items, known),
            _ => self.typed.deserialize(tree),
        }
    }

    fn fields(self, fields: &'a Struct, members: Members<'a>, known: Members<'a>) -> Result<Node<'a>, Error> {
        let Typed { place, pointer, .. } = self.typed;
        let arena = place.faults.arena;
        let mut set = Fields::new(fields, Some(members.len()), arena);
        for (name, tree, known) in members.beside(known) {
            let Some(Member { slots, ty }) = set.open::<Error>(&place, name)? else { continue };
            let known = known.map(|tree| Known { tree, node: self.known.node.member(slots) });
            set.set(slots, below(&place, Step::Field(name), *ty, tree, known)?);
        }
        Ok(set.into_struct(pointer, arena))
    }

    fn entries(self, ty: TypeId, members: Members<'a>, known: Members<'a>) -> Result<Node<'a>, Error> {
        let place = self.typed.place;
        let mut nodes: ArenaVec<'_, (&'a str, Node<'a>)> =
            ArenaVec::with_capacity_in(members.len(), place.faults.arena);
        for (name, tree, known) in members.beside(known) {
            let known = known.zip(self.known.node.entry(name)).map(|(tree, node)| Known { tree, node });
            nodes.push((name, below(&place, Step::Key(name), ty, tree, known)?));
        }
        Ok(Node::Map(nodes.into_bump_slice()))
    }

    fn items(self, ty: TypeId, items: &'a [Tree<'a>], known: &'a [Tree<'a>]) -> Result<Node<'a>, Error> {
        let place = self.typed.place;
        let mut nodes = ArenaVec::with_capacity_in(items.len(), place.faults.arena);
        let mut known = known.iter().zip(self.known.node.items()).map(|(tree, node)| Known { tree, node: *node });
        for (index, tree) in items.iter().enumerate() {
            nodes.push(below(&place, Step::Index(index), ty, tree, known.next())?);
        }
        Ok(Node::List(nodes.into_bump_slice()))
    }
}

/// Decodes what stands one step below `place`.
fn below<'a>(
    place: &Place<'_, 'a>,
    step: Step<'_>,
    ty: TypeId,
    tree: &'a Tree<'a>,
    known: Option<Known<'a>>,
) -> Result<Node<'a>, Error> {
    let typed = Typed { place: place.below(step), ty, pointer: false };
    match known {
        Some(known) => Beside { typed, known }.decode(tree),
        None => typed.deserialize(tree),
    }
}
