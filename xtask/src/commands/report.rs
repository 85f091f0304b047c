//! `cargo xtask report`: what came of a run, in every form.

use crate::exit_code::Exit;
use crate::output;
use crate::report::{Form, read, render};
use crate::run_folder::write_whole;
use anyhow::Context as _;
use clap::{Args, ValueEnum};
use std::io::Write as _;
use std::path::PathBuf;
use takeover_reports::{Selection, Standing};

/// Shows what came of a run, as a whole or in part, in every form.
#[derive(Args)]
#[command(after_help = Exit::after_help(&[
    "cargo xtask report target/takeover/RUN --only blocked",
    "cargo xtask report RUN --format html -o report.html",
    "cargo xtask report RUN --format markdown --kind ReplicationController | gh pr comment --body-file -",
    "cargo xtask report RUN --format github                # in a step of GitHub Actions",
    "cargo xtask report RUN --format junit -o junit.xml",
]))]
pub struct Report {
    /// The run folder, or a report.json.
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// The form.
    #[arg(long, value_enum, default_value_t = Form::Table)]
    format: Form,
    /// Only rules with these verdicts, and what belongs to them.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "VERDICT")]
    only: Vec<Verdict>,
    /// Only this kind (`ReplicationController`) or subject (`v1 ReplicationController`).
    #[arg(long)]
    kind: Option<String>,
    /// Write to this file.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Where GitHub Actions says which file takes the summary of a step.
const STEP_SUMMARY: &str = "GITHUB_STEP_SUMMARY";

/// Verdicts by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Verdict {
    Ready,
    Blocked,
    Insufficient,
    NotMigrated,
    OutOfReach,
}

impl From<Verdict> for Standing {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Ready => Self::Ready,
            Verdict::Blocked => Self::Blocked,
            Verdict::Insufficient => Self::Insufficient,
            Verdict::NotMigrated => Self::NotMigrated,
            Verdict::OutOfReach => Self::OutOfReach,
        }
    }
}

impl Report {
    /// Reads, selects, prints.
    ///
    /// # Errors
    /// When there is no report, it has no such kind, or the file cannot be written.
    pub fn run(self) -> anyhow::Result<Exit> {
        let selection = Selection { only: self.only.into_iter().map(Into::into).collect(), kind: self.kind };
        let report = selection.of(read(&self.run)?)?;
        let (text, summary) = render(&report, self.format, self.output.is_none())?;
        match &self.output {
            Some(file) => write_whole(file, text.as_bytes())?,
            None => output::print(&text)?,
        }
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
