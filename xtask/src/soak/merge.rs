//! Putting the shards of a run together.

use super::record::{Merged, RunRecord};
use super::setting::subjects;
use super::{Care, Distrusted, Isolation, Soaked, Watcher, checked_generators, conclude, crew, matcher};
use crate::run_folder::{self, RunFolder};
use anyhow::Context as _;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use takeover_corpora::generate::Health;
use takeover_harness::compare::Matcher;
use takeover_harness::evidence::Evidence;
use takeover_harness::judge::Judge;
use takeover_harness::runner::Shard;

/// What to put together.
#[derive(Debug)]
pub struct Merge {
    /// Run folders of the shards.
    pub runs: Vec<PathBuf>,
    /// The run folder to write.
    pub out: PathBuf,
    /// Whether shards may be missing.
    pub partial: bool,
}

/// A shard as its run folder has it.
struct Part {
    root: PathBuf,
    record: RunRecord,
    /// The file, byte for byte.
    evidence: String,
    health: Vec<Health>,
}

/// Adds up the evidence of the shards, and writes what the whole run would have written. Notes on shards that are given twice come
/// with it.
///
/// # Errors
/// When a folder holds no finished run, the shards are not of one run, one is missing, or the folder cannot be written.
pub fn merge(merge: &Merge) -> anyhow::Result<(Soaked, Vec<String>)> {
    let mut parts: BTreeMap<Shard, Part> = BTreeMap::new();
    let mut notes = Vec::new();
    for root in &merge.runs {
        let part = read(root)?;
        let shard = part.record.plan.shard;
        if let Some(first) = parts.values().next() {
            belong_together(first, &part)?;
        }
        match parts.get(&shard) {
            None => {
                parts.insert(shard, part);
            }
            Some(known) if known.evidence == part.evidence => {
                let (known, again) = (known.root.display(), root.display());
                notes.push(format!("`{again}` is shard {shard}, as `{known}` is: it is counted once"));
            }
            Some(known) => anyhow::bail!(
                "`{}` and `{}` are both shard {shard}, and their evidence differs: leave one out",
                known.root.display(),
                root.display()
            ),
        }
    }
    let Some((&any, first)) = parts.first_key_value() else { anyhow::bail!("there is no run to merge") };
    let mut record = first.record.clone();
    let missing: Vec<Shard> = any.all().filter(|shard| !parts.contains_key(shard)).collect();
    let names: Vec<String> = missing.iter().map(ToString::to_string).collect();
    anyhow::ensure!(
        missing.is_empty() || merge.partial,
        "shard {} is missing; --partial merges the others",
        names.join(", ")
    );
    record.merged = Some(Merged { shards: parts.keys().copied().collect(), missing });
    record.plan.shard = Shard::WHOLE;
    record.cases = parts.values().map(|part| part.record.cases).sum();

    // Where one shard needed workers, showing its findings again needs them, too.
    if parts.values().any(|part| part.record.plan.isolation != Isolation::None) {
        record.plan.isolation = Isolation::All;
    }
    let subjects = subjects(&record.plan)?;
    let matchers: Vec<Matcher<'_>> = subjects.iter().map(|subject| matcher(subject, record.plan.semantics)).collect();
    let crew = crew(&record.plan, &subjects);
    let generators = checked_generators(&record.plan, &subjects, &matchers, &crew, &Watcher::default())?;
    let judges: Vec<Judge<'_>> =
        subjects.iter().zip(&matchers).map(|(subject, matcher)| Judge::new(subject, matcher.clone())).collect();
    if let Err(difference) = record.same_rules(&RunRecord::new(&record.plan, &subjects, &generators)) {
        anyhow::bail!("this program cannot merge the run in `{}`: {difference}", first.root.display());
    }
    let Some(matcher) = matchers.first() else { anyhow::bail!("there is no subject to judge") };
    let mut evidence = Evidence::new(matcher);
    for part in parts.values() {
        let read = Evidence::from_json(&part.evidence);
        let place = || format!("failed to merge `{}`", part.root.join("evidence.json").display());
        evidence.merge(read.with_context(place)?).with_context(place)?;
        generators.add_health(&part.health);
    }
    evidence.check().map_err(|unlawful| Distrusted(unlawful.to_string()))?;
    let folder = create(&merge.out, &merge.runs)?;
    let care = Care { crew: &crew, watcher: &Watcher::default() };
    let soaked = conclude(&mut record, &evidence, &generators.health(), &subjects, &judges, care, &folder)?;
    Ok((soaked, notes))
}

fn read(root: &Path) -> anyhow::Result<Part> {
    let record: RunRecord = run_folder::read_json(root, "run.json")?;
    anyhow::ensure!(record.finished, "the run in `{}` is not finished: `soak --resume` finishes it", root.display());
    anyhow::ensure!(
        record.merged.as_ref().is_none_or(|merged| merged.missing.is_empty()),
        "`{}` was merged from a part of the shards: merge the shards themselves",
        root.display()
    );
    let evidence = run_folder::read(root, "evidence.json")?;
    Ok(Part { root: root.to_owned(), record, evidence, health: run_folder::read_json(root, "health.json")? })
}

fn belong_together(one: &Part, other: &Part) -> anyhow::Result<()> {
    let same = one.record.same_run(&other.record).and_then(|()| {
        let (one, other) = (one.record.plan.shard.of(), other.record.plan.shard.of());
        if one == other { Ok(()) } else { Err(format!("one is cut into {one} shards, the other into {other}")) }
    });
    same.map_err(|difference| {
        let (one, other) = (one.root.display(), other.root.display());
        anyhow::anyhow!("`{one}` and `{other}` are not shards of one run: {difference}")
    })
}

/// The folder to write, which is none of those that were read.
fn create(out: &Path, runs: &[PathBuf]) -> anyhow::Result<RunFolder> {
    let same = |run: &PathBuf| match (run.canonicalize(), out.canonicalize()) {
        (Ok(run), Ok(out)) => run == out,
        _ => false,
    };
    anyhow::ensure!(!runs.iter().any(same), "--out `{}` is one of the runs to merge", out.display());
    RunFolder::create(out)
}
