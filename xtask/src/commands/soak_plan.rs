//! `cargo xtask soak plan`: what confidence costs.

use super::here::{new_seed, today};
use super::units::duration;
use super::watched::supervised;
use crate::exit_code::{Exit, codes};
use crate::output;
use anyhow::Context as _;
use clap::{Args, ValueEnum};
use jiff::SignedDuration;
use serde::Serialize;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;
use takeover_engine::config::{self, Config};
use takeover_engine::estimate::{Division, Estimate, Measured, Wanted, packed_size};
use takeover_engine::plan::{JudgingPlan, RunBudget, RunKeeping, RunOrder, RunPlan};
use takeover_engine::run::FinishedRun;
use takeover_engine::run_folder;
use takeover_harness::text::{grouped, plural};
use takeover_reports::shell_quoted;

/// Says how many shards, hours and bytes a confidence costs, by the rates of this machine.
///
/// Runs a short soak on one thread and takes the rule that the fewest generated cases put at stake. Without a disagreement, N comparisons
/// show with 95 % confidence that at most about 3/N of the cases of a rule may disagree.
#[derive(Args)]
#[command(after_help = Exit::after_help(&[
    "cargo xtask soak plan",
    "cargo xtask soak plan --bound 1e-6 --within 2h --jobs 4",
    "cargo xtask soak plan --for-budget 500h --kind Pod        # what 500 hours of one processor buy",
], codes::EXPLAIN))]
pub struct SoakPlan {
    /// At most this share of the cases of any rule may disagree.
    #[arg(long, value_name = "SHARE", default_value_t = 1e-5, value_parser = share)]
    bound: f64,
    /// Use this much time of processors, summed over all of them, instead, and say which bound that gives.
    #[arg(long, value_name = "TIME", value_parser = duration, conflicts_with = "bound")]
    for_budget: Option<Duration>,
    /// How long the run may take.
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "1h")]
    within: Duration,
    /// Threads of each shard.
    #[arg(long, value_name = "N", default_value_t = NonZeroUsize::MIN)]
    jobs: NonZeroUsize,
    /// How often each shard stores a checkpoint.
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "60s")]
    checkpoint_every: Duration,
    /// Measure for this long.
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "20s")]
    measure: Duration,
    /// Judge only this kind or subject (see `soak --kind`). Repeatable.
    #[arg(long)]
    kind: Vec<String>,
    /// Read the project's settings from this file [default: takeover.toml in the current folder, if it exists].
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// How to print the result.
    #[arg(long, value_enum, default_value_t = PlanFormat::Table)]
    format: PlanFormat,
}

/// Forms of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PlanFormat {
    /// For people.
    Table,
    /// For machines: one JSON object.
    Json,
}

fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| *share > 0.0 && *share < 1.0);
    share.ok_or_else(|| format!("`{text}` is not a share such as 0.001 or 1e-6"))
}

/// The result as JSON.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer<'a> {
    shards: u64,
    hours: f64,
    core_hours: f64,
    cases: u64,
    bound: f64,
    confidence: f64,
    bytes_kept: u64,
    bytes_written: u64,
    cases_per_second: f64,
    rarest_rule: Option<&'a str>,
    unreached_rules: u64,
}

impl SoakPlan {
    /// Measures, and prints what it costs.
    ///
    /// # Errors
    /// When the configuration is wrong, or nothing was compared.
    pub fn run(self) -> anyhow::Result<Exit> {
        let config = Config::load(self.config.as_deref())?;
        let confidence = config.policy.confidence;
        let measured = self.measured(&config)?;
        let wanted = self.for_budget.map_or(Wanted::Bound(self.bound), Wanted::Budget);
        let division =
            Division { within: self.within, jobs: self.jobs.get() as u64, checkpoint_every: self.checkpoint_every };
        let Some(cost) = measured.estimate(wanted, confidence, division) else {
            output::say("no rule was at stake in any case: measure for longer, or choose another --kind");
            return Ok(Exit::NothingCompared);
        };
        match self.format {
            PlanFormat::Table => {
                let here = PathBuf::from(config::FILE);
                let settings = self.config.clone().or_else(|| here.is_file().then_some(here));
                let pod = self.pod(cost.cases, settings.as_deref(), output::program());
                output::print(&told(&measured, &cost, confidence, self.jobs, &pod))?;
            }
            PlanFormat::Json => output::print_json(&Answer {
                shards: cost.shards,
                hours: cost.hours,
                core_hours: cost.core_hours,
                cases: cost.cases,
                bound: cost.bound,
                confidence,
                bytes_kept: cost.bytes_kept,
                bytes_written: cost.bytes_written,
                cases_per_second: measured.cases as f64 / measured.time.as_secs_f64(),
                rarest_rule: measured.rarest.as_ref().map(|rarest| rarest.label.as_str()),
                unreached_rules: measured.unreached,
            })?,
        }
        Ok(Exit::Ready)
    }

    /// What every pod is to run, so that it judges what was measured.
    fn pod(&self, cases: u64, settings: Option<&Path>, program: &str) -> String {
        let every = SignedDuration::try_from(self.checkpoint_every).unwrap_or(SignedDuration::MAX);
        let mut command = format!(
            "{program} soak --seed 7 --cases {cases} --shard auto --jobs {} --checkpoint-every {}",
            self.jobs,
            shell_quoted(&format!("{every:#}"))
        );
        for kind in &self.kind {
            command.push_str(&format!(" --kind {}", shell_quoted(kind)));
        }
        if let Some(settings) = settings {
            command.push_str(&format!(" --config {}", shell_quoted(&settings.to_string_lossy())));
        }
        command + " --out s3://BUCKET/PREFIX"
    }

    fn measured(&self, config: &Config) -> anyhow::Result<Measured> {
        let scratch = tempfile::tempdir().context("failed to create a folder for temporary files")?;
        let folder = scratch.path().join("run");
        let (kinds, types) = config.judged(self.kind.clone(), None, false)?;
        let pairs = config.described();
        let judging = JudgingPlan { kinds, types, pairs, seed: new_seed(), ..JudgingPlan::default() };
        let catalogue = judging.catalogue()?;
        let pairs = judging.ids(&catalogue)?;
        let plan = RunPlan {
            judging,
            config: self.config.clone(),
            budget: RunBudget::For(self.measure),
            builtin: false,
            policy: config.policy.clone(),
            exceptions: config.exceptions(today())?,
            ..RunPlan::default()
        };
        let keeping = RunKeeping {
            folder: folder.clone(),
            checkpoint_every: Duration::from_secs(3600),
            force: true,
            storage: None,
        };
        let limits = plan.worker;
        output::say(&format!("measuring for {} s", self.measure.as_secs()));
        supervised(RunOrder::Begin(Box::new(plan), keeping), pairs, limits, None)?;
        let record: serde_json::Value = run_folder::read_json(&folder, "run.json")?;
        let cases = record.get("cases").and_then(serde_json::Value::as_u64).unwrap_or_default();
        let bytes = packed_size(&run_folder::read(&folder, "evidence.json")?)?;
        Ok(Measured::of(&FinishedRun::read(&folder)?.evidence, cases, self.measure, bytes))
    }
}

/// Sizes as people read them.
fn size(bytes: u64) -> String {
    bytesize::ByteSize(bytes).to_string()
}

fn told(measured: &Measured, cost: &Estimate, confidence: f64, jobs: NonZeroUsize, pod: &str) -> String {
    let Estimate { cases, shards, hours, core_hours, bound, bytes_kept, bytes_written } = cost;
    let rate = grouped((measured.cases as f64 / measured.time.as_secs_f64()) as u64);
    let mut text = format!(
        "{} of {} for {hours:.2} h ({core_hours:.1} h of one processor): {} cases\n\
         At most {bound:.2e} of the cases of any rule may disagree, if none does ({} % confidence).\n\
         Storage: {} at the end, {} written with checkpoints.\n",
        plural(*shards, "shard"),
        plural(jobs.get() as u64, "thread"),
        grouped(*cases),
        confidence * 100.0,
        size(*bytes_kept),
        size(*bytes_written),
    );
    text.push_str(&format!("Measured here: {rate} cases a second on one thread."));
    if let Some(rarest) = &measured.rarest {
        let share = 100.0 * rarest.compared as f64 / measured.cases.max(1) as f64;
        text.push_str(&format!(" Rarest rule, in {share:.2} % of the cases ({}): {}.", rarest.operation, rarest.label));
    }
    text.push('\n');
    if measured.unreached > 0 {
        let rules = plural(measured.unreached, "rule");
        text.push_str(&format!(
            "Left out: {rules} that no case put at stake; to see more of them, --measure longer.\n"
        ));
    }
    text.push_str(&format!("\nIn every pod: {pod}\n"));
    text
}

#[cfg(test)]
mod tests {
    use super::{SoakPlan, duration, share, told};
    use clap::Parser as _;
    use std::num::NonZeroUsize;
    use std::time::Duration;
    use takeover_engine::estimate::{Estimate, Measured, RarestRule};
    use takeover_harness::case::Operation;

    #[derive(clap::Parser)]
    struct Cli {
        #[command(flatten)]
        plan: SoakPlan,
    }

    #[test]
    fn the_answer_comes_first_and_names_the_rule_that_takes_longest() {
        let rarest = RarestRule { label: "v1 Pod spec.x".to_owned(), operation: Operation::Update, compared: 50 };
        let measured =
            Measured { cases: 10_000, time: Duration::from_secs(2), bytes: 7, rarest: Some(rarest), unreached: 1 };
        let cost = Estimate {
            cases: 600_000_000,
            shards: 17,
            hours: 0.98,
            core_hours: 33.3,
            bound: 9.99e-7,
            bytes_kept: 18_000_000,
            bytes_written: 1_000_000_000,
        };
        insta::assert_snapshot!(told(&measured, &cost, 0.95, NonZeroUsize::new(2).unwrap(), "takeover soak"));
    }

    #[test]
    fn the_command_of_a_pod_judges_what_was_measured() {
        let pod = |arguments: &[&str]| {
            let Ok(Cli { plan }) = Cli::try_parse_from([&["plan"], arguments].concat()) else {
                panic!("{arguments:?}")
            };
            plan.pod(9, plan.config.as_deref(), "takeover")
        };
        let begin = "takeover soak --seed 7 --cases 9 --shard auto";
        assert_eq!(pod(&[]), format!("{begin} --jobs 1 --checkpoint-every 1m --out s3://BUCKET/PREFIX"));
        let arguments = ["--kind=v1 Pod", "--kind=Job", "--config=own.toml", "--jobs=3", "--checkpoint-every=90s"];
        let flags = "--jobs 3 --checkpoint-every '1m 30s' --kind 'v1 Pod' --kind Job --config own.toml";
        assert_eq!(pod(&arguments), format!("{begin} {flags} --out s3://BUCKET/PREFIX"));
        assert_eq!(duration("1m 30s"), Ok(Duration::from_secs(90)), "as it is read again");
    }

    #[test]
    fn a_bound_is_a_share() {
        assert_eq!(share("1e-6"), Ok(1e-6));
        for bad in ["0", "1", "-1", "x", "NaN"] {
            assert!(share(bad).is_err(), "{bad}");
        }
    }
}
