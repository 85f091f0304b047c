//! `cargo xtask soak`: the main job.

use super::printing::Printing;
use super::units::{date, duration, size};
use super::watched::{run_here, stopping, supervised};
use crate::exit_code::{Exit, codes};
use crate::output;
use clap::{Args, Command, Id, ValueEnum};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use std::collections::BTreeSet;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;
use takeover_corpora::select::{Dedup, Sample};
use takeover_engine::config::{Config, read_exceptions};
use takeover_engine::isolate::JudgingNotes;
use takeover_engine::plan::{
    AssumedMark, Isolation, JudgingPlan, Plant, RunBudget, RunContinuation, RunKeeping, RunOrder, RunPlan, WorkerLimits,
};
use takeover_engine::run::{default_folder, judging_of};
use takeover_engine::stop::Stop;
use takeover_harness::compare::Semantics;
use takeover_harness::object::FieldValidation;
use takeover_harness::runner::Shard;
use takeover_harness::text::plural;
use takeover_oracles::registry::Registry;

/// Compares both sides of every subject over recorded and generated objects, and says which rules may take over.
///
/// Without arguments: every subject, the objects recorded in this project, and a minute of generated cases.
#[derive(Args)]
#[command(after_help = Exit::after_help(&[
    "cargo xtask soak",
    "cargo xtask soak --kind ReplicationController --for 10s",
    "cargo xtask soak --seed 7 --cases 100000 --jobs 2",
    "cargo xtask soak --recorded manifests/ backup.yaml.gz",
    "cargo xtask soak --recorded cluster.json.zst --dedup shape --sample 10%",
    "kubectl get rc -A -o json | cargo xtask soak --recorded -",
    "cargo xtask soak --cases 0 --recorded /var/log/kubernetes/audit    # audit logs, AdmissionReviews",
    "cargo xtask soak --isolate --worker-memory 512MiB --case-timeout 2s",
    "cargo xtask soak --format json > report.json",
    "cargo xtask soak --for 8h --out long; cargo xtask soak --resume long    # goes on if it was killed",
    "cargo xtask soak --seed 7 --cases 1000000 --shard 3/16 --out third    # merge puts the shards together",
], codes::SOAK))]
pub struct Soak {
    #[command(flatten)]
    run: RunArguments,
    /// Number of threads [default: one per processor].
    #[arg(long, value_name = "N", display_order = 5)]
    jobs: Option<NonZeroUsize>,
    /// Go on with the run in this folder, which was killed: with its settings, to the end it would have had.
    #[arg(long, value_name = "DIR", conflicts_with_all = of_the_beginning())]
    resume: Option<PathBuf>,
    /// How often it is written where the run stands, such as 5s.
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "5s")]
    checkpoint_every: Duration,
    /// Judge in worker processes, which an oracle may end: every subject, or the one named (repeatable). The evidence is
    /// the same; a case that ends a process is counted as a panic and kept.
    #[arg(long, value_name = "SUBJECT", num_args = 0..=1, require_equals = true, default_missing_value = Isolation::EVERYTHING)]
    isolate: Vec<String>,
    #[command(flatten)]
    worker: WorkerArguments,
    #[command(flatten)]
    printing: Printing,
}

/// What a run has from its beginning to its end.
#[derive(Args)]
struct RunArguments {
    /// Only this kind (`ReplicationController`), or subject (`v1 ReplicationController`), or subject as a release of Kubernetes
    /// validates it (`v1 ReplicationController#1.35`), or the handwritten checks of one release against those of another
    /// (`v1 Service#1.35-1.36`). Repeatable [default: what `[subjects]` of takeover.toml names, or every one].
    #[arg(long)]
    kind: Vec<String>,
    /// Also judge the versions that the newest modelled Kubernetes no longer serves, and the kinds whose rules it does not run. Reports
    /// keep them apart from their figures. What --kind names is judged in any case.
    #[arg(long)]
    all_versions: bool,
    /// Generate exactly this many cases; with --seed, the evidence is the same every time.
    #[arg(long, value_name = "N", conflicts_with = "duration")]
    cases: Option<u64>,
    /// Generate cases for this long, such as 60s or 5m [default: 60s].
    #[arg(long = "for", id = "duration", value_name = "TIME", value_parser = duration)]
    duration: Option<Duration>,
    /// Seed of the generated cases [default: a new one, which the run prints].
    #[arg(long)]
    seed: Option<u64>,
    /// The run folder [default: target/takeover/TIME-SEED].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Replace the run that is in the folder already.
    #[arg(long, requires = "out")]
    force: bool,
    /// Also compare over these files, folders, patterns ('shop/**/*.yaml'), or `-` for standard input: YAML or JSON, `.gz` and `.zst`
    /// too; objects, audit logs and AdmissionReviews.
    #[arg(long, value_name = "PATH", num_args = 1..)]
    recorded: Vec<PathBuf>,
    /// Also compare recorded updates whose old object is not certain (docs/audit-log-replay.md).
    #[arg(long)]
    doubtful: bool,
    /// Use only so many of the recorded cases, or such a share of them: 500, or 2.5%. Chosen by content, so that the same inputs
    /// give the same sample; the others are counted as skipped.
    #[arg(long, value_name = "N|SHARE%")]
    sample: Option<Sample>,
    /// Use only the first recorded case of each shape: the same fields with values of the same classes. Keeps a number a shape in
    /// memory.
    #[arg(long, value_enum)]
    dedup: Option<DedupName>,
    /// Largest document that is read, or item of a long JSON list, in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 64)]
    max_document: u32,
    /// What happens to unknown and repeated fields: dropped and counted, as a server does, or the object is undecodable.
    #[arg(long, value_enum, default_value_t = FieldValidationName::Warn)]
    field_validation: FieldValidationName,
    /// Leave out the objects recorded in this project.
    #[arg(long)]
    no_builtin: bool,
    /// Read the Go types from this folder instead of the built-in ones (laid out as `oracles/idl`).
    #[arg(long, value_name = "DIR")]
    types: Option<PathBuf>,
    /// Whose comparison algorithm to use.
    #[arg(long, value_enum, default_value_t = SemanticsName::V1_37)]
    semantics: SemanticsName,
    /// Take the errors of a handwritten check as marked (`covered by declarative`), by the field and the type that they have: what a run
    /// would say with the mark. An origin may follow, for errors that have none. Repeatable; the report says so.
    #[arg(long, value_name = "FIELD TYPE")]
    assume_covered: Vec<AssumedMark>,
    /// Write Prometheus metrics to this file.
    #[arg(long, value_name = "PATH")]
    metrics_file: Option<PathBuf>,
    /// Prefix of Kubernetes' metric names; `apiserver_validation_` gives upstream's full names.
    #[arg(long, default_value = "", value_name = "PREFIX")]
    metrics_prefix: String,
    /// The settings of the project [default: takeover.toml in the current folder, if there is one].
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The findings that are excused [default: what the settings name, or takeover-exceptions.toml beside them].
    #[arg(long, value_name = "FILE")]
    exceptions: Option<PathBuf>,
    /// The day that exceptions are held against, such as 2027-01-31 [default: today, UTC].
    #[arg(long, value_name = "DATE", value_parser = date)]
    today: Option<Date>,
    /// Run only every N-th chunk of cases, beginning with the I-th, from 1/N to N/N; `merge` puts the shards together.
    #[arg(long, value_name = "I/N", requires = "seed")]
    shard: Option<Shard>,
}

/// What worker processes have from the beginning of a run to its end.
#[derive(Args)]
struct WorkerArguments {
    /// How long an oracle may take for one answer before its worker process is ended.
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "10s")]
    case_timeout: Duration,
    /// How much memory (address space) a worker process may take.
    #[arg(long, value_name = "SIZE", value_parser = size, default_value = "2GiB")]
    worker_memory: u64,
    /// Replace an oracle by one that misbehaves, to see that it is reported: `overflow/candidate/10000@v1 ReplicationController`.
    #[arg(long, value_name = "PLANT", hide = true)]
    plant: Vec<Plant>,
}

/// The arguments that a run has from its beginning: those of [`RunArguments`] and [`WorkerArguments`].
fn of_the_beginning() -> Vec<Id> {
    let command = WorkerArguments::augment_args(RunArguments::augment_args(Command::new("soak")));
    command.get_arguments().map(|argument| argument.get_id().clone()).collect()
}

/// Releases whose comparison algorithm can be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SemanticsName {
    /// Kubernetes 1.33 to 1.35.
    #[value(name = "1.35")]
    V1_35,
    /// Kubernetes 1.36.
    #[value(name = "1.36")]
    V1_36,
    /// Kubernetes 1.37.
    #[value(name = "1.37")]
    V1_37,
}

impl From<SemanticsName> for Semantics {
    fn from(name: SemanticsName) -> Self {
        match name {
            SemanticsName::V1_35 => Self::V1_35,
            SemanticsName::V1_36 => Self::V1_36,
            SemanticsName::V1_37 => Self::V1_37,
        }
    }
}

/// The request parameter `fieldValidation`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FieldValidationName {
    /// Unknown and repeated fields are dropped.
    Warn,
    /// They are errors.
    Strict,
}

impl From<FieldValidationName> for FieldValidation {
    fn from(name: FieldValidationName) -> Self {
        match name {
            FieldValidationName::Warn => Self::Warn,
            FieldValidationName::Strict => Self::Strict,
        }
    }
}

/// Which cases count as repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DedupName {
    /// Those of the same shape.
    Shape,
}

impl From<DedupName> for Dedup {
    fn from(name: DedupName) -> Self {
        match name {
            DedupName::Shape => Self::Shape,
        }
    }
}

/// A seed that no earlier run had, short enough to be typed again.
pub(super) fn new_seed() -> u64 {
    // The standard library seeds its hash maps from the system's randomness.
    RandomState::new().build_hasher().finish() % 1_000_000_000
}

/// The day it is, in UTC.
pub(super) fn today() -> Date {
    jiff::Timestamp::now().to_zoned(TimeZone::UTC).date()
}

/// Checks that there is something to judge in the types of the user: better known than an empty run.
///
/// # Errors
/// When the folder is not there, or holds no kind that is known.
fn check_types(judging: &JudgingPlan, registry: &Registry) -> anyhow::Result<()> {
    let Some(types) = &judging.types else { return Ok(()) };
    anyhow::ensure!(types.is_dir(), "--types `{}` is not a folder", types.display());
    anyhow::ensure!(
        registry.subjects().next().is_some() || !judging.kinds.is_empty(),
        "--types `{}` declares no kind that has handwritten checks: name a folder laid out as k8s.io/api, `<group>/<version>`",
        types.display()
    );
    Ok(())
}

/// How many kinds are named that types lack.
const MOST_NAMED: usize = 5;

/// Says what is not judged because the types of the user lack it.
pub(super) fn say_absent(judging: &JudgingPlan, registry: &Registry) {
    let kinds: BTreeSet<String> = registry.absent().map(|id| id.kind).collect();
    let Some(types) = judging.types.as_ref().filter(|_| judging.kinds.is_empty() && !kinds.is_empty()) else { return };
    let named = kinds.iter().take(MOST_NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = kinds.len().saturating_sub(MOST_NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let lacks = plural(registry.absent().count() as u64, "subject");
    output::say(&format!("note: {lacks} are not judged, because `{}` declares no {named}{more}", types.display()));
}

impl Soak {
    /// Soaks and prints the report: in a process of its own, unless no oracle runs in this one.
    ///
    /// # Errors
    /// Wrong configuration; what goes wrong with inputs is reported and counted, and becomes the exit code.
    pub fn run(self) -> anyhow::Result<Exit> {
        let (printing, time) = (self.printing, self.worker.case_timeout);
        let order = self.order()?;
        if *order.isolation() == Isolation::All {
            return run_here(&order, &JudgingNotes::default(), Stop::on_signals(stopping), printing);
        }
        let pairs = match &order {
            RunOrder::Begin(plan, _) => {
                let registry = plan.judging.registry()?;
                check_types(&plan.judging, &registry)?;
                say_absent(&plan.judging, &registry);
                plan.judging.ids(&registry)?
            }
            RunOrder::Resume(_, keeping) => judging_of(&keeping.folder).ids(&Registry::of_builtin()?)?,
        };
        supervised(order, pairs, time, Some(printing))
    }

    /// What is asked for.
    fn order(self) -> anyhow::Result<RunOrder> {
        let Self { run, jobs, resume, checkpoint_every, isolate, worker, .. } = self;
        let isolation: Isolation = isolate.into_iter().collect();
        if let Some(folder) = resume {
            let keeping = RunKeeping { folder, checkpoint_every, force: true };
            return Ok(RunOrder::Resume(RunContinuation { jobs, isolation }, keeping));
        }
        let seed = run.seed.unwrap_or_else(new_seed);
        let shard = run.shard.unwrap_or_default();
        let folder = || default_folder(jiff::Timestamp::now(), seed, shard);
        let keeping = RunKeeping { folder: run.out.clone().unwrap_or_else(folder), checkpoint_every, force: run.force };
        let config = Config::load(run.config.as_deref())?;
        let today = run.today.unwrap_or_else(today);
        let (kinds, types) = config.judged(run.kind, run.types, run.all_versions)?;
        let plan = RunPlan {
            judging: JudgingPlan {
                kinds,
                all_versions: run.all_versions || config.subjects.all_versions,
                types,
                semantics: run.semantics.into(),
                field_validation: run.field_validation.into(),
                seed,
                assume_covered: run.assume_covered,
                plants: worker.plant,
            },
            budget: match (run.cases, run.duration) {
                (Some(cases), _) => RunBudget::Cases(cases),
                (None, duration) => RunBudget::For(duration.unwrap_or(Duration::from_secs(60))),
            },
            jobs: jobs.or_else(|| std::thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN),
            shard,
            recorded: run.recorded,
            doubtful: run.doubtful,
            sample: run.sample,
            dedup: run.dedup.map(Into::into),
            builtin: !run.no_builtin,
            metrics_file: run.metrics_file,
            metrics_prefix: run.metrics_prefix,
            policy: config.policy.clone(),
            exceptions: match &run.exceptions {
                Some(file) => read_exceptions(file, today)?,
                None => config.exceptions(today)?,
            },
            max_document: run.max_document,
            isolation,
            worker: WorkerLimits { time: worker.case_timeout, memory: worker.worker_memory },
        };
        Ok(RunOrder::Begin(Box::new(plan), keeping))
    }
}
