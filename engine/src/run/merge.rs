//! Merges the shards of a run.

use super::conclude::{ConcludedRun, JudgedRun, conclude};
use super::distrusted::Distrusted;
use super::host::RunHost;
use super::prepare::{checked_generators, worker_pool};
use super::record::{Merged, RunRecord};
use super::unwritten::Unwritten;
use crate::pairs::pairs;
use crate::plan::Isolation;
use crate::program::program_name;
use crate::run_folder::{self, RunFolder};
use anyhow::Context as _;
use std::path::{Path, PathBuf};
use takeover_corpora::generate::Health;
use takeover_harness::evidence::Evidence;
use takeover_harness::judge::Judge;
use takeover_harness::runner::{Added, Assembly, Shard};
use takeover_reports::run::Unfinished;

/// What to merge.
#[derive(Debug)]
pub struct ShardMerge {
    /// Run folders of the shards.
    pub runs: Vec<PathBuf>,
    /// The run folder to write.
    pub out: PathBuf,
    /// Whether shards may be missing.
    pub partial: bool,
    /// Whether a run that is there already is replaced.
    pub force: bool,
}

/// A shard as its run folder has it.
struct Part {
    root: PathBuf,
    record: RunRecord,
    health: Vec<Health>,
}

/// Adds up the evidence of the shards, and writes what the whole run would have written. Also returns notes on shards that are
/// given twice.
///
/// # Errors
/// Returns an error when a folder holds no finished run, the shards are not of one run, one is missing, or the folder cannot be
/// written.
pub fn merge(merge: &ShardMerge, host: &RunHost<'_>) -> anyhow::Result<(ConcludedRun, Vec<String>)> {
    RunFolder::check_of(&merge.out, &merge.runs, merge.force)?;
    let mut parts: Vec<Part> = Vec::new();
    let mut assembly = Assembly::default();
    let mut notes = Vec::new();
    for root in &merge.runs {
        let (part, evidence) = read(root)?;
        let shard = part.record.plan.shard;
        let known = parts.iter().find(|known| known.record.plan.shard == shard).or(parts.first());
        let known = known.map_or(root, |known| &known.root).display();
        if let Some(Err(difference)) = parts.first().map(|first| first.record.same_run(&part.record)) {
            anyhow::bail!("`{known}` and `{}` are not shards of the same run: {difference}", root.display());
        }
        match assembly.add(shard, evidence) {
            Ok(Added::New) => parts.push(part),
            Ok(Added::Again) => {
                notes.push(format!("`{}` is shard {shard}, like `{known}`: it is counted once", root.display()));
            }
            Err(error) => anyhow::bail!("cannot merge `{known}` and `{}`: {error}", root.display()),
        }
    }
    let Some(first) = parts.first() else { anyhow::bail!("no run to merge") };
    let mut record = first.record.clone();
    let missing: Vec<Shard> = assembly.missing().collect();
    let names: Vec<String> = missing.iter().map(ToString::to_string).collect();
    anyhow::ensure!(
        missing.is_empty() || merge.partial,
        "shard {} is missing; --partial merges the others anyway",
        names.join(", ")
    );
    record.merged = Some(Merged { shards: assembly.shards().collect(), missing });
    record.plan.shard = Shard::WHOLE;
    record.cases = parts.iter().map(|part| part.record.cases).sum();

    // Where one shard needed workers, showing its findings again needs them, too.
    if parts.iter().any(|part| part.record.plan.isolation != Isolation::None) {
        record.plan.isolation = Isolation::All;
    }
    let pairs = pairs(&record.plan.judging, &record.plan.isolation)?;
    let pool = worker_pool(&record.plan, &pairs, host.say);
    let generators = checked_generators(&record.plan, &pairs, &pool, host.notes)?;
    let judges: Vec<Judge<'_>> = pairs.iter().map(Judge::new).collect();
    if let Err(difference) = record.same_rules(&RunRecord::new(&record.plan, &pairs, &generators)) {
        anyhow::bail!("this program cannot merge the run in `{}`: {difference}", first.root.display());
    }
    for part in &parts {
        generators.add_health(&part.health);
    }
    let Some(evidence) = assembly.sum()? else { anyhow::bail!("no run to merge") };
    evidence.check().map_err(|unlawful| Distrusted(unlawful.to_string()))?;
    let folder = RunFolder::create_of(&merge.out, &merge.runs, merge.force)?;
    record.run_here(folder.path());
    let health = generators.health();
    let judged = JudgedRun { evidence: &evidence, health: &health, pairs: &pairs, judges: &judges, pool: &pool };
    let concluded = conclude(&mut record, &judged, (Unfinished::default(), true), Unwritten::default(), &folder, host)?;
    Ok((concluded, notes))
}

fn read(root: &Path) -> anyhow::Result<(Part, Evidence)> {
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
    Ok((Part { root: root.to_owned(), record, health: run_folder::read_json(root, "health.json")? }, evidence))
}
