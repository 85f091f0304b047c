//! The core of updates and applies: who owns what afterwards, and what is pruned.

use super::conflict::Conflicts;
use super::entries::Owned;
use super::kind::ObjectType;
use super::owner::Owner;
use crate::fields::FieldSet;
use crate::typed::{Comparison, compare, field_set, merge, reconcile, remove, with_named_fields};
use crate::value::equal;
use serde_json::Value;
use std::collections::BTreeMap;

/// The fields of each manager.
pub(super) type Owners = BTreeMap<Owner, Owned>;

/// Why there is no result.
pub(super) enum Failure {
    Conflicts(Conflicts),
    Other(String),
}

/// One kind, and the fields that requests through its subresource do not set.
pub(super) struct Steps<'k> {
    pub(super) kind: &'k dyn ObjectType,
    pub(super) reset: &'k FieldSet,
}

impl Steps<'_> {
    /// What `owner` owns after an update from one object to another, and what it took from others.
    pub(super) fn update(&self, live: &Value, new: &Value, owners: Owners, owner: &Owner) -> Result<Owners, Failure> {
        let version = self.kind.api_version();
        let owners = self.reconciled(owners);
        let (mut owners, comparison) = self.taken(live, new, owners, owner, true)?;
        let before = owners.remove(owner).map(|owned| owned.set).unwrap_or_default();
        let set = before
            .difference(&comparison.removed)
            .union(&comparison.modified)
            .union(&comparison.added)
            .recursive_difference(self.reset);
        if !set.is_empty() {
            owners.insert(owner.clone(), Owned { set, api_version: version.to_owned(), applied: false });
        }
        Ok(owners)
    }

    /// The object after `owner` applies, `None` if nothing changes, and who owns what then.
    pub(super) fn apply(
        &self,
        live: &Value,
        applied: &Value,
        owners: Owners,
        owner: &Owner,
        force: bool,
    ) -> Result<(Option<Value>, Owners), Failure> {
        let (schema, root) = self.kind.schema();
        let mut owners = self.reconciled(owners);
        let merged = merge(schema, root, live, applied)
            .map_err(|error| Failure::Other(format!("failed to merge config: {error}")))?;
        let set = field_set(schema, root, applied).recursive_difference(self.reset);
        let api_version = self.kind.api_version().to_owned();
        let last = owners.insert(owner.clone(), Owned { set, api_version, applied: true });
        let new = self.pruned(merged, &owners, last.as_ref());
        let (owners, _) = self.taken(live, &new, owners, owner, force)?;
        let changed = !equal(live, &new);
        Ok((changed.then_some(new), owners))
    }

    /// Owners in versions that are served, with sets as they are written today.
    fn reconciled(&self, owners: Owners) -> Owners {
        let (schema, root) = self.kind.schema();
        let today = |(owner, owned): (Owner, Owned)| {
            if owned.api_version != self.kind.api_version() {
                return None;
            }
            let set = reconcile(schema, root, &owned.set).unwrap_or(owned.set);
            Some((owner, Owned { set, ..owned }))
        };
        owners.into_iter().filter_map(today).collect()
    }

    /// What the others own after a change, and the change itself. Without force, a field that changes and is another's is a conflict.
    fn taken(
        &self,
        live: &Value,
        new: &Value,
        mut owners: Owners,
        owner: &Owner,
        force: bool,
    ) -> Result<(Owners, Comparison), Failure> {
        let (schema, root) = self.kind.schema();
        let comparison = compare(schema, root, live, new)
            .map_err(|error| Failure::Other(format!("failed to compare objects: {error}")))?
            .without(self.reset);
        let changed = comparison.modified.union(&comparison.added);
        let others = || owners.iter().filter(|(other, _)| *other != owner);
        let conflicts: BTreeMap<Owner, FieldSet> = others()
            .map(|(other, owned)| (other.clone(), owned.set.intersection(&changed)))
            .filter(|(_, set)| !set.is_empty())
            .collect();
        if !force && !conflicts.is_empty() {
            return Err(Failure::Conflicts(Conflicts::of(&conflicts)));
        }
        for (other, owned) in owners.iter_mut().filter(|(other, _)| *other != owner) {
            if let Some(lost) = conflicts.get(other) {
                owned.set = owned.set.difference(lost);
            }
            owned.set = owned.set.difference(&comparison.removed);
        }
        owners.retain(|_, owned| !owned.set.is_empty());
        Ok((owners, comparison))
    }

    /// The merged object without what its manager applied last time and nobody owns now.
    fn pruned(&self, merged: Value, owners: &Owners, last: Option<&Owned>) -> Value {
        let Some(last) = last.filter(|last| !last.set.is_empty()) else { return merged };
        let (schema, root) = self.kind.schema();
        let named = |set: &FieldSet| with_named_fields(schema, root, set);
        let of_value = |value: &Value| named(&field_set(schema, root, value));
        let last = named(&last.set);
        let of_merged = of_value(&merged);

        let bare = remove(schema, root, &merged, &last);
        let mut owned = FieldSet::new();
        owners.values().for_each(|owner| owned.extend(&owner.set));
        let kept = of_value(&bare).union(&named(&owned));
        let with_owned = remove(schema, root, &merged, &of_merged.difference(&kept));

        let lost = of_merged.difference(&of_value(&with_owned)).intersection(&last);
        remove(schema, root, &merged, &lost)
    }
}
