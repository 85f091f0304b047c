//! Merging shards that are kept in a storage, or to one.

use super::printing::Printing;
use super::watched::{host, print};
use crate::exit_code::Exit;
use crate::output;
use crate::progress::GatheringLine;
use crate::whole::storages;
use anyhow::Context as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use takeover_engine::ending::Ending;
use takeover_engine::isolate::JudgingNotes;
use takeover_engine::run::{ConcludedRun, ShardMerge, ShardSource, merge, merged_report, stored_shards};
use takeover_engine::stop::{Stop, StopSignal};
use takeover_engine::storage::{Condition, Location, Storage};
use takeover_harness::text::{grouped, plural};

/// What `merge` reads.
///
/// # Errors
/// When the address is wrong, or its storage cannot be opened.
pub fn source(run: &Path) -> anyhow::Result<ShardSource> {
    if Location::is_named_by(run) {
        return Ok(ShardSource::Stored(storages().open(&run.to_string_lossy().parse()?)?));
    }
    Ok(ShardSource::Folder(run.to_owned()))
}

/// Shards to merge, some of them in storages, or to be written to one.
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
pub fn merge_stored(of: &MergedRuns<'_>, printing: Printing) -> anyhow::Result<Exit> {
    let MergedRuns { ref runs, out, partial, force, wait } = *of;
    if let Some(longest) = wait
        && let Some(signal) = await_shards(runs, longest)?
    {
        output::say("stopped while waiting for shards: nothing was merged");
        return Ok(Ending::Stopped(signal).into());
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
    let merged = match whole(ShardMerge { runs: runs.clone(), out: folder.clone(), partial, force }) {
        Ok(merged) if merged.unwritten.is_none() => merged,
        // There is nothing to store, but something to say.
        other => return print(other, &folder, printing),
    };
    upload(&folder, storage.as_ref())?;
    let report = merged_report(storage.as_ref())?;
    printing.print(&report.with_context(|| format!("the merged run is gone from `{location}`"))?)?;
    output::say(&format!("the merged run is stored at `{location}`"));
    Ok(merged.ending.into())
}

/// The file that says that a run is complete, written last.
const RECORD: &str = "run.json";

/// Writes the files of a run folder to a storage, replacing a run that is there. The merge counts once its record is written.
fn upload(folder: &Path, storage: &dyn Storage) -> anyhow::Result<()> {
    let mut names = vec![];
    for below in ["", "findings"] {
        let at = folder.join(below);
        let entries = std::fs::read_dir(&at).with_context(|| format!("failed to read `{}`", at.display()))?;
        let files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(|path| path.is_file()).collect();
        let name = |path: &PathBuf| path.strip_prefix(folder).ok()?.to_str().map(str::to_owned);
        names.extend(files.iter().filter_map(name).filter(|name| !name.starts_with('.') && name != RECORD));
    }
    if storage.find(RECORD)?.is_some() {
        storage.remove(RECORD)?;
        for old in storage.list("findings")?.iter().filter(|old| !names.contains(&old.name)) {
            storage.remove(&old.name)?;
        }
    }
    names.push(RECORD.to_owned());
    for name in names {
        let file = folder.join(&name);
        let content = std::fs::read_to_string(&file).with_context(|| format!("failed to read `{}`", file.display()))?;
        // Commands name files as they are found by whoever fetches them, and the run by its address.
        let content = content.replace(&format!("{}/", folder.display()), "");
        let content = content.replace(&*folder.to_string_lossy(), &storage.location().to_string()).into_bytes();
        storage.write(&name, content, &Condition::Always)?;
    }
    Ok(())
}

/// Waits until every storage has the results of all shards, or somebody asks this process to stop.
fn await_shards(runs: &[ShardSource], longest: Duration) -> anyhow::Result<Option<StopSignal>> {
    let stop = Stop::on_signals(|| ());
    let waited = wait_for_all(runs, longest, stop);
    // Merging is short: from here on, a signal may end the process.
    Stop::end_on_signals();
    waited?;
    Ok(stop.asked())
}

fn wait_for_all(runs: &[ShardSource], longest: Duration, stop: &Stop) -> anyhow::Result<()> {
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
            let until = Instant::now() + LOOK.min(longest.saturating_sub(begin.elapsed()));
            while Instant::now() < until {
                if stop.asked().is_some() {
                    return Ok(());
                }
                std::thread::sleep(Duration::from_millis(100));
            }
        }
    }
    Ok(())
}

/// Run folders as what `merge` reads.
pub fn folders(runs: Vec<PathBuf>) -> Vec<ShardSource> {
    runs.into_iter().map(ShardSource::Folder).collect()
}

/// The run that the shards make.
///
/// # Errors
/// Those of merging.
pub fn whole(of: ShardMerge) -> anyhow::Result<ConcludedRun> {
    let notes = JudgingNotes::default();
    let line = GatheringLine::default();
    let (concluded, notes) = merge(&of, &host(&line, &notes, Stop::never()))?;
    for note in notes {
        output::say(&format!("note: {note}"));
    }
    Ok(concluded)
}
