//! A run from its begin to its end.

use super::checkpoint::Checkpoint;
use super::conclude::{Care, Soaked, conclude};
use super::judge::{judge_generated, judge_recorded};
use super::progress::Display;
use super::record::RunRecord;
use super::resume;
use super::state::{self, Saved};
use crate::isolate::{Crew, Setting, Watcher, Workers};
use crate::pairs::self_check;
use crate::pairs::source::Generators;
use crate::pairs::subjects;
use crate::plan::{Plan, check_inputs, matcher};
use crate::run_folder::RunFolder;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use takeover_corpora::recorded::cases_of;
use takeover_harness::compare::Matcher;
use takeover_harness::evidence::Evidence;
use takeover_harness::judge::Judge;
use takeover_harness::metrics::Metrics;
use takeover_harness::runner::{Run, Shard};
use takeover_harness::subject::Subject;

/// A run whose results cannot be trusted: the harness itself is at fault.
#[derive(Debug, thiserror::Error)]
#[error("the harness failed its own checks: {0}")]
pub struct Distrusted(pub(super) String);

/// Soaks. `watcher` is told which subjects are judged.
///
/// # Errors
/// Wrong configuration, a run folder that cannot be written, and [`Distrusted`].
pub fn run(plan: &Plan, watcher: &Watcher) -> anyhow::Result<Soaked> {
    check_inputs(plan)?;
    run_on(plan, &subjects(plan)?, watcher)
}

fn run_on(plan: &Plan, subjects: &[Subject], watcher: &Watcher) -> anyhow::Result<Soaked> {
    let place = plan.out.clone().unwrap_or_else(|| default_folder(jiff::Timestamp::now(), plan.seed, plan.shard));
    soak(plan, subjects, RunFolder::create(&place)?, None, watcher)
}

/// Runs what `earlier` left over; all, without it.
pub(super) fn soak(
    plan: &Plan,
    subjects: &[Subject],
    folder: RunFolder,
    earlier: Option<(RunRecord, Saved)>,
    watcher: &Watcher,
) -> anyhow::Result<Soaked> {
    let metrics = Arc::new(Metrics::new(&plan.metrics_prefix)?);
    let folder = Arc::new(folder);
    let matchers: Vec<Matcher<'_>> = subjects.iter().map(|subject| matcher(subject, plan.semantics)).collect();
    let crew = crew(plan, subjects);
    let generators = checked_generators(plan, subjects, &matchers, &crew, watcher)?;
    let judges: Vec<Judge<'_>> =
        subjects.iter().zip(&matchers).map(|(subject, matcher)| Judge::new(subject, matcher.clone())).collect();
    let workers = Workers { crew: &crew, generators: &generators };
    let watch = |subject| watcher.at(subject);
    let run = Run::new(&judges, plan.jobs).metrics(&metrics).with_controls().elsewhere(&workers).watched(&watch);

    let mut record = RunRecord::new(plan, subjects, &generators);
    let saved = match earlier {
        Some((earlier, saved)) => {
            resume::check(&folder, &earlier, &record, &saved)?;
            saved
        }
        None => Saved::default(),
    };
    folder.write_json("run.json", &record)?;

    let Some(first) = matchers.first() else { anyhow::bail!("there is no subject to judge") };
    let mut state = saved.state;
    let mut evidence = saved.evidence.unwrap_or_else(|| Evidence::new(first));
    run.count_earlier(&evidence);
    generators.add_health(&state.health);

    let display = Display::new(plan.budget);
    let checkpoint =
        Checkpoint::new(Arc::clone(&folder), metrics, plan.metrics_file.clone(), plan.checkpoint_every, &evidence);
    // A place that cannot be written is better known before the run than after it.
    checkpoint.write_metrics()?;
    if !state.recorded_all {
        evidence.merge(judge_recorded(plan, subjects, &run, &mut state, &checkpoint, &display)?)?;
        checkpoint.save(&evidence, &state)?;
    }
    evidence.merge(judge_generated(plan, &run, &generators, &mut state, &checkpoint, &display)?)?;
    display.finish();
    evidence.check().map_err(|unlawful| Distrusted(unlawful.to_string()))?;
    checkpoint.save(&evidence, &state)?;

    record.cases = state.cases;
    record.unreadable = state.unreadable;
    checkpoint.write_metrics()?;
    let soaked =
        conclude(&mut record, &evidence, &state.health, subjects, &judges, Care { crew: &crew, watcher }, &folder)?;
    folder.remove(state::FILE)?;
    Ok(soaked)
}

/// The workers of a run; none is started before it is needed.
pub(super) fn crew(plan: &Plan, subjects: &[Subject]) -> Crew {
    let isolated = |subject: &Subject| (subject.id.clone(), plan.isolation.takes(&subject.id));
    Crew::new(Setting::of(plan), plan.worker, subjects.iter().map(isolated).collect())
}

/// The generators of the subjects, once the harness has shown on their cases that it would notice a fault.
pub(super) fn checked_generators(
    plan: &Plan,
    subjects: &[Subject],
    matchers: &[Matcher<'_>],
    crew: &Crew,
    watcher: &Watcher,
) -> anyhow::Result<Generators> {
    let builtin: Vec<_> = subjects.iter().map(cases_of).collect();
    let generators = Generators::new(subjects, &builtin, plan.seed, crew, watcher)?;
    for (index, ((subject, matcher), cases)) in subjects.iter().zip(matchers).zip(&builtin).enumerate() {
        let fault = if crew.takes(index) {
            crew.check(index)?
        } else {
            let generated = generators.sample(index);
            watcher.at(Some(index));
            self_check::check(subject, matcher, cases.iter().chain(&generated)).err()
        };
        watcher.at(None);
        if let Some(fault) = fault {
            return Err(Distrusted(format!("{}: {fault}", subject.id)).into());
        }
    }
    Ok(generators)
}

/// Where a run goes that is not told where.
pub fn default_folder(started: jiff::Timestamp, seed: u64, shard: Shard) -> PathBuf {
    let shard = if shard.is_whole() { String::new() } else { format!("-{}-of-{}", shard.number(), shard.of()) };
    let name = format!("{}-{}{shard}", started.strftime("%Y%m%dT%H%M%SZ"), seed);
    Path::new("target").join("takeover").join(name)
}

#[cfg(test)]
mod tests {
    use super::{Plan, Watcher, run_on, subjects};
    use crate::exit_code::Exit;
    use crate::isolate::Limits as WorkerLimits;
    use crate::pairs::Isolation;
    use crate::plan::Budget;
    use std::num::NonZeroUsize;
    use std::time::Duration;
    use takeover_harness::case::Operation;
    use takeover_harness::compare::Semantics;
    use takeover_harness::error::ErrorList;
    use takeover_harness::exception::Exceptions;
    use takeover_harness::oracle::{Objects, Oracle, OracleFailure, Prepared, View};
    use takeover_harness::readiness::Policy;
    use takeover_harness::runner::Shard;

    /// Another oracle that panics on every update.
    struct Panicking(Box<dyn Oracle>);

    impl Oracle for Panicking {
        fn prepare(&self, objects: &Objects<'_>) -> Result<View, OracleFailure> {
            self.0.prepare(objects)
        }

        fn validate(&self, case: &Prepared<'_>, errors: &mut ErrorList) -> Result<(), OracleFailure> {
            assert!(case.operation == Operation::Create, "planted panic");
            self.0.validate(case, errors)
        }
    }

    #[test]
    fn a_panicking_side_is_a_finding_with_a_minimal_case_and_costs_no_other_case() {
        for panicking in ["reference", "candidate"] {
            let folder = tempfile::tempdir().unwrap();
            let plan = Plan {
                kinds: vec!["ReplicationController".to_owned()],
                budget: Budget::Cases(600),
                seed: 1,
                jobs: NonZeroUsize::MIN,
                shard: Shard::WHOLE,
                checkpoint_every: Duration::from_secs(5),
                out: Some(folder.path().join("run")),
                recorded: Vec::new(),
                doubtful: false,
                sample: None,
                dedup: None,
                builtin: true,
                idl: None,
                semantics: Semantics::default(),
                metrics_file: Some(folder.path().join("metrics")),
                metrics_prefix: String::new(),
                policy: Policy::default(),
                exceptions: Exceptions::default(),
                max_document: 64,
                field_validation: takeover_harness::object::FieldValidation::Warn,
                isolation: Isolation::default(),
                worker: WorkerLimits::default(),
                plants: Vec::new(),
            };
            let mut subjects = subjects(&plan).unwrap();
            let subject = &mut subjects[0];
            let side = if panicking == "reference" { &mut subject.reference } else { &mut subject.candidate };
            let inner = std::mem::replace(side, Box::new(crate::pairs::self_check::Panicking));
            *side = Box::new(Panicking(inner));
            let soaked = run_on(&plan, &subjects, &Watcher::default()).unwrap();
            assert_eq!(soaked.exit, Exit::Findings, "{panicking}");
            let report = &soaked.report.subjects[0];
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
