//! `cargo xtask fuzz`: inputs nobody thought of.

use super::soak::new_seed;
use super::units::duration;
use crate::exit_code::{Exit, codes};
use crate::output;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::time::Duration;
use takeover_engine::fuzz::{self, Driver, FuzzPlan, Target};

/// Fuzzes a target and keeps every input on which a check fails.
///
/// Uses libFuzzer, guided by coverage, where it can be built with cargo-fuzz, or with cargo and the same flags; this needs a
/// C++ compiler. Elsewhere, the same checks run in this program on the seeds and on random mutations of them. The output names
/// the driver.
///
/// Failing inputs are minimised and written to harness/fuzz/finds/TARGET, as cases or as text; every `cargo xtask test` checks
/// them again. Run it inside the source repository.
#[derive(Args)]
#[command(after_help = Exit::after_help(&[
    "cargo xtask fuzz --list",
    "cargo xtask fuzz manifest_loader --for 60s",
    "cargo xtask fuzz equivalence --kind ReplicationController --for 10m --jobs 2",
    "cargo xtask fuzz equivalence --for 1h --accept      new disagreements become known",
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

/// The targets, by their names.
fn targets() -> impl TypedValueParser<Value = Target> {
    let names = Target::ALL.map(|target| PossibleValue::new(target.name()).help(target.about()));
    let named = |name: String| Target::ALL.into_iter().find(|target| target.name() == name).ok_or("no such target");
    PossibleValuesParser::new(names).try_map(named)
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
        let plan = FuzzPlan {
            target,
            time: self.duration,
            subject: self.kind,
            jobs: self.jobs,
            seed,
            driver: self.driver.map(Into::into),
            accept: self.accept,
        };
        let fuzzed = fuzz::run(&plan, &output::say)?;
        output::print(&output::printable(&format!("target: {}; seed {seed}\n{fuzzed}", target.name())))?;
        Ok(if !fuzzed.finds.is_empty() {
            Exit::Findings
        } else if fuzzed.executions == 0 {
            Exit::NothingCompared
        } else {
            Exit::Ready
        })
    }
}
