//! A soak: recorded and generated cases through every subject, to evidence, findings and a report.

mod checkpoint;
mod findings;
mod finished;
mod health;
mod inputs;
mod isolate;
mod merge;
mod plant;
mod progress;
mod record;
mod resume;
mod self_check;
mod setting;
mod source;
mod state;

pub use finished::Finished;
pub use inputs::Inputs;
pub use isolate::{Absent, Crew, Limits as WorkerLimits, Post, Setting, Supervised, Watcher, serve, supervise};
pub use merge::{Merge, merge};
pub use plant::Plant;
pub use resume::{Continuation, Resumed, kinds_of, resume};
pub use setting::Isolation;

use crate::exit_code::Exit;
use crate::output;
use crate::run_folder::RunFolder;
use checkpoint::Checkpoint;
use isolate::Workers;
use progress::Display;
use record::RunRecord;
use serde::{Deserialize, Serialize};
use setting::subjects;
use source::Generators;
use state::{Saved, State};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use takeover_corpora::generate::Health;
use takeover_corpora::load::{Input, Limits, LoadedCase, load};
use takeover_corpora::recorded::cases_of;
use takeover_corpora::select::{Dedup, Sample, Selection};
use takeover_harness::compare::{Candidates, Matcher, Semantics};
use takeover_harness::evidence::Evidence;
use takeover_harness::exception::{Exceptions, Excuses};
use takeover_harness::judge::Judge;
use takeover_harness::metrics::Metrics;
use takeover_harness::object::FieldValidation;
use takeover_harness::readiness::Policy;
use takeover_harness::runner::{self, Control, Ended, Part, Progress, Run, Shard};
use takeover_harness::subject::{Subject, SubjectId};
use takeover_oracles::registry::{Registry, RegistryError};
use takeover_reports::html::html;
use takeover_reports::{Criteria, Look, Report};

/// How much is generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Budget {
    /// Exactly so many cases.
    Cases(u64),
    /// As many as this time allows.
    For(Duration),
}

/// What to soak, and how. Its JSON form is part of `run.json`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    /// Kinds or subjects; none is all.
    #[serde(default)]
    pub kinds: Vec<String>,
    /// How much is generated.
    pub budget: Budget,
    /// Seed of the generated cases.
    pub seed: u64,
    /// Threads.
    pub jobs: NonZeroUsize,
    /// The part of the run that is run here.
    pub shard: Shard,
    /// How often it is written where the run stands.
    #[serde(skip)]
    pub checkpoint_every: Duration,
    /// Run folder.
    #[serde(skip)]
    pub out: Option<PathBuf>,
    /// Inputs of the user.
    pub recorded: Vec<PathBuf>,
    /// Whether recorded updates count whose old object is not certain.
    #[serde(default)]
    pub doubtful: bool,
    /// How many of the recorded cases are used; none is all.
    #[serde(default)]
    pub sample: Option<Sample>,
    /// Which recorded cases count as repeated, and are left out.
    #[serde(default)]
    pub dedup: Option<Dedup>,
    /// Whether to use the objects recorded in this project.
    pub builtin: bool,
    /// Folder of Go types instead of the built-in ones.
    pub idl: Option<PathBuf>,
    /// Comparison algorithm.
    pub semantics: Semantics,
    /// Where to write metrics.
    pub metrics_file: Option<PathBuf>,
    /// Prefix of Kubernetes' metric names.
    pub metrics_prefix: String,
    /// How much evidence a rule needs.
    pub policy: Policy,
    /// What is excused, and as of when.
    #[serde(default)]
    pub exceptions: Exceptions,
    /// Largest document that is read, in MiB.
    pub max_document: u32,
    /// What happens to unknown and repeated fields.
    pub field_validation: FieldValidation,
    /// Which subjects are judged in worker processes.
    #[serde(default)]
    pub isolation: Isolation,
    /// What a worker may take.
    #[serde(default)]
    pub worker: WorkerLimits,
    /// Oracles to replace by misbehaving ones.
    #[serde(default)]
    pub plants: Vec<Plant>,
}

/// A run whose results cannot be trusted: the harness itself is at fault.
#[derive(Debug, thiserror::Error)]
#[error("the harness failed its own checks: {0}")]
pub struct Distrusted(String);

/// What came of it.
pub struct Soaked {
    /// The report.
    pub report: Report,
    /// The report for people.
    pub text: String,
    /// How it ended.
    pub exit: Exit,
}

/// Soaks. `watcher` is told which subjects are judged.
///
/// # Errors
/// Wrong configuration, a run folder that cannot be written, and [`Distrusted`].
pub fn run(plan: &Plan, watcher: &Watcher) -> anyhow::Result<Soaked> {
    check_inputs(plan)?;
    run_on(plan, &subjects(plan)?, watcher)
}

/// The subjects that kinds or names ask for, all without any, in the order of a run.
///
/// # Errors
/// When there are none of a name.
pub fn ids(kinds: &[String]) -> Result<Vec<SubjectId>, RegistryError> {
    let mut asked = BTreeSet::new();
    for kind in kinds {
        asked.extend(Registry::find(kind)?);
    }
    Ok(Registry::subjects().filter(|id| kinds.is_empty() || asked.contains(id)).collect())
}

fn run_on(plan: &Plan, subjects: &[Subject], watcher: &Watcher) -> anyhow::Result<Soaked> {
    let place = plan.out.clone().unwrap_or_else(|| default_folder(jiff::Timestamp::now(), plan.seed, plan.shard));
    soak(plan, subjects, RunFolder::create(&place)?, None, watcher)
}

/// Runs what `earlier` left over; all, without it.
fn soak(
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
    let soaked =
        conclude(&mut record, &evidence, &state.health, subjects, &judges, Care { crew: &crew, watcher }, &folder)?;
    checkpoint.write_metrics()?;
    folder.remove(state::FILE)?;
    Ok(soaked)
}

/// The workers of a run; none is started before it is needed.
fn crew(plan: &Plan, subjects: &[Subject]) -> Crew {
    let isolated = |subject: &Subject| (subject.id.clone(), plan.isolation.takes(&subject.id));
    Crew::new(Setting::of(plan), plan.worker, subjects.iter().map(isolated).collect())
}

/// The generators of the subjects, once the harness has shown on their cases that it would notice a fault.
fn checked_generators(
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

/// Who looks after oracles that are asked again.
#[derive(Clone, Copy)]
struct Care<'c> {
    crew: &'c Crew,
    watcher: &'c Watcher,
}

/// Writes what follows from the evidence, and last that the run is finished.
fn conclude(
    record: &mut RunRecord,
    evidence: &Evidence,
    health: &[Health],
    subjects: &[Subject],
    judges: &[Judge<'_>],
    care: Care<'_>,
    folder: &RunFolder,
) -> anyhow::Result<Soaked> {
    folder.write_durable("evidence.json", evidence.to_json()?.as_bytes())?;
    folder.write_json("health.json", &health)?;
    folder.clear_findings()?;
    let found = findings::write(evidence, judges, care.crew, &record.plan, folder, care.watcher)?;
    let excuses = Excuses::of(&record.plan.exceptions, evidence);
    let criteria = Criteria { policy: &record.plan.policy, excuses: &excuses };
    let mut report = takeover_reports::build(evidence, subjects, record.plan.seed, &found, criteria);
    let missing = record.merged.iter().flat_map(|merged| &merged.missing);
    report.missing_shards = missing.map(ToString::to_string).collect();
    folder.write_json("report.json", &report)?;
    folder.write("report.html", html(&report)?.as_bytes())?;
    let text = |look| text(&report, look, evidence, health, subjects, record, folder);
    let plain = text(Look::plain(output::width()));
    folder.write("report.txt", plain.as_bytes())?;
    let text = if console::colors_enabled() { text(Look { width: output::width(), colour: true }) } else { plain };
    record.finished = true;
    folder.write_json("run.json", record)?;
    Ok(Soaked { exit: exit(evidence, &report, record.unreadable), report, text })
}

/// Findings outrank unreadable input, which outranks readiness: nothing passes in silence.
fn exit(evidence: &Evidence, report: &Report, unreadable: u64) -> Exit {
    if evidence.compared() == 0 {
        Exit::NothingCompared
    } else if report.findings().any(|finding| !finding.is_excused()) || evidence.beyond() > 0 {
        Exit::Findings
    } else if unreadable > 0 {
        Exit::Usage
    } else {
        Exit::Ready
    }
}

/// A mistyped path should not cost a whole run.
fn check_inputs(plan: &Plan) -> anyhow::Result<()> {
    plan.recorded.iter().try_for_each(|path| Input::check(path))?;
    if matches!(plan.sample, Some(Sample::Count(_))) && plan.recorded.iter().any(|path| path.as_os_str() == "-") {
        anyhow::bail!(
            "--sample with a number reads the inputs twice, and standard input can be read once: name a share such as 10%"
        );
    }
    match &plan.idl {
        Some(folder) if !folder.is_dir() => anyhow::bail!("--idl `{}` is not a folder", folder.display()),
        _ => Ok(()),
    }
}

/// How the errors of a subject are compared. Before 1.37, every error of the declarative side took part.
pub fn matcher(subject: &Subject, semantics: Semantics) -> Matcher<'_> {
    let candidates = if semantics == Semantics::V1_37 { Candidates::Leveled } else { Candidates::All };
    Matcher::of(&subject.matching, semantics).candidates(candidates)
}

/// Where a run goes that is not told where.
pub fn default_folder(started: jiff::Timestamp, seed: u64, shard: Shard) -> PathBuf {
    let shard = if shard.is_whole() { String::new() } else { format!("-{}-of-{}", shard.number(), shard.of()) };
    let name = format!("{}-{}{shard}", started.strftime("%Y%m%dT%H%M%SZ"), seed);
    Path::new("target").join("takeover").join(name)
}

fn judge_recorded(
    plan: &Plan,
    subjects: &[Subject],
    run: &Run<'_>,
    state: &mut State,
    checkpoint: &Checkpoint,
    display: &Display,
) -> anyhow::Result<Evidence> {
    let cases = || {
        let mut inputs: Vec<Input> = Vec::new();
        if plan.builtin {
            inputs.extend(takeover_corpora::recorded::inputs());
        }
        inputs.extend(plan.recorded.iter().map(Input::named));
        let limits = Limits { document_bytes: (plan.max_document as usize) << 20, ..Limits::default() };
        load(inputs, limits).remembering().cases().doubtful(plan.doubtful)
    };
    let nothing_asked = !plan.builtin && plan.recorded.is_empty();
    let mut selection = Selection::new(plan.sample, plan.dedup);
    if selection.needs_count() {
        let known = |case: &LoadedCase| inputs::subject_of(subjects, case).is_some();
        selection.count(cases().flatten().filter(known));
    }
    let mut stream = Inputs::new(cases(), subjects, nothing_asked, selection);
    let progress = |progress: &Progress<'_>| {
        display.recorded(progress.cases);
        checkpoint.pass(progress.evidence, || State { recorded: progress.done.clone(), ..state.clone() });
    };
    let part = Part { shard: plan.shard, done: state.recorded.clone() };
    let result = run.recorded(&mut stream, part, Control { stop: &|| checkpoint.is_faulty(), progress: &progress })?;
    checkpoint.fault()?;
    if let Ended::SourcePanicked(panic) = &result.ended {
        return Err(Distrusted(format!("reading the recorded objects panicked: {panic}")).into());
    }
    state.recorded = result.done;
    state.recorded_all = true;
    state.unreadable = stream.unreadable();
    Ok(result.evidence)
}

fn judge_generated(
    plan: &Plan,
    run: &Run<'_>,
    generators: &Generators,
    state: &mut State,
    checkpoint: &Checkpoint,
    display: &Display,
) -> anyhow::Result<Evidence> {
    let begin = Instant::now();
    let (before, cases) = (state.spent, state.cases);
    let spent = || before + begin.elapsed();
    let (budget, time) = match plan.budget {
        Budget::Cases(cases) => (runner::Budget::Cases(cases), None),
        Budget::For(time) => (runner::Budget::UntilStopped, Some(time)),
    };
    let stop = || checkpoint.is_faulty() || time.is_some_and(|time| spent() >= time);
    let progress = |progress: &Progress<'_>| {
        generators.settle(progress.chunk);
        display.generated(cases + progress.cases, spent(), progress.evidence.disagreed());
        checkpoint.pass(progress.evidence, || State {
            generated: progress.done.clone(),
            cases: cases + progress.cases,
            spent: spent(),
            health: generators.health(),
            ..state.clone()
        });
    };
    let part = Part { shard: plan.shard, done: state.generated.clone() };
    let result = run.generated(generators, plan.seed, budget, part, Control { stop: &stop, progress: &progress })?;
    checkpoint.fault()?;
    if let Ended::SourcePanicked(panic) = &result.ended {
        return Err(Distrusted(format!("the generator panicked: {panic}")).into());
    }
    state.generated = result.done;
    state.cases += result.evidence.cases();
    state.spent = spent();
    state.health = generators.health();
    Ok(result.evidence)
}

fn text(
    report: &Report,
    look: Look,
    evidence: &Evidence,
    health: &[Health],
    subjects: &[Subject],
    record: &RunRecord,
    folder: &RunFolder,
) -> String {
    let mut text = String::new();
    for (reason, outside) in evidence.outside() {
        let _ = writeln!(text, "not compared: {} cases, {reason}; first {}", outside.count, outside.first.provenance);
    }
    for (health, subject) in health.iter().zip(subjects).filter(|(health, _)| health.cases > 0) {
        let _ = writeln!(text, "{}", health::line(health, subject, evidence));
    }
    if !report.missing_shards.is_empty() {
        let _ = writeln!(text, "partial: without shard {}", report.missing_shards.join(", "));
    }
    let shard = if record.plan.shard.is_whole() { String::new() } else { format!("shard {}; ", record.plan.shard) };
    let _ = writeln!(text, "{shard}seed {}; run folder {}", report.seed, folder.path().display());
    // The table is printable as it is; colours are not to be taken from it.
    takeover_reports::table(report, look) + &output::printable(&text)
}

#[cfg(test)]
mod tests {
    use super::{Budget, Isolation, Plan, Watcher, WorkerLimits, run_on, subjects};
    use crate::exit_code::Exit;
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
            let inner = std::mem::replace(side, Box::new(crate::soak::self_check::Panicking));
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
