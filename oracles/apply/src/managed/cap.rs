//! At most ten managers of updates.

use super::entries::{ManagedFields, Owned};
use super::owner::Owner;
use std::collections::BTreeMap;

/// How many managers of updates an object keeps.
const MOST: usize = 10;

/// Who owns what the oldest managers of updates owned.
const ANCIENT: &str = "ancient-changes";

/// Merges the oldest managers of updates, version by version, until there are no more than ten.
pub(super) fn cap(managed: &mut ManagedFields) {
    let mut updaters: Vec<Owner> =
        managed.fields.iter().filter(|(_, owned)| !owned.applied).map(|(owner, _)| owner.clone()).collect();
    let mut left = updaters.len();
    if left <= MOST {
        return;
    }
    updaters.sort_by_cached_key(|owner| (managed.seconds(owner), owner.clone()));
    let mut first_of_version: BTreeMap<String, Owner> = BTreeMap::new();
    for owner in updaters {
        if left <= MOST {
            break;
        }
        let Some(version) = managed.fields.get(&owner).map(|owned| owned.api_version.clone()) else { continue };
        let Some(first) = first_of_version.get(&version) else {
            first_of_version.insert(version, owner);
            continue;
        };
        let bucket = Owner::updater(ANCIENT, &version, "");
        if !managed.fields.contains_key(&bucket)
            && let Some(owned) = managed.fields.remove(first)
        {
            managed.fields.insert(bucket.clone(), owned);
        }
        let Some(owned) = managed.fields.remove(&owner) else { continue };
        let set = match managed.fields.get(&bucket) {
            Some(before) => owned.set.union(&before.set),
            None => owned.set,
        };
        managed.fields.insert(bucket.clone(), Owned { set, ..owned });
        left -= 1;
        // The merged manager changed something after those in the bucket.
        match managed.times.get(&owner).cloned() {
            Some(time) => managed.times.insert(bucket, time),
            None => managed.times.remove(&bucket),
        };
    }
}
