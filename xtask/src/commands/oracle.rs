//! `cargo xtask oracle`: programs that are oracles.

use super::Format;
use super::oracle_record::RecordOracle;
use super::units::duration;
use crate::exit_code::{Exit, codes};
use crate::oracle_check::{OracleReport, Outcome, of_files, of_types};
use crate::output;
use clap::{Args, Subcommand};
use std::path::PathBuf;
use std::time::Duration;
use takeover_external::exec::ExecSettings;
use takeover_external::exec::conformance::check;

/// Checks programs that act as oracles, and records their answers.
///
/// `soak --reference 'exec COMMAND'` compares such a program with another validator. docs/oracle-protocol.md describes the
/// protocol that it speaks.
#[derive(Args)]
#[command(after_help = Exit::after_help(&[
    "cargo xtask oracle check -- ./bin/widget-oracle",
    "cargo xtask oracle check --example widget.yaml -- python3 oracle.py",
    "cargo xtask oracle record --kind 'v1 Service' -o verdicts.jsonl.gz --reference 'exec ./old' --candidate 'exec ./new'",
], codes::ORACLES))]
pub struct Oracle {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    Check(CheckOracle),
    Record(Box<RecordOracle>),
}

/// Checks whether a program speaks the oracle protocol, and prints what it can do and what it gets wrong.
///
/// Starts the program once for each check and asks it about the examples. It may reject them, but it should be able to judge
/// them. Without examples, it is asked about an object of the first kind that the program lists, with only a name. If the
/// program does not start or sends no hello, the command exits with 2. docs/oracle-protocol.md describes the protocol and the
/// checks.
#[derive(Args)]
#[command(after_help = Exit::after_help(&[
    "cargo xtask oracle check -- ./bin/widget-oracle",
    "cargo xtask oracle check --example widget.yaml -- python3 oracle.py",
    "cargo xtask oracle check --types config/crd --kind 'shop.example.com/v1 Widget' -- ./bin/widget-oracle",
    "cargo xtask oracle check --timeout 60s --format json -- java -jar oracle.jar",
], codes::ORACLE))]
struct CheckOracle {
    /// The program and its arguments.
    #[arg(last = true, required = true, value_name = "CMD")]
    command: Vec<String>,
    /// Ask about the objects in this file (YAML or JSON, also several documents or lists), folder, or `-` for standard input.
    /// Repeatable.
    #[arg(long, value_name = "FILE")]
    example: Vec<PathBuf>,
    /// Ask about generated objects of this kind: version and kind, such as `shop.example.com/v1 Widget`.
    #[arg(long)]
    kind: Option<String>,
    /// Generate them from these types: a Go package, CRD manifests or an OpenAPI v3 document [default: the built-in types].
    #[arg(long, value_name = "PATH", requires = "kind")]
    types: Option<PathBuf>,
    /// How long to wait for the hello and for each answer.
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "10s")]
    timeout: Duration,
    /// How to print the result.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
}

impl Oracle {
    /// Checks or records, and prints.
    ///
    /// # Errors
    /// When the examples cannot be read or generated, or the answers cannot be recorded.
    pub fn run(self) -> anyhow::Result<Exit> {
        match self.action {
            Action::Check(check) => check.run(),
            Action::Record(record) => record.run(),
        }
    }
}

impl CheckOracle {
    fn run(self) -> anyhow::Result<Exit> {
        let mut examples = if self.example.is_empty() { Vec::new() } else { of_files(&self.example)? };
        if let Some(kind) = &self.kind {
            examples.extend(of_types(self.types.as_deref(), kind)?);
        }
        let mut settings = ExecSettings::new(self.command.iter().map(String::as_str));
        (settings.timeout, settings.start_timeout) = (self.timeout, self.timeout);
        let report = OracleReport::new(self.command, check(&settings, &examples));
        for note in report.not_asked(&examples) {
            output::say(&note);
        }
        match self.format {
            // What kept the program from being checked is an error, not an answer.
            Format::Table if report.result() == Outcome::NotStarted => {
                output::say(&format!("error: {}", report.text().trim_end()));
            }
            Format::Table => output::print(&report.text())?,
            Format::Json => output::print_json(&report)?,
        }
        Ok(report.result().into())
    }
}
