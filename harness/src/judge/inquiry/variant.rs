//! Variants of a case: what an inquiry asks both sides again.

use super::place::{Step, get, leave_one, leave_two, set};
use crate::case::{Case, Operation, Payload};
use crate::object::{Arena, Tree};

/// The objects of a case, to be varied. Variants share what they have in common.
#[derive(Clone, Debug)]
pub(super) struct Variant<'v> {
    pub(super) new: Tree<'v>,
    /// The stored object; present on updates.
    pub(super) old: Option<Tree<'v>>,
    arena: &'v Arena,
}

impl<'v> Variant<'v> {
    /// The objects of a case; none when they are no JSON.
    pub(super) fn of(case: &Case<'v>, arena: &'v Arena) -> Option<Self> {
        let old = case.old.as_ref().map(|old| old.to_tree(arena)).transpose().ok()?;
        Some(Self { new: case.object.to_tree(arena).ok()?, old, arena })
    }

    /// Where variants are made.
    pub(super) fn arena(&self) -> &'v Arena {
        self.arena
    }

    /// The case with these objects.
    pub(super) fn case(self, like: &Case<'_>) -> Case<'v> {
        Case {
            operation: if self.old.is_some() { Operation::Update } else { Operation::Create },
            object: Payload::from(self.new),
            old: self.old.map(Payload::from),
            options: like.options.clone(),
            provenance: like.provenance.clone(),
        }
    }

    /// The object as a create.
    pub(super) fn created(&self) -> Option<Self> {
        self.old.as_ref().map(|_| Self { old: None, ..self.clone() })
    }

    /// What is stored as a create.
    pub(super) fn stored_as_created(&self) -> Option<Self> {
        self.old.as_ref().map(|old| Self { new: *old, old: None, arena: self.arena })
    }

    /// Another value in the new object; none when that changes nothing.
    pub(super) fn with_new(&self, place: &[Step<'_>], value: Option<Tree<'v>>) -> Option<Self> {
        let mut variant = self.clone();
        set(&mut variant.new, place, value, self.arena).then_some(variant)
    }

    /// Another value in the stored object.
    pub(super) fn with_old(&self, place: &[Step<'_>], value: Option<Tree<'v>>) -> Option<Self> {
        let mut variant = self.clone();
        set(variant.old.as_mut()?, place, value, self.arena).then_some(variant)
    }

    /// Removes the stored list around a place, if an item of that list has the same value there: a validator that finds items by key
    /// treats it as a stored value, wherever it is in the list.
    pub(super) fn without_its_list(&self, place: &[Step<'_>]) -> Option<Self> {
        let at = place.iter().rposition(|step| matches!(step, Step::Within(_)))?;
        let (list, within) = (place.get(..at)?, place.get(at + 1..)?);
        let value = get(&self.new, place)?;
        let stored = get(self.old.as_ref()?, list)?.as_array()?;
        let is_stored = stored.iter().any(|item| get(item, within) == Some(value));
        if is_stored { self.with_old(list, None) } else { None }
    }

    /// Another value in both objects.
    pub(super) fn with_both(&self, place: &[Step<'_>], value: Option<&Tree<'v>>) -> Option<Self> {
        let mut variant = self.clone();
        let new = set(&mut variant.new, place, value.copied(), self.arena);
        let old = variant.old.as_mut().is_some_and(|old| set(old, place, value.copied(), self.arena));
        (new || old).then_some(variant)
    }

    /// The new object keeps what is stored at the place.
    pub(super) fn reverted(&self, place: &[Step<'_>]) -> Option<Self> {
        self.with_new(place, get(self.old.as_ref()?, place).copied())
    }

    /// What the new object has at the place was stored so.
    pub(super) fn stored(&self, place: &[Step<'_>]) -> Option<Self> {
        self.with_old(place, get(&self.new, place).copied())
    }

    /// Another object where this one is stored.
    pub(super) fn over(&self, stored: Self) -> Self {
        Self { old: Some(stored.new), ..self.clone() }
    }

    /// One item alone in its list, in both objects.
    pub(super) fn alone(&self, list: &[Step<'_>], item: Step<'_>) -> Option<Self> {
        let mut variant = self.clone();
        let new = leave_one(&mut variant.new, list, item, self.arena);
        let old = variant.old.as_mut().is_some_and(|old| leave_one(old, list, item, self.arena));
        (new || old).then_some(variant)
    }

    /// One item and the one most like it, without the others of their list, in both objects.
    pub(super) fn with_its_like(&self, list: &[Step<'_>], item: Step<'_>) -> Option<Self> {
        let mut variant = self.clone();
        let new = leave_two(&mut variant.new, list, item, self.arena);
        let old = variant.old.as_mut().is_some_and(|old| leave_two(old, list, item, self.arena));
        (new || old).then_some(variant)
    }
}
