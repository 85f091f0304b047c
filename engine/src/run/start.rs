//! A run from beginning to end.

use super::checkpoint::{Checkpoint, CheckpointFiles};
use super::conclude::{ConcludedRun, JudgedRun, conclude};
use super::distrusted::Distrusted;
use super::host::RunHost;
use super::judge::{judge_generated, judge_recorded, tell_trouble};
use super::judge_stored::judge_stored;
use super::prepare::{checked_generators, worker_pool};
use super::record::RunRecord;
use super::recorded_parts::StoredInputs;
use super::state::{self, Saved, State};
use super::stored::{ShardKeeper, conclude_shard};
use super::unwritten::Unwritten;
use crate::isolate::RunWorkers;
use crate::pairs::{Preparation, announced_pairs, shown};
use crate::plan::{RunKeeping, RunPlan, check_marks};
use crate::run_folder::RunFolder;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use takeover_harness::judge::Judge;
use takeover_harness::metrics::Metrics;
use takeover_harness::pair::Pair;
use takeover_harness::runner::{Run, Shard};

/// Makes a run.
///
/// # Errors
/// Returns an error when the configuration is wrong or the run folder cannot be written, and [`super::Distrusted`] when the
/// harness missed a fault.
pub fn run(plan: &RunPlan, keeping: &RunKeeping, host: &RunHost<'_>) -> anyhow::Result<ConcludedRun> {
    plan.check_inputs()?;
    let pairs = announced_pairs(&plan.judging, &plan.isolation, host.say)?;
    check_marks(&plan.judging.assume_covered, &pairs)?;
    run_on(plan, &pairs, keeping, host)
}

fn run_on(plan: &RunPlan, pairs: &[Pair], keeping: &RunKeeping, host: &RunHost<'_>) -> anyhow::Result<ConcludedRun> {
    let folder = RunFolder::create(&keeping.folder, keeping.force)?;
    run_rest(plan, pairs, folder, keeping, None, host)
}

/// Runs what `earlier` left over, or everything if there is no earlier part.
pub(super) fn run_rest(
    plan: &RunPlan,
    pairs: &[Pair],
    folder: RunFolder,
    keeping: &RunKeeping,
    earlier: Option<(RunRecord, Saved)>,
    host: &RunHost<'_>,
) -> anyhow::Result<ConcludedRun> {
    let metrics = Arc::new(Metrics::new(&plan.metrics_prefix)?);
    let folder = Arc::new(folder);
    let pool = worker_pool(plan, pairs, host.say);
    let generators = checked_generators(plan, pairs, &pool, host.notes)?;
    let judges: Vec<Judge<'_>> = pairs.iter().map(Judge::new).collect();
    let workers = RunWorkers { pool: &pool, generators: &generators };
    let watch = |subject| host.notes.at(subject);
    let planting = |number| shown().prepared(Preparation::Faults, number as u64, judges.len() as u64);
    let run = Run::new(&judges, plan.jobs).metrics(&metrics).with_controls_shown(&planting);
    let run = run.elsewhere(&workers).watched(&watch);
    shown().done();

    let stored = StoredInputs::list(&plan.recorded, host.storages)?;
    let keeper = match &keeping.storage {
        Some(place) => Some(Arc::new(ShardKeeper::open(&place.parse()?, plan.shard, host)?)),
        None => None,
    };
    let mut record = RunRecord::new(plan, pairs, &generators, stored.marks());
    let settings = state::bound(plan);
    let saved = match earlier {
        Some((earlier, saved)) => {
            record.check_continues(&earlier, folder.path(), saved.state.recorded_all)?;
            saved.state.check_settings(&settings).map_err(|difference| {
                let place = folder.path().display();
                anyhow::anyhow!(
                    "cannot resume the run in `{place}`: `run.json` was changed since its checkpoint: {difference}"
                )
            })?;
            // What a stopped part of the run reported is no longer so when more is judged.
            folder.clear_report()?;
            saved
        }
        None => Saved::default(),
    };
    if keeper.is_none() {
        record.run_here(folder.path());
    }
    folder.write_json("run.json", &record)?;

    let mut state = State { settings, ..saved.state };
    let mut evidence = saved.evidence.unwrap_or_default();
    run.count_earlier(&evidence);
    generators.add_health(&state.health);

    host.progress.begin(plan.own_budget());
    let metrics_file = plan.metrics_file.clone();
    let files = CheckpointFiles {
        folder: Arc::clone(&folder),
        metrics,
        metrics_file,
        keeper: keeper.clone().map(|keeper| (keeper, Arc::new(record.clone()))),
        trouble: Arc::default(),
    };
    let checkpoint = Checkpoint::new(files, keeping.checkpoint_every, &evidence);
    // A place that cannot be written is better known before the run than after it.
    checkpoint.write_metrics()?;
    let mut unwritten = Unwritten::default();
    if !state.recorded_all {
        let recorded = judge_recorded(plan, pairs, &run, &evidence, &mut state, &checkpoint, host)?;
        evidence.merge(recorded)?;
        unwritten.note(checkpoint.save(&evidence, &state));
    }
    let recorded_all = state.recorded_all
        && !unwritten.is_some()
        && judge_stored(plan, pairs, &run, stored.parts(), &mut evidence, &mut state, &checkpoint, host)?;
    if recorded_all {
        let generated = judge_generated(plan, &run, &generators, &evidence, &mut state, &checkpoint, host)?;
        evidence.merge(generated)?;
    }
    let is_whole = host.stop.asked().is_none() && !unwritten.is_some() && !checkpoint.is_faulty();
    host.progress.end(evidence.findings());
    evidence.check().map_err(|unlawful| Distrusted(unlawful.to_string()))?;
    unwritten.note(checkpoint.save(&evidence, &state));

    record.cases = state.cases;
    record.unreadable = state.unreadable + state.stored.unreadable;
    record.unreadable_parts = state.stored.unreadable;
    unwritten.note(checkpoint.write_metrics());
    let judged = JudgedRun { evidence: &evidence, health: &state.health, pairs, judges: &judges, pool: &pool };
    tell_trouble(&checkpoint, host);
    if let Some(keeper) = &keeper {
        let (far, kept) = ((state.far(plan), is_whole), (&*folder, &**keeper));
        let concluded = conclude_shard(&mut record, &judged, far, unwritten, kept, host);
        host.progress.done();
        return Ok(concluded);
    }
    let concluded = conclude(&mut record, &judged, (state.far(plan), is_whole), unwritten, &folder, host)?;
    if record.finished {
        folder.remove(state::FILE)?;
    }
    host.progress.done();
    Ok(concluded)
}

/// Returns the folder of a run for which none is named.
pub fn default_folder(started: jiff::Timestamp, seed: u64, shard: Shard) -> PathBuf {
    let shard = if shard.is_whole() { String::new() } else { format!("-{}-of-{}", shard.number(), shard.of()) };
    let name = format!("{}-{}{shard}", started.strftime("%Y%m%dT%H%M%SZ"), seed);
    let place = |name: &str| Path::new("target").join("takeover").join(name);
    // One that began within the same second may have the same name.
    let later = (2..).map(|number: u32| place(&format!("{name}-{number}")));
    std::iter::once(place(&name)).chain(later).find(|place| !place.exists()).unwrap_or_else(|| place(&name))
}

#[cfg(test)]
mod tests {
    use super::{RunHost, RunKeeping, RunPlan, run_on};
    use crate::ending::Ending;
    use crate::isolate::JudgingNotes;
    use crate::pairs::pairs;
    use crate::plan::{JudgingPlan, RunBudget};
    use crate::run::Unseen;
    use crate::stop::Stop;
    use crate::storage::FoldersOnly;
    use std::time::Duration;
    use takeover_harness::case::Operation;
    use takeover_harness::object::Arena;
    use takeover_harness::oracle::{Answer, Objects, Oracle, OracleFailure, Precision, Question, View};
    use takeover_reports::Look;

    /// Another oracle that panics on every update.
    struct Panicking(Box<dyn Oracle>);

    impl Oracle for Panicking {
        fn precision(&self) -> Precision {
            self.0.precision()
        }

        fn view<'a>(&self, objects: &Objects<'a>, arena: &'a Arena) -> Result<View<'a>, OracleFailure> {
            self.0.view(objects, arena)
        }

        fn answer(&self, question: &Question<'_>, view: &View<'_>, answer: &mut Answer) -> Result<(), OracleFailure> {
            assert!(question.operation == Operation::Create, "planted panic");
            self.0.answer(question, view, answer)
        }
    }

    #[test]
    fn a_panicking_side_is_a_finding_with_a_minimal_case_and_costs_no_other_case() {
        for panicking in ["reference", "candidate"] {
            let folder = tempfile::tempdir().unwrap();
            let kinds = vec!["ReplicationController".to_owned()];
            let plan = RunPlan {
                judging: JudgingPlan { kinds, seed: 1, ..JudgingPlan::default() },
                budget: RunBudget::Cases(600),
                metrics_file: Some(folder.path().join("metrics")),
                ..RunPlan::default()
            };
            let keeping = RunKeeping {
                folder: folder.path().join("run"),
                checkpoint_every: Duration::from_secs(5),
                force: false,
                storage: None,
            };
            let host = RunHost {
                program: "takeover",
                look: Look::plain(140),
                say: &|_| (),
                progress: &Unseen,
                notes: &JudgingNotes::default(),
                stop: Stop::never(),
                storages: &FoldersOnly,
            };
            let mut pairs = pairs(&plan.judging, &plan.isolation).unwrap();
            let pair = &mut pairs[0];
            let side = if panicking == "reference" { &mut pair.reference } else { &mut pair.candidate };
            let inner = std::mem::replace(side, Box::new(crate::pairs::self_check::Panicking));
            *side = Box::new(Panicking(inner));
            let concluded = run_on(&plan, &pairs, &keeping, &host).unwrap();
            assert_eq!(concluded.ending, Ending::Findings, "{panicking}");
            let report = &concluded.report.subjects[0];
            assert!(report.totals.panicked > 0 && report.totals.agreed_accept > 0, "{panicking}: {:?}", report.totals);
            let label = format!("v1 ReplicationController update panic of the {panicking}");
            let finding = report.findings.iter().find(|finding| finding.signature == label).unwrap();
            assert!(finding.first.contains("planted panic"), "{}", finding.first);
            assert_eq!(finding.minimal_lines, Some(2), "an empty object panics too");
            let metrics = std::fs::read_to_string(folder.path().join("metrics")).unwrap();
            let counted = format!(
                "takeover_oracle_panics_total{{side=\"{panicking}\",validation_identifier=\"replicationcontroller_update\"}} {}",
                report.totals.panicked
            );
            assert!(metrics.contains(&counted), "{counted}\n{metrics}");
        }
    }
}
