//! What to fuzz, and the results.

use super::checks::{Broken, Target};
use std::collections::BTreeSet;
use std::fmt;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;
use takeover_harness::text::{grouped, plural};

/// What to fuzz, and how.
#[derive(Clone, Debug)]
pub struct FuzzPlan {
    /// The target.
    pub target: Target,
    /// For how long.
    pub time: Duration,
    /// Kind or subject, or none for all. Used by the equivalence target only.
    pub subject: Option<String>,
    /// Processes of libFuzzer, or threads.
    pub jobs: NonZeroUsize,
    /// Seed of the mutations.
    pub seed: u64,
    /// The driver, or none for the best that works here.
    pub driver: Option<Driver>,
    /// Whether unknown disagreements are added to the known ones instead of becoming finds.
    pub accept: bool,
}

/// What makes inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driver {
    /// libFuzzer, guided by coverage.
    LibFuzzer,
    /// Seeds and random mutations of them, within this process.
    Stable,
}

/// How a run of fuzzing went.
#[derive(Debug)]
pub struct Fuzzed {
    /// The driver, for people.
    pub driver: String,
    /// Inputs that were tried.
    pub executions: u64,
    /// How long that took.
    pub time: Duration,
    /// What the inputs cover, where the driver knows.
    pub coverage: Option<Coverage>,
    /// Files of the inputs on which a property did not hold.
    pub finds: Vec<PathBuf>,
    /// Disagreements that became known.
    pub accepted: Vec<String>,
}

/// What the inputs of a run cover, in the best of its processes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Coverage {
    /// Edges of the program's flow.
    pub edges: u64,
    /// Features: edges with how often they were passed, and compared values.
    pub features: u64,
    /// Inputs worth keeping.
    pub corpus: u64,
}

impl fmt::Display for Fuzzed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "driver: {}", self.driver)?;
        let seconds = self.time.as_secs_f64();
        let rate = if seconds > 0.0 { self.executions as f64 / seconds } else { 0.0 };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rate for people")]
        let rate = grouped(rate as u64);
        writeln!(f, "{} in {seconds:.1} s, {rate}/s", plural(self.executions, "execution"))?;
        if let Some(Coverage { edges, features, corpus }) = self.coverage {
            let [edges, features, corpus] = [edges, features, corpus].map(grouped);
            writeln!(f, "coverage: {edges} edges, {features} features, {corpus} inputs worth keeping")?;
        }
        for signature in &self.accepted {
            writeln!(f, "accepted: {signature}")?;
        }
        if self.finds.is_empty() {
            return writeln!(f, "no finds");
        }
        for find in &self.finds {
            writeln!(f, "find: {}", find.display())?;
        }
        Ok(())
    }
}

/// Something that did not hold, and the input that shows it.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) data: Vec<u8>,
    /// The property that did not hold; none if the input cannot be tried again in this process, because it hangs, aborts or
    /// takes all memory.
    pub(super) broken: Result<Broken, String>,
}

/// What a driver reports.
#[derive(Debug, Default)]
pub(super) struct DriverOutcome {
    pub(super) executions: u64,
    /// Time of the executions alone.
    pub(super) time: Option<Duration>,
    pub(super) coverage: Option<Coverage>,
    pub(super) found: Vec<Found>,
    /// Signatures that were not known, where they are accepted.
    pub(super) unknown: BTreeSet<String>,
}
