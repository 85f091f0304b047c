//! A soak of many machines, which keep their shards in one storage.

use super::printing::Printing;
use crate::output;
use crate::whole::storages;
use anyhow::Context as _;
use std::path::Path;
use takeover_engine::plan::{RunContinuation, RunOrder};
use takeover_engine::run::{Joined, join, shard_report};
use takeover_engine::storage::Location;
use takeover_harness::text::grouped;
use tempfile::TempDir;

/// The address of a run, and that it can be started again as it was.
///
/// # Errors
/// When the address is wrong, or a flag does not go with it.
pub fn stored_run(out: &Path, seed: Option<u64>, force: bool) -> anyhow::Result<String> {
    let location: Location = out.to_string_lossy().parse()?;
    anyhow::ensure!(seed.is_some(), "--out `{location}` needs --seed: whoever joins the run generates the same cases");
    anyhow::ensure!(
        !force,
        "--force does not go with --out `{location}`: choose another prefix, or remove what is there"
    );
    Ok(location.to_string())
}

/// The folder of this process for a run that is kept in a storage. It is removed at the end.
pub struct Scratch {
    folder: TempDir,
    location: Location,
}

impl Scratch {
    /// One for this order; none for a run in a folder.
    pub fn of(order: &RunOrder) -> anyhow::Result<Option<Self>> {
        let Some(storage) = &order.keeping().storage else { return Ok(None) };
        let folder = tempfile::tempdir().context("failed to create a folder for temporary files")?;
        Ok(Some(Self { folder, location: storage.parse()? }))
    }

    /// What is left to do of the order; none when the shard is finished, whose report is printed then, if a form was chosen.
    pub fn joined(&self, order: RunOrder, printing: Printing) -> anyhow::Result<Option<RunOrder>> {
        let RunOrder::Begin(plan, mut keeping) = order else { return Ok(Some(order)) };
        keeping.folder = self.folder.path().join("run");
        let (shard, location) = (plan.shard, &self.location);
        Ok(match join(&plan, location, &keeping.folder, storages())? {
            Joined::Finished => {
                output::say(&format!("shard {shard} of `{location}` is finished already"));
                if printing.is_chosen() {
                    printing.print(&shard_report(storages().open(location)?.as_ref(), shard)?)?;
                }
                None
            }
            Joined::Begin => Some(RunOrder::Begin(plan, keeping)),
            Joined::Resume(done) => {
                output::say(&format!(
                    "resuming shard {shard} of `{location}`: {} generated cases are done",
                    grouped(done)
                ));
                let with = RunContinuation { jobs: Some(plan.jobs), isolation: plan.isolation };
                Some(RunOrder::Resume(with, keeping))
            }
        })
    }
}
