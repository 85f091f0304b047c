//! Putting the evidence of shards together.

use super::chunks::Shard;
use crate::evidence::{Evidence, EvidenceError};
use std::collections::BTreeMap;

/// The evidence of some shards of one run, added up. In whatever order they are added, and however often each, their sum is the same.
/// Memory holds the sum, and a few bytes a shard.
#[derive(Clone, Debug, Default)]
pub struct Assembly {
    /// Hash of the evidence of each.
    parts: BTreeMap<Shard, [u8; 32]>,
    sum: Option<Evidence>,
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
    /// It compared by another algorithm or other rules, or breaks a law.
    #[error("{0}")]
    Unlike(String),
}

impl Assembly {
    /// Adds the evidence of a shard.
    ///
    /// # Errors
    /// When it is of a run cut otherwise, or contradicts what is known of the shard; nothing is added then. When it cannot be added to the
    /// others; part of it may have been added then.
    pub fn add(&mut self, shard: Shard, evidence: Evidence) -> Result<Added, AssemblyError> {
        if let Some(any) = self.parts.keys().next().filter(|any| any.of() != shard.of()) {
            return Err(AssemblyError::OtherCut { known: any.of(), given: shard.of() });
        }
        let unlike = |error: EvidenceError| AssemblyError::Unlike(error.to_string());
        let hash = *blake3::hash(evidence.to_json().map_err(unlike)?.as_bytes()).as_bytes();
        match self.parts.get(&shard) {
            Some(known) if *known == hash => return Ok(Added::Again),
            Some(_) => return Err(AssemblyError::Contradiction(shard)),
            None => {}
        }
        match &mut self.sum {
            Some(sum) => sum.merge(evidence).map_err(unlike)?,
            None => self.sum = Some(evidence),
        }
        self.parts.insert(shard, hash);
        Ok(Added::New)
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
    #[must_use]
    pub fn sum(self) -> Option<Evidence> {
        self.sum
    }
}
