//! Copy-on-write changes of decoded values, for defaulting.

use super::{Arena, ArenaVec, Node, equal};
use crate::schema::{Kind, Member, Schema, Slot, Struct, TypeId};
use std::cell::Cell;

/// Room for defaults in the copy that the first change makes.
const SPARE: usize = 6;

/// Most changes of items and of members that are remembered: each struct is looked for among all of them. There is room left for members,
/// which come after the items inside of them, and save more work.
const MOST_ITEMS: usize = 64;
const MOST_MEMBERS: usize = 96;

/// A value being changed. Nothing is copied until the first change; [`Edit::finish`] gives the result.
///
/// Members are named by JSON name; a name that the type does not have is ignored, so that one defaulter serves several
/// versions of a type.
pub struct Edit<'a> {
    schema: &'a Schema,
    arena: &'a Arena,
    /// The struct, if the type is one.
    members: Option<&'a Struct>,
    /// Whether the result stands behind a pointer.
    pointer: bool,
    before: Node<'a>,
    /// The fields since the first change, sorted by slot, in place of those of `before`.
    changed: Option<ArenaVec<'a, (Slot, Node<'a>)>>,
    /// What was made of structs that another object may share.
    known: Option<&'a KnownChanges<'a>>,
}

impl<'a> Edit<'a> {
    /// Starts changing `node`, a value of type `ty`.
    #[must_use]
    pub fn new(schema: &'a Schema, arena: &'a Arena, ty: TypeId, node: Node<'a>) -> Self {
        let (kind, pointer) = match schema.native(ty).1 {
            Kind::Pointer(inner) => (schema.native(*inner).1, true),
            kind => (kind, false),
        };
        let members = if let Kind::Struct(members) = kind { Some(members) } else { None };
        Self { schema, arena, members, pointer, before: Node::Unset, changed: None, known: None }.of(node)
    }

    /// Remembers changes by [`Edit::edit_alone`] and [`Edit::edit_each_alone`], and reuses those that are known. Every value with the same
    /// `known` must be of one schema.
    #[must_use]
    pub fn beside(self, known: &'a KnownChanges<'a>) -> Self {
        Self { known: Some(known), ..self }
    }

    /// Starts changing a value inside of this one.
    fn within(&self, ty: TypeId, node: Node<'a>) -> Self {
        Self { known: self.known, ..Edit::new(self.schema, self.arena, ty, node) }
    }

    /// A change of another value of the same type.
    fn of(&self, node: Node<'a>) -> Self {
        let pointer = self.pointer || matches!(node, Node::Struct { pointer: true, .. });
        Self { before: node, pointer, changed: None, ..*self }
    }

    /// Whether both are still unchanged, and use the same memory.
    #[must_use]
    pub fn is_shared(&self, other: &Self) -> bool {
        self.changed.is_none() && other.changed.is_none() && self.before.is_shared(&other.before)
    }

    /// The changed value.
    #[must_use]
    pub fn finish(self) -> Node<'a> {
        match self.changed {
            None => self.before,
            Some(fields) if fields.is_empty() && !self.pointer => Node::Unset,
            Some(fields) => Node::Struct { fields: fields.into_bump_slice(), pointer: self.pointer },
        }
    }

    #[inline]
    fn member(&self, name: &str) -> Option<&'a Member> {
        self.members.and_then(|members| members.member(name))
    }

    fn at(&self, slots: &[Slot]) -> Node<'a> {
        let fields = self.changed.as_deref().unwrap_or(self.before.fields());
        let Some((slot, rest)) = slots.split_first() else { return Node::Unset };
        let field = fields.iter().find(|(at, _)| at >= slot).filter(|(at, _)| at == slot);
        field.map_or(Node::Unset, |(_, node)| node.member(rest))
    }

    /// Puts a value at `slots`; inlined structs on the way are copied.
    fn put(&mut self, slots: &[Slot], value: Node<'a>) {
        let Some((slot, rest)) = slots.split_first() else { return };
        if value.is_unset() && self.at(slots).is_unset() {
            return;
        }
        let value = if rest.is_empty() { value } else { replace(self.arena, self.at(&[*slot]), rest, value) };
        let (before, arena) = (self.before.fields(), self.arena);
        let fields = self.changed.get_or_insert_with(|| {
            let mut copy = ArenaVec::with_capacity_in(before.len() + SPARE, arena);
            copy.extend_from_slice_copy(before);
            copy
        });
        match fields.binary_search_by_key(slot, |(at, _)| *at) {
            Ok(at) if value.is_unset() => drop(fields.remove(at)),
            Ok(at) => {
                if let Some((_, field)) = fields.get_mut(at) {
                    *field = value;
                }
            }
            Err(_) if value.is_unset() => {}
            Err(at) => fields.insert(at, (*slot, value)),
        }
    }

    /// The member with this JSON name; unset when there is none.
    #[must_use]
    #[inline]
    pub fn get(&self, name: &str) -> Node<'a> {
        self.member(name).map_or(Node::Unset, |member| self.at(&member.slots))
    }

    /// The text of a member; empty when unset.
    #[must_use]
    #[inline]
    pub fn text(&self, name: &str) -> &'a str {
        self.get(name).text()
    }

    /// Sets a member.
    #[inline]
    pub fn set(&mut self, name: &str, value: Node<'a>) {
        if let Some(member) = self.member(name) {
            self.put(&member.slots, value);
        }
    }

    /// A struct member, to be read.
    #[must_use]
    pub fn inside(&self, name: &str) -> Option<Edit<'a>> {
        let member = self.member(name)?;
        Some(Edit::new(self.schema, self.arena, member.ty, self.at(&member.slots)))
    }

    /// The elements of a list of structs, to be read.
    pub fn elements(&self, name: &str) -> impl Iterator<Item = Edit<'a>> + use<'a> {
        let member = self.member(name);
        let items = member.map_or(&[][..], |member| self.at(&member.slots).items());
        let element = member.and_then(|member| match self.schema.native(member.ty).1 {
            Kind::List(element) => Some(Edit::new(self.schema, self.arena, *element, Node::Unset)),
            _ => None,
        });
        items.iter().filter_map(move |item| element.as_ref().map(|element| element.of(*item)))
    }

    /// Takes a member over from `other`, a value of the same type.
    pub fn copy(&mut self, name: &str, other: &Edit<'a>) {
        let value = other.get(name);
        if !equal(&self.get(name), &value) {
            self.set(name, value);
        }
    }

    /// Unsets a member.
    pub fn clear(&mut self, name: &str) {
        if !self.get(name).is_unset() {
            self.set(name, Node::Unset);
        }
    }

    /// Sets a member that is unset.
    #[inline]
    pub fn set_default(&mut self, name: &str, value: Node<'a>) {
        if let Some(member) = self.member(name)
            && self.at(&member.slots).is_unset()
        {
            self.put(&member.slots, value);
        }
    }

    /// Sets a text member that is unset or empty (a pointer to an empty text counts as set).
    #[inline]
    pub fn set_default_text(&mut self, name: &str, value: &'static str) {
        self.set_default(name, Node::Text(value));
    }

    /// Changes a struct member in place, also when it is unset (a value struct, or a nil pointer: then only when `change`
    /// sets something).
    #[inline]
    pub fn edit(&mut self, name: &str, change: impl FnOnce(&mut Edit<'a>)) {
        if let Some(member) = self.member(name) {
            self.edit_at(member, self.at(&member.slots), change);
        }
    }

    /// Changes a struct member that is set; leaves an unset one alone.
    #[inline]
    pub fn edit_if_set(&mut self, name: &str, change: impl FnOnce(&mut Edit<'a>)) {
        if let Some(member) = self.member(name) {
            let before = self.at(&member.slots);
            if !before.is_unset() {
                self.edit_at(member, before, change);
            }
        }
    }

    /// As [`Edit::get`], of a member that was looked up before.
    #[must_use]
    pub fn value_of(&self, member: &Member) -> Node<'a> {
        self.at(&member.slots)
    }

    /// As [`Edit::set`], of a member that was looked up before.
    pub fn put_at(&mut self, member: &Member, value: Node<'a>) {
        self.put(&member.slots, value);
    }

    /// As [`Edit::edit`], of a member that was looked up before and held `before`.
    pub fn edit_at(&mut self, member: &Member, before: Node<'a>, change: impl FnOnce(&mut Edit<'a>)) {
        let mut inner = self.within(member.ty, before);
        change(&mut inner);
        if inner.changed.is_some() {
            self.put(&member.slots, inner.finish());
        }
    }

    /// Changes every element of a list member.
    #[inline]
    pub fn edit_each(&mut self, name: &str, change: impl FnMut(&mut Edit<'a>)) {
        if let Some(member) = self.member(name) {
            self.edit_each_at(member, change);
        }
    }

    /// As [`Edit::edit_each`], of a member that was looked up before.
    pub fn edit_each_at(&mut self, member: &Member, mut change: impl FnMut(&mut Edit<'a>)) {
        self.replace_items(member, |mut item| {
            change(&mut item);
            item.changed.is_some().then(|| item.finish())
        });
    }

    /// Replaces elements of a list member: `change` gives the new one, or none to leave it.
    fn replace_items(&mut self, member: &Member, mut change: impl FnMut(Edit<'a>) -> Option<Node<'a>>) {
        let items = self.at(&member.slots).items();
        if items.is_empty() {
            return;
        }
        let Kind::List(element) = self.schema.native(member.ty).1 else { return };
        let element = self.within(*element, Node::Unset);
        if let Some(items) = replaced(items, self.arena, |item| change(element.of(*item))) {
            self.put(&member.slots, Node::List(items));
        }
    }

    /// As [`Edit::edit`], by a change that looks at nothing but the member.
    pub fn edit_alone(&mut self, name: &str, change: ContextFree) {
        if let Some(member) = self.member(name)
            && let Some(after) = self.within(member.ty, self.at(&member.slots)).changed_by(change, MOST_MEMBERS)
        {
            self.put(&member.slots, after);
        }
    }

    /// As [`Edit::edit_each`], by a change that looks at nothing but the element.
    pub fn edit_each_alone(&mut self, name: &str, change: ContextFree) {
        if let Some(member) = self.member(name) {
            self.replace_items(member, |item| item.changed_by(change, MOST_ITEMS));
        }
    }

    /// What `change` makes of the value; none if it stays as it is. Remembers it while fewer than `most` are.
    fn changed_by(mut self, change: ContextFree, most: usize) -> Option<Node<'a>> {
        let (before, known, arena) = (self.before, self.known, self.arena);
        if let Some(after) = known.and_then(|known| known.find(change, &before)) {
            return after;
        }
        change(&mut self);
        let after = self.changed.is_some().then(|| self.finish());
        if let Some(known) = known.filter(|known| known.len() < most && !before.fields().is_empty()) {
            let (earlier, number) = (known.last.get(), known.len() + 1);
            known.last.set(Some(arena.alloc(KnownChange { change, before, after, earlier, number })));
        }
        after
    }

    /// Sets a list member to `count` new elements, each made by `make` from its zero value and its index.
    pub fn set_list(&mut self, name: &str, count: usize, mut make: impl FnMut(usize, &mut Edit<'a>)) {
        let Some(member) = self.member(name) else { return };
        let Kind::List(element) = self.schema.native(member.ty).1 else { return };
        let items = self.arena.alloc_slice_fill_with(count, |index| {
            let mut item = Edit::new(self.schema, self.arena, *element, Node::Unset);
            make(index, &mut item);
            item.finish()
        });
        self.put(&member.slots, Node::List(items));
    }

    /// Changes every value of a map member whose values are structs.
    pub fn edit_each_value(&mut self, name: &str, mut change: impl FnMut(&mut Edit<'a>)) {
        let Some(member) = self.member(name) else { return };
        let Kind::Map { value, .. } = self.schema.native(member.ty).1 else { return };
        let value = Edit::new(self.schema, self.arena, *value, Node::Unset);
        self.edit_entries_at(member, |node| {
            let mut inner = value.of(node);
            change(&mut inner);
            inner.changed.is_some().then(|| inner.finish())
        });
    }

    /// The values of a map of structs, to be read.
    pub fn values(&self, name: &str) -> impl Iterator<Item = Edit<'a>> + use<'a> {
        let member = self.member(name);
        let entries = member.map_or(&[][..], |member| self.at(&member.slots).entries());
        let value = member.and_then(|member| match self.schema.native(member.ty).1 {
            Kind::Map { value, .. } => Some(Edit::new(self.schema, self.arena, *value, Node::Unset)),
            _ => None,
        });
        entries.iter().filter_map(move |(_, node)| value.as_ref().map(|value| value.of(*node)))
    }

    /// Replaces values of a map member: `change` gives the new value of an entry, or none to leave it.
    pub fn edit_entries(&mut self, name: &str, change: impl FnMut(Node<'a>) -> Option<Node<'a>>) {
        if let Some(member) = self.member(name) {
            self.edit_entries_at(member, change);
        }
    }

    /// As [`Edit::edit_entries`], of a member that was looked up before.
    pub fn edit_entries_at(&mut self, member: &Member, mut change: impl FnMut(Node<'a>) -> Option<Node<'a>>) {
        let entries = self.at(&member.slots).entries();
        let changed = replaced(entries, self.arena, |(key, value)| Some((*key, change(*value)?)));
        if let Some(entries) = changed {
            self.put(&member.slots, Node::Map(entries));
        }
    }

    /// Whether a struct has something set beside its direct members `names`.
    #[must_use]
    pub fn sets_more_than(&self, names: &[&str]) -> bool {
        let Some(members) = self.members else { return false };
        let fields = self.changed.as_deref().unwrap_or(self.before.fields());
        fields.iter().any(|(slot, _)| !names.iter().any(|name| members.direct(name) == Some(*slot)))
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

/// A change of a struct that looks at nothing else.
pub type ContextFree = for<'a> fn(&mut Edit<'a>);

/// Changes of structs that were made before: another object that has the same struct shares what was made of it.
#[derive(Debug, Default)]
pub struct KnownChanges<'a> {
    last: Cell<Option<&'a KnownChange<'a>>>,
}

/// A change of a struct.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KnownChange<'a> {
    change: ContextFree,
    before: Node<'a>,
    /// The changed struct; `None` if it did not change.
    after: Option<Node<'a>>,
    earlier: Option<&'a Self>,
    /// How many there are with the earlier ones.
    number: usize,
}

impl<'a> KnownChanges<'a> {
    /// Begins with the changes of another object.
    pub(crate) fn after(last: Option<&'a KnownChange<'a>>) -> Self {
        Self { last: Cell::new(last) }
    }

    /// The last change.
    pub(crate) fn last(&self) -> Option<&'a KnownChange<'a>> {
        self.last.get()
    }

    fn len(&self) -> usize {
        self.last.get().map_or(0, |known| known.number)
    }

    /// What `change` made of a struct, if that is known: `Some(None)` if it left the struct as it was.
    fn find(&self, change: ContextFree, before: &Node<'_>) -> Option<Option<Node<'a>>> {
        let mut known = std::iter::successors(self.last.get(), |known| known.earlier);
        let found = known.find(|known| known.before.is_shared(before) && std::ptr::fn_addr_eq(known.change, change));
        found.map(|known| known.after)
    }
}

/// `node`, a value struct, with the member at `slots` replaced; inlined structs on the way are copied too.
fn replace<'a>(arena: &'a Arena, node: Node<'a>, slots: &[Slot], value: Node<'a>) -> Node<'a> {
    let Some((slot, rest)) = slots.split_first() else { return value };
    let fields = node.fields();
    let value = replace(arena, node.field(*slot), rest, value);
    let mut copy = ArenaVec::with_capacity_in(fields.len() + 1, arena);
    copy.extend(fields.iter().filter(|(at, _)| at < slot).copied());
    if !value.is_unset() {
        copy.push((*slot, value));
    }
    copy.extend(fields.iter().filter(|(at, _)| at > slot).copied());
    if copy.is_empty() {
        return Node::Unset;
    }
    Node::Struct { fields: copy.into_bump_slice(), pointer: false }
}

/// A copy of `items` with what `change` gives in place of each; `None`, and no copy, when it gives nothing for any.
pub fn replaced<'a, T: Copy>(
    items: &[T],
    arena: &'a Arena,
    mut change: impl FnMut(&T) -> Option<T>,
) -> Option<&'a [T]> {
    let mut copy: Option<ArenaVec<'a, T>> = None;
    for (index, item) in items.iter().enumerate() {
        match (change(item), &mut copy) {
            (None, None) => {}
            (changed, Some(copy)) => copy.push(changed.unwrap_or(*item)),
            (Some(changed), None) => {
                let copy = copy.insert(ArenaVec::with_capacity_in(items.len(), arena));
                copy.extend_from_slice_copy(items.get(..index).unwrap_or_default());
                copy.push(changed);
            }
        }
    }
    copy.map(|copy| copy.into_bump_slice() as &_)
}
