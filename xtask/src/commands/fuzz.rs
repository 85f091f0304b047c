//! `cargo xtask fuzz`: inputs nobody thought of.

use super::here::new_seed;
use super::pair::PairArguments;
use super::units::duration;
use crate::exit_code::{Exit, codes};
use crate::output;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;
use takeover_engine::config::Config;
use takeover_engine::fuzz::{self, Driver, FuzzPlan, Fuzzed, Target};
use takeover_engine::pairs::ChosenPairs;
use takeover_reports::shell_quoted;

/// Fuzzes a target and keeps every input on which a check fails.
///
/// Uses libFuzzer, guided by coverage, if it can be built with cargo-fuzz or with cargo and a C++ compiler. Otherwise, the same checks run
/// in this program on the seeds and on random mutations of them. The output names the driver.
///
/// `equivalence` also fuzzes the pairs that takeover.toml or flags describe, in any folder: it creates and updates random objects,
/// and mutates those that get new answers, until the time is up. It fails on disagreements that the policy does not tolerate, and
/// on oracles that panic, do not answer, or change their answer.
///
/// Run built-in targets inside the source repository. Failing inputs are minimised and written to harness/fuzz/finds/TARGET, as
/// cases or as text; every `cargo xtask test` checks them again.
#[derive(Args)]
#[command(after_help = Exit::after_help(&[
    "cargo xtask fuzz --list",
    "cargo xtask fuzz manifest_loader --for 60s",
    "cargo xtask fuzz equivalence --kind ReplicationController --for 10m --jobs 2",
    "cargo xtask fuzz equivalence --for 1h --accept      new disagreements become known",
    "cargo xtask fuzz equivalence --kind Widget --for 5m   a pair of takeover.toml",
    "cargo xtask fuzz tag_parser --driver stable --seed 7",
], codes::FUZZ))]
pub struct Fuzz {
    /// Target to fuzz.
    #[arg(required_unless_present = "list", value_parser = targets())]
    target: Option<Target>,
    /// List the targets.
    #[arg(long, conflicts_with = "target")]
    list: bool,
    /// How long to fuzz, such as 60s or 5m.
    #[arg(long = "for", id = "duration", value_name = "TIME", value_parser = duration, default_value = "60s")]
    duration: Duration,
    /// Fuzz only this kind (`ReplicationController`) or subject (`v1 ReplicationController`); only for `equivalence`.
    #[arg(long)]
    kind: Option<String>,
    /// Types of the pair that --reference and --candidate describe: a Go package, CRD manifests or an OpenAPI v3 document.
    #[arg(long, value_name = "DIR", requires = "reference")]
    types: Option<PathBuf>,
    #[command(flatten)]
    pair: PairArguments,
    /// Read the project's settings from this file [default: takeover.toml in the current folder, if it exists].
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Write failures of described pairs below this folder.
    #[arg(long, value_name = "DIR", default_value = "target/takeover/fuzz")]
    out: PathBuf,
    /// Number of processes or threads.
    #[arg(long, value_name = "N", default_value = "1")]
    jobs: NonZeroUsize,
    /// Seed of the mutations [default: a random one, which the run prints].
    #[arg(long)]
    seed: Option<u64>,
    /// Driver that creates the inputs [default: libFuzzer, where it can be built].
    #[arg(long, value_enum)]
    driver: Option<DriverName>,
    /// Add new disagreements to harness/fuzz/known-signatures.txt, instead of reporting them.
    #[arg(long)]
    accept: bool,
}

/// The drivers, by their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DriverName {
    /// Guided by coverage, in separate processes
    #[value(name = "libfuzzer")]
    LibFuzzer,
    /// Seeds and random mutations of them, in this process
    Stable,
}

impl From<DriverName> for Driver {
    fn from(name: DriverName) -> Self {
        match name {
            DriverName::LibFuzzer => Self::LibFuzzer,
            DriverName::Stable => Self::Stable,
        }
    }
}

/// Fuzzes described pairs.
fn described(plan: &FuzzPlan, chosen: &ChosenPairs, config: &Config, out: &Path) -> anyhow::Result<Fuzzed> {
    let pairs = chosen.names();
    anyhow::ensure!(plan.driver != Some(Driver::LibFuzzer), "--driver libfuzzer cannot guide {pairs}: leave it out");
    anyhow::ensure!(
        !plan.accept,
        "--accept is for built-in kinds: `gate --write-exceptions` accepts findings of {pairs}"
    );
    anyhow::ensure!(!chosen.builtin, "--kind names built-in kinds and {pairs}: fuzz one or the other");
    fuzz::run_described(plan, chosen, &config.policy, out)
}

/// The targets, by their names.
fn targets() -> impl TypedValueParser<Value = Target> {
    let names = Target::ALL.map(|target| PossibleValue::new(target.name()).help(target.about()));
    let named = |name: String| Target::ALL.into_iter().find(|target| target.name() == name).ok_or("no such target");
    PossibleValuesParser::new(names).try_map(named)
}

/// The command that shows what both sides say of a find; `None` when no find is an object. `pair` are the flags that name the pair.
fn next(finds: &[PathBuf], pair: &str) -> Option<String> {
    let find = finds.iter().find(|find| find.extension().is_some_and(|ending| ending == "yaml"))?;
    Some(format!("next: {} validate{pair} {}\n", output::program(), shell_quoted(&find.to_string_lossy())))
}

impl Fuzz {
    /// Fuzzes and prints how it went.
    ///
    /// # Errors
    /// Wrong usage, outside the repository, and a driver that was asked for and cannot be had.
    pub fn run(self) -> anyhow::Result<Exit> {
        let Some(target) = self.target else {
            let mut list = String::new();
            for target in Target::ALL {
                let _ = writeln!(list, "{:16} {}", target.name(), target.about());
            }
            output::print(&list)?;
            return Ok(Exit::Ready);
        };
        let seed = self.seed.unwrap_or_else(new_seed);
        let config = Config::load(self.config.as_deref())?;
        let chosen = match target {
            Target::Equivalence => self.pair.chosen(&config, self.kind.as_deref(), self.types.as_deref())?,
            _ => None,
        };
        anyhow::ensure!(
            target == Target::Equivalence || !self.pair.is_given(),
            "--reference and --candidate are only for the target `{}`",
            Target::Equivalence.name()
        );
        let plan = FuzzPlan {
            target,
            time: self.duration,
            subject: self.kind,
            jobs: self.jobs,
            seed,
            driver: self.driver.map(Into::into),
            accept: self.accept,
        };
        let mut pair = String::new();
        let fuzzed = match chosen.filter(|chosen| !chosen.described.is_empty()) {
            Some(chosen) => {
                let settings = || {
                    let file = self.config.as_ref().map(|file| shell_quoted(&file.to_string_lossy()));
                    file.map_or_else(String::new, |file| format!(" --config {file}"))
                };
                pair = chosen.flags.as_ref().map_or_else(settings, |flags| format!(" {flags}"));
                described(&plan, &chosen, &config, &self.out)?
            }
            None => fuzz::run(&plan, &output::say)?,
        };
        let next = next(&fuzzed.finds, &pair).unwrap_or_default();
        output::print(&output::printable(&format!("target: {}; seed {seed}\n{fuzzed}{next}", target.name())))?;
        Ok(if !fuzzed.finds.is_empty() {
            Exit::Findings
        } else if fuzzed.executions == 0 {
            Exit::NothingCompared
        } else {
            Exit::Ready
        })
    }
}
