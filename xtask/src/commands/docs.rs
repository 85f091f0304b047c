//! `cargo xtask docs`: documents that are made from the program.

use crate::checks::{self, Amount};
use crate::exit_code::{Exit, codes};
use crate::output;
use crate::subjects::{catalogue, every};
use anyhow::Context as _;
use clap::{Args, Subcommand, ValueEnum};
use std::path::{Path, PathBuf};
use takeover_engine::findings;
use takeover_oracles::declarative::reference::{Reference, markdown};
use takeover_oracles::handwritten::checks as handwritten;
use takeover_oracles::registry::Registry;

/// The checked-in documents, from the top of the repository.
const TAGS_FILE: &str = "docs/tags.md";
const COVERAGE_FILE: &str = "docs/coverage.md";
const CHECKS_FILE: &str = "oracles/handwritten/checks.jsonl";

/// Prints documents that are generated from the program, or checks that the checked-in ones are up to date.
#[derive(Args)]
#[command(after_help = Exit::after_help(&[
    "cargo xtask docs tags > docs/tags.md     regenerate the tag reference",
    "cargo xtask docs tags --format json      the same for machines",
    "cargo xtask docs tags --check            exit code 1 if docs/tags.md is out of date",
    "cargo xtask docs coverage --check        the same for docs/coverage.md",
    "cargo xtask docs checks --check          the same for the list of handwritten checks",
    "cargo xtask docs findings RUN_FOLDER     the smallest cases of a soak as a table",
], codes::CHECKED))]
pub struct Docs {
    #[command(subcommand)]
    document: Document,
}

/// What there is to print.
#[derive(Subcommand)]
enum Document {
    /// Prints the tag reference: form, scopes, arguments, semantics, errors and an example of every tag.
    Tags(Tags),
    /// Prints what both sides judge and what they do not: rules, twins, delegated parts, agreement with recorded verdicts.
    Coverage(Coverage),
    /// Prints the list of handwritten checks, with everything that the validators were observed to report.
    Checks(Checks),
    /// Prints the smallest case of every signature that soaks found, as a table.
    Findings(Findings),
}

/// The tag reference.
#[derive(Args)]
#[command(after_help = Exit::after_help(&[
    "cargo xtask docs tags > docs/tags.md     regenerate the tag reference",
    "cargo xtask docs tags --format json      the same for machines",
    "cargo xtask docs tags --check            exit code 1 if docs/tags.md is out of date",
], codes::CHECKED))]
struct Tags {
    /// How to print the reference.
    #[arg(long, value_enum, default_value_t = DocFormat::Markdown)]
    format: DocFormat,
    /// Print nothing; exit with 1 if the checked-in file differs: `docs/tags.md` in this folder or the nearest one above.
    #[arg(long, conflicts_with = "format")]
    check: bool,
    /// Compare with this file instead.
    #[arg(long, requires = "check")]
    file: Option<PathBuf>,
}

/// The coverage document.
#[derive(Args)]
#[command(after_help = Exit::after_help(&[
    "cargo xtask docs coverage > docs/coverage.md     regenerate the document",
    "cargo xtask docs coverage --check                exit code 1 if docs/coverage.md is out of date",
], codes::CHECKED))]
struct Coverage {
    /// Print nothing; exit with 1 if the checked-in file differs: `docs/coverage.md` in this folder or the nearest one above.
    #[arg(long)]
    check: bool,
    /// Compare with this file instead.
    #[arg(long, requires = "check")]
    file: Option<PathBuf>,
}

/// The list of handwritten checks.
///
/// The validators of every supported release judge recorded, golden and generated cases. Whatever they report is added to the
/// list. Existing lines are kept, observed or not, so remove the lines of checks that no longer exist.
#[derive(Args)]
#[command(after_help = Exit::after_help(&[
    "cargo xtask docs checks > checks.jsonl && mv checks.jsonl oracles/handwritten/",
    "cargo xtask docs checks --check       exit code 1 if a validator reports a check that is not listed",
], codes::LISTED))]
struct Checks {
    /// Print only checks that were observed and are not in the list; exit with 1 if there are any.
    #[arg(long)]
    check: bool,
    /// Cases to generate for each subject, in addition to those that ship with the program.
    #[arg(long, default_value_t = 20_000)]
    cases: u64,
    /// Seed of the generated cases.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// The table of smallest cases.
///
/// With several run folders, each signature appears once, with its smallest case. A case that shows the same in other versions
/// of the kind stands for them too.
#[derive(Args)]
#[command(after_help = Exit::after_help(&[
    "cargo xtask docs findings target/takeover/20260101T000000Z-1",
    "cargo xtask docs findings target/takeover/*      what all runs found",
], codes::PRINT))]
struct Findings {
    /// Run folders written by `soak`.
    #[arg(value_name = "RUN_FOLDER", required = true)]
    folders: Vec<PathBuf>,
}

/// Forms of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DocFormat {
    /// For people.
    Markdown,
    /// For machines: one JSON object.
    Json,
}

impl Docs {
    /// Prints or checks.
    ///
    /// # Errors
    /// When the file to compare with cannot be read.
    pub fn run(self) -> anyhow::Result<Exit> {
        match self.document {
            Document::Tags(tags) => tags.run(),
            Document::Coverage(coverage) => coverage.run(),
            Document::Checks(checks) => checks.run(),
            Document::Findings(findings) => findings.run(),
        }
    }
}

impl Tags {
    fn run(self) -> anyhow::Result<Exit> {
        let reference = Reference::new();
        if self.check {
            let file = match self.file {
                Some(file) => file,
                None => nearest(TAGS_FILE)?,
            };
            return check(&file, &markdown(&reference), "tags", TAGS_FILE);
        }
        match self.format {
            DocFormat::Markdown => output::print(&markdown(&reference))?,
            DocFormat::Json => output::print_json(&reference)?,
        }
        Ok(Exit::Ready)
    }
}

impl Coverage {
    fn run(self) -> anyhow::Result<Exit> {
        let registry = Registry::of_builtin()?;
        let current = takeover_reports::subjects::coverage(&catalogue(&registry, every(&registry), false)?);
        if self.check {
            let file = match self.file {
                Some(file) => file,
                None => nearest(COVERAGE_FILE)?,
            };
            return check(&file, &current, "coverage", COVERAGE_FILE);
        }
        output::print(&current)?;
        Ok(Exit::Ready)
    }
}

impl Checks {
    fn run(self) -> anyhow::Result<Exit> {
        let (listed, seen) = (handwritten::all()?, checks::observe(Amount { cases: self.cases, seed: self.seed })?);
        if !self.check {
            output::print(&checks::current(listed, &seen)?)?;
            return Ok(Exit::Ready);
        }
        let missing = checks::missing(listed, &seen);
        for unlisted in &missing {
            output::say(&format!("not in {CHECKS_FILE}: {}", serde_json::to_string(unlisted)?));
        }
        Ok(if missing.is_empty() { Exit::Ready } else { Exit::Findings })
    }
}

impl Findings {
    fn run(self) -> anyhow::Result<Exit> {
        output::print(&findings::markdown(&self.folders)?)?;
        Ok(Exit::Ready)
    }
}

/// The file of this name in the working folder or the nearest one above.
fn nearest(name: &str) -> anyhow::Result<PathBuf> {
    let here = std::env::current_dir().context("failed to find the working folder")?;
    here.ancestors().map(|folder| folder.join(name)).find(|file| file.is_file()).with_context(|| {
        format!("no `{name}` in `{}` or above: run inside the repository, or name it with --file", here.display())
    })
}

fn check(file: &Path, current: &str, document: &str, name: &str) -> anyhow::Result<Exit> {
    let found = std::fs::read_to_string(file).with_context(|| format!("failed to read `{}`", file.display()))?;
    // A checkout may have turned line breaks.
    let (mut found, mut current) = (found.lines(), current.lines());
    for number in 1.. {
        match (found.next(), current.next()) {
            (None, None) => break,
            (found, current) if found == current => {}
            _ => {
                output::say(&format!(
                    "{}:{number}: out of date from here on; regenerate it with `cargo xtask docs {document} > {name}`",
                    file.display()
                ));
                return Ok(Exit::Findings);
            }
        }
    }
    Ok(Exit::Ready)
}
