//! Copy-on-write changes of decoded values, for defaulting.

use super::{Arena, Node};
use crate::schema::{Kind, Schema, Slot, TypeId};
use bumpalo::collections::Vec as ArenaVec;

/// A value being changed. Nothing is copied until the first change; [`Edit::finish`] gives the result.
///
/// Members are named by JSON name; a name that the type does not have is ignored, so that one defaulter serves several
/// versions of a type.
#[derive(Clone, Copy)]
pub struct Edit<'a> {
    schema: &'a Schema,
    arena: &'a Arena,
    ty: TypeId,
    node: Node<'a>,
}

impl<'a> Edit<'a> {
    /// Starts changing `node`, a value of type `ty`.
    #[must_use]
    pub fn new(schema: &'a Schema, arena: &'a Arena, ty: TypeId, node: Node<'a>) -> Self {
        Self { schema, arena, ty, node }
    }

    /// The value as it is now.
    #[must_use]
    pub fn node(&self) -> Node<'a> {
        self.node
    }

    /// The changed value.
    #[must_use]
    pub fn finish(self) -> Node<'a> {
        self.node
    }

    /// Whether the value is nil or zero.
    #[must_use]
    pub fn is_unset(&self) -> bool {
        self.node.is_unset()
    }

    /// The member with this JSON name; unset when there is none.
    #[must_use]
    pub fn get(&self, name: &str) -> Node<'a> {
        match self.schema.as_struct(self.ty).and_then(|(_, fields)| fields.member(name)) {
            Some(member) => self.node.member(&member.slots),
            None => Node::Unset,
        }
    }

    /// The text of a member; empty when unset.
    #[must_use]
    pub fn text(&self, name: &str) -> &'a str {
        self.get(name).text()
    }

    /// Sets a member.
    pub fn set(&mut self, name: &str, value: Node<'a>) {
        if let Some((_, fields)) = self.schema.as_struct(self.ty)
            && let Some(member) = fields.member(name)
        {
            let pointer = matches!(self.schema.native(self.ty).1, Kind::Pointer(_))
                || matches!(self.node, Node::Struct { pointer: true, .. });
            self.node = replace(self.arena, self.node, &member.slots, value, pointer);
        }
    }

    /// Sets a member that is unset.
    pub fn set_default(&mut self, name: &str, value: Node<'a>) {
        if self.get(name).is_unset() {
            self.set(name, value);
        }
    }

    /// Sets a text member that is unset or empty (a pointer to an empty text counts as set).
    pub fn set_default_text(&mut self, name: &str, value: &'static str) {
        self.set_default(name, Node::Text(value));
    }

    /// Changes a struct member in place, also when it is unset (a value struct, or a nil pointer: then only when `change`
    /// sets something).
    pub fn edit(&mut self, name: &str, change: impl FnOnce(&mut Edit<'a>)) {
        if let Some((_, fields)) = self.schema.as_struct(self.ty)
            && let Some(member) = fields.member(name)
        {
            let before = self.node.member(&member.slots);
            let mut inner = Edit { ty: member.ty, node: before, ..*self };
            change(&mut inner);
            if !same(&before, &inner.node) {
                self.set(name, inner.node);
            }
        }
    }

    /// Changes a struct member that is set; leaves an unset one alone.
    pub fn edit_if_set(&mut self, name: &str, change: impl FnOnce(&mut Edit<'a>)) {
        if !self.get(name).is_unset() {
            self.edit(name, change);
        }
    }

    /// Changes every element of a list member.
    pub fn edit_each(&mut self, name: &str, mut change: impl FnMut(&mut Edit<'a>)) {
        let Some((_, fields)) = self.schema.as_struct(self.ty) else { return };
        let Some(member) = fields.member(name) else { return };
        let Kind::List(element) = self.schema.native(member.ty).1 else { return };
        let items = self.node.member(&member.slots).items();
        let mut changed: Option<ArenaVec<'a, Node<'a>>> = None;
        for (index, item) in items.iter().enumerate() {
            let mut inner = Edit { ty: *element, node: *item, ..*self };
            change(&mut inner);
            if let Some(copy) = &mut changed {
                copy.push(inner.node);
            } else if !same(item, &inner.node) {
                let mut copy = ArenaVec::with_capacity_in(items.len(), self.arena);
                copy.extend(items.iter().take(index).copied());
                copy.push(inner.node);
                changed = Some(copy);
            }
        }
        if let Some(copy) = changed {
            self.set(name, Node::List(copy.into_bump_slice()));
        }
    }

    /// Replaces values of a map member: `change` gives the new value of an entry, or none to leave it.
    pub fn edit_entries(&mut self, name: &str, mut change: impl FnMut(Node<'a>) -> Option<Node<'a>>) {
        let entries = self.get(name).entries();
        let mut changed: Option<ArenaVec<'a, (&'a str, Node<'a>)>> = None;
        for (index, (_, value)) in entries.iter().enumerate() {
            let Some(value) = change(*value) else { continue };
            let copy = changed.get_or_insert_with(|| {
                let mut copy = ArenaVec::with_capacity_in(entries.len(), self.arena);
                copy.extend_from_slice(entries);
                copy
            });
            if let Some(entry) = copy.get_mut(index) {
                entry.1 = value;
            }
        }
        if let Some(copy) = changed {
            self.set(name, Node::Map(copy.into_bump_slice()));
        }
    }

    /// Whether a struct has something set beside its direct members `names`.
    #[must_use]
    pub fn sets_more_than(&self, names: &[&str]) -> bool {
        let Some((_, fields)) = self.schema.as_struct(self.ty) else { return false };
        self.node.fields().iter().any(|(slot, _)| !names.iter().any(|name| fields.direct(name) == Some(*slot)))
    }

    /// The arena of the value.
    #[must_use]
    pub fn arena(&self) -> &'a Arena {
        self.arena
    }

    /// An empty struct behind a pointer.
    #[must_use]
    pub fn empty_struct(pointer: bool) -> Node<'a> {
        if pointer { Node::Struct { fields: &[], pointer } } else { Node::Unset }
    }
}

/// Whether two nodes are the same memory or the same small value: an edit that changed nothing.
fn same(a: &Node<'_>, b: &Node<'_>) -> bool {
    match (a, b) {
        (Node::Unset, Node::Unset) => true,
        (Node::Struct { fields: a, pointer: p }, Node::Struct { fields: b, pointer: q }) => {
            p == q && std::ptr::eq::<[_]>(*a, *b)
        }
        (Node::List(a), Node::List(b)) => std::ptr::eq::<[_]>(*a, *b),
        (Node::Map(a), Node::Map(b)) => std::ptr::eq::<[_]>(*a, *b),
        (Node::Int(a), Node::Int(b)) => a == b,
        (Node::Bool(a), Node::Bool(b)) => a == b,
        (Node::Text(a), Node::Text(b)) => a == b,
        _ => false,
    }
}

/// `node` with the member at `slots` replaced; inlined structs on the way are copied too.
fn replace<'a>(arena: &'a Arena, node: Node<'a>, slots: &[Slot], value: Node<'a>, pointer: bool) -> Node<'a> {
    let Some((slot, rest)) = slots.split_first() else { return value };
    let fields = node.fields();
    let value = if rest.is_empty() { value } else { replace(arena, node.field(*slot), rest, value, false) };
    let mut copy = ArenaVec::with_capacity_in(fields.len() + 1, arena);
    copy.extend(fields.iter().filter(|(at, _)| at < slot).copied());
    if !value.is_unset() {
        copy.push((*slot, value));
    }
    copy.extend(fields.iter().filter(|(at, _)| at > slot).copied());
    if copy.is_empty() && !pointer {
        return Node::Unset;
    }
    Node::Struct { fields: copy.into_bump_slice(), pointer }
}
