//! `cargo xtask soak`: the main job.

use super::fleet::{Scratch, stored_run};
use super::here::{new_seed, today};
use super::pair::PairArguments;
use super::printing::Printing;
pub use super::soak_choices::{DedupName, SemanticsName};
use super::soak_choices::{FieldValidationName, What};
use super::soak_plan::SoakPlan;
use super::units::{date, duration, size};
use super::watched::{run_here, stopping, supervised};
use crate::exit_code::{Exit, codes};
use crate::output;
use clap::{Args, Command, Id, Subcommand};
use jiff::civil::Date;
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;
use takeover_corpora::select::Sample;
use takeover_engine::catalogue::{LawsOf, OracleDescription, PairDescription};
use takeover_engine::config::{Config, read_exceptions};
use takeover_engine::isolate::JudgingNotes;
use takeover_engine::plan::{
    AssumedMark, Isolation, JudgingPlan, Plant, RunBudget, RunContinuation, RunKeeping, RunOrder, RunPlan, WorkerLimits,
};
use takeover_engine::run::{auto_shard, default_folder, plan_of, recorded_subjects};
use takeover_engine::stop::Stop;
use takeover_engine::storage::Location;
use takeover_harness::runner::{BadShard, Shard};
use takeover_harness::subject::SubjectId;
use takeover_harness::text::{grouped, plural};
use takeover_oracles::defaults::unfit;
use takeover_oracles::registry::Registry;

/// Compares both sides of every subject on recorded and generated objects, and says which rules may take over.
///
/// Without arguments, it judges every subject on the recorded objects that ship with the program and on cases generated for one minute.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true, after_help = Exit::after_help(&[
    "cargo xtask soak",
    "cargo xtask soak --kind ReplicationController --for 10s",
    "cargo xtask soak --what defaults --kind Pod",
    "cargo xtask soak --what apply --kind Deployment",
    "cargo xtask soak --seed 7 --cases 100000 --jobs 2",
    "cargo xtask soak --recorded manifests/ backup.yaml.gz",
    "cargo xtask soak --recorded cluster.json.zst --dedup shape --sample 10%",
    "kubectl get rc -A -o json | cargo xtask soak --recorded -",
    "cargo xtask soak --cases 0 --recorded /var/log/kubernetes/audit    # audit logs, AdmissionReviews",
    "cargo xtask soak --isolate --worker-memory 512MiB --case-timeout 2s",
    "cargo xtask soak --types api/v1 --kind 'shop.example.com/v1 Widget' --reference 'exec ./bin/oracle' --candidate tags",
    "cargo xtask soak --crd widgets.yaml --reference webhook:https://localhost:9443/validate-widget",
    "cargo xtask soak --format json > report.json",
    "cargo xtask soak --for 8h --out long; cargo xtask soak --resume long    # resumes if it was interrupted",
    "cargo xtask soak --seed 7 --cases 1000000 --shard 3/16 --out third    # combine the shards with merge",
    "cargo xtask soak --seed 7 --cases 1000000000 --shard auto --out s3://bucket/run",
    "cargo xtask soak plan --bound 1e-6 --within 2h    # what confidence costs",
    "cargo xtask soak --seed 7 --cases 0 --recorded s3://bucket/corpus --shard auto --out s3://bucket/run",
], codes::SOAK))]
pub struct Soak {
    #[command(subcommand)]
    command: Option<Further>,
    #[command(flatten)]
    run: RunArguments,
    /// Number of threads [default: one per processor].
    #[arg(long, value_name = "N", display_order = 5)]
    jobs: Option<NonZeroUsize>,
    /// Resume an interrupted run with its original settings and budget.
    #[arg(long, value_name = "DIR", conflicts_with_all = of_the_beginning())]
    resume: Option<PathBuf>,
    /// How often to write a checkpoint, from which --resume continues, such as 5s.
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "5s")]
    checkpoint_every: Duration,
    /// Judge every subject, or only the one named (repeatable), in worker processes, so that an oracle that crashes or hangs does not end
    /// the run. The evidence is the same; a case that ends a worker is counted as a panic and kept.
    #[arg(long, value_name = "SUBJECT", num_args = 0..=1, require_equals = true, default_missing_value = Isolation::EVERYTHING)]
    isolate: Vec<String>,
    #[command(flatten)]
    worker: WorkerArguments,
    #[command(flatten)]
    pub(super) printing: Printing,
}

/// What else can be done with soaks.
#[derive(Subcommand)]
enum Further {
    Plan(SoakPlan),
}

/// What a run has from its beginning to its end.
#[derive(Args)]
struct RunArguments {
    /// Judge only this kind (`ReplicationController`), this subject (`v1 ReplicationController`), a subject as one release of
    /// Kubernetes validates it (`v1 ReplicationController#1.35`), or the handwritten checks of one release against those of
    /// another (`v1 Service#1.35-1.36`). Repeatable; overrides `[subjects]` [default: what `[subjects]` in takeover.toml
    /// selects, or else every subject].
    #[arg(long)]
    kind: Vec<String>,
    /// Also judge versions that the newest supported Kubernetes no longer serves, and kinds whose rules it does not evaluate. Reports
    /// list them separately and leave them out of the totals. Anything named by --kind is judged regardless.
    #[arg(long)]
    all_versions: bool,
    /// Generate exactly this many cases. Together with --seed, the evidence is the same every time.
    #[arg(long, value_name = "N", conflicts_with = "duration")]
    cases: Option<u64>,
    /// Generate cases for this long, such as 60s or 5m [default: 60s].
    #[arg(long = "for", id = "duration", value_name = "TIME", value_parser = duration)]
    duration: Option<Duration>,
    /// Seed of the generated cases [default: a random one, which the run prints].
    #[arg(long)]
    seed: Option<u64>,
    /// Write the run to this folder [default: target/takeover/TIME-SEED]. An address (`s3://BUCKET/PREFIX`, `gs://`, `az://`,
    /// `file:///DIR`) keeps checkpoints and results there for all machines: the same command resumes a shard that was interrupted, and
    /// `merge ADDRESS` combines them (docs/scale.md).
    #[arg(long, value_name = "DIR|ADDRESS")]
    out: Option<PathBuf>,
    /// Replace a run that is already in the folder.
    #[arg(long, requires = "out")]
    force: bool,
    /// Also compare on these files, folders or patterns ('shop/**/*.yaml'), or `-` for standard input. Reads objects, audit
    /// logs and AdmissionReviews as YAML or JSON, also compressed (`.gz`, `.zst`). Of addresses (`s3://BUCKET/PREFIX`), each shard
    /// reads its own part.
    #[arg(long, value_name = "PATH", num_args = 1..)]
    recorded: Vec<PathBuf>,
    /// Keep secrets of recorded objects in the run folder; otherwise, findings, samples and evidence are redacted as corpora are
    /// (docs/corpora.md).
    #[arg(long)]
    raw: bool,
    /// Also compare recorded updates whose old object is uncertain (docs/audit-log-replay.md).
    #[arg(long)]
    doubtful: bool,
    /// Use only this many of the recorded cases, or this share of them, such as 500 or 2.5%. Cases are chosen by content, so
    /// the same input gives the same sample; the others are counted as skipped.
    #[arg(long, value_name = "N|SHARE%")]
    sample: Option<Sample>,
    /// Use only the first recorded case of each shape: the same fields with the same classes of values. Needs memory for one
    /// number per shape.
    #[arg(long, value_enum)]
    dedup: Option<DedupName>,
    /// Largest document, or item of a long JSON list, to read, in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 64)]
    max_document: u32,
    /// What to do with unknown and duplicate fields: drop and count them, as an API server does, or reject the object as
    /// undecodable.
    #[arg(long, value_enum, default_value_t = FieldValidationName::Warn)]
    field_validation: FieldValidationName,
    /// Leave out the recorded objects that ship with the program.
    #[arg(long)]
    no_builtin: bool,
    /// Use the Go types in this folder instead of the built-in ones, laid out as k8s.io/api: `<group>/<version>`.
    #[arg(long, value_name = "DIR")]
    types: Option<PathBuf>,
    #[command(flatten)]
    pair: PairArguments,
    /// Use the comparison algorithm of this release of Kubernetes.
    #[arg(long, value_enum, default_value_t = SemanticsName::V1_37)]
    semantics: SemanticsName,
    /// Treat the errors of a handwritten check as marked `covered by declarative`, selected by their field and error type:
    /// shows what a run would say if the mark were added. If the error also lacks an origin, give it as a third word. Repeatable; the
    /// report names every assumed mark.
    #[arg(long, value_name = "FIELD TYPE")]
    assume_covered: Vec<AssumedMark>,
    /// Write Prometheus metrics to this file.
    #[arg(long, value_name = "PATH")]
    metrics_file: Option<PathBuf>,
    /// Prefix for the metrics that Kubernetes also exports; with `apiserver_validation_`, they have the same names as in Kubernetes.
    #[arg(long, default_value = "", hide_default_value = true, value_name = "PREFIX")]
    metrics_prefix: String,
    /// Read the project's settings from this file [default: takeover.toml in the current folder, if it exists].
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Read exceptions (findings that are excused) from this file [default: the file that the settings name, or
    /// takeover-exceptions.toml next to them].
    #[arg(long, value_name = "FILE")]
    exceptions: Option<PathBuf>,
    /// Check the expiry of exceptions against this date, such as 2027-01-31 [default: today, UTC].
    #[arg(long, value_name = "DATE", value_parser = date)]
    today: Option<Date>,
    /// Run only shard I of N, such as 1/4: every N-th chunk of cases, starting with the I-th. `merge` combines the shards. `auto` takes
    /// both numbers from the variables of an Indexed Job or a CI system (docs/scale.md).
    #[arg(long, value_name = "I/N", value_parser = sharded, requires = "seed")]
    shard: Option<Sharded>,
    /// What to compare: `validation`; the `defaults` that code sets with those that `+default` markers set; or server-side `apply` with the
    /// laws it should obey (docs/apply.md).
    #[arg(long, value_enum, default_value_t = What::Validation, display_order = 0)]
    what: What,
}

/// Which shard to run.
#[derive(Clone, Copy)]
enum Sharded {
    /// What the variables of the scheduler say.
    Auto,
    /// This one.
    Named(Shard),
}

fn sharded(text: &str) -> Result<Sharded, BadShard> {
    if text == "auto" { Ok(Sharded::Auto) } else { text.parse().map(Sharded::Named) }
}

/// What worker processes have from the beginning of a run to its end.
#[derive(Args)]
struct WorkerArguments {
    /// How long an oracle may take to answer one case before its worker process is killed.
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "10s")]
    case_timeout: Duration,
    /// How much memory (address space) a worker process may use.
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

/// Those of several pairs of which objects are recorded: only these are judged where nothing is generated and no kind is named. All where
/// there are none at all, so that the run says so, or where the inputs can be read only once.
fn with_recorded(pairs: Vec<PairDescription>, recorded: &[PathBuf], max_document: u32) -> Vec<PairDescription> {
    if pairs.len() < 2 || recorded.is_empty() || !recorded.iter().all(|place| place.is_dir() || place.is_file()) {
        return pairs;
    }
    let known = recorded_subjects(recorded, max_document, Stop::on_signals(|| ()));
    let count = pairs.len() as u64;
    let is_recorded = |pair: &PairDescription| {
        known.contains(&SubjectId::new(&pair.api_version, &pair.kind).with_subresource(&pair.subresource))
    };
    let (chosen, others): (Vec<_>, Vec<_>) = pairs.into_iter().partition(is_recorded);
    if chosen.is_empty() {
        return others;
    }
    if !others.is_empty() {
        let left_out = grouped(others.len() as u64);
        let of = plural(count, "kind");
        output::say(&format!(
            "note: left out, because no object of them is recorded: {left_out} of {of}; to judge them too, name them with --kind"
        ));
    }
    chosen
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
        "--types `{}` declares no kind that has handwritten checks: name a folder laid out as k8s.io/api, `<group>/<version>`. For a kind of your own, describe a pair: with --kind, --reference and --candidate, or with `takeover init`, which writes takeover.toml",
        types.display()
    );
    Ok(())
}

/// How many kinds are named that types lack.
const MOST_NAMED: usize = 5;

/// Says what is not judged because the types of the user lack it.
pub(super) fn say_absent(judging: &JudgingPlan, registry: &Registry) {
    if !judging.pairs.is_empty() {
        return;
    }
    let is_named = |id: &SubjectId| judging.kinds.is_empty() || judging.kinds.iter().any(|name| id.is_called(name));
    let absent: Vec<SubjectId> = registry.absent().filter(is_named).collect();
    let kinds: BTreeSet<&str> = absent.iter().map(|id| id.kind.as_str()).collect();
    let Some(types) = judging.types.as_ref().filter(|_| !kinds.is_empty()) else { return };
    let named = kinds.iter().take(MOST_NAMED).copied().collect::<Vec<_>>().join(", ");
    let more = kinds.len().saturating_sub(MOST_NAMED);
    let more = if more > 0 { format!(" and {} more", grouped(more as u64)) } else { String::new() };
    let lacks = plural(absent.len() as u64, "subject");
    output::say(&format!("note: {lacks} are not judged, because `{}` declares no {named}{more}", types.display()));
}

impl Soak {
    /// Soaks and prints the report: in a process of its own, unless no oracle runs in this one.
    ///
    /// # Errors
    /// Wrong configuration; what goes wrong with inputs is reported and counted, and becomes the exit code.
    pub fn run(self) -> anyhow::Result<Exit> {
        if let Some(Further::Plan(plan)) = self.command {
            return plan.run();
        }
        let printing = self.printing;
        // Before types are read: that takes a moment, in which somebody may stop it.
        let _ = Stop::on_signals(|| ());
        let order = self.order()?;
        Stop::check()?;
        let scratch = Scratch::of(&order)?;
        let mut order = match &scratch {
            Some(scratch) => match scratch.joined(order, printing)? {
                Some(order) => order,
                None => return Ok(Exit::Ready),
            },
            None => order,
        };
        if *order.isolation() == Isolation::All {
            return run_here(&order, &JudgingNotes::default(), Stop::on_signals(stopping), printing);
        }
        let (pairs, limits) = match &mut order {
            RunOrder::Begin(plan, _) => {
                let catalogue = plan.judging.catalogue()?;
                check_types(&plan.judging, catalogue.registry())?;
                say_absent(&plan.judging, catalogue.registry());
                (plan.judging.ids(&catalogue)?, plan.worker)
            }
            RunOrder::Resume(with, keeping) => {
                let RunPlan { judging, worker, jobs, .. } = plan_of(&keeping.folder);
                with.jobs.get_or_insert(jobs);
                (judging.ids(&judging.catalogue()?)?, worker)
            }
        };
        Stop::check()?;
        supervised(order, pairs, limits, Some(printing))
    }

    /// What is asked for.
    fn order(self) -> anyhow::Result<RunOrder> {
        let Self { run, jobs, resume, checkpoint_every, isolate, worker, .. } = self;
        let isolation: Isolation = isolate.into_iter().collect();
        if let Some(folder) = resume {
            anyhow::ensure!(
                !Location::is_named_by(&folder),
                "--resume takes a folder: a run with --out `{}` is resumed by the command that started it",
                folder.display()
            );
            let keeping = RunKeeping { folder, checkpoint_every, force: true, storage: None };
            return Ok(RunOrder::Resume(RunContinuation { jobs, isolation }, keeping));
        }
        let storage = run.out.as_deref().filter(|out| Location::is_named_by(out));
        let storage = storage.map(|out| stored_run(out, run.seed, run.force)).transpose()?;
        let seed = run.seed.unwrap_or_else(new_seed);
        let shard = match run.shard {
            Some(Sharded::Auto) => auto_shard(|name| std::env::var(name).ok())?,
            Some(Sharded::Named(shard)) => shard,
            None => Shard::WHOLE,
        };
        let folder = || default_folder(jiff::Timestamp::now(), seed, shard);
        let keeping =
            RunKeeping { folder: run.out.clone().unwrap_or_else(folder), checkpoint_every, force: run.force, storage };
        let config = Config::load(run.config.as_deref())?;
        let today = run.today.unwrap_or_else(today);
        let pair = match run.what.laws() {
            Some(of) => run.pair.with_laws(of),
            None => run.pair,
        };
        let mut of_flags = pair.described(&run.kind, run.types.as_deref())?;
        if run.cases == Some(0) && run.kind.is_empty() {
            of_flags = with_recorded(of_flags, &run.recorded, run.max_document);
        }
        let (kinds, types, pairs) = if of_flags.is_empty() {
            let (kinds, types) = config.judged(run.what.of(run.kind), run.types, run.all_versions)?;
            (kinds, types, config.described())
        } else {
            (Vec::new(), None, of_flags)
        };
        let of_laws = pairs.iter().filter(|of| of.candidate == OracleDescription::Laws(LawsOf::Defaults));
        let of_laws = of_laws.filter_map(|of| of.types.as_deref());
        let of_kinds = types.as_deref().filter(|_| matches!(run.what, What::Defaults));
        of_laws.chain(of_kinds).collect::<BTreeSet<&Path>>().into_iter().for_each(warn_of_unfit_defaults);
        // A pair of the command line is not in the settings.
        let in_settings = pairs.iter().map(|of| &of.name).eq(config.described().iter().map(|of| &of.name));
        let plan = RunPlan {
            config: run.config.filter(|_| in_settings),
            judging: JudgingPlan {
                kinds,
                all_versions: run.all_versions || config.subjects.all_versions,
                types,
                pairs,
                semantics: run.semantics.into(),
                counts_leftovers: false,
                field_validation: run.field_validation.into(),
                seed,
                recorded_only: run.cases == Some(0),
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
            raw: run.raw,
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

/// Names the defaults of Go types that cannot be compared. Types that cannot be read at all are an error later.
fn warn_of_unfit_defaults(types: &Path) {
    let Some((idl, packages)) = types.is_dir().then(|| Registry::load_module(types).ok()).flatten() else { return };
    let unfit = unfit(&idl, &packages);
    for fault in &unfit {
        output::say(&format!("warning: {fault}"));
    }
    if !unfit.is_empty() {
        output::say(&format!(
            "{} left out: the generated Go code would not compile",
            plural(unfit.len() as u64, "default")
        ));
    }
}
