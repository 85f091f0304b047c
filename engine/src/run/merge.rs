//! Merges the shards of a run.

use super::conclude::{ConcludedRun, JudgedRun, conclude};
use super::distrusted::Distrusted;
use super::host::RunHost;
use super::prepare::{checked_generators, worker_pool};
use super::record::{Merged, RunRecord};
use super::stored::{Gathered, StoredShard, each};
use super::unwritten::Unwritten;
use crate::pairs::pairs;
use crate::plan::Isolation;
use crate::program::program_name;
use crate::run_folder::{self, RunFolder};
use crate::storage::Storage;
use anyhow::Context as _;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use takeover_harness::evidence::Evidence;
use takeover_harness::judge::Judge;
use takeover_harness::runner::{Added, Assembly, Shard};
use takeover_harness::text::grouped;
use takeover_reports::run::Unfinished;

/// What to merge.
#[derive(Debug)]
pub struct ShardMerge {
    /// Where the shards are.
    pub runs: Vec<ShardSource>,
    /// The run folder to write.
    pub out: PathBuf,
    /// Whether shards may be missing.
    pub partial: bool,
    /// Whether a run that is there already is replaced.
    pub force: bool,
}

/// Where shards are.
#[derive(Clone, Debug)]
pub enum ShardSource {
    /// The run folder of one.
    Folder(PathBuf),
    /// A storage with the results of many.
    Stored(Arc<dyn Storage>),
}

/// What of the shards is known before they are all there.
#[derive(Default)]
struct Parts {
    /// The first one, with its place.
    first: Option<(String, RunRecord)>,
    places: BTreeMap<Shard, String>,
    assembly: Assembly,
    gathered: Gathered,
    notes: Vec<String>,
}

impl Parts {
    /// Adds a shard, which is not kept.
    fn add(&mut self, found: StoredShard) -> anyhow::Result<()> {
        let StoredShard { place, record, health, evidence } = found;
        let shard = record.plan.shard;
        let known = self.places.get(&shard).or(self.first.as_ref().map(|(place, _)| place)).unwrap_or(&place);
        if let Some(Err(difference)) = self.first.as_ref().map(|(_, first)| first.same_run(&record)) {
            anyhow::bail!("`{known}` and `{place}` are not shards of the same run: {difference}");
        }
        match self.assembly.add(shard, evidence) {
            Ok(Added::New) => {
                self.gathered.add(&record, &health);
                self.first.get_or_insert_with(|| (place.clone(), record));
                self.places.insert(shard, place);
            }
            Ok(Added::Again) => {
                self.notes.push(format!("`{place}` is shard {shard}, like `{known}`: it is counted once"));
            }
            Err(error) => anyhow::bail!("cannot merge `{known}` and `{place}`: {error}"),
        }
        Ok(())
    }
}

/// The first of many shards, and how many more there are.
fn named(shards: &[Shard]) -> String {
    const MOST: usize = 8;
    let names: Vec<String> = shards.iter().take(MOST).map(ToString::to_string).collect();
    let more = shards.len().saturating_sub(MOST);
    let more = if more > 0 { format!(" and {} more", grouped(more as u64)) } else { String::new() };
    format!("{}{more}", names.join(", "))
}

/// Adds up the evidence of the shards, and writes what the whole run would have written. Also returns notes on shards that are
/// given twice. Memory does not grow with the number of shards, but for their names.
///
/// # Errors
/// Returns an error when a folder holds no finished run, the shards are not of one run, one is missing, or the folder cannot be
/// written.
pub fn merge(merge: &ShardMerge, host: &RunHost<'_>) -> anyhow::Result<(ConcludedRun, Vec<String>)> {
    let folders: Vec<PathBuf> = merge.runs.iter().filter_map(ShardSource::folder).map(Path::to_owned).collect();
    RunFolder::check_of(&merge.out, &folders, merge.force)?;
    let mut parts = Parts::default();
    for source in &merge.runs {
        match source {
            ShardSource::Folder(root) => parts.add(read(root)?)?,
            ShardSource::Stored(storage) => {
                let found = each(storage.as_ref(), host.progress, &mut |shard| parts.add(shard))?;
                anyhow::ensure!(found > 0, "`{}` holds no result of a shard", storage.location());
            }
        }
    }
    let Parts { first, assembly, gathered, notes, .. } = parts;
    let Some((first, mut record)) = first else { anyhow::bail!("no run to merge") };
    let missing: Vec<Shard> = assembly.missing().collect();
    anyhow::ensure!(
        missing.is_empty() || merge.partial,
        "shard {} is missing; --partial merges the others anyway",
        named(&missing)
    );
    record.merged = Some(Merged { shards: assembly.shards().collect(), missing });
    record.plan.shard = Shard::WHOLE;
    record.cases = gathered.cases;
    record.unreadable = record.unreadable - record.unreadable_parts + gathered.unreadable_parts;
    record.unreadable_parts = gathered.unreadable_parts;

    // Where one shard needed workers, showing its findings again needs them, too.
    if gathered.isolated {
        record.plan.isolation = Isolation::All;
    }
    let pairs = pairs(&record.plan.judging, &record.plan.isolation)?;
    let pool = worker_pool(&record.plan, &pairs, host.say);
    let generators = checked_generators(&record.plan, &pairs, &pool, host.notes)?;
    let judges: Vec<Judge<'_>> = pairs.iter().map(Judge::new).collect();
    if let Err(difference) = record.same_rules(&RunRecord::new(&record.plan, &pairs, &generators, Vec::new())) {
        anyhow::bail!("this program cannot merge the run in `{first}`: {difference}");
    }
    generators.add_health(&gathered.health);
    let Some(evidence) = assembly.sum() else { anyhow::bail!("no run to merge") };
    evidence.check().map_err(|unlawful| Distrusted(unlawful.to_string()))?;
    let folder = RunFolder::create_of(&merge.out, &folders, merge.force)?;
    record.run_here(folder.path());
    let health = generators.health();
    let judged = JudgedRun { evidence: &evidence, health: &health, pairs: &pairs, judges: &judges, pool: &pool };
    let concluded = conclude(&mut record, &judged, (Unfinished::default(), true), Unwritten::default(), &folder, host)?;
    Ok((concluded, notes))
}

impl ShardSource {
    fn folder(&self) -> Option<&Path> {
        match self {
            Self::Folder(root) => Some(root),
            Self::Stored(_) => None,
        }
    }
}

fn read(root: &Path) -> anyhow::Result<StoredShard> {
    let record = RunRecord::read(root)?;
    anyhow::ensure!(
        record.finished,
        "the run in `{}` is not finished: resume it with `{} soak --resume {0}`",
        root.display(),
        program_name()
    );
    anyhow::ensure!(
        record.merged.as_ref().is_none_or(|merged| merged.missing.is_empty()),
        "`{}` was merged with --partial: merge the shards themselves",
        root.display()
    );
    anyhow::ensure!(
        !root.join("production.json").is_file(),
        "`{}` already contains the evidence of servers: merge its parts instead",
        root.display()
    );
    let evidence = Evidence::from_json(&run_folder::read(root, "evidence.json")?)
        .with_context(|| format!("failed to parse `{}`", root.join("evidence.json").display()))?;
    let health = run_folder::read_json(root, "health.json")?;
    Ok(StoredShard { place: root.display().to_string(), record, health, evidence })
}
