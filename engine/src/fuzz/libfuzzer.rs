//! libFuzzer: builds a target with coverage, runs it in processes of its own, and takes in what it finds.

use super::checks::{Equivalence, Target};
use super::folder::{Folder, files_in, read};
use super::plan::{Coverage, DriverOutcome, Found, FuzzPlan};
use crate::say::Say;
use anyhow::Context as _;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// What cargo-fuzz asks the compiler for without a sanitizer. These flags are stable.
const COVERAGE: &str = "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
     -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
     -Cllvm-args=-sanitizer-coverage-trace-compares";

/// Seconds after which one input counts as hanging.
const PATIENCE: u32 = 20;

/// Memory of a process in MB.
const MEMORY: u32 = 3_072;

/// A target that was built.
pub(super) struct Program {
    path: PathBuf,
    /// The tool that built it, for people.
    pub(super) built_by: &'static str,
}

/// Builds the program of a target: by cargo-fuzz where it is installed, else by cargo with the same flags.
///
/// # Errors
/// Returns an error when there is no C++ compiler, when the package libfuzzer-sys is missing, or when the code does not
/// compile.
pub(super) fn build(target: Target, folder: &Folder, say: Say<'_>) -> anyhow::Result<Program> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let triple = host()?;
    let scratch = folder.scratch();
    let by_cargo_fuzz = Command::new(&cargo)
        .args(["fuzz", "--version"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    let mut command = Command::new(&cargo);
    if by_cargo_fuzz {
        command.args(["fuzz", "build", "--sanitizer", "none", "--fuzz-dir"]).arg(folder.package());
        command.arg("--target-dir").arg(&scratch).args(["--target", &triple, target.name()]);
    } else {
        command.args(["build", "--release", "--target", &triple, "--bin", target.name()]);
        command.arg("--manifest-path").arg(folder.package().join("Cargo.toml"));
        command.arg("--target-dir").arg(&scratch).env("RUSTFLAGS", COVERAGE);
    }
    say(&format!("building `{}` for libFuzzer; the first time takes minutes", target.name()));
    let status = command.current_dir(folder.package()).status().context("failed to start cargo")?;
    if !status.success() {
        anyhow::bail!("failed to build `{}`: {status}", target.name());
    }
    let path = scratch.join(&triple).join("release").join(target.name());
    if !path.is_file() {
        anyhow::bail!("the build produced no `{}`", path.display());
    }
    Ok(Program { path, built_by: if by_cargo_fuzz { "cargo-fuzz" } else { "cargo with the flags of cargo-fuzz" } })
}

/// The triple of this machine, as the compiler names it.
fn host() -> anyhow::Result<String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| OsString::from("rustc"));
    let output = Command::new(rustc).arg("-vV").output().context("failed to start rustc")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).context("rustc does not print its host")
}

/// Where a run leaves things.
struct Places {
    corpus: PathBuf,
    artefacts: PathBuf,
    accepted: PathBuf,
}

/// Runs the program in as many processes as there are jobs; each ends with its first find, or when the time is up.
pub(super) fn run(
    program: &Program,
    plan: &FuzzPlan,
    folder: &Folder,
    equivalence: &Equivalence,
) -> anyhow::Result<DriverOutcome> {
    folder.read_seeds(plan.target)?;
    let scratch = folder.scratch().join("runs").join(plan.target.name());
    let places = Places {
        corpus: folder.scratch().join("corpus").join(plan.target.name()),
        artefacts: scratch.join("artefacts"),
        accepted: scratch.join("accepted.txt"),
    };
    if scratch.exists() {
        fs::remove_dir_all(&scratch).with_context(|| format!("failed to clear `{}`", scratch.display()))?;
    }
    for place in [&places.corpus, &places.artefacts] {
        fs::create_dir_all(place).with_context(|| format!("failed to create `{}`", place.display()))?;
    }
    let begin = Instant::now();
    let logs: Vec<PathBuf> = (0..plan.jobs.get()).map(|job| scratch.join(format!("{job}.log"))).collect();
    let children = logs.iter().zip(0..).map(|(log, job)| start(program, plan, folder, &places, log, job));
    // All are started before any is waited for.
    let children: Vec<Child> = children.collect::<anyhow::Result<_>>()?;
    for mut child in children {
        child.wait().context("failed to wait for libFuzzer")?;
    }
    let time = begin.elapsed();
    let mut outcome = DriverOutcome { time: Some(time), ..DriverOutcome::default() };
    for log in &logs {
        let text = String::from_utf8_lossy(&read(log)?).into_owned();
        let said = Said::of(&text);
        if said.executions.is_none() {
            let end: Vec<&str> = text.lines().rev().take(5).collect();
            anyhow::bail!("libFuzzer did not run: {}; see `{}`", end.join(" / "), log.display());
        }
        outcome.executions += said.executions.unwrap_or_default();
        outcome.coverage = outcome.coverage.max(said.coverage);
    }
    for artefact in files_in(&places.artefacts)? {
        outcome.found.push(found(program, plan, &artefact, equivalence)?);
    }
    if places.accepted.exists() {
        let text = String::from_utf8_lossy(&read(&places.accepted)?).into_owned();
        outcome.unknown = text.lines().map(str::to_owned).collect::<BTreeSet<_>>();
    }
    Ok(outcome)
}

fn start(
    program: &Program,
    plan: &FuzzPlan,
    folder: &Folder,
    places: &Places,
    log: &Path,
    job: u64,
) -> anyhow::Result<Child> {
    let output = File::create(log).with_context(|| format!("failed to create `{}`", log.display()))?;
    let mut command = with_environment(program, plan);
    if plan.accept {
        command.env("TAKEOVER_ACCEPT", &places.accepted);
    }
    let prefix = places.artefacts.join(format!("{job}-"));
    command
        .arg(&places.corpus)
        .arg(folder.seeds(plan.target))
        .arg(format!("-dict={}", folder.dictionary(plan.target).display()))
        .arg(format!("-artifact_prefix={}", prefix.display()))
        .arg(format!("-max_total_time={}", plan.time.max(Duration::from_secs(1)).as_secs()))
        .arg(format!("-max_len={}", plan.target.max_len()))
        // Zero would be a seed of libFuzzer's own choosing.
        .arg(format!("-seed={}", plan.seed.wrapping_add(job) % u64::from(u32::MAX) + 1))
        .args([format!("-timeout={PATIENCE}"), format!("-rss_limit_mb={MEMORY}")])
        .args(["-print_final_stats=1", "-reload=1", "-verbosity=1"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(output);
    command.spawn().with_context(|| format!("failed to start `{}`", program.path.display()))
}

fn with_environment(program: &Program, plan: &FuzzPlan) -> Command {
    let mut command = Command::new(&program.path);
    command.env_remove("TAKEOVER_SUBJECT").env_remove("TAKEOVER_ACCEPT");
    if let Some(subject) = &plan.subject {
        command.env("TAKEOVER_SUBJECT", subject);
    }
    command
}

/// Returns what an artefact shows. It is first tried in a process of its own, and tried in this one only if it panics there.
fn found(program: &Program, plan: &FuzzPlan, artefact: &Path, equivalence: &Equivalence) -> anyhow::Result<Found> {
    let data = read(artefact)?;
    let name = artefact.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let sort = name.split('-').nth(1).unwrap_or_default().to_owned();
    if sort != "crash" {
        return Ok(Found { data, broken: Err(format!("libFuzzer says `{sort}`")) });
    }
    let output = with_environment(program, plan).arg(artefact).stdin(Stdio::null()).output();
    let output = output.with_context(|| format!("failed to start `{}`", program.path.display()))?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !said.contains("panicked at") {
        return Ok(Found { data, broken: Err("the process died without a panic".to_owned()) });
    }
    let broken = plan.target.attempt(&data, equivalence).err();
    Ok(Found { data, broken: broken.ok_or_else(|| "it panics only under libFuzzer".to_owned()) })
}

/// What libFuzzer says about a run.
#[derive(Debug, Default, PartialEq)]
struct Said {
    executions: Option<u64>,
    coverage: Option<Coverage>,
}

impl Said {
    fn of(log: &str) -> Self {
        let mut said = Self::default();
        for line in log.lines() {
            if let Some(count) = line.strip_prefix("stat::number_of_executed_units:") {
                said.executions = count.trim().parse().ok();
            } else if line.starts_with('#') {
                let after = |label: &str| {
                    let mut words = line.split_whitespace().skip_while(|word| *word != label).skip(1);
                    words.next()?.split('/').next()?.parse().ok()
                };
                if let (Some(edges), Some(features), Some(corpus)) = (after("cov:"), after("ft:"), after("corp:")) {
                    said.coverage = Some(Coverage { edges, features, corpus });
                }
            }
        }
        said
    }
}

#[cfg(test)]
mod tests {
    use super::{Coverage, Said};

    #[test]
    fn the_last_word_of_libfuzzer_is_taken() {
        let log = "INFO: Seed: 1\n#2\tINITED cov: 5 ft: 6 corp: 1/1b exec/s: 0 rss: 30Mb\n\
                   #99\tDONE   cov: 123 ft: 456 corp: 78/9Kb lim: 4096 exec/s: 33 rss: 40Mb\n\
                   Done 99 runs in 3 second(s)\nstat::number_of_executed_units: 99\n";
        let coverage = Some(Coverage { edges: 123, features: 456, corpus: 78 });
        assert_eq!(Said::of(log), Said { executions: Some(99), coverage });
        assert_eq!(Said::of("error while loading shared libraries"), Said::default());
    }
}
