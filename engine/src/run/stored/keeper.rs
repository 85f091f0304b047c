//! Keeps a shard in a storage while it runs, beside other processes that may run the same shard.

use super::envelope::{Checkpointed, ShardResult, checkpoint_name, result_name};
use crate::plan::RunBudget;
use crate::run::host::RunHost;
use crate::run::record::RunRecord;
use crate::storage::{Condition, Location, Storage, Stored, Version, Written};
use anyhow::Context as _;
use std::sync::{Arc, Mutex, PoisonError};
use takeover_harness::runner::Shard;

/// The objects of one shard.
#[derive(Debug)]
pub(in crate::run) struct ShardKeeper {
    storage: Arc<dyn Storage>,
    shard: Shard,
    /// The checkpoint as this process knows it, and how far it is; none before the first.
    known: Mutex<Option<(Version, u64)>>,
    /// How often a checkpoint could not be stored since the last that could.
    failed: Mutex<u64>,
}

impl ShardKeeper {
    /// The keeper of the shard at this location.
    ///
    /// # Errors
    /// Returns an error when the storage cannot be opened.
    pub(in crate::run) fn open(at: &Location, shard: Shard, host: &RunHost<'_>) -> anyhow::Result<Self> {
        let storage = host.storages.open(at)?;
        let known = storage.read(&checkpoint_name(shard))?.map(known);
        Ok(Self::of(storage, shard, known))
    }

    fn of(storage: Arc<dyn Storage>, shard: Shard, known: Option<(Version, u64)>) -> Self {
        Self { storage, shard, known: Mutex::new(known), failed: Mutex::new(0) }
    }

    /// The address of the run.
    pub(in crate::run) fn location(&self) -> &Location {
        self.storage.location()
    }

    /// Stores a checkpoint, unless another process with this shard has come further. A storage that fails now may not fail next time: what
    /// is gathered is kept, and the error only returned the first time.
    ///
    /// # Errors
    /// Returns an error when the storage fails, for the first time since it did not.
    pub(in crate::run) fn checkpoint(&self, record: &RunRecord, checkpoint: &str, progress: u64) -> anyhow::Result<()> {
        let stored = self.store(Checkpointed::encode(record, checkpoint)?, progress);
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        *failed = if stored.is_ok() { 0 } else { *failed + 1 };
        if *failed == 1 { stored } else { Ok(()) }
    }

    fn store(&self, content: Vec<u8>, progress: u64) -> anyhow::Result<()> {
        /// How often another process may come between.
        const MOST: usize = 4;
        let name = checkpoint_name(self.shard);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        for _ in 0..MOST {
            // Whoever is further may be gone, and is caught up with then.
            if known.as_ref().is_some_and(|(_, further)| *further > progress) {
                return Ok(());
            }
            let condition = known.as_ref().map_or(Condition::Absent, |(version, _)| Condition::Is(version.clone()));
            if let Written::Now(version) = self.storage.write(&name, content.clone(), &condition)? {
                *known = Some((version, progress));
                return Ok(());
            }
            *known = self.storage.read(&name)?.map(self::known);
            // Whoever finished the shard has removed it.
            if known.is_none() && self.storage.find(&result_name(self.shard))?.is_some() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Stores the result, and removes the checkpoint. Says whether another process had stored the result before.
    ///
    /// # Errors
    /// Returns an error when the storage fails, or holds another result of the same cases.
    pub(super) fn finish(&self, result: &ShardResult) -> anyhow::Result<bool> {
        let name = result_name(self.shard);
        let content = ShardResult::encode(&result.record, &result.health, &result.evidence)?;
        let written = self.storage.write(&name, content, &Condition::Absent)?;
        let again = written == Written::Refused;
        // Of a run by time, two processes judge different numbers of cases: the first result counts.
        let by_cases = matches!(result.record.plan.budget, RunBudget::Cases(_));
        if again && by_cases && ShardResult::read(self.storage.as_ref(), &name)?.evidence != result.evidence {
            anyhow::bail!(
                "`{}` holds other evidence of the same cases: an oracle does not always give the same answer",
                self.location().join(&name)
            );
        }
        self.storage.remove(&checkpoint_name(self.shard)).context("the result is stored")?;
        Ok(again)
    }
}

/// The version of a checkpoint, and how far it is. One that cannot be read is no progress.
fn known(stored: Stored) -> (Version, u64) {
    let state = Checkpointed::decode(&stored.content).and_then(|found| found.state());
    (stored.version, state.map_or(0, |state| state.progress()))
}

#[cfg(test)]
mod tests {
    use super::{ShardKeeper, checkpoint_name, result_name};
    use crate::run::record::RunRecord;
    use crate::run::state::{self, State};
    use crate::run::stored::envelope::{Checkpointed, ShardResult};
    use crate::storage::{Condition, FolderStorage, Storage, Written};
    use std::sync::Arc;
    use takeover_harness::case::Provenance;
    use takeover_harness::evidence::{CasePlace, Evidence, Sighting};
    use takeover_harness::runner::Shard;

    fn storage(folder: &tempfile::TempDir) -> Arc<dyn Storage> {
        Arc::new(FolderStorage::new(format!("file://{}/runs", folder.path().display()).parse().unwrap()))
    }

    fn record() -> RunRecord {
        RunRecord::from_json(include_str!("../old/run-1.json")).unwrap()
    }

    fn evidence(reason: &str) -> Evidence {
        let mut evidence = Evidence::new();
        let provenance = Provenance::File { path: "a.yaml".into(), document: 1, line: 1 };
        evidence
            .record_outside(reason, Sighting { place: CasePlace::default(), provenance, message: "`Other`".into() });
        evidence
    }

    fn result(reason: &str) -> ShardResult {
        ShardResult { record: record(), health: Vec::new(), evidence: evidence(reason) }
    }

    /// A process stores that so many cases are done.
    fn stores(keeper: &ShardKeeper, cases: u64) {
        let state = State { cases, ..State::default() };
        let text = state::encode(&state, &Evidence::new()).unwrap();
        keeper.checkpoint(&record(), &text, state.progress()).unwrap();
    }

    fn stored(storage: &dyn Storage) -> u64 {
        let found = storage.read(&checkpoint_name(Shard::WHOLE)).unwrap().unwrap();
        Checkpointed::decode(&found.content).unwrap().state().unwrap().cases
    }

    #[test]
    fn of_two_processes_the_checkpoint_that_is_further_stays() {
        let folder = tempfile::tempdir().unwrap();
        let storage = storage(&folder);
        let keeper = || ShardKeeper::of(Arc::clone(&storage), Shard::WHOLE, None);
        let (fast, slow) = (keeper(), keeper());
        stores(&fast, 50);
        stores(&slow, 10);
        assert_eq!(stored(storage.as_ref()), 50, "the slow one knows nothing of it");
        stores(&slow, 20);
        assert_eq!(stored(storage.as_ref()), 50, "nor once it knows of it");
        stores(&fast, 60);
        stores(&slow, 70);
        assert_eq!(stored(storage.as_ref()), 70, "whoever is further");
        // Of a damaged one, nothing is left to lose.
        storage.write(&checkpoint_name(Shard::WHOLE), b"damaged".to_vec(), &Condition::Always).unwrap();
        stores(&fast, 65);
        assert_eq!(stored(storage.as_ref()), 65);
    }

    #[test]
    fn the_first_result_stays_and_another_one_of_the_same_cases_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let storage = storage(&folder);
        let keeper = || ShardKeeper::of(Arc::clone(&storage), Shard::WHOLE, None);
        let (first, second, late) = (keeper(), keeper(), keeper());
        stores(&second, 10);
        assert!(!first.finish(&result("one")).unwrap());
        assert!(storage.read(&checkpoint_name(Shard::WHOLE)).unwrap().is_none(), "what is finished needs none");
        stores(&second, 20);
        assert!(storage.read(&checkpoint_name(Shard::WHOLE)).unwrap().is_none(), "and gets none");
        assert!(second.finish(&result("one")).unwrap(), "the same result again");
        let error = late.finish(&result("two")).unwrap_err().to_string();
        assert!(error.contains("does not always give the same answer") && error.contains("results/"), "{error}");
        let kept = storage.read(&result_name(Shard::WHOLE)).unwrap().unwrap();
        assert_eq!(ShardResult::decode(&kept.content).unwrap().evidence, evidence("one"));
    }

    #[test]
    fn a_storage_that_fails_is_said_once_and_is_asked_again() {
        let folder = tempfile::tempdir().unwrap();
        // A file where the folder should be.
        std::fs::write(folder.path().join("runs"), "").unwrap();
        let storage = storage(&folder);
        let keeper = ShardKeeper::of(Arc::clone(&storage), Shard::WHOLE, None);
        let text = state::encode(&State::default(), &Evidence::new()).unwrap();
        keeper.checkpoint(&record(), &text, 1).unwrap_err();
        keeper.checkpoint(&record(), &text, 1).unwrap();
        std::fs::remove_file(folder.path().join("runs")).unwrap();
        stores(&keeper, 5);
        assert_eq!(stored(storage.as_ref()), 5);
        assert!(matches!(storage.write("x", Vec::new(), &Condition::Absent).unwrap(), Written::Now(_)));
    }
}
