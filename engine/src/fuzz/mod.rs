//! Fuzzing: the targets of `harness/fuzz`, driven by libFuzzer or, where that cannot be built, by mutations of the seeds.

// There, it is a library; here, nothing is outside.
#[expect(clippy::expect_used, clippy::panic, reason = "checks stop at the first surprise")]
#[path = "../../../harness/fuzz/src/lib.rs"]
mod checks;
mod finds;
mod folder;
mod known;
mod libfuzzer;
mod mutate;
#[cfg(test)]
mod replay;
mod stable;

pub use checks::Target;

use crate::say::Say;
use checks::{Broken, Equivalence};
use folder::Folder;
use std::collections::BTreeSet;
use std::fmt;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// What to fuzz, and how.
#[derive(Clone, Debug)]
pub struct FuzzPlan {
    /// The target.
    pub target: Target,
    /// For how long.
    pub time: Duration,
    /// Kind or subject; none is all. For the equivalence only.
    pub subject: Option<String>,
    /// Processes of libFuzzer, or threads.
    pub jobs: NonZeroUsize,
    /// Seed of the mutations.
    pub seed: u64,
    /// Which driver; none is the best that works here.
    pub driver: Option<Driver>,
    /// Whether disagreements that are not known become known instead of finds.
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
    /// Files of what did not hold.
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
        writeln!(f, "{} executions in {seconds:.1} s, {rate:.0}/s", self.executions)?;
        if let Some(Coverage { edges, features, corpus }) = self.coverage {
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
struct Found {
    data: Vec<u8>,
    /// What did not hold; none when it cannot be tried again in this process: it hangs, aborts, or takes all memory.
    broken: Result<Broken, String>,
}

/// Fuzzes. `say` is told what takes long, and what cannot be had.
///
/// # Errors
/// Outside the repository, unknown subjects, folders that cannot be read or written, and a driver that was asked for by name and
/// cannot be had.
pub fn run(plan: &FuzzPlan, say: Say<'_>) -> anyhow::Result<Fuzzed> {
    run_in(&Folder::here()?, plan, say)
}

fn run_in(folder: &Folder, plan: &FuzzPlan, say: Say<'_>) -> anyhow::Result<Fuzzed> {
    for (given, flag) in [(plan.subject.is_some(), "--subject"), (plan.accept, "--accept")] {
        if given && plan.target != Target::Equivalence {
            anyhow::bail!("{flag} is for the target `{}`", Target::Equivalence.name());
        }
    }
    let known = known::of(folder)?;
    let equivalence = Equivalence::new(plan.subject.as_deref(), known.clone()).map_err(anyhow::Error::msg)?;
    let begin = Instant::now();
    let (driver, outcome) = match built(plan, folder, say)? {
        Some(program) => {
            let outcome = libfuzzer::run(&program, plan, folder, &equivalence)?;
            (format!("libFuzzer, built by {}", program.built_by), outcome)
        }
        None => {
            let outcome = stable::run(plan, folder, equivalence)?;
            ("stable: seeds and random mutations of them, not guided by coverage".to_owned(), outcome)
        }
    };
    let equivalence = Equivalence::new(plan.subject.as_deref(), known.clone()).map_err(anyhow::Error::msg)?;
    let mut finds = BTreeSet::new();
    for found in &outcome.found {
        finds.insert(finds::write(found, plan.target, &equivalence, folder)?);
    }
    let accepted = known::accept(known, outcome.unknown, folder)?;
    Ok(Fuzzed {
        driver,
        executions: outcome.executions,
        time: outcome.time.unwrap_or_else(|| begin.elapsed()),
        coverage: outcome.coverage,
        finds: finds.into_iter().collect(),
        accepted,
    })
}

/// What a driver has to say.
#[derive(Debug, Default)]
struct DriverOutcome {
    executions: u64,
    /// Time of the executions alone.
    time: Option<Duration>,
    coverage: Option<Coverage>,
    found: Vec<Found>,
    /// Signatures that were not known, where they are accepted.
    unknown: BTreeSet<String>,
}

/// The program of the target; none when the stable driver is to run.
fn built(plan: &FuzzPlan, folder: &Folder, say: Say<'_>) -> anyhow::Result<Option<libfuzzer::Program>> {
    match plan.driver {
        Some(Driver::Stable) => Ok(None),
        Some(Driver::LibFuzzer) => libfuzzer::build(plan.target, folder, say).map(Some),
        None => match libfuzzer::build(plan.target, folder, say) {
            Ok(program) => Ok(Some(program)),
            Err(error) => {
                say(&format!("warning: libFuzzer cannot be built here, the stable driver runs instead: {error:#}"));
                Ok(None)
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::finds::case_of;
    use super::{Driver, Equivalence, Folder, FuzzPlan, Target, run_in};
    use std::fs;
    use std::num::NonZeroUsize;
    use std::path::Path;
    use std::time::Duration;

    /// A kind on which Kubernetes' sides disagree, in a package that knows of no disagreement.
    fn plan(accept: bool) -> FuzzPlan {
        FuzzPlan {
            target: Target::Equivalence,
            time: Duration::from_millis(1_500),
            subject: Some("networking.k8s.io/v1 IPAddress".to_owned()),
            jobs: NonZeroUsize::new(2).unwrap(),
            seed: 1,
            driver: Some(Driver::Stable),
            accept,
        }
    }

    fn package(repository: &Path) -> Folder {
        let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../harness/fuzz");
        let package = repository.join("harness/fuzz");
        fs::create_dir_all(package.join("seeds/equivalence")).unwrap();
        fs::copy(own.join("choices.dict"), package.join("choices.dict")).unwrap();
        fs::write(package.join("seeds/equivalence/plain"), b"\0").unwrap();
        fs::write(package.join("known-signatures.txt"), "").unwrap();
        Folder::of(repository)
    }

    #[test]
    fn an_unknown_disagreement_is_a_find_that_breaks_again_until_it_is_accepted() {
        let repository = tempfile::tempdir().unwrap();
        let folder = package(repository.path());
        let fuzzed = run_in(&folder, &plan(false), &|_| ()).unwrap();
        assert!(fuzzed.executions > 0 && fuzzed.accepted.is_empty() && !fuzzed.finds.is_empty(), "{fuzzed}");
        let strict = Equivalence::new(None, super::known::of(&folder).unwrap()).unwrap();
        for find in &fuzzed.finds {
            let text = fs::read(find).unwrap();
            assert!(text.len() < 900, "a find is small:\n{}", String::from_utf8_lossy(&text));
            assert_eq!(find.extension().unwrap(), "yaml", "{}", String::from_utf8_lossy(&text));
            let (subject, case) = case_of(&text, "a find").unwrap();
            let broken = strict.examine(&subject, &case).unwrap_err();
            assert!(text.starts_with(format!("# {}\n", broken.what).as_bytes()), "{broken}");
        }
        let fuzzed = run_in(&folder, &plan(true), &|_| ()).unwrap();
        assert!(!fuzzed.accepted.is_empty() && fuzzed.finds.is_empty(), "{fuzzed}");
        let known = fs::read_to_string(folder.known_signatures()).unwrap();
        assert!(fuzzed.accepted.iter().all(|signature| known.contains(signature.as_str())), "{known}");
    }

    #[test]
    fn without_seeds_nothing_is_fuzzed() {
        let repository = tempfile::tempdir().unwrap();
        let folder = package(repository.path());
        fs::remove_file(repository.path().join("harness/fuzz/seeds/equivalence/plain")).unwrap();
        let error = run_in(&folder, &plan(false), &|_| ()).unwrap_err();
        assert!(error.to_string().ends_with("holds no seeds"), "{error}");
    }
}
