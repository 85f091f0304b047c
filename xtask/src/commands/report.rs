//! `cargo xtask report`: what came of a run, in every form.

use super::printing::Printing;
use crate::exit_code::{Exit, codes};
use crate::form::{one_of, printed, written};
use crate::output;
use crate::report::read;
use anyhow::Context as _;
use clap::{Args, Subcommand, ValueEnum};
use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use takeover_engine::config::Config;
use takeover_engine::run_folder::write_whole;
use takeover_reports::run::DIFF_FORMS;
use takeover_reports::{Diff, Form, Selection, VerdictKind, among};

/// Prints the report of a run, whole or in part, in any format.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true, after_help = Exit::after_help(&[
    "cargo xtask report target/takeover/RUN --only blocked",
    "cargo xtask report RUN --format html -o report.html",
    "cargo xtask report RUN --format markdown --kind ReplicationController | gh pr comment --body-file -",
    "cargo xtask report RUN --format github                # in a step of GitHub Actions",
    "cargo xtask report RUN --format junit -o junit.xml",
    "cargo xtask report s3://bucket/run                    # what the shards stored so far, or merge wrote",
    "cargo xtask report diff OLD NEW                       # what changed from one run to another",
], codes::PRINT))]
pub struct ReportCommand {
    #[command(subcommand)]
    command: Option<Compare>,
    /// Run folder, report.json, or the address that shards are stored at.
    #[arg(value_name = "RUN", required = true)]
    run: Option<PathBuf>,
    #[command(flatten)]
    pub(super) printing: Printing,
    /// Show only rules with these verdicts, and their findings; implies --full unless --format is given. Separate several by
    /// commas.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "VERDICT", conflicts_with = "quiet")]
    only: Vec<StandingName>,
    /// Show only this kind (`ReplicationController`) or subject (`v1 ReplicationController`).
    #[arg(long)]
    kind: Option<String>,
    /// Show only what `[subjects]` of this file chooses.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Write to this file instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// What else can be done with reports.
#[derive(Subcommand)]
enum Compare {
    Diff(DiffCommand),
}

/// Compares two runs: what got better or worse, what is new, what is gone.
///
/// Exits with 1 if a rule got worse or is no longer excused, or if a finding is new, has grown, or is no longer excused or tolerated.
#[derive(Args)]
#[command(after_help = Exit::after_help(&[
    "cargo xtask report diff main/ branch/",
    "cargo xtask report diff main/ branch/ --format markdown | gh pr comment --body-file -",
], codes::DIFF))]
struct DiffCommand {
    /// Run folder or report.json of the older run.
    #[arg(value_name = "OLD")]
    old: PathBuf,
    /// Run folder or report.json of the newer run.
    #[arg(value_name = "NEW")]
    new: PathBuf,
    /// How to print the result.
    #[arg(long, value_parser = one_of(DIFF_FORMS), default_value = "table")]
    format: &'static Form<Diff>,
    /// Compare only what `[subjects]` of this file chooses.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Write to this file instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl DiffCommand {
    fn run(self) -> anyhow::Result<Exit> {
        let (mut old, mut new) = (read(&self.old)?, read(&self.new)?);
        if let Some(chosen) = chosen(self.config.as_deref())? {
            [old, new] = [old, new].map(|report| among(report, |subject| chosen.contains(subject)));
            anyhow::ensure!(
                !(old.subjects.is_empty() && new.subjects.is_empty()),
                "neither run has anything of what the settings choose"
            );
        }
        let diff = Diff::of(&old, &new);
        write(&diff, self.format, self.output.as_deref())?;
        Ok(if diff.is_worse() { Exit::Findings } else { Exit::Ready })
    }
}

/// The subjects of a report that settings choose; all of them without settings, or where these leave the choice open.
fn chosen(config: Option<&Path>) -> anyhow::Result<Option<BTreeSet<String>>> {
    let Some(file) = config else { return Ok(None) };
    let chosen = Config::load(Some(file))?.chosen_pairs()?;
    Ok(chosen.map(|(_, pairs)| pairs.iter().map(ToString::to_string).collect()))
}

fn write<R>(report: &R, form: &Form<R>, to: Option<&Path>) -> anyhow::Result<()> {
    match to {
        Some(file) => write_whole(file, written(report, form)?.as_bytes()),
        None => output::print(&printed(report, form)?),
    }
}

/// Where GitHub Actions says which file takes the summary of a step.
const STEP_SUMMARY: &str = "GITHUB_STEP_SUMMARY";

/// Verdicts by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum StandingName {
    Ready,
    Blocked,
    Insufficient,
    NotMigrated,
    OutOfReach,
}

impl From<StandingName> for VerdictKind {
    fn from(name: StandingName) -> Self {
        match name {
            StandingName::Ready => Self::Ready,
            StandingName::Blocked => Self::Blocked,
            StandingName::Insufficient => Self::Insufficient,
            StandingName::NotMigrated => Self::NotMigrated,
            StandingName::OutOfReach => Self::OutOfReach,
        }
    }
}

impl ReportCommand {
    /// Reads, selects, prints.
    ///
    /// # Errors
    /// When there is no report, it has no such kind, or the file cannot be written.
    pub fn run(self) -> anyhow::Result<Exit> {
        let run = match (self.command, self.run) {
            (Some(Compare::Diff(diff)), _) => return diff.run(),
            (None, Some(run)) => run,
            (None, None) => anyhow::bail!("no run is named"),
        };
        let printing = if self.only.is_empty() { self.printing } else { self.printing.in_full() };
        let selection = Selection {
            only: self.only.into_iter().map(Into::into).collect(),
            kind: self.kind,
            subjects: chosen(self.config.as_deref())?,
        };
        let report = selection.of(read(&run)?)?;
        match &self.output {
            Some(_) => write(&report, printing.form(), self.output.as_deref())?,
            None => printing.print(&report)?,
        }
        let summary = printing.form().step_summary.map(|summary| summary(&report));
        let step = std::env::var_os(STEP_SUMMARY).filter(|file| !file.is_empty());
        if let (Some(summary), Some(file)) = (summary, step.map(PathBuf::from)) {
            // Other commands of the step write to it, too.
            let open = std::fs::File::options().create(true).append(true).open(&file);
            let written = open.and_then(|mut file| writeln!(file, "{summary}"));
            written.with_context(|| format!("failed to write the summary of the step to `{}`", file.display()))?;
        }
        Ok(Exit::Ready)
    }
}
