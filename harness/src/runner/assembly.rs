//! Putting the evidence of shards together.

use super::chunks::Shard;
use crate::evidence::{Evidence, EvidenceError};
use std::collections::BTreeMap;

/// The evidence of some shards of one run. In whatever order they are added, and however often each, their sum is the same.
#[derive(Clone, Debug, Default)]
pub struct Assembly {
    parts: BTreeMap<Shard, Evidence>,
}

/// What became of a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Added {
    /// It is counted now.
    New,
    /// It was there, with the same evidence, and is counted once.
    Again,
}

/// Evidence that is no further shard of the run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AssemblyError {
    /// Shards of another partition.
    #[error("one run has {known} shards, the other {given}")]
    OtherCut {
        /// How many shards the run has so far.
        known: u64,
        /// How many this one is of.
        given: u64,
    },
    /// The same shard with other evidence.
    #[error("shard {0} is given twice, with different evidence")]
    Contradiction(Shard),
}

impl Assembly {
    /// Adds the evidence of a shard.
    ///
    /// # Errors
    /// When it is of a run cut otherwise, or contradicts what is known of the shard; nothing is added then.
    pub fn add(&mut self, shard: Shard, evidence: Evidence) -> Result<Added, AssemblyError> {
        if let Some(any) = self.parts.keys().next().filter(|any| any.of() != shard.of()) {
            return Err(AssemblyError::OtherCut { known: any.of(), given: shard.of() });
        }
        match self.parts.get(&shard) {
            Some(known) if *known == evidence => Ok(Added::Again),
            Some(_) => Err(AssemblyError::Contradiction(shard)),
            None => {
                self.parts.insert(shard, evidence);
                Ok(Added::New)
            }
        }
    }

    /// The shards that are there, in order.
    pub fn shards(&self) -> impl Iterator<Item = Shard> {
        self.parts.keys().copied()
    }

    /// The shards that are not there, in order; none as long as nothing is known of the run.
    pub fn missing(&self) -> impl Iterator<Item = Shard> {
        let all = self.parts.keys().next().into_iter().flat_map(|any| any.all());
        all.filter(|shard| !self.parts.contains_key(shard))
    }

    /// The sum; none of no shards.
    ///
    /// # Errors
    /// When the shards compared by different algorithms or rules.
    pub fn sum(self) -> Result<Option<Evidence>, EvidenceError> {
        let mut parts = self.parts.into_values();
        let Some(mut sum) = parts.next() else { return Ok(None) };
        for part in parts {
            sum.merge(part)?;
        }
        Ok(Some(sum))
    }
}
