//! Fuzzing a target with the best driver that works here, and keeping what it found.

use super::checks::{Equivalence, Target};
use super::folder::Folder;
use super::plan::{Driver, FuzzPlan, Fuzzed};
use super::{finds, known, libfuzzer, stable};
use crate::say::Say;
use std::collections::BTreeSet;
use std::time::Instant;

/// Fuzzes. `say` hears about slow steps and about drivers that are not available.
///
/// # Errors
/// Returns an error when run outside the repository, when the subject is unknown, when a folder cannot be read or written, or
/// when the requested driver is not available.
pub fn run(plan: &FuzzPlan, say: Say<'_>) -> anyhow::Result<Fuzzed> {
    run_in(&Folder::here()?, plan, say)
}

fn run_in(folder: &Folder, plan: &FuzzPlan, say: Say<'_>) -> anyhow::Result<Fuzzed> {
    for (given, flag) in [(plan.subject.is_some(), "--kind"), (plan.accept, "--accept")] {
        if given && plan.target != Target::Equivalence {
            anyhow::bail!("{flag} is only for the target `{}`", Target::Equivalence.name());
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
    use super::{Driver, Equivalence, Folder, FuzzPlan, Target, run_in};
    use crate::fuzz::finds::case_of;
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
        let strict = Equivalence::new(None, crate::fuzz::known::of(&folder).unwrap()).unwrap();
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
