//! Runs of many machines, which keep their shards in one storage.

#[cfg(feature = "whole")]
use super::merge::whole;
#[cfg(feature = "whole")]
use super::printing::Printing;
#[cfg(feature = "whole")]
use super::watched::print;
#[cfg(feature = "whole")]
use crate::exit_code::Exit;
use crate::output;
use crate::whole::storages;
use anyhow::Context as _;
use std::path::Path;
#[cfg(feature = "whole")]
use std::{path::PathBuf, sync::Arc, time::Duration, time::Instant};
use takeover_engine::plan::{RunContinuation, RunOrder};
use takeover_engine::run::{Joined, join};
#[cfg(feature = "whole")]
use takeover_engine::run::{ShardMerge, ShardSource, stored_shards};
use takeover_engine::storage::Location;
#[cfg(feature = "whole")]
use takeover_engine::storage::{Condition, Storage};
use takeover_harness::text::grouped as cases;
#[cfg(feature = "whole")]
use takeover_harness::text::{grouped, plural};
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

    /// What is left to do of the order; none when the shard is finished.
    pub fn joined(&self, order: RunOrder) -> anyhow::Result<Option<RunOrder>> {
        let RunOrder::Begin(plan, mut keeping) = order else { return Ok(Some(order)) };
        keeping.folder = self.folder.path().join("run");
        let (shard, location) = (plan.shard, &self.location);
        Ok(match join(&plan, location, &keeping.folder, storages())? {
            Joined::Finished => {
                output::say(&format!("shard {shard} of `{location}` is finished already"));
                None
            }
            Joined::Begin => Some(RunOrder::Begin(plan, keeping)),
            Joined::Resume(done) => {
                output::say(&format!(
                    "resuming shard {shard} of `{location}`: {} generated cases are done",
                    cases(done)
                ));
                let with = RunContinuation { jobs: Some(plan.jobs), isolation: plan.isolation };
                Some(RunOrder::Resume(with, keeping))
            }
        })
    }
}

/// What `merge` reads.
///
/// # Errors
/// When the address is wrong, or its storage cannot be opened.
#[cfg(feature = "whole")]
pub fn source(run: &Path) -> anyhow::Result<ShardSource> {
    if Location::is_named_by(run) {
        return Ok(ShardSource::Stored(storages().open(&run.to_string_lossy().parse()?)?));
    }
    Ok(ShardSource::Folder(run.to_owned()))
}

/// Shards to merge, some of them in storages, or to be written to one.
#[cfg(feature = "whole")]
pub struct MergedRuns<'m> {
    /// Where they are.
    pub runs: Vec<ShardSource>,
    /// Folder or address.
    pub out: &'m Path,
    /// Whether shards may be missing.
    pub partial: bool,
    /// Whether a run that is there already is replaced.
    pub force: bool,
    /// How long to wait for shards.
    pub wait: Option<Duration>,
}

/// Merges, and prints the report.
///
/// # Errors
/// Those of merging, and when the result cannot be stored.
#[cfg(feature = "whole")]
pub fn merge_stored(of: &MergedRuns<'_>, printing: Printing) -> anyhow::Result<Exit> {
    let MergedRuns { ref runs, out, partial, force, wait } = *of;
    if let Some(longest) = wait {
        await_shards(runs, longest)?;
    }
    if !Location::is_named_by(out) {
        let merge = ShardMerge { runs: runs.clone(), out: out.to_owned(), partial, force };
        return print(whole(merge), out, printing);
    }
    let location: Location = out.to_string_lossy().parse()?;
    let storage = storages().open(&location)?;
    anyhow::ensure!(
        force || storage.find(RECORD)?.is_none(),
        "`{location}` holds a merged run: choose another --out, or replace it with --force"
    );
    let scratch = tempfile::tempdir().context("failed to create a folder for temporary files")?;
    let folder = scratch.path().join("run");
    let merged = whole(ShardMerge { runs: runs.clone(), out: folder.clone(), partial, force });
    if merged.as_ref().is_ok_and(|merged| merged.unwritten.is_none()) {
        upload(&folder, storage.as_ref())?;
        output::say(&format!("the merged run is stored at `{location}`"));
    }
    print(merged, &folder, printing)
}

/// The file that says that a run is complete, written last.
#[cfg(feature = "whole")]
const RECORD: &str = "run.json";

/// Writes the files of a run folder to a storage.
#[cfg(feature = "whole")]
fn upload(folder: &Path, storage: &dyn Storage) -> anyhow::Result<()> {
    let mut names = vec![];
    for below in ["", "findings"] {
        let at = folder.join(below);
        let entries = std::fs::read_dir(&at).with_context(|| format!("failed to read `{}`", at.display()))?;
        let files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(|path| path.is_file()).collect();
        let name = |path: &PathBuf| path.strip_prefix(folder).ok()?.to_str().map(str::to_owned);
        names.extend(files.iter().filter_map(name).filter(|name| !name.starts_with('.') && name != RECORD));
    }
    names.push(RECORD.to_owned());
    for name in names {
        let file = folder.join(&name);
        let content = std::fs::read(&file).with_context(|| format!("failed to read `{}`", file.display()))?;
        storage.write(&name, content, &Condition::Always)?;
    }
    Ok(())
}

/// Waits until every storage has the results of all shards.
#[cfg(feature = "whole")]
fn await_shards(runs: &[ShardSource], longest: Duration) -> anyhow::Result<()> {
    /// How often to look: a list costs a fraction of a cent.
    const LOOK: Duration = Duration::from_secs(10);
    let begin = Instant::now();
    let storages = runs.iter().filter_map(|run| match run {
        ShardSource::Stored(storage) => Some(Arc::clone(storage)),
        ShardSource::Folder(_) => None,
    });
    for storage in storages {
        let mut said = None;
        loop {
            let (there, of) = stored_shards(storage.as_ref())?;
            if of.is_some_and(|of| there >= of) {
                break;
            }
            let place = storage.location();
            let of = of.map_or_else(|| "shards".to_owned(), |of| format!("of {}", plural(of, "shard")));
            anyhow::ensure!(begin.elapsed() < longest, "`{place}` has the results of {} {of} only", grouped(there));
            if said != Some(there) {
                output::say(&format!("waiting: `{place}` has the results of {} {of}", grouped(there)));
                said = Some(there);
            }
            takeover_engine::stop::Stop::check()?;
            std::thread::sleep(LOOK.min(longest.saturating_sub(begin.elapsed())));
        }
    }
    Ok(())
}
