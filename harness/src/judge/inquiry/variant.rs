//! Variants of a case: what an inquiry asks both sides again.

use super::place::{Step, get, leave_one, leave_two, set};
use crate::case::{Case, Operation, Payload};
use crate::object::Tree;

/// The objects of a case, to be varied. Variants share what they have in common.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Variant {
    pub(super) new: Tree,
    /// The stored object; present on updates.
    pub(super) old: Option<Tree>,
}

impl Variant {
    /// The objects of a case; none when they are no JSON.
    pub(super) fn of(case: &Case) -> Option<Self> {
        let old = case.old.as_ref().map(Payload::to_tree).transpose().ok()?;
        Some(Self { new: case.object.to_tree().ok()?, old })
    }

    /// The case with these objects.
    pub(super) fn case(self, like: &Case) -> Case {
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
        self.old.as_ref().map(|_| Self { new: self.new.clone(), old: None })
    }

    /// What is stored as a create.
    pub(super) fn stored_as_created(&self) -> Option<Self> {
        self.old.as_ref().map(|old| Self { new: old.clone(), old: None })
    }

    /// Another value in the new object; none when that changes nothing.
    pub(super) fn with_new(&self, place: &[Step<'_>], value: Option<Tree>) -> Option<Self> {
        let mut variant = self.clone();
        set(&mut variant.new, place, value).then_some(variant)
    }

    /// Another value in the stored object.
    pub(super) fn with_old(&self, place: &[Step<'_>], value: Option<Tree>) -> Option<Self> {
        let mut variant = self.clone();
        set(variant.old.as_mut()?, place, value).then_some(variant)
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
    pub(super) fn with_both(&self, place: &[Step<'_>], value: Option<&Tree>) -> Option<Self> {
        let mut variant = self.clone();
        let new = set(&mut variant.new, place, value.cloned());
        let old = variant.old.as_mut().is_some_and(|old| set(old, place, value.cloned()));
        (new || old).then_some(variant)
    }

    /// The new object keeps what is stored at the place.
    pub(super) fn reverted(&self, place: &[Step<'_>]) -> Option<Self> {
        self.with_new(place, get(self.old.as_ref()?, place).cloned())
    }

    /// What the new object has at the place was stored so.
    pub(super) fn stored(&self, place: &[Step<'_>]) -> Option<Self> {
        self.with_old(place, get(&self.new, place).cloned())
    }

    /// One item alone in its list, in both objects.
    pub(super) fn alone(&self, list: &[Step<'_>], item: Step<'_>) -> Option<Self> {
        let mut variant = self.clone();
        let new = leave_one(&mut variant.new, list, item);
        let old = variant.old.as_mut().is_some_and(|old| leave_one(old, list, item));
        (new || old).then_some(variant)
    }

    /// One item and the one most like it, without the others of their list, in both objects.
    pub(super) fn with_its_like(&self, list: &[Step<'_>], item: Step<'_>) -> Option<Self> {
        let mut variant = self.clone();
        let new = leave_two(&mut variant.new, list, item);
        let old = variant.old.as_mut().is_some_and(|old| leave_two(old, list, item));
        (new || old).then_some(variant)
    }
}
