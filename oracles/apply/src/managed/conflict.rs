//! Fields that somebody else owns and an apply would change.

use super::owner::Owner;
use crate::fields::{FieldSet, Path};
use std::collections::BTreeMap;
use std::fmt;

/// A field that somebody else owns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// Who owns it.
    pub owner: Owner,
    /// The field.
    pub path: Path,
}

/// Every field over which an apply failed, by owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflicts(pub Vec<Conflict>);

impl Conflicts {
    pub(super) fn of(sets: &BTreeMap<Owner, FieldSet>) -> Self {
        let of_one = |(owner, set): (&Owner, &FieldSet)| {
            let owner = owner.clone();
            set.paths().into_iter().map(move |path| Conflict { owner: owner.clone(), path })
        };
        Self(sets.iter().flat_map(of_one).collect())
    }

    /// The fields of all conflicts.
    pub(super) fn fields(&self) -> FieldSet {
        self.0.iter().map(|conflict| &conflict.path).collect()
    }

    /// The conflicts over fields that are not in the set.
    pub(super) fn outside(&self, allowed: &FieldSet) -> Self {
        Self(self.0.iter().filter(|conflict| !allowed.has(&conflict.path.0)).cloned().collect())
    }
}

impl Conflict {
    /// The message of the cause in a server's answer.
    #[must_use]
    pub fn message(&self) -> String {
        format!("conflict with {}", self.owner.shown())
    }
}

impl fmt::Display for Conflicts {
    /// The message of a server's answer.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let [conflict] = self.0.as_slice() {
            return write!(f, "Apply failed with 1 conflict: {}: {}", conflict.message(), conflict.path);
        }
        let mut by_owner: BTreeMap<&Owner, Vec<&Path>> = BTreeMap::new();
        for conflict in &self.0 {
            by_owner.entry(&conflict.owner).or_default().push(&conflict.path);
        }
        let mut lines = Vec::new();
        for (owner, paths) in by_owner {
            lines.push(format!("conflicts with {}:", owner.shown()));
            lines.extend(paths.into_iter().map(|path| format!("- {path}")));
        }
        write!(f, "Apply failed with {} conflicts: {}", self.0.len(), lines.join("\n"))
    }
}
