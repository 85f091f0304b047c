//! Reads the results of all shards, one after the other, some ahead.

use super::envelope::{RESULTS, ShardResult, shard_of};
use crate::run::host::RunProgress;
use crate::run::record::RunRecord;
use crate::storage::Storage;
use anyhow::Context as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::sync_channel;
use takeover_corpora::generate::Health;
use takeover_harness::evidence::Evidence;
use takeover_harness::runner::Shard;

/// How many results are fetched at once, and wait at most.
const AHEAD: usize = 8;

/// A result with the name of its object.
pub(in crate::run) struct StoredShard {
    pub(in crate::run) place: String,
    pub(in crate::run) record: RunRecord,
    pub(in crate::run) health: Vec<Health>,
    pub(in crate::run) evidence: Evidence,
}

/// Calls `take` with every result there is, in whatever order they come. Memory holds a few of them at a time. Returns how many there were.
///
/// # Errors
/// Returns an error when the storage fails, a result is damaged, and those of `take`.
pub(in crate::run) fn each(
    storage: &dyn Storage,
    progress: &dyn RunProgress,
    take: &mut dyn FnMut(StoredShard) -> anyhow::Result<()>,
) -> anyhow::Result<u64> {
    let names: Vec<(String, Shard)> = storage
        .list(RESULTS)?
        .into_iter()
        .filter_map(|found| Some((found.name.clone(), shard_of(&found.name)?)))
        .collect();
    let total = names.len() as u64;
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        // Made in here, so that it is gone, and nobody waits for it, when this ends early.
        let (give, taken) = sync_channel(AHEAD);
        for _ in 0..AHEAD.min(names.len()) {
            let (give, names, next) = (give.clone(), &names, &next);
            scope.spawn(move || {
                while let Some((name, _)) = names.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if give.send((name, storage.read(name))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(give);
        for (done, (name, read)) in (1..).zip(&taken) {
            let place = storage.location().join(name).to_string();
            let stored = read?.with_context(|| format!("`{place}` is gone since it was listed"))?;
            let ShardResult { record, health, evidence } =
                ShardResult::decode(&stored.content).with_context(|| format!("failed to read `{place}`"))?;
            take(StoredShard { place, record, health, evidence })?;
            progress.gathered(done, total);
        }
        Ok(total)
    })
}

/// What is known of the shards that were added up.
#[derive(Default)]
pub(in crate::run) struct Gathered {
    /// Their generators, by pair.
    pub(in crate::run) health: Vec<Health>,
    /// Generated cases.
    pub(in crate::run) cases: u64,
    /// What could not be read of stored inputs; each shard reads its own parts of them.
    pub(in crate::run) unreadable_parts: u64,
    /// Whether one of them needed worker processes.
    pub(in crate::run) isolated: bool,
}

impl Gathered {
    /// Adds a shard.
    pub(in crate::run) fn add(&mut self, record: &RunRecord, health: &[Health]) {
        self.cases += record.cases;
        self.unreadable_parts += record.unreadable_parts;
        self.isolated |= record.plan.isolation != crate::plan::Isolation::None;
        self.health.resize(self.health.len().max(health.len()), Health::default());
        self.health.iter_mut().zip(health).for_each(|(sum, more)| sum.merge(more));
    }
}

/// How many shards have stored a result, and how many the run has; `None` if the run is unknown.
///
/// # Errors
/// Returns an error when the storage fails.
pub fn stored_shards(storage: &dyn Storage) -> anyhow::Result<(u64, Option<u64>)> {
    let shards: Vec<Shard> = storage.list(RESULTS)?.iter().filter_map(|found| shard_of(&found.name)).collect();
    Ok((shards.len() as u64, shards.first().map(|shard| shard.of())))
}
